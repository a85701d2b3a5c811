use super::*;
use crate::{Path, Stage};

fn invalid(field: &str, detail: &'static str) -> Error {
    Error::invalid(&Path::new(field), "v", detail)
}

#[track_caller]
fn check(matcher: &Matcher, want: &Error, got: &Error, expected: bool) {
    assert_eq!(matcher.matches(want, got), expected, "{}", matcher.render(got));
}

#[test]
fn without_criteria_everything_matches() {
    check(&Matcher::new(), &invalid("a", "x"), &Error::required(&Path::new("b"), ""), true);
}

#[test]
fn each_criterion_tells_two_errors_apart() {
    let base = invalid("a", "text").with_origin("o");
    let matcher = Matcher::new();
    let other = |change: fn(&mut Error)| {
        let mut error = base.clone();
        change(&mut error);
        error
    };
    let rows = [
        (matcher.clone().by_kind(), other(|error| error.kind = ErrorKind::Forbidden)),
        (matcher.clone().by_field(), other(|error| error.field = "b".into())),
        (matcher.clone().by_value(), other(|error| error.value = BadValue::Nil)),
        (matcher.clone().by_origin(), other(|error| error.origin = "p".into())),
        (matcher.clone().by_detail_exact(), other(|error| error.detail = "text!".into())),
        (matcher.clone().by_detail_substring(), other(|error| error.detail = "tex".into())),
        (matcher.clone().by_stage(), other(|error| error.stage = Stage::Beta)),
        (matcher.clone().by_source(), other(|error| error.source = Source::HandWritten)),
        (matcher.clone().by_short_circuit(), other(|error| error.short_circuit = true)),
    ];
    for (matcher, changed) in &rows {
        check(matcher, &base, &base, true);
        check(matcher, &base, &changed.clone(), false);
        check(&Matcher::new(), &base, changed, true);
    }
}

#[test]
fn a_substring_of_the_detail_is_enough() {
    check(&Matcher::new().by_detail_substring(), &invalid("a", "mid"), &invalid("a", "amidst"), true);
}

#[test]
fn an_invalid_value_may_have_to_name_its_origin() {
    let matcher = Matcher::new().by_origin().require_origin_when_invalid();
    check(&matcher, &invalid("a", ""), &invalid("a", ""), false);
    let required = Error::required(&Path::new("a"), "");
    check(&matcher, &required, &required, true);
}

#[test]
fn only_the_actual_field_is_normalized() {
    let rules = [NormalizationRule::new("old", "new").unwrap()];
    let matcher = Matcher::new().by_field_normalized(&rules);
    check(&matcher, &invalid("new.a", ""), &invalid("old.a", ""), true);
    check(&matcher, &invalid("old.a", ""), &invalid("old.a", ""), true);
    check(&matcher, &invalid("old.a", ""), &invalid("new.a", ""), false);
    assert_eq!(matcher.render(&invalid("old.a", "")), r#"{Field="new.a" (aka "old.a")}"#);
}

#[test]
fn the_first_rule_that_changes_something_wins() {
    let rules = [
        NormalizationRule::new("a", "a").unwrap(),
        NormalizationRule::new("a", "b").unwrap(),
        NormalizationRule::new("a", "c").unwrap(),
    ];
    check(&Matcher::new().by_field_normalized(&rules), &invalid("b", ""), &invalid("a", ""), true);
}

#[test]
fn a_short_circuit_above_accounts_for_errors_below() {
    let matcher = Matcher::new().by_kind().by_field().match_ancestor_short_circuit();
    let above = Error::too_many(&Path::new("a"), 3, 2).with_short_circuit();
    check(&matcher, &invalid("a[0].b", ""), &above, true);
    check(&matcher, &invalid("a.b", ""), &above, true);
    check(&matcher, &invalid("ab", ""), &above, false);
    check(&matcher, &invalid("a", ""), &above, false);
}

#[test]
fn render_shows_what_is_compared() {
    let error = invalid("a", "d").with_origin("o").with_stage(Stage::Alpha);
    let matcher = Matcher::new().exactly().by_stage().by_source().by_short_circuit();
    assert_eq!(
        matcher.render(&error),
        r#"{Type="FieldValueInvalid", Field="a", Value="v", Origin="o", Detail="d", ValidationStabilityLevel=alpha, FromImperative=false, ShortCircuit=false}"#,
    );
    assert_eq!(Matcher::new().render(&error), "{}");
    let nil = Error::invalid(&Path::new("a"), BadValue::Nil, "");
    assert_eq!(Matcher::new().by_value().render(&nil), "{Value=<nil>}");
}

#[test]
fn without_an_origin_errors_pair_one_to_one() {
    let matcher = Matcher::new().by_kind().by_field();
    let got = [invalid("a", "1"), invalid("a", "2")];
    assert_eq!(matcher.diff(&[invalid("a", ""), invalid("a", "")], &got), []);
    let left = matcher.diff(&[invalid("a", "")], &got);
    assert!(matches!(left.as_slice(), [Mismatch::Unexpected(text)] if text.contains("\"2\"")), "{left:?}");
}

#[test]
fn one_expected_origin_accounts_for_many_errors() {
    let matcher = Matcher::new().by_kind().by_field().by_origin();
    let got = [invalid("a", "1").with_origin("o"), invalid("a", "2").with_origin("o")];
    let want = invalid("a", "").with_origin("o");
    assert_eq!(matcher.diff(std::slice::from_ref(&want), &got), []);
    let twice = matcher.diff(&[want.clone(), want], &got);
    assert!(matches!(twice.as_slice(), [Mismatch::Missing(_)]), "{twice:?}");
}

#[test]
fn equal_actual_errors_are_suspicious() {
    let matcher = Matcher::new().by_kind().by_origin();
    let got = invalid("a", "1").with_origin("o");
    let diff = matcher.diff(std::slice::from_ref(&got), &[got.clone(), got.clone()]);
    assert!(matches!(diff.as_slice(), [Mismatch::Duplicate(_)]), "{diff:?}");
    assert!(diff[0].to_string().starts_with("exact duplicate error:\n{Type="));
}

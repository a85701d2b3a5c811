//! Tolerations of pods and taints of nodes.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, ErrorKind, Errors, Path};
use sprag_rest::Fact;
use sprag_value::view::List;

use super::super::PodOptions;
use super::super::seen::Seen;
use crate::core::internal::{Field, Form, internal_value};
use crate::views::core_v1::{Taint, Toleration};

const NO_EXECUTE: &str = "NoExecute";
/// In the order in which errors list them; the last two are known only where they are not allowed.
const OPERATORS: &[&str] = &["Equal", "Exists", "Lt", "Gt"];

/// `core.Taint`.
const TAINT_FIELDS: &[Field] = &[
    ("Key", "key", Form::Text),
    ("Value", "value", Form::Text),
    ("Effect", "effect", Form::Text),
    ("TimeAdded", "timeAdded", Form::Plain),
];

/// As upstream's `validation.ValidateTolerations`.
pub(crate) fn validate_tolerations(
    tolerations: List<'_, Toleration<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    for (index, toleration) in tolerations.iter().enumerate() {
        let at = at.index(index);
        let effect = toleration.effect();
        validate_key(toleration, &at, errors);
        if toleration.toleration_seconds().is_some() && effect != NO_EXECUTE {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(Error::invalid(&at.child("effect"), BadValue::json_str(effect), detail));
        }
        validate_operator(toleration, &at, options, errors);
        toleration.check_effect(&at, errors);
    }
}

fn validate_key(toleration: Toleration<'_>, at: &At<'_>, errors: &mut Errors) {
    let key = toleration.key();
    let operator = toleration.operator();
    if !key.is_empty() {
        toleration.check_key(at, errors);
    } else if operator != "Exists" {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.push(Error::invalid(&at.child("operator"), BadValue::json_str(operator), detail));
    }
}

/// Judges the operator and the value; most errors about the value blame the operator, as upstream's do.
fn validate_operator(toleration: Toleration<'_>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    let (operator, value, operator_path) = (toleration.operator(), toleration.value(), at.child("operator"));
    match operator {
        "Equal" | "" => {
            if let Some(detail) = label_value_flaws(value) {
                errors.push(Error::invalid(&operator_path, value, detail));
            }
        }
        "Exists" => {
            if !value.is_empty() {
                errors.push(Error::invalid(&operator_path, value, "value must be empty when `operator` is 'Exists'"));
            }
        }
        "Lt" | "Gt" if options.allow_taint_toleration_comparison_operators => {
            validate_number(value, &at.child("value"), errors);
        }
        _ => {
            let is_number = matches!(operator, "Lt" | "Gt") && errors.release().has(Fact::TolerationsCompareNumbers);
            let known = if is_number { OPERATORS } else { &OPERATORS[..2] };
            errors.push(Error::not_supported(&operator_path, BadValue::json_str(operator), known));
        }
    }
}

/// All that is wrong with the value of a label in one text.
fn label_value_flaws(value: &str) -> Option<String> {
    let mut details: Option<String> = None;
    Format::LabelValue.check(value, &mut |flaw| match &mut details {
        None => details = Some(flaw.detail.into_owned()),
        Some(details) => {
            details.push(';');
            details.push_str(&flaw.detail);
        }
    });
    details
}

/// As upstream's `content.IsDecimalInteger`, then Go's `strconv.ParseInt`, which accepts more forms but not all numbers.
fn validate_number(text: &str, at: &Path<'_>, errors: &mut Errors) {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = text == "0" || (is_digits(digits) && !digits.starts_with('0'));
    if text.is_empty() {
        errors.push(Error::invalid(at, text, "must be non-empty"));
    } else if !is_canonical {
        errors.push(Error::invalid(at, text, "must be a valid decimal integer in canonical form"));
    }
    if let Some(failure) = parse_failure(text) {
        let quoted = sprag_field::quote::go(text);
        errors.push(Error::invalid(at, text, format!("strconv.ParseInt: parsing {quoted}: {failure}")));
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the reason why `strconv.ParseInt` cannot read a text; a number out of range is reported before the
/// characters after it.
fn parse_failure(text: &str) -> Option<&'static str> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() {
        return Some("invalid syntax");
    }
    let mut number = 0_u64;
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return Some("invalid syntax");
        }
        let next = number.checked_mul(10).and_then(|number| number.checked_add(u64::from(byte - b'0')));
        let Some(next) = next else { return Some("value out of range") };
        number = next;
    }
    let limit = if text.starts_with('-') { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() };
    (number > limit).then_some("value out of range")
}

/// As upstream's `validation.validateNodeTaints`.
pub(crate) fn validate_taints(taints: List<'_, Taint<'_>>, at: &At<'_>, errors: &mut Errors) {
    let mut known = Seen::new();
    for (index, taint) in taints.iter().enumerate() {
        let at = at.index(index);
        let key = taint.key();
        let effect = taint.effect();
        taint.check_key(&at, errors);
        if let Some(detail) = label_value_flaws(taint.value()) {
            errors.push(Error::invalid(&at.child("value"), taint.value(), detail));
        }
        taint.check_effect(&at, errors);
        if !known.insert((key, effect)) {
            let shown = internal_value(Some(taint.as_value()), Form::Struct(TAINT_FIELDS));
            let detail = "taints must be unique by key and effect pair";
            errors.push(Error::new(ErrorKind::Duplicate, &at, shown, detail));
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use sprag_checks::Request;

    use super::*;

    #[track_caller]
    fn check(toleration: &str, expected: &[&str]) {
        let list = json::parse(format!("[{toleration}]").as_bytes()).unwrap();
        let options = PodOptions { allow_taint_toleration_comparison_operators: true, ..PodOptions::default() };
        let mut errors = Errors::new();
        validate_tolerations(View::view(Some(&list)), &At::root(&Request::create()).child("t"), &options, &mut errors);
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_are_canonical_and_fit() {
        let gt = |value: &str| format!(r#"{{"key":"k","operator":"Gt","value":"{value}"}}"#);
        let canonical = |text: &str| {
            format!("t[0].value: Invalid value: \"{text}\": must be a valid decimal integer in canonical form")
        };
        let unread = |text: &str, why: &str| {
            format!("t[0].value: Invalid value: \"{text}\": strconv.ParseInt: parsing \"{text}\": {why}")
        };
        for text in ["0", "-1", "9223372036854775807", "-9223372036854775808"] {
            check(&gt(text), &[]);
        }
        for text in ["007", "+5", "-0"] {
            check(&gt(text), &[&canonical(text)]);
        }
        check(&gt("9223372036854775808"), &[&unread("9223372036854775808", "value out of range")]);
        check(&gt("1x"), &[&canonical("1x"), &unread("1x", "invalid syntax")]);
        check(&gt(""), &["t[0].value: Invalid value: \"\": must be non-empty", &unread("", "invalid syntax")]);
    }

    #[test]
    fn errors_about_values_blame_the_operator() {
        check(
            r#"{"key":"k","operator":"Exists","value":"x"}"#,
            &["t[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'"],
        );
        check(
            r#"{"effect":"x","tolerationSeconds":1}"#,
            &[
                "t[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, which means \"match all \
             values and all keys\"",
                "t[0].effect: Invalid value: \"x\": effect must be 'NoExecute' when `tolerationSeconds` is set",
                "t[0].effect: Unsupported value: \"x\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
            ],
        );
    }

    #[test]
    fn taints_are_unique_by_key_and_effect() {
        let list = json::parse(
            br#"[{"key":"a","effect":"NoExecute"},{"key":"a","effect":"NoExecute","value":"x"},{"key":"a","effect":"NoSchedule"}]"#,
        );
        let list = list.unwrap();
        let mut errors = Errors::new();
        validate_taints(View::view(Some(&list)), &At::root(&Request::create()).child("t"), &mut errors);
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                r#"t[1]: Duplicate value: {"Key":"a","Value":"x","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair"#
            ]
        );
    }
}

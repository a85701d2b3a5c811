//! The rules of the tags that `tags.yaml` declares. Views call them with the place of a value, what their getter reads, and the
//! arguments of the tag; each returns whether it refused the value. A rule about changes gets the values before and after an
//! update in place of what the getter reads.

use std::borrow::Cow;

use sprag_checks::At;
use sprag_checks::content::{config_map_key, in_range, port_name, relaxed_env_var_name};
use sprag_checks::format::Format;
use sprag_checks::object_meta::{
    Usage, dns_1035_label, dns_label, dns_subdomain, path_segment, standard_finalizer, validate_annotations,
    validate_labels,
};
use sprag_field::{BadValue, Error, Errors};
use sprag_shape::Change;
use sprag_value::view::{IntOrStr, List, Map, View};

use crate::apps::rolling_update::validate_int_or_percent;
use crate::core::internal::shown_change;
use crate::core::names::validate_signer_name;
use crate::core::pod::volumes::sources::validate_csi_driver_name;
use crate::core::pod::volumes::{descending_path, local_path, no_backsteps};
use crate::core::pod::{validate_port_number_or_name, validate_resource_name};
use crate::program::shapes;
use crate::resource::{validate_driver_name, validate_pool_name};

/// Refuses a number that is not between two bounds, as upstream's `validation.IsInRange`.
pub(crate) fn range(at: &At<'_>, number: impl Into<Option<i64>>, min: i64, max: i64, errors: &mut Errors) -> bool {
    let Some(number) = number.into().filter(|number| !(min..=max).contains(number)) else { return false };
    in_range(number, min, max, &mut |detail| errors.push(Error::invalid(at, number, detail)));
    true
}

/// A value that may have nothing in it.
pub(crate) trait Content: Copy {
    fn is_empty(&self) -> bool;
}

impl Content for &str {
    fn is_empty(&self) -> bool {
        str::is_empty(self)
    }
}

/// A pointer to nothing is as empty as none.
impl Content for Option<&str> {
    fn is_empty(&self) -> bool {
        self.is_none_or(str::is_empty)
    }
}

impl<'v, T: View<'v>> Content for List<'v, T> {
    fn is_empty(&self) -> bool {
        List::is_empty(*self)
    }
}

/// Refuses a value that is missing or empty, with a detail.
pub(crate) fn required(at: &At<'_>, value: impl Content, detail: Option<&'static str>, errors: &mut Errors) -> bool {
    refuse_missing(at, value.is_empty(), detail, errors)
}

/// Refuses a pointer that is not set, with a detail.
pub(crate) fn present<T: Copy>(
    at: &At<'_>,
    value: Option<T>,
    detail: Option<&'static str>,
    errors: &mut Errors,
) -> bool {
    refuse_missing(at, value.is_none(), detail, errors)
}

/// Refuses a text that is white space alone, with a detail.
pub(crate) fn not_blank(at: &At<'_>, text: &str, detail: Option<&'static str>, errors: &mut Errors) -> bool {
    refuse_missing(at, text.trim().is_empty(), detail, errors)
}

fn refuse_missing(at: &At<'_>, is_missing: bool, detail: Option<&'static str>, errors: &mut Errors) -> bool {
    if is_missing {
        errors.push(Error::required(at, detail.unwrap_or_default()));
    }
    is_missing
}

/// Rejects any change of a field, as upstream's `validation.ValidateImmutableField`; with a detail, the change is forbidden.
pub(crate) fn immutable(at: &At<'_>, change: Change<'_>, detail: Option<&'static str>, errors: &mut Errors) -> bool {
    if change.is_none(shapes()) {
        return false;
    }
    let error = match detail {
        Some(detail) => Error::forbidden(at, detail),
        None => {
            Error::invalid(at, shown_change(errors.release(), &change), "field is immutable").with_origin("immutable")
        }
    };
    errors.push(if change.is_covered { error.with_covered_by_declarative() } else { error });
    true
}

/// Refuses a number below a bound, with a detail.
pub(crate) fn at_least(
    at: &At<'_>,
    number: impl Into<Option<i64>>,
    min: i64,
    detail: &'static str,
    errors: &mut Errors,
) -> bool {
    let Some(number) = number.into().filter(|number| *number < min) else { return false };
    errors.push(Error::invalid(at, number, detail));
    true
}

/// Refuses bits beyond those of permissions, as upstream's rules of `defaultMode`.
pub(crate) fn file_mode(at: &At<'_>, mode: impl Into<Option<i64>>, errors: &mut Errors) -> bool {
    let Some(mode) = mode.into().filter(|mode| !(0..=0o777).contains(mode)) else { return false };
    errors.push(Error::invalid(at, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
    true
}

/// Judges a number or text as upstream's `validation.ValidatePortNumOrName` or `validation.ValidatePositiveIntOrPercent`.
pub(crate) fn int_or_string<'v>(
    at: &At<'_>,
    value: impl Into<Option<IntOrStr<'v>>>,
    name: &str,
    errors: &mut Errors,
) -> bool {
    let mark = errors.len();
    let value = value.into().unwrap_or(IntOrStr::Int(0));
    match name {
        "port" => validate_port_number_or_name(value, at, errors),
        "amount" => validate_int_or_percent(value, at, errors),
        _ => errors.push(Error::internal(at, format_args!("unknown form {name}"))),
    }
    errors.len() > mark
}

/// Refuses a text that is not in the list, whose items stand between commas.
pub(crate) fn one_of<'t>(at: &At<'_>, text: impl Into<Option<&'t str>>, values: &str, errors: &mut Errors) -> bool {
    let is_one_of = |text: &str| values.split(',').any(|value| value == text);
    let Some(text) = text.into().filter(|text| !is_one_of(text)) else { return false };
    let values: Vec<&str> = values.split(',').collect();
    errors.push(Error::not_supported(at, BadValue::json_str(text), &values));
    true
}

/// Judges a map as upstream's `unversionedvalidation.ValidateLabels`, `validation.ValidateAnnotations` or
/// `validation.validateResourceName`, or by the keys that config maps and secrets may have.
pub(crate) fn map<'v, T: View<'v>>(at: &At<'_>, map: Map<'v, T>, name: &str, errors: &mut Errors) -> bool {
    let mark = errors.len();
    match name {
        "labels" => validate_labels(map.value(), at, errors),
        "annotations" => validate_annotations(map.value(), at, errors),
        "resources" => map.keys().for_each(|key| validate_resource_name(key, &at.key(key), errors)),
        "config-keys" => map.keys().for_each(|key| {
            config_map_key(key, &mut |detail| errors.push(Error::invalid(&at.key(key), key, detail)));
        }),
        _ => errors.push(Error::internal(at, format_args!("unknown map {name}"))),
    }
    errors.len() > mark
}

/// A value that holds texts.
pub(crate) trait Texts<'t> {
    fn for_each(self, judge: impl FnMut(&'t str));
}

impl<'t> Texts<'t> for &'t str {
    #[inline]
    fn for_each(self, mut judge: impl FnMut(&'t str)) {
        judge(self);
    }
}

impl<'t> Texts<'t> for Option<&'t str> {
    #[inline]
    fn for_each(self, judge: impl FnMut(&'t str)) {
        self.into_iter().for_each(judge);
    }
}

impl<'t> Texts<'t> for List<'t, &'t str> {
    #[inline]
    fn for_each(self, judge: impl FnMut(&'t str)) {
        self.iter().for_each(judge);
    }
}

/// Judges a text, or each of a list, by a format of upstream's `util/validation` and `pkg/apis/core/validation`.
#[expect(clippy::inline_always, reason = "the name is a constant of the caller")]
#[inline(always)]
pub(crate) fn format<'t>(at: &At<'_>, texts: impl Texts<'t>, name: &str, errors: &mut Errors) -> bool {
    let mark = errors.len();
    texts.for_each(|text| format_of_text(at, text, name, errors));
    errors.len() > mark
}

#[expect(clippy::inline_always, reason = "the name is a constant of the caller")]
#[inline(always)]
fn format_of_text(at: &At<'_>, text: &str, name: &str, errors: &mut Errors) {
    let report = &mut |detail: Cow<'static, str>| errors.push(Error::invalid(at, text, detail));
    match name {
        "dns-label" => dns_label(text, Usage::Name, report),
        "dns-subdomain" => dns_subdomain(text, Usage::Name, report),
        // As the start of a generated name, which may end with a dash.
        "dns-subdomain-prefix" => dns_subdomain(text, Usage::Prefix, report),
        "dns-1035-label" => dns_1035_label(text, Usage::Name, report),
        "path-segment" => path_segment(text, Usage::Name, report),
        "port-name" => port_name(text, report),
        "config-map-key" => config_map_key(text, report),
        "relaxed-env-var-name" => relaxed_env_var_name(text, report),
        "qualified-name" => Format::LabelKey.check(text, &mut |flaw| report(flaw.detail)),
        "label-value" => Format::LabelValue.check(text, &mut |flaw| report(flaw.detail)),
        "local-path" => local_path(text, report),
        "descending-path" => descending_path(text, report),
        "no-backsteps" => no_backsteps(text, report),
        "standard-finalizer" => standard_finalizer(text, at, errors),
        "signer-name" => validate_signer_name(text, at, errors),
        "csi-driver-name" => {
            // Where it is not required by another tag.
            if text.is_empty() {
                errors.push(Error::required(at, ""));
            }
            validate_csi_driver_name(text, at, errors);
        }
        "driver-name" => validate_driver_name(text, at, errors),
        "pool-name" => validate_pool_name(text, at, errors),
        _ => errors.push(Error::internal(at, format_args!("unknown format {name}"))),
    }
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(run: impl Fn(&At<'_>, &mut Errors) -> bool, expected: &[&str]) {
        let request = Request::create();
        let mut errors = Errors::new();
        let is_refused = run(&At::root(&request).child("f"), &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts, expected);
        assert_eq!(is_refused, !expected.is_empty());
    }

    #[test]
    fn required_values_are_neither_missing_nor_empty() {
        let list = json::parse(b"[0]").unwrap();
        let list: List<'_, i64> = View::view(Some(&list));
        let none: List<'_, i64> = View::view(None);
        check(|at, errors| required(at, "", Some("no f"), errors), &["f: Required value: no f"]);
        check(|at, errors| required(at, None, Some("no f"), errors), &["f: Required value: no f"]);
        check(|at, errors| required(at, Some(""), None, errors), &["f: Required value"]);
        check(|at, errors| required(at, none, None, errors), &["f: Required value"]);
        check(|at, errors| required(at, "a", None, errors), &[]);
        check(|at, errors| required(at, Some("a"), None, errors), &[]);
        check(|at, errors| required(at, list, None, errors), &[]);
    }

    #[test]
    fn pointers_may_point_to_something_empty() {
        check(|at, errors| present(at, None::<&str>, Some("no f"), errors), &["f: Required value: no f"]);
        check(|at, errors| present(at, Some(""), Some("no f"), errors), &[]);
    }

    #[test]
    fn blank_texts_are_missing() {
        for blank in ["", " \t\n"] {
            check(|at, errors| not_blank(at, blank, Some("no f"), errors), &["f: Required value: no f"]);
        }
        check(|at, errors| not_blank(at, " a", Some("no f"), errors), &[]);
    }

    #[test]
    fn immutable_fields_show_the_new_value_or_are_forbidden() {
        let spec = shapes().by_name("v1.DeploymentSpec").unwrap();
        let ty = shapes().field(spec, "selector").unwrap().ty;
        let selector = |text: &str| json::parse(text.as_bytes()).unwrap();
        let new = selector(r#"{"matchLabels":{"a":"b"}}"#);
        let old = selector(r#"{"matchLabels":{"a":"c"}}"#);
        let same = selector(r#"{"matchLabels":{"a":"b"},"matchExpressions":[]}"#);
        let change = |new, old| Change { ty, new, old, is_named: true, is_covered: false };
        let changed = change(Some(&new), Some(&old));
        let shown = r#"f: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable"#;
        check(|at, errors| immutable(at, changed, None, errors), &[shown]);
        check(|at, errors| immutable(at, changed, Some("may not change"), errors), &["f: Forbidden: may not change"]);
        check(|at, errors| immutable(at, change(Some(&new), Some(&same)), None, errors), &[]);
        let unset = change(None, Some(&old));
        check(|at, errors| immutable(at, unset, None, errors), &["f: Invalid value: null: field is immutable"]);
    }

    #[test]
    fn bounds_of_integers_have_texts_of_their_own() {
        check(|at, errors| at_least(at, 0, 1, "too little", errors), &["f: Invalid value: 0: too little"]);
        check(|at, errors| at_least(at, 1, 1, "too little", errors), &[]);
        check(|at, errors| at_least(at, None, 1, "too little", errors), &[]);
    }
}

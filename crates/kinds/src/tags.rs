//! The rules of the tags that `tags.yaml` declares, which hand-written code calls on dynamic values.

use std::borrow::Cow;

use sprag_checks::At;
use sprag_checks::content::{config_map_key, in_range, port_name, relaxed_env_var_name};
use sprag_checks::format::Format;
use sprag_checks::object_meta::{
    Usage, dns_1035_label, dns_label, dns_subdomain, path_segment, validate_annotations, validate_labels,
};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_program::{HookArg, HookCall, Literal};
use sprag_value::Value;
use sprag_value::view::{IntOrStr, Map, View};

use crate::apps::rolling_update::validate_int_or_percent;
use crate::core::names::validate_signer_name;
use crate::core::pod::volumes::sources::validate_csi_driver_name;
use crate::core::pod::volumes::{descending_path, local_path, no_backsteps};
use crate::core::pod::{validate_port_number_or_name, validate_resource_name};
use crate::resource::{validate_driver_name, validate_pool_name};

/// Runs the function of a tag on a dynamic value; `None` where there is no such tag.
pub(crate) fn run(call: &HookCall, at: &At<'_>, new: Option<&Value>, errors: &mut Errors) -> Option<bool> {
    let (text, number) = (new.and_then(Value::as_str), new.and_then(Value::as_i64));
    Some(match call.name.as_str() {
        "crate::tags::format" => text.is_some_and(|text| judge_format(text, text_of(call), &at.path, errors)),
        "crate::tags::one_of" => text.is_some_and(|text| judge_one_of(text, text_of(call), &at.path, errors)),
        "crate::tags::range" => {
            let (min, max) = (number_of(call, 0), number_of(call, 1));
            number.is_some_and(|number| judge_range(number, min, max, &at.path, errors))
        }
        "crate::tags::file_mode" => number.is_some_and(|mode| judge_file_mode(mode, &at.path, errors)),
        "crate::tags::map" => judge_map(new, text_of(call), &at.path, errors),
        "crate::tags::int_or_string" => judge_int_or_string(new, text_of(call), &at.path, errors),
        "crate::tags::required" => judge_required(new, detail_of(call), &at.path, errors),
        "crate::tags::present" => judge_present(new, detail_of(call), &at.path, errors),
        "crate::tags::not_blank" => judge_not_blank(text, detail_of(call), &at.path, errors),
        "crate::tags::at_least" => {
            let (min, detail) = (number_of(call, 0), detail_of(call));
            new.is_some_and(|value| judge_at_least(value, min, detail, &at.path, errors))
        }
        _ => return None,
    })
}

/// Tells if the function of a tag could refuse a text; true where only running it tells. Views call it.
#[expect(clippy::inline_always, reason = "the tag is a constant of the caller")]
#[inline(always)]
pub(crate) fn may_refuse_text(tag: &str, text: &str, arguments: &[&str]) -> bool {
    match (tag, arguments) {
        ("crate::tags::format", [name]) => {
            let mut is_right = true;
            let is_usual = usual_format(text, name, &mut |_| is_right = false);
            !(is_usual && is_right)
        }
        ("crate::tags::one_of", [values]) => !is_one_of(text, values),
        ("crate::tags::required", _) => text.is_empty(),
        _ => true,
    }
}

/// The same for a number.
#[expect(clippy::inline_always, reason = "the tag is a constant of the caller")]
#[inline(always)]
pub(crate) fn may_refuse_number(tag: &str, number: i64, arguments: &[i64]) -> bool {
    match (tag, arguments) {
        ("crate::tags::range", [min, max]) => !(*min..=*max).contains(&number),
        ("crate::tags::at_least", [min]) => number < *min,
        _ => true,
    }
}

/// The text after `=`, which the tags that ask for it have.
fn text_of(call: &HookCall) -> &str {
    match call.args.first() {
        Some(HookArg::Required(Literal::String(text))) => text,
        _ => "",
    }
}

/// The text after `=` of a tag whose errors say it; it comes after what is between the brackets.
fn detail_of(call: &HookCall) -> &str {
    match call.args.last() {
        Some(HookArg::Required(Literal::String(text)) | HookArg::Optional(Some(Literal::String(text)))) => text,
        _ => "",
    }
}

/// A number between the brackets, which the tags that ask for it have.
fn number_of(call: &HookCall, at: usize) -> i64 {
    match call.args.get(at) {
        Some(HookArg::Required(Literal::Int(number))) => i64::try_from(*number).unwrap_or_default(),
        _ => 0,
    }
}

/// Refuses a number that is not between two bounds, as upstream's `validation.IsInRange`.
fn judge_range(number: i64, min: i64, max: i64, at: &Path<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    in_range(number, min, max, &mut |detail| errors.push(Error::invalid(at, number, detail)));
    errors.len() > mark
}

/// Refuses a value that is missing or empty, with a detail.
fn judge_required(value: Option<&Value>, detail: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let is_missing = match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    };
    if is_missing {
        errors.push(Error::required(at, detail.to_owned()));
    }
    is_missing
}

/// Refuses a pointer that is not set, with a detail.
fn judge_present(value: Option<&Value>, detail: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let is_missing = value.is_none_or(Value::is_null);
    if is_missing {
        errors.push(Error::required(at, detail.to_owned()));
    }
    is_missing
}

/// Refuses a text that is white space alone, with a detail.
fn judge_not_blank(text: Option<&str>, detail: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let is_blank = text.is_none_or(|text| text.trim().is_empty());
    if is_blank {
        errors.push(Error::required(at, detail.to_owned()));
    }
    is_blank
}

/// Refuses a number below a bound, with a detail.
fn judge_at_least(value: &Value, min: i64, detail: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let Some(number) = value.as_i64() else { return false };
    let is_less = number < min;
    if is_less {
        errors.push(Error::invalid(at, number, detail.to_owned()));
    }
    is_less
}

/// Refuses bits beyond those of permissions, as upstream's rules of `defaultMode`.
fn judge_file_mode(mode: i64, at: &Path<'_>, errors: &mut Errors) -> bool {
    let is_bad = !(0..=0o777).contains(&mode);
    if is_bad {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.push(Error::invalid(at, mode, detail));
    }
    is_bad
}

/// Judges a number or text as upstream's `validation.ValidatePortNumOrName` or `validation.ValidatePositiveIntOrPercent`.
fn judge_int_or_string(value: Option<&Value>, name: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    let value = IntOrStr::view(value);
    match name {
        "port" => validate_port_number_or_name(value, at, errors),
        "amount" => validate_int_or_percent(value, at, errors),
        _ => errors.push(Error::internal(at, format_args!("unknown form {name}"))),
    }
    errors.len() > mark
}

/// Refuses a text that is not in the list, whose items stand between commas.
fn judge_one_of(text: &str, values: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let is_known = is_one_of(text, values);
    if !is_known {
        let values: Vec<&str> = values.split(',').collect();
        errors.push(Error::not_supported(at, BadValue::json_str(text), &values));
    }
    !is_known
}

fn is_one_of(text: &str, values: &str) -> bool {
    values.split(',').any(|value| value == text)
}

fn keys(map: Option<&Value>) -> impl Iterator<Item = &str> {
    Map::<&Value>::view(map).keys()
}

/// Judges a map as upstream's `unversionedvalidation.ValidateLabels`, `validation.ValidateAnnotations` or
/// `validation.validateResourceName`, or by the keys that config maps and secrets may have.
fn judge_map(map: Option<&Value>, name: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    match name {
        "labels" => validate_labels(map, at, errors),
        "annotations" => validate_annotations(map, at, errors),
        "resources" => keys(map).for_each(|key| validate_resource_name(key, &at.key(key), errors)),
        "config-keys" => keys(map).for_each(|key| {
            config_map_key(key, &mut |detail| errors.push(Error::invalid(&at.key(key), key, detail)));
        }),
        _ => errors.push(Error::internal(at, format_args!("unknown map {name}"))),
    }
    errors.len() > mark
}

/// Judges a text by a format of upstream's `util/validation` and `pkg/apis/core/validation`.
fn judge_format(text: &str, name: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    if !usual_format(text, name, &mut |detail| errors.push(Error::invalid(at, text, detail))) {
        match name {
            "signer-name" => validate_signer_name(text, at, errors),
            "csi-driver-name" => validate_csi_driver_name(text, at, errors),
            "driver-name" => validate_driver_name(text, at, errors),
            "pool-name" => validate_pool_name(text, at, errors),
            _ => errors.push(Error::internal(at, format_args!("unknown format {name}"))),
        }
    }
    errors.len() > mark
}

/// Checks a text against a format and reports each flaw. Returns false for formats that report errors of their own.
fn usual_format(text: &str, name: &str, report: &mut dyn FnMut(Cow<'static, str>)) -> bool {
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
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, args: Vec<HookArg>, value: &str, expected: &[&str]) {
        let call = HookCall { name: format!("crate::tags::{name}"), args };
        let (value, request, mut errors) = (json::parse(value.as_bytes()).unwrap(), Request::create(), Errors::new());
        let value = Some(&value).filter(|value| !value.is_null());
        let found = run(&call, &At::root(&request).child("f"), value, &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            (texts.iter().map(String::as_str).collect::<Vec<_>>(), found),
            (expected.to_vec(), Some(!expected.is_empty()))
        );
    }

    fn detail(text: &str) -> HookArg {
        HookArg::Optional(Some(Literal::String(text.into())))
    }

    #[test]
    fn required_values_are_neither_missing_nor_empty() {
        for missing in ["null", "\"\"", "[]"] {
            check("required", vec![detail("no f")], missing, &["f: Required value: no f"]);
        }
        check("required", vec![HookArg::Optional(None)], "\"\"", &["f: Required value"]);
        for present in ["\"a\"", "[0]", "{}"] {
            check("required", vec![detail("no f")], present, &[]);
        }
    }

    #[test]
    fn pointers_may_point_to_something_empty() {
        check("present", vec![detail("no f")], "null", &["f: Required value: no f"]);
        check("present", vec![detail("no f")], "\"\"", &[]);
    }

    #[test]
    fn blank_texts_are_missing() {
        for blank in ["null", "\"\"", "\" \\t\\n\""] {
            check("not_blank", vec![detail("no f")], blank, &["f: Required value: no f"]);
        }
        check("not_blank", vec![detail("no f")], "\" a\"", &[]);
    }

    #[test]
    fn bounds_of_integers_have_texts_of_their_own() {
        let args = || {
            let (min, text) = (Literal::Int(1), Literal::String("too little".into()));
            vec![HookArg::Required(min), HookArg::Required(text)]
        };
        check("at_least", args(), "0", &["f: Invalid value: 0: too little"]);
        check("at_least", args(), "1", &[]);
        check("at_least", args(), "null", &[]);
    }
}

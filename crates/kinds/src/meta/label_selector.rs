//! Rules of label selectors.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors};
use sprag_value::view::Map;

use crate::views::meta_v1;

/// As upstream's `unversionedvalidation.ValidateLabelSelector`. Values that no label can have are let through where an
/// object had such before.
pub(crate) fn validate_label_selector(
    selector: meta_v1::LabelSelector<'_>,
    allow_bad_values: bool,
    at: &At<'_>,
    errors: &mut Errors,
) {
    selector.check_match_labels(at, errors);
    let expressions = at.child("matchExpressions");
    for (index, requirement) in selector.match_expressions().iter().enumerate() {
        let options = RequirementOptions { allow_bad_values, allow_unknown_operators: false };
        validate_requirement(requirement, options, &expressions.index(index), errors);
    }
}

/// Tells if upstream's `metav1.LabelSelectorAsSelector` accepts a selector.
pub(crate) fn is_valid_selector(selector: meta_v1::LabelSelector<'_>, root: &At<'_>) -> bool {
    let mut errors = Errors::new();
    validate_label_selector(selector, false, root, &mut errors);
    errors.is_empty()
}

/// Tells if a valid selector selects objects with these labels, as upstream's `labels.Selector.Matches`.
pub(crate) fn selector_matches<'v>(selector: meta_v1::LabelSelector<'v>, labels: Map<'v, &'v str>) -> bool {
    let holds = |requirement: meta_v1::LabelSelectorRequirement<'v>| {
        let label = labels.get(requirement.key());
        let is_listed = || label.is_some_and(|label| requirement.values().iter().any(|value| value == label));
        match requirement.operator() {
            "In" => is_listed(),
            "NotIn" => !is_listed(),
            "Exists" => label.is_some(),
            "DoesNotExist" => label.is_none(),
            _ => false,
        }
    };
    selector.match_labels().iter().all(|(key, value)| labels.get(key) == Some(value))
        && selector.match_expressions().iter().all(holds)
}

/// Tells if a requirement has a value that no label can have, as upstream's
/// `unversionedvalidation.LabelSelectorHasInvalidLabelValue`.
pub(crate) fn has_bad_label_values(selector: meta_v1::LabelSelector<'_>) -> bool {
    let mut requirements = selector.match_expressions().iter();
    requirements.any(|requirement| requirement.values().iter().any(|value| !Format::LabelValue.is_valid(value)))
}

/// The relaxations for requirements.
#[derive(Clone, Copy)]
pub(crate) struct RequirementOptions {
    /// Values that no label can have.
    pub(crate) allow_bad_values: bool,
    /// Operators that nobody knows yet.
    pub(crate) allow_unknown_operators: bool,
}

/// As upstream's `unversionedvalidation.ValidateLabelSelectorRequirement`.
pub(crate) fn validate_requirement(
    requirement: meta_v1::LabelSelectorRequirement<'_>,
    options: RequirementOptions,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let values = at.child("values");
    let operator = requirement.operator();
    match operator {
        "In" | "NotIn" if requirement.values().is_empty() => {
            errors.push(Error::required(&values, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        "Exists" | "DoesNotExist" if !requirement.values().is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&values, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ if options.allow_unknown_operators => {}
        _ => {
            let value = BadValue::json_str(operator);
            errors.push(Error::invalid(&at.child("operator"), value, "not a valid selector operator"));
        }
    }
    requirement.check_key(at, errors);
    if !options.allow_bad_values {
        requirement.check_values(at, errors);
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use super::*;

    #[test]
    fn all_requirements_of_a_selector_hold() {
        let labels = json::parse(br#"{"app":"web","tier":"a"}"#).unwrap();
        let check = |selector: &str, expected: bool| {
            let selector = json::parse(selector.as_bytes()).unwrap();
            assert_eq!(
                selector_matches(View::view(Some(&selector)), View::view(Some(&labels))),
                expected,
                "{selector:?}"
            );
        };
        check("{}", true);
        check(r#"{"matchLabels":{"app":"web"}}"#, true);
        check(r#"{"matchLabels":{"app":"db"}}"#, false);
        let expression = |key: &str, operator: &str, values: &str| {
            format!(r#"{{"matchExpressions":[{{"key":"{key}","operator":"{operator}","values":[{values}]}}]}}"#)
        };
        check(&expression("tier", "In", r#""b","a""#), true);
        check(&expression("other", "In", r#""b""#), false);
        check(&expression("tier", "NotIn", r#""a""#), false);
        check(&expression("other", "NotIn", r#""a""#), true);
        check(&expression("app", "Exists", ""), true);
        check(&expression("app", "DoesNotExist", ""), false);
    }
}

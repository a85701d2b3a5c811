//! Rules of reviews, as upstream's `pkg/apis/authorization/validation`.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Fact, meta};
use sprag_shape::to_go_json;
use sprag_value::view::View;
use sprag_value::{Value, json};

use crate::meta::{RequirementOptions, validate_requirement};
use crate::views::authorization_v1::{
    FieldSelectorAttributes, LabelSelectorAttributes, NonResourceAttributes, ResourceAttributes, SubjectAccessReview,
};
use crate::views::meta_v1::FieldSelectorRequirement;

fn view(review: &Value) -> SubjectAccessReview<'_> {
    View::view(Some(review))
}

/// As upstream's `ValidateSubjectAccessReviewSpec`, or `ValidateSelfSubjectAccessReviewSpec` where nobody is named.
pub(super) fn validate_spec(review: &Value, names_subject: bool, root: &At<'_>, errors: &mut Errors) {
    let spec = view(review).spec();
    let at = root.child("spec");
    let resource = spec.resource_attributes();
    let path = spec.non_resource_attributes();
    if resource.is_some() == path.is_some() {
        let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let blames_resource = errors.release().has(Fact::ReviewsBlameTheResource);
        if blames_resource && path.is_some() {
            let detail = "cannot be specified in combination with resourceAttributes";
            errors.push(Error::invalid(&at.child("nonResourceAttributes"), shown(path), detail));
        } else if blames_resource {
            errors.push(Error::invalid(&at.child("resourceAttributes"), BadValue::Nil, detail));
        }
        let error = Error::invalid(&at, shown(path), detail).with_origin("union");
        errors.extend((!blames_resource).then(|| error.with_covered_by_declarative()));
    }
    if names_subject && spec.user().is_empty() && spec.groups().is_empty() {
        errors.push(Error::invalid(&at.child("user"), "", "at least one of user or group must be specified"));
    }
    if let Some(resource) = resource {
        validate_selectors(resource, &root.child("spec.resourceAttributes"), errors);
    }
}

/// As upstream's `NonResourceAttributes` print, whose internal type has no JSON names.
fn shown(path: Option<NonResourceAttributes<'_>>) -> BadValue {
    let Some(path) = path else { return BadValue::Nil };
    let text = |text: &str| json::to_string(&Value::from(text));
    BadValue::Json(format!(r#"{{"Path":{},"Verb":{}}}"#, text(path.path()), text(path.verb())))
}

/// Refuses metadata: a review is nothing that has a name.
pub(super) fn validate_metadata(review: &Value, has_namespace: bool, errors: &mut Errors) {
    let Some(metadata) = review.get("metadata").and_then(Value::as_object) else { return };
    let is_allowed = |key: &str| key == "managedFields" || (has_namespace && key == "namespace");
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Int(number) => *number == 0,
        _ => false,
    };
    if metadata.iter().all(|(key, value)| is_allowed(key.as_str()) || is_empty(value)) {
        return;
    }
    let shapes = sprag_shape::meta::shapes();
    let metadata = Value::Object(metadata.clone());
    let shown = BadValue::Json(to_go_json(shapes, sprag_shape::meta::OBJECT_META, &metadata));
    let detail = if has_namespace { "must be empty except for namespace" } else { "must be empty" };
    errors.push(Error::invalid(&Path::new("metadata"), shown, detail));
}

/// As the rest of upstream's `ValidateLocalSubjectAccessReview`.
pub(super) fn validate_local(review: &Value, errors: &mut Errors) {
    let spec = view(review).spec();
    if let Some(resource) = spec.resource_attributes()
        && resource.namespace() != meta::namespace(review)
    {
        let at = Path::new("spec.resourceAttributes.namespace");
        errors.push(Error::invalid(&at, resource.namespace(), "must match metadata.namespace"));
    }
    if let Some(path) = spec.non_resource_attributes() {
        let at = Path::new("spec.nonResourceAttributes");
        errors.push(Error::invalid(&at, shown(Some(path)), "disallowed on this kind of request"));
    }
}

fn validate_selectors(resource: ResourceAttributes<'_>, at: &At<'_>, errors: &mut Errors) {
    if let Some(selector) = resource.field_selector() {
        let (selector, at): (FieldSelectorAttributes<'_>, _) = (selector, at.child("fieldSelector"));
        let requirements = selector.requirements();
        validate_either(selector.raw_selector(), requirements.is_empty(), &at, errors);
        for (index, requirement) in requirements.iter().enumerate() {
            validate_field(requirement, &at.child("requirements").index(index), errors);
        }
    }
    if let Some(selector) = resource.label_selector() {
        let (selector, at): (LabelSelectorAttributes<'_>, _) = (selector, at.child("labelSelector"));
        let requirements = selector.requirements();
        validate_either(selector.raw_selector(), requirements.is_empty(), &at, errors);
        for (index, requirement) in requirements.iter().enumerate() {
            let options = RequirementOptions { allow_bad_values: false, allow_unknown_operators: true };
            validate_requirement(requirement, options, &at.child("requirements").index(index), errors);
        }
    }
}

/// A selector is a text or has requirements.
fn validate_either(raw: &str, has_no_requirements: bool, at: &Path<'_>, errors: &mut Errors) {
    if !raw.is_empty() && !has_no_requirements {
        let detail = "may not specified at the same time as requirements";
        errors.push(Error::invalid(&at.child("rawSelector"), raw, detail));
    }
    if raw.is_empty() && has_no_requirements {
        let detail = format!("when {at} is specified, requirements or rawSelector is required");
        errors.push(Error::required(&at.child("requirements"), detail));
    }
}

/// As upstream's `ValidateFieldSelectorRequirement`, with unknown operators let through.
fn validate_field(requirement: FieldSelectorRequirement<'_>, at: &At<'_>, errors: &mut Errors) {
    requirement.check_key(at, errors);
    match requirement.operator() {
        "In" | "NotIn" if requirement.values().is_empty() => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(Error::required(&at.child("values"), detail));
        }
        "Exists" | "DoesNotExist" if !requirement.values().is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&at.child("values"), detail));
        }
        _ => {}
    }
}

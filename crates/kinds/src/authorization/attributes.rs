//! The attributes of an access review, as upstream's `pkg/registry/authorization/util`.

use sprag_authorization::{Attributes, ResourceTarget, Target};
use sprag_checks::format::Format;
use sprag_rest::User;
use sprag_rest::selector::{FieldSelector, LabelSelector};
use sprag_value::Value;
use sprag_value::view::{List, View};

use crate::views::authorization_v1::{
    FieldSelectorAttributes, LabelSelectorAttributes, ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};

/// A review as it was sent. The spec of reviews of oneself has less, and nothing else.
pub(super) struct Asked<'v>(SubjectAccessReviewSpec<'v>);

impl<'v> Asked<'v> {
    pub(super) fn new(review: &'v Value) -> Asked<'v> {
        let review: SubjectAccessReview<'v> = View::view(Some(review));
        Asked(review.spec())
    }

    /// Returns the user of the review. A service account has no groups but those that are named.
    pub(super) fn user(&self) -> User {
        let spec = &self.0;
        let extra = spec.as_value().get("extra").and_then(Value::as_object).into_iter().flatten();
        let texts = |values: &Value| {
            let values = values.as_array().into_iter().flatten();
            values.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        User {
            name: spec.user().to_owned(),
            uid: spec.uid().to_owned(),
            groups: spec.groups().iter().map(str::to_owned).collect(),
            extra: extra.map(|(key, values)| (key.as_str().to_owned(), texts(values))).collect(),
        }
    }

    pub(super) fn attributes<'a>(&self, user: &'a User) -> Attributes<'a>
    where
        'v: 'a,
    {
        if let Some(resource) = self.0.resource_attributes() {
            let target = ResourceTarget {
                group: resource.group(),
                resource: resource.resource(),
                subresource: resource.subresource(),
                namespace: resource.namespace(),
                name: resource.name(),
            };
            return Attributes { user, verb: resource.verb(), target: Target::Resource(target) };
        }
        let path = self.0.non_resource_attributes();
        let (path, verb) = path.map_or(("", ""), |path| (path.path(), path.verb()));
        Attributes { user, verb, target: Target::Path(path) }
    }

    /// Returns the parts that could not be evaluated, as upstream's `BuildEvaluationError`.
    pub(super) fn evaluation_error(&self) -> String {
        let Some(resource) = self.0.resource_attributes() else { return String::new() };
        let ignored =
            [("fieldSelector", field_requirements(resource)), ("labelSelector", label_requirements(resource))];
        let texts = ignored.into_iter().filter_map(|(name, requirements)| {
            let partially = match requirements {
                Read::All => return None,
                Read::Some => "partially ",
                Read::None => "",
            };
            Some(format!("spec.resourceAttributes.{name} {partially}ignored due to parse error"))
        });
        texts.collect::<Vec<_>>().join("; ")
    }
}

/// The readable part of a selector.
#[derive(PartialEq, Eq)]
enum Read {
    All,
    Some,
    None,
}

impl Read {
    fn of(good: usize, all: usize) -> Read {
        match good {
            _ if good == all => Read::All,
            0 => Read::None,
            _ => Read::Some,
        }
    }
}

fn label_requirements(resource: ResourceAttributes<'_>) -> Read {
    let Some(selector) = resource.label_selector() else { return Read::All };
    let selector: LabelSelectorAttributes<'_> = selector;
    let requirements = selector.requirements();
    if requirements.is_empty() {
        let raw = selector.raw_selector();
        return if LabelSelector::parse(raw).is_ok() { Read::All } else { Read::None };
    }
    // As upstream's labels.NewRequirement. Validation lets unknown operators pass.
    let is_good = |operator: &str, key: &str, values: List<'_, &str>| {
        let is_known = match operator {
            "In" | "NotIn" => !values.is_empty(),
            "Exists" | "DoesNotExist" => values.is_empty(),
            _ => false,
        };
        is_known && Format::LabelKey.is_valid(key) && values.iter().all(|value| Format::LabelValue.is_valid(value))
    };
    let good = requirements.iter().filter(|one| is_good(one.operator(), one.key(), one.values())).count();
    Read::of(good, requirements.len())
}

fn field_requirements(resource: ResourceAttributes<'_>) -> Read {
    let Some(selector) = resource.field_selector() else { return Read::All };
    let selector: FieldSelectorAttributes<'_> = selector;
    let requirements = selector.requirements();
    if requirements.is_empty() {
        let raw = selector.raw_selector();
        return if FieldSelector::parse(raw).is_ok() { Read::All } else { Read::None };
    }
    // As upstream's fieldSelectorAsSelector: one value, which is or is not the field's.
    let is_good = |operator: &str, values: usize| values == 1 && matches!(operator, "In" | "NotIn");
    let good = requirements.iter().filter(|one| is_good(one.operator(), one.values().len())).count();
    Read::of(good, requirements.len())
}

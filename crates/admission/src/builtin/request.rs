//! Helpers of plug-ins to inspect and reject a request.

use sprag_checks::object_meta::path_segment_flaws;
use sprag_registry::{Admitted, Attributes, Mutation, Operation};
use sprag_rest::{ApiError, GroupResource, ListOptions, Request, Result, User, meta};
use sprag_value::Value;

/// Reports whether a request goes to a resource, or to something below it.
pub(super) fn is_below(attributes: &Attributes<'_>, group: &str, resource: &str) -> bool {
    let name = &attributes.definition.resource;
    name.resource == resource && name.group == group
}

/// True if a request goes to a resource itself.
pub(super) fn is(attributes: &Attributes<'_>, group: &str, resource: &str) -> bool {
    attributes.request.subresource.is_empty() && is_below(attributes, group, resource)
}

/// True if a pod is written, and not something below it.
pub(super) fn writes_pod(attributes: &Attributes<'_>) -> bool {
    attributes.object.is_some() && is(attributes, "", "pods")
}

/// True if a pod is created.
pub(super) fn creates_pod(attributes: &Attributes<'_>) -> bool {
    creates(attributes) && is(attributes, "", "pods")
}

pub(super) fn creates(attributes: &Attributes<'_>) -> bool {
    matches!(attributes.operation, Operation::Create(_))
}

pub(super) fn updates(attributes: &Attributes<'_>) -> bool {
    matches!(attributes.operation, Operation::Update(_))
}

/// The refusal of a request, as upstream's `admission.NewForbidden`.
pub(super) fn forbidden(attributes: &Attributes<'_>, why: &str) -> ApiError {
    let generated = attributes.new_object().text_at(&["metadata", "generateName"]);
    let name = match (attributes.name(), generated) {
        ("", "") => "Unknown",
        ("", generated) => generated,
        (name, _) => name,
    };
    ApiError::forbidden(&attributes.definition.resource, name, why)
}

/// The texts of several errors, as upstream's `utilerrors.NewAggregate` prints them.
pub(super) fn aggregate(mut errors: Vec<String>) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    errors.retain(|error| seen.insert(error.clone()));
    match errors.len() {
        0 => None,
        1 => errors.pop(),
        _ => Some(format!("[{}]", errors.join(", "))),
    }
}

/// The outcome of a plug-in that changes nothing.
pub(super) fn unchanged<'a>() -> Admitted<'a, Mutation> {
    Box::pin(std::future::ready(Ok(Mutation::default())))
}

/// The outcome of a plug-in that needs nothing but the request to change the object.
pub(super) fn mutated<'a>(outcome: Result<Option<Value>>) -> Admitted<'a, Mutation> {
    let outcome = outcome.map(|object| Mutation { object, warnings: Vec::new() });
    Box::pin(std::future::ready(outcome))
}

/// The outcome of a plug-in that needs nothing but the request to judge it.
pub(super) fn judged<'a>(outcome: Result<()>) -> Admitted<'a, Vec<String>> {
    Box::pin(std::future::ready(outcome.map(|()| Vec::new())))
}

/// The changed object as an outcome.
pub(super) fn changed(object: Value) -> Mutation {
    Mutation { object: Some(object), warnings: Vec::new() }
}

/// A stored object, if it exists. `group`, `version` and `resource` name its kind.
pub(super) async fn find(
    attributes: &Attributes<'_>,
    kind: (&str, &str, &str),
    namespace: &str,
    name: &str,
) -> Result<Option<Value>> {
    if !path_segment_flaws(name).is_empty() {
        return Ok(None);
    }
    let (user, (group, version, resource)) = (User::default(), kind);
    let request = Request { group, version, resource, namespace, name, subresource: "", user: &user };
    match attributes.registry.get(&request, "").await {
        Ok(object) => Ok(Some(object)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// All stored objects of a kind; those of one namespace unless it is empty.
pub(super) async fn list_all(
    attributes: &Attributes<'_>,
    kind: (&str, &str, &str),
    namespace: &str,
) -> Result<Vec<Value>> {
    let (user, (group, version, resource)) = (User::default(), kind);
    if attributes.registry.definition(&GroupResource::new(group, resource)).is_none() {
        return Ok(Vec::new());
    }
    let request = Request { group, version, resource, namespace, name: "", subresource: "", user: &user };
    Ok(attributes.registry.list(&request, &ListOptions::default()).await?.items)
}

/// The default among classes: the newest that an annotation marks, by name when there are several of the same age.
// As upstream's util.GetDefaultClass of storage classes and defaultingressclass.getDefaultClass.
pub(super) fn default_class(classes: Vec<Value>, marks: &[&str]) -> Option<String> {
    let is_default = |class: &Value| marks.iter().any(|mark| super::members::annotation(class, mark) == Some("true"));
    let age = |class: &Value| meta::text(class, "creationTimestamp").to_owned();
    let newest = classes
        .into_iter()
        .filter(is_default)
        .min_by(|a, b| age(b).cmp(&age(a)).then_with(|| meta::name(a).cmp(meta::name(b))));
    newest.map(|class| meta::name(&class).to_owned())
}

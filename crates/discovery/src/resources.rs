//! The resources of one version of a group: `/api/v1` and `/apis/<group>/<version>`.

use std::sync::Arc;

use sprag_rest::{Definition, GroupVersionKind, Subresource, SubresourceKind, Version, api_version};
use sprag_value::Value;

use crate::groups::of_group;
use crate::hash::storage_version_hash;
use crate::object::texts;

/// The document at `/api/v1` or `/apis/<group>/<version>`; none when the version is not served.
pub fn api_resource_list(definitions: &[Arc<Definition>], group: &str, version: &str) -> Option<Value> {
    let served = served(definitions, group, version);
    if served.is_empty() {
        return None;
    }
    let mut resources = Vec::new();
    for (definition, version) in served {
        resources.push(resource(definition));
        resources.extend(version.subresources.iter().map(|below| subresource(definition, version, below)));
    }
    resources.sort_by(|a, b| name(a).cmp(name(b)));
    let mut document = object! {
        "kind": "APIResourceList",
        "groupVersion": api_version(group, version),
        "resources": resources,
    };
    // The core group is older than this member.
    if !group.is_empty() {
        document.insert("apiVersion", "v1");
    }
    Some(document)
}

/// The definitions of a group with the version of this name, sorted by resource.
pub(crate) fn served<'a>(
    definitions: &'a [Arc<Definition>],
    group: &str,
    version: &str,
) -> Vec<(&'a Definition, &'a Version)> {
    let mut served: Vec<(&Definition, &Version)> = of_group(definitions, group)
        .iter()
        .filter_map(|definition| Some((definition.as_ref(), definition.version(version)?)))
        .filter(|(_, version)| version.served)
        .collect();
    served.sort_by_key(|(definition, _)| definition.resource.resource.as_str());
    served
}

/// The kind that requests to a subresource exchange.
pub(crate) fn subresource_kind(
    definition: &Definition,
    version: &Version,
    subresource: &Subresource,
) -> GroupVersionKind {
    match &subresource.kind {
        SubresourceKind::Part(_) => definition.gvk(&version.name),
        SubresourceKind::Scale(_) => GroupVersionKind::new("autoscaling", "v1", "Scale"),
        SubresourceKind::Create(create) => create.gvk(),
        SubresourceKind::Connect(connect) => connect.gvk(),
    }
}

fn resource(definition: &Definition) -> Value {
    let mut entry = object! {
        "name": &definition.resource.resource,
        "singularName": &definition.singular,
        "namespaced": definition.namespaced(),
        "kind": &definition.kind,
        "verbs": texts(definition.verbs()),
    };
    add_names(&mut entry, definition);
    let storage = definition.version(&definition.storage_version);
    let is_stored = definition.unstored.is_none();
    let is_served = || storage.is_some_and(|version| version.served);
    if is_stored && (definition.conventions.hashes_unserved_version || is_served()) {
        let group = definition.scheme.stored_as().map_or(definition.group(), |resource| &resource.group);
        entry.insert("storageVersionHash", storage_version_hash(group, &definition.storage_version, &definition.kind));
    }
    entry
}

/// Short names and categories, where there are some.
pub(crate) fn add_names(entry: &mut Value, definition: &Definition) {
    for (member, names) in [("shortNames", &definition.short_names), ("categories", &definition.categories)] {
        if !names.is_empty() {
            entry.insert(member, texts(names));
        }
    }
}

fn subresource(definition: &Definition, version: &Version, subresource: &Subresource) -> Value {
    let gvk = subresource_kind(definition, version, subresource);
    let mut entry = object! {
        "name": format!("{}/{}", definition.resource.resource, subresource.name),
        "singularName": "",
        "namespaced": definition.namespaced(),
        "kind": &gvk.kind,
        "verbs": texts(subresource.verbs()),
    };
    if (gvk.group.as_str(), &gvk.version) != (definition.group(), &version.name) {
        entry.insert("group", gvk.group);
        entry.insert("version", gvk.version);
    }
    entry
}

fn name(entry: &Value) -> &str {
    entry.get("name").and_then(Value::as_str).unwrap_or_default()
}

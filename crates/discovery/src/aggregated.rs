//! Everything at once: the `APIGroupDiscoveryList` that `/api` and `/apis` answer on request.

use std::sync::Arc;

use sprag_rest::{Definition, GroupVersionKind, Scope, Subresource, Version};
use sprag_value::Value;

use crate::groups::{served_groups, served_versions};
use crate::object::texts;
use crate::resources::{add_names, served, subresource_kind};

/// The aggregated document at `/api`: the core group.
pub fn aggregated_api(definitions: &[Arc<Definition>]) -> Value {
    list(definitions, &[""])
}

/// The aggregated document at `/apis`: all other groups.
pub fn aggregated_apis(definitions: &[Arc<Definition>]) -> Value {
    list(definitions, &served_groups(definitions))
}

fn list(definitions: &[Arc<Definition>], groups: &[&str]) -> Value {
    object! {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": Value::object(),
        "items": groups.iter().map(|group| group_entry(definitions, group)).collect::<Value>(),
    }
}

fn group_entry(definitions: &[Arc<Definition>], group: &str) -> Value {
    let versions = served_versions(definitions, group).into_iter().map(|version| {
        let resources = served(definitions, group, version);
        object! {
            "version": version,
            "resources": resources.into_iter().map(|(definition, version)| resource(definition, version)).collect::<Value>(),
            "freshness": "Current",
        }
    });
    let metadata = if group.is_empty() {
        Value::object()
    } else {
        object! { "name": group }
    };
    object! { "metadata": metadata, "versions": versions.collect::<Value>() }
}

fn resource(definition: &Definition, version: &Version) -> Value {
    let mut entry = object! {
        "resource": &definition.resource.resource,
        "responseKind": response_kind(definition, version, &definition.gvk(&version.name)),
        "scope": match definition.scope { Scope::Namespaced => "Namespaced", Scope::Cluster => "Cluster" },
        "singularResource": &definition.singular,
        "verbs": texts(definition.verbs()),
    };
    add_names(&mut entry, definition);
    let mut below: Vec<&Subresource> = version.subresources.iter().collect();
    if definition.conventions.sorts_subresources {
        below.sort_by_key(|subresource| subresource.name.as_str());
    }
    if !below.is_empty() {
        let below = below.into_iter().map(|subresource| subresource_entry(definition, version, subresource));
        entry.insert("subresources", below.collect::<Value>());
    }
    entry
}

fn subresource_entry(definition: &Definition, version: &Version, subresource: &Subresource) -> Value {
    object! {
        "subresource": &subresource.name,
        "responseKind": response_kind(definition, version, &subresource_kind(definition, version, subresource)),
        "verbs": texts(subresource.verbs()),
    }
}

/// The kind of answers.
fn response_kind(definition: &Definition, version: &Version, gvk: &GroupVersionKind) -> Value {
    let is_own = gvk.group == definition.group() && gvk.version == version.name;
    let is_bare = is_own && !definition.conventions.response_kinds_are_qualified;
    let (group, version) = if is_bare { ("", "") } else { (gvk.group.as_str(), gvk.version.as_str()) };
    object! { "group": group, "version": version, "kind": &gvk.kind }
}

//! Groups and their versions: `/api`, `/apis` and `/apis/<group>`.

use std::sync::Arc;

use sprag_rest::{Definition, api_version, compare_versions};
use sprag_value::Value;

use crate::order::compare_groups;

/// The document at `/api`: versions of the core group, and where clients reach the server.
pub fn api_versions(definitions: &[Arc<Definition>], server_address: &str) -> Value {
    let address = object! { "clientCIDR": "0.0.0.0/0", "serverAddress": server_address };
    object! {
        "kind": "APIVersions",
        "versions": served_versions(definitions, ""),
        "serverAddressByClientCIDRs": [address],
    }
}

/// The document at `/apis`: all groups but the core group.
pub fn api_group_list(definitions: &[Arc<Definition>]) -> Value {
    let groups: Value = served_groups(definitions).into_iter().map(|group| group_members(definitions, group)).collect();
    object! { "kind": "APIGroupList", "apiVersion": "v1", "groups": groups }
}

/// The document at `/apis/<group>`; none when no version of the group is served.
pub fn api_group(definitions: &[Arc<Definition>], group: &str) -> Option<Value> {
    if group.is_empty() || served_versions(definitions, group).is_empty() {
        return None;
    }
    let mut document = group_members(definitions, group);
    document.insert("kind", "APIGroup");
    document.insert("apiVersion", "v1");
    Some(document)
}

fn group_members(definitions: &[Arc<Definition>], group: &str) -> Value {
    let versions: Vec<Value> = served_versions(definitions, group)
        .into_iter()
        .map(|version| object! { "groupVersion": api_version(group, version), "version": version })
        .collect();
    object! { "name": group, "preferredVersion": versions.first().cloned(), "versions": versions }
}

/// The definitions of a group. All of them are sorted by group.
pub(crate) fn of_group<'a>(definitions: &'a [Arc<Definition>], group: &str) -> &'a [Arc<Definition>] {
    debug_assert!(definitions.is_sorted_by(|a, b| a.group() <= b.group()), "definitions are sorted by group");
    let start = definitions.partition_point(|definition| definition.group() < group);
    let length = definitions[start..].partition_point(|definition| definition.group() == group);
    &definitions[start..start + length]
}

/// The groups other than the core group that have a served version, in the order in which they are listed.
pub(crate) fn served_groups(definitions: &[Arc<Definition>]) -> Vec<&str> {
    let served = |definition: &&Arc<Definition>| definition.versions.iter().any(|version| version.served);
    let mut groups: Vec<&str> = definitions.iter().filter(served).map(|definition| definition.group()).collect();
    groups.retain(|group| !group.is_empty());
    groups.sort_by(|a, b| compare_groups(a, b));
    groups.dedup();
    groups
}

/// The versions of a group that are served, in the order in which they are listed.
pub(crate) fn served_versions<'a>(definitions: &'a [Arc<Definition>], group: &str) -> Vec<&'a str> {
    let mut versions: Vec<&str> = of_group(definitions, group)
        .iter()
        .flat_map(|definition| &definition.versions)
        .filter(|version| version.served)
        .map(|version| version.name.as_str())
        .collect();
    versions.sort_by(|a, b| compare_versions(a, b));
    versions.dedup();
    versions
}

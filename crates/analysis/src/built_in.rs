//! Kinds that every cluster has, as far as Sprag declares them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use sprag_kinds::ServiceRanges;
use sprag_rest::{Definition, ResourceInfo};
use sprag_value::Value;

use super::{Known, OFFLINE, Object, Policy};
use crate::report::{Finding, Identity, Origin};

/// The kinds for manifests that may be meant for any cluster.
pub(super) fn definitions() -> Vec<Definition> {
    let mut kinds = sprag_kinds::definitions_with(ServiceRanges::unknown());
    sprag_kinds::remove_disabled(&mut kinds, OFFLINE.gates());
    kinds
}

/// The resources by group and kind.
static KINDS: LazyLock<BTreeMap<(String, String), Arc<ResourceInfo>>> = LazyLock::new(|| {
    definitions()
        .into_iter()
        .map(|kind| ((kind.group().to_owned(), kind.kind.clone()), OFFLINE.resource(kind)))
        .collect()
});

/// The kinds of a group that are declared.
pub(super) fn kinds(group: &str) -> impl Iterator<Item = &str> {
    KINDS.keys().filter(move |(known, _)| known == group).map(|(_, kind)| kind.as_str())
}

/// True if a kind is declared.
pub(super) fn knows(group: &str, kind: &str) -> bool {
    kinds(group).any(|known| known == kind)
}

/// The versions of a kind that are served, if it is declared.
pub(super) fn served_versions(group: &str, kind: &str) -> Option<String> {
    let resource = KINDS.get(&(group.to_owned(), kind.to_owned()))?;
    let served = resource.definition.versions.iter().filter(|version| version.served);
    Some(served.map(|version| version.name.as_str()).collect::<Vec<_>>().join(", "))
}

/// Returns the findings on the object, if its kind is declared.
pub(super) fn findings(
    identity: &Identity,
    object: &Object<'_, '_>,
    old: Option<&Value>,
    policy: &Policy,
) -> Option<Vec<Finding>> {
    let resource = KINDS.get(&(identity.group().to_owned(), identity.kind.clone()))?;
    let version = identity.version();
    resource.definition.version(version).filter(|version| version.served)?;
    let known = Known { offline: &OFFLINE, resource, version, origin: Origin::Types };
    Some(known.findings(object, old, policy))
}

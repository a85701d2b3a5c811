//! Kinds that every cluster has, as far as Sprag declares them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use sprag_rest::ResourceInfo;
use sprag_value::Value;

use super::{Known, OFFLINE, Object, Policy};
use crate::report::{Finding, Identity, Origin};

/// The resources by group and kind.
static KINDS: LazyLock<BTreeMap<(String, String), Arc<ResourceInfo>>> = LazyLock::new(|| {
    let kinds = sprag_kinds::definitions().into_iter();
    kinds.map(|kind| ((kind.group().to_owned(), kind.kind.clone()), OFFLINE.resource(kind))).collect()
});

/// What the API server would say of the object, if its kind is declared.
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

//! The plug-in `OwnerReferencesPermissionEnforcement`: who may make an object depend on another.

use std::sync::Arc;

use sprag_authorization::{Access, Attributes as Asked, Authorizer as _, Decision, ResourceTarget, Target};
use sprag_field::quote;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{Result, meta};
use sprag_value::Value;

use super::request::{creates, forbidden, is_below, judged};

/// Refuses owner references of those who may not delete the object, and references that block the deletion of owners by those who
/// may not set finalizers on them.
// As upstream's plugin/pkg/admission/gc.
pub struct OwnerReferencesPermissionEnforcement(pub Arc<Access>);

impl AdmissionPlugin for OwnerReferencesPermissionEnforcement {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
            && !(attributes.request.subresource == "status" && is_below(attributes, "", "pods"))
            && changes_owners(attributes)
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        judged(self.check(&attributes))
    }
}

impl OwnerReferencesPermissionEnforcement {
    fn check(&self, attributes: &Attributes<'_>) -> Result<()> {
        let request = attributes.request;
        if !creates(attributes) {
            let target = ResourceTarget {
                group: request.group,
                resource: request.resource,
                subresource: request.subresource,
                namespace: request.namespace,
                name: attributes.name(),
            };
            if let Some(why) = self.refuses(attributes, "delete", target) {
                let why = format!("cannot set an ownerRef on a resource you can't delete: {why}, <nil>");
                return Err(forbidden(attributes, &why));
            }
        }
        let blocking = new_blocking(attributes);
        let all = ResourceTarget { group: "*", resource: "*", subresource: "finalizers", namespace: "", name: "*" };
        if blocking.is_empty() || self.refuses(attributes, "update", all).is_none() {
            return Ok(());
        }
        blocking.into_iter().try_for_each(|owner| self.check_owner(attributes, owner))
    }

    fn check_owner(&self, attributes: &Attributes<'_>, owner: &Value) -> Result<()> {
        let api = owner.text("apiVersion");
        let kind = owner.text("kind");
        let (group, version) = api.split_once('/').unwrap_or(("", api));
        let serves = |definition: &sprag_rest::Definition| {
            definition.group() == group
                && definition.kind == kind
                && definition.versions.iter().any(|served| served.served && served.name == version)
        };
        let definitions = attributes.registry.definitions();
        let Some(definition) = definitions.iter().find(|definition| serves(definition)) else {
            let why = format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {api} Kind {kind}: no \
                 matches for kind {} in version {}",
                quote::go(kind),
                quote::go(api)
            );
            return Err(forbidden(attributes, &why));
        };
        let target = ResourceTarget {
            group,
            resource: &definition.resource.resource,
            subresource: "finalizers",
            namespace: if definition.namespaced() { attributes.request.namespace } else { "" },
            name: owner.text("name"),
        };
        match self.refuses(attributes, "update", target) {
            Some(why) => {
                let why = format!(
                    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: {why}, \
                     <nil>"
                );
                Err(forbidden(attributes, &why))
            }
            None => Ok(()),
        }
    }

    /// The authorization error for the user.
    fn refuses(&self, attributes: &Attributes<'_>, verb: &str, target: ResourceTarget<'_>) -> Option<String> {
        let asked = Asked { user: attributes.request.user, verb, target: Target::Resource(target) };
        match self.0.authorize(&asked) {
            Decision::Allow(_) => None,
            Decision::Deny(why) | Decision::NoOpinion(why) => Some(why),
        }
    }
}

fn changes_owners(attributes: &Attributes<'_>) -> bool {
    let new = meta::owner_references(attributes.new_object());
    match attributes.old {
        None => !new.is_empty(),
        Some(old) => {
            let old = meta::owner_references(old);
            old.len() != new.len() || old.iter().zip(new).any(|(old, new)| !old.semantic_eq(new))
        }
    }
}

/// As upstream's `newBlockingOwnerDeletionRefs`.
fn new_blocking<'a>(attributes: &Attributes<'a>) -> Vec<&'a Value> {
    let blocks = |owner: &Value| owner.get("blockOwnerDeletion").and_then(Value::as_bool) == Some(true);
    let before = attributes.old.map_or(&[][..], meta::owner_references);
    let blocked_before = |owner: &Value| before.iter().any(|old| old.text("uid") == owner.text("uid") && blocks(old));
    let owners = meta::owner_references(attributes.new_object()).iter();
    owners.filter(|owner| blocks(owner) && !blocked_before(owner)).collect()
}

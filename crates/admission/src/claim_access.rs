//! Who changes the status of a resource claim needs more than the right to `resourceclaims/status`: to bind it, and to speak for
//! drivers.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_authorization::{Attributes as Asked, Authorizer, Decision, ResourceTarget, Target};
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{Error, Path};
use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, User};
use sprag_value::Value;

const GROUP: &str = "resource.k8s.io";
const RESOURCE: &str = "resourceclaims";
/// Resources that only rules of roles know.
const BINDING: &str = "binding";
const DRIVER: &str = "driver";
/// Before the verb of those who run on the node of the claim, and of those who may be anywhere.
const ASSOCIATED_NODE: &str = "associated-node:";
const ARBITRARY_NODE: &str = "arbitrary-node:";
/// The claim of a service account's token that names the node of its pod.
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// Refuses changes of `status.allocation`, `status.reservedFor` and `status.devices` that the user may not make.
///
/// Upstream does so amid the validation of the status; here only what is valid is asked about.
// As upstream's resourceclaimStatusStrategy.ValidateUpdate.
pub struct ClaimAccess(pub Arc<dyn Authorizer>);

impl AdmissionPlugin for ClaimAccess {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.request.subresource == "status"
            && attributes.request.resource == RESOURCE
            && attributes.definition.group() == GROUP
            && attributes.old.is_some()
            && attributes.registry.gates().enabled("DRAResourceClaimGranularStatusAuthorization")
    }

    fn mutates(&self) -> bool {
        false
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(std::future::ready(self.check(&attributes).map(|()| Vec::new())))
    }
}

impl ClaimAccess {
    fn check(&self, attributes: &Attributes<'_>) -> Result<(), ApiError> {
        let new = Status(attributes.new_object().get("status"));
        let old = Status(attributes.old.and_then(|old| old.get("status")));
        let verb = if attributes.is_patch { "patch" } else { "update" };
        let asker = Asker { authorizer: &*self.0, user: attributes.request.user, verb };
        let status = Path::new("status");
        let mut errors = Vec::new();
        if new.is_bound_differently(old)
            && let Err(why) = asker.ask(verb, BINDING, "", "")
        {
            let why = format!(
                "changing status.allocation or status.reservedFor requires resource=\"resourceclaims/binding\", \
                 verb=\"{verb}\" permission: {why}"
            );
            errors.push(Error::forbidden(&status.child("allocation"), why));
        }
        // As upstream, which drops the status of devices that are not allocated.
        let has_devices = attributes.registry.gates().enabled("DRAResourceClaimDeviceStatus");
        if has_devices && new.get("allocation").is_some() {
            let verbs = asker.driver_verbs(new.node());
            for driver in new.changed_drivers(old) {
                if let Err(why) = asker.ask_any(&verbs, driver, attributes.namespace()) {
                    let verbs = verbs.join(" ");
                    let why = format!(
                        "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"[{verbs}]\" permission: {why}"
                    );
                    errors.push(Error::forbidden(&status.child("devices"), why));
                }
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid(&attributes.definition.kind, GROUP, attributes.name(), &errors))
    }
}

/// Who changes a status, and how.
struct Asker<'a> {
    authorizer: &'a dyn Authorizer,
    user: &'a User,
    verb: &'a str,
}

impl Asker<'_> {
    /// The verbs of which one is enough to change the devices of a claim on a node.
    // As upstream's resource.AuthorizedForDeviceStatus.
    fn driver_verbs(&self, node: Option<&str>) -> Vec<String> {
        let anywhere = format!("{ARBITRARY_NODE}{}", self.verb);
        if node.is_some_and(|node| self.runs_on(node)) {
            vec![format!("{ASSOCIATED_NODE}{}", self.verb), anywhere]
        } else {
            vec![anywhere]
        }
    }

    /// True for a service account whose token is bound to a pod of this node.
    // As upstream's resource.saAssociatedWithAllocatedNode.
    fn runs_on(&self, node: &str) -> bool {
        let account = self.user.name.strip_prefix(SERVICE_ACCOUNT).and_then(|name| name.split_once(':'));
        let is_account = account.is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
        let names =
            self.user.extra.iter().find(|(key, _)| key.as_str() == NODE_NAME).map(|(_, names)| names.as_slice());
        let mut is_valid = true;
        dns_subdomain(node, Usage::Name, &mut |_| is_valid = false);
        is_account && is_valid && names.is_some_and(|names| names == [node])
    }

    fn ask_any(&self, verbs: &[String], driver: &str, namespace: &str) -> Result<(), String> {
        let mut refusals = Vec::new();
        for verb in verbs {
            match self.ask(verb, DRIVER, driver, namespace) {
                Ok(()) => return Ok(()),
                Err(why) => refusals.push(why),
            }
        }
        Err(refusals.into_iter().next().unwrap_or_default())
    }

    // As upstream's resource.checkAuthorization.
    fn ask(&self, verb: &str, subresource: &str, name: &str, namespace: &str) -> Result<(), String> {
        let target = ResourceTarget { group: GROUP, resource: RESOURCE, subresource, namespace, name };
        let asked = Asked { user: self.user, verb, target: Target::Resource(target) };
        match self.authorizer.authorize(&asked) {
            Decision::Allow(_) => Ok(()),
            Decision::Deny(reason) | Decision::NoOpinion(reason) => Err(asked.refusal(&reason).to_string()),
        }
    }
}

/// The status of a claim.
#[derive(Clone, Copy)]
struct Status<'v>(Option<&'v Value>);

/// A device of a status: driver, pool, device and share.
type DeviceKey<'v> = [&'v str; 4];

impl<'v> Status<'v> {
    fn get(self, member: &str) -> Option<&'v Value> {
        self.0?.get(member).filter(|value| !value.is_null())
    }

    fn is_bound_differently(self, old: Status<'_>) -> bool {
        let is_same = |member: &str| match (self.get(member), old.get(member)) {
            (Some(new), Some(old)) => new.semantic_eq(old),
            // As upstream's semantic equality: an empty list equals one that is not set.
            (one, other) => one.or(other).is_none_or(|value| value.as_array().is_some_and(|items| items.is_empty())),
        };
        !is_same("allocation") || !is_same("reservedFor")
    }

    /// The node of an allocation that is for one node.
    // As upstream's resource.nodeNameFromAllocation.
    fn node(self) -> Option<&'v str> {
        let items = |value: &'v Value, member: &str| {
            value.get(member).and_then(Value::as_array).map_or(&[][..], |all| &all[..])
        };
        let [term] = items(self.get("allocation")?.get("nodeSelector")?, "nodeSelectorTerms") else { return None };
        let [field] = items(term, "matchFields") else { return None };
        let text = |member: &str| field.get(member).and_then(Value::as_str);
        let is_name = text("key") == Some("metadata.name") && text("operator") == Some("In");
        let [name] = items(field, "values") else { return None };
        name.as_str().filter(|name| is_name && !name.is_empty() && items(term, "matchExpressions").is_empty())
    }

    fn devices(self) -> Vec<(DeviceKey<'v>, &'v Value)> {
        let devices = self.get("devices").and_then(Value::as_array).map_or(&[][..], |all| &all[..]);
        let key = |device: &'v Value| {
            ["driver", "pool", "device", "shareID"]
                .map(|member| device.get(member).and_then(Value::as_str).unwrap_or_default())
        };
        devices.iter().map(|device| (key(device), device)).collect()
    }

    /// The drivers whose devices were added, changed or removed.
    // As upstream's resource.getModifiedDrivers.
    fn changed_drivers(self, old: Status<'v>) -> BTreeSet<&'v str> {
        let now = self.devices();
        let before = old.devices();
        let is_in = |devices: &[(DeviceKey<'v>, &'v Value)], key: &DeviceKey<'v>, device: &Value| {
            devices.iter().rev().find(|(other, _)| other == key).is_some_and(|(_, other)| other.semantic_eq(device))
        };
        let changed = now.iter().filter(|(key, device)| !is_in(&before, key, device));
        let gone = before.iter().filter(|(key, _)| !now.iter().any(|(other, _)| other == key));
        changed.chain(gone).map(|([driver, ..], _)| *driver).collect()
    }
}

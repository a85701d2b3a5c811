//! Who writes a policy or binding must be allowed to read its parameters: messages of policies show them.

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_authorization::{Attributes as Asked, Authorizer, ResourceTarget, Target, is_master};
use sprag_field::{Error, Path};
use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, Request, User};
use sprag_value::Value;

use super::params;
use super::source::ParamKind;

const GROUP: &str = "admissionregistration.k8s.io";
const VALIDATING: &str = "validatingadmissionpolicies";
const VALIDATING_BINDINGS: &str = "validatingadmissionpolicybindings";
const MUTATING: &str = "mutatingadmissionpolicies";
const MUTATING_BINDINGS: &str = "mutatingadmissionpolicybindings";

/// Refuses policies and bindings with parameters that their author may not read.
///
/// Upstream does so in the strategies of these kinds, once an object is valid: as the first validating plug-in it runs at the
/// same moment.
// As upstream's validatingAdmissionPolicyStrategy.authorize and validatingAdmissionPolicyBindingStrategy.authorize.
pub struct ParamAccess(pub Arc<dyn Authorizer>);

impl AdmissionPlugin for ParamAccess {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
            && attributes.request.subresource.is_empty()
            && attributes.definition.group() == GROUP
            && !is_master(attributes.request.user)
    }

    fn mutates(&self) -> bool {
        false
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let (field, refusal) = match attributes.definition.resource.resource.as_str() {
                VALIDATING | MUTATING => ("paramKind", self.check_policy(&attributes)),
                VALIDATING_BINDINGS => ("paramRef", self.check_binding(&attributes, VALIDATING).await),
                MUTATING_BINDINGS => ("paramRef", self.check_binding(&attributes, MUTATING).await),
                _ => return Ok(Vec::new()),
            };
            let Err(why) = refusal else { return Ok(Vec::new()) };
            let spec = Path::new("spec");
            let error = Error::forbidden(&spec.child(field), why);
            Err(ApiError::invalid(&attributes.definition.kind, GROUP, attributes.name(), &[error]))
        })
    }
}

impl ParamAccess {
    fn check_policy(&self, attributes: &Attributes<'_>) -> Result<(), String> {
        let Some(kind) = param_kind(attributes.new_object()) else { return Ok(()) };
        if attributes.old.and_then(param_kind).is_some_and(|old| old.semantic_eq(kind)) {
            return Ok(());
        }
        let read = ParamKind::read(kind);
        let definition = params::resource(attributes.registry, &read);
        let resource = definition.as_ref().map_or("*", |definition| &definition.resource.resource);
        let target =
            ResourceTarget { group: &read.group, resource, namespace: "*", name: "*", ..ResourceTarget::default() };
        let user = attributes.request.user;
        if self.may(user, "get", target) {
            return Ok(());
        }
        Err(format!(
            "user {} must have \"get\" permission on all objects of the referenced paramKind (kind={}, apiVersion={})",
            shown_user(user),
            kind.text("kind"),
            kind.text("apiVersion")
        ))
    }

    /// Updates are checked even if they change nothing: upstream compares pointers.
    async fn check_binding(&self, attributes: &Attributes<'_>, policies: &str) -> Result<(), String> {
        let new = attributes.new_object();
        let Some(reference) = new.lookup(&["spec", "paramRef"]).filter(|reference| !reference.is_null()) else {
            return Ok(());
        };
        let user = attributes.request.user;
        let name = new.lookup(&["spec", "policyName"]).and_then(Value::as_str).unwrap_or_default();
        let request =
            Request { group: GROUP, version: "v1", resource: policies, namespace: "", name, subresource: "", user };
        let policy = attributes.registry.get(&request, "").await;
        let kind = policy.as_ref().ok().and_then(param_kind);
        let read = kind.map(ParamKind::read);
        let definition = read.as_ref().map(|kind| params::resource(attributes.registry, kind));
        let resource = match &definition {
            Some(Ok(definition)) => definition.resource.resource.as_str(),
            _ => "*",
        };
        let verb = if reference.text("name").is_empty() { "list" } else { "get" };
        let target = ResourceTarget {
            group: read.as_ref().map_or("*", |kind| &kind.group),
            resource,
            namespace: reference.text("namespace"),
            name: reference.text("name"),
            ..ResourceTarget::default()
        };
        if self.may(user, verb, target) {
            return Ok(());
        }
        let shown = shown_user(user);
        let everything = format!(
            "to determine minimum required permissions and user {shown} does not have \"{verb}\" permission for all groups, \
             versions and resources"
        );
        Err(match (&policy, kind, definition) {
            (Err(_), ..) => format!("unable to get policy {name} {everything}"),
            (_, Some(kind), Some(Err(_))) => {
                let version = kind.text("apiVersion");
                let kind = kind.text("kind");
                format!("unable to resolve paramKind &ParamKind{{APIVersion:{version},Kind:{kind},}} {everything}")
            }
            // As upstream's mutatingAdmissionPolicyBindingStrategy.authorize, which mixes up the two.
            _ if policies == MUTATING => {
                format!("user {verb} does not have \"{shown}\" permission on the object referenced by paramRef")
            }
            _ => format!("user {shown} does not have \"{verb}\" permission on the object referenced by paramRef"),
        })
    }

    fn may(&self, user: &User, verb: &str, target: ResourceTarget<'_>) -> bool {
        self.0.allows(&Asked { user, verb, target: Target::Resource(target) })
    }
}

fn param_kind(policy: &Value) -> Option<&Value> {
    policy.lookup(&["spec", "paramKind"]).filter(|kind| !kind.is_null())
}

/// A user as Go prints a `user.DefaultInfo`.
fn shown_user(user: &User) -> String {
    let extra: BTreeMap<&str, &Vec<String>> = user.extra.iter().map(|(name, values)| (name.as_str(), values)).collect();
    let extra: Vec<String> = extra.iter().map(|(name, values)| format!("{name}:[{}]", values.join(" "))).collect();
    format!("&{{{} {} [{}] map[{}]}}", user.name, user.uid, user.groups.join(" "), extra.join(" "))
}

//! Privilege escalation checks, as upstream's `policybased` storage of roles and bindings.

use sprag_rest::{ApiError, GroupResource, Request};
use sprag_value::Value;

use crate::access::{Access, is_master};
use crate::attributes::{Attributes, ResourceTarget, Target};
use crate::policy::{Authorizer, NoRole, RoleRef};
use crate::rule::PolicyRule;

/// The group of roles and bindings.
const GROUP: &str = "rbac.authorization.k8s.io";

impl Access {
    /// Refuses a role or binding that gives more than the user has who writes it.
    ///
    /// # Errors
    ///
    /// In upstream's words, if the user has less, and may neither `escalate` nor `bind` the role.
    pub fn check_escalation(&self, request: &Request<'_>, new: &Value, old: Option<&Value>) -> Result<(), ApiError> {
        let is_role = matches!(request.resource, "roles" | "clusterroles");
        let is_binding = matches!(request.resource, "rolebindings" | "clusterrolebindings");
        if request.group != GROUP || !(is_role || is_binding) || is_master(request.user) {
            return Ok(());
        }
        // As upstream's RoleEscalationAuthorized: a create has no name.
        if is_role && self.may(request, "escalate", request.resource, request.name) {
            return Ok(());
        }
        if old.is_some_and(|old| changes_ownership_only(new, old)) {
            return Ok(());
        }
        if is_role { self.check_role(request, new, old) } else { self.check_binding(request, new) }
    }

    fn check_role(&self, request: &Request<'_>, new: &Value, old: Option<&Value>) -> Result<(), ApiError> {
        self.confirm(request, new, &PolicyRule::list(new))?;
        let is_aggregated = |role: &Value| {
            let selectors = role.lookup(&["aggregationRule", "clusterRoleSelectors"]).and_then(Value::as_array);
            selectors.is_some_and(|selectors| !selectors.is_empty())
        };
        if !is_aggregated(new) && !old.is_some_and(is_aggregated) {
            return Ok(());
        }
        let all = || vec!["*".to_owned()];
        let everything = [
            PolicyRule { verbs: all(), api_groups: all(), resources: all(), ..PolicyRule::default() },
            PolicyRule { verbs: all(), non_resource_urls: all(), ..PolicyRule::default() },
        ];
        let why = "must have cluster-admin privileges to use the aggregationRule";
        self.confirm(request, new, &everything).map_err(|_| forbidden(request, new, why))
    }

    fn check_binding(&self, request: &Request<'_>, new: &Value) -> Result<(), ApiError> {
        let role = RoleRef::of(new);
        let resource = match role.kind.as_str() {
            "ClusterRole" => Some("clusterroles"),
            "Role" => Some("roles"),
            _ => None,
        };
        let bind = |resource| {
            let target = ResourceTarget {
                group: &role.group,
                resource,
                namespace: request.namespace,
                name: &role.name,
                ..ResourceTarget::default()
            };
            self.allows(&Attributes { user: request.user, verb: "bind", target: Target::Resource(target) })
        };
        if resource.is_some_and(bind) {
            return Ok(());
        }
        // Upstream's store asks for what its key is made of.
        if role.kind == "Role" && request.namespace.is_empty() {
            return Err(ApiError::bad_request("Namespace parameter required."));
        }
        if resource.is_some() && role.name.is_empty() {
            return Err(ApiError::bad_request("Name parameter required."));
        }
        let rules = self.rbac().rules_of(&role, request.namespace).map(<[PolicyRule]>::to_vec);
        match rules {
            Ok(rules) => self.confirm(request, new, &rules),
            // Upstream's store names the resource of the request, not that of the role.
            Err(NoRole::Missing { name, .. }) => {
                Err(ApiError::not_found(&GroupResource::new(request.group, request.resource), &name))
            }
            Err(error @ NoRole::Kind(_)) => Err(ApiError::unknown(error.to_string())),
        }
    }

    /// Refuses rules that the user does not have.
    fn confirm(&self, request: &Request<'_>, new: &Value, rules: &[PolicyRule]) -> Result<(), ApiError> {
        match self.rbac().escalation(request.user, request.namespace, rules) {
            Some(why) => Err(forbidden(request, new, &why)),
            None => Ok(()),
        }
    }

    fn may(&self, request: &Request<'_>, verb: &str, resource: &str, name: &str) -> bool {
        let target =
            ResourceTarget { group: GROUP, resource, namespace: request.namespace, name, ..ResourceTarget::default() };
        self.allows(&Attributes { user: request.user, verb, target: Target::Resource(target) })
    }
}

fn forbidden(request: &Request<'_>, new: &Value, why: &str) -> ApiError {
    let name = new.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    ApiError::forbidden(&GroupResource::new(request.group, request.resource), name, why)
}

/// True if an update changes owner references and finalizers and nothing else.
// As upstream's IsOnlyMutatingGCFields.
pub fn changes_ownership_only(new: &Value, old: &Value) -> bool {
    let rest = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata") {
            for member in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
                metadata.remove(member);
            }
        }
        object
    };
    rest(new).semantic_eq(&rest(old))
}

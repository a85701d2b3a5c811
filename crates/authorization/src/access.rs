//! The authorization of a server: its modes, asked in order.

use std::fmt;
use std::str::FromStr;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use sprag_rest::User;
use sprag_value::Value;

use crate::attributes::Attributes;
use crate::policy::{Authorizer, Decision, MASTERS, Rbac, UserRules};
use crate::rule::PolicyRule;

/// A way to decide about requests, as upstream's `--authorization-mode` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationMode {
    /// Everybody may do everything.
    AlwaysAllow,
    /// Denies every request; for tests of clients.
    AlwaysDeny,
    /// Taken for the sake of scripts that name it: this server knows nothing of nodes, and leaves the decision to other modes.
    Node,
    /// Roles and bindings decide.
    Rbac,
}

/// A text that names no mode of authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMode(String);

/// Decides about requests by modes, in order: the first that allows a request does so for all. Members of [`MASTERS`] may do
/// everything in every mode.
///
/// Roles and bindings change while requests are decided about.
#[derive(Debug)]
pub struct Access {
    modes: Vec<AuthorizationMode>,
    rbac: RwLock<Rbac>,
}

impl AuthorizationMode {
    /// All modes.
    pub const ALL: [AuthorizationMode; 4] = [Self::AlwaysAllow, Self::AlwaysDeny, Self::Node, Self::Rbac];

    /// The name in flags.
    pub const fn name(self) -> &'static str {
        match self {
            AuthorizationMode::AlwaysAllow => "AlwaysAllow",
            AuthorizationMode::AlwaysDeny => "AlwaysDeny",
            AuthorizationMode::Node => "Node",
            AuthorizationMode::Rbac => "RBAC",
        }
    }

    fn rules(self) -> UserRules {
        let all = || vec!["*".to_owned()];
        match self {
            AuthorizationMode::AlwaysAllow => UserRules {
                rules: vec![
                    PolicyRule { verbs: all(), api_groups: all(), resources: all(), ..PolicyRule::default() },
                    PolicyRule { verbs: all(), non_resource_urls: all(), ..PolicyRule::default() },
                ],
                ..UserRules::default()
            },
            // As upstream's node.NodeAuthorizer.RulesFor.
            AuthorizationMode::Node => UserRules {
                incomplete: true,
                error: Some("node authorizer does not support user rule resolution".to_owned()),
                ..UserRules::default()
            },
            AuthorizationMode::AlwaysDeny | AuthorizationMode::Rbac => UserRules::default(),
        }
    }
}

impl Access {
    /// Decides by these modes, without any roles or bindings yet.
    pub fn new(modes: impl Into<Vec<AuthorizationMode>>) -> Access {
        Access { modes: modes.into(), rbac: RwLock::default() }
    }

    /// The modes.
    pub fn modes(&self) -> &[AuthorizationMode] {
        &self.modes
    }

    /// The roles and bindings as they are now.
    pub fn rbac(&self) -> RwLockReadGuard<'_, Rbac> {
        self.rbac.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the policy with a stored object of the group `rbac.authorization.k8s.io`, or removes it.
    pub fn set(&self, kind: &str, namespace: &str, name: &str, object: Option<&Value>) {
        self.rbac.write().unwrap_or_else(PoisonError::into_inner).set(kind, namespace, name, object);
    }

    /// Replaces all roles and bindings.
    pub fn replace(&self, rbac: Rbac) {
        *self.rbac.write().unwrap_or_else(PoisonError::into_inner) = rbac;
    }
}

impl Authorizer for Access {
    /// As upstream's `union.unionAuthzHandler.Authorize`, the first of whose authorizers is that of privileged groups.
    fn authorize(&self, attributes: &Attributes<'_>) -> Decision {
        if is_master(attributes.user) {
            return Decision::Allow(String::new());
        }
        let mut reasons: Vec<String> = Vec::new();
        for mode in &self.modes {
            let decision = match mode {
                AuthorizationMode::AlwaysAllow => Decision::Allow(String::new()),
                AuthorizationMode::AlwaysDeny => Decision::NoOpinion("Everything is forbidden.".to_owned()),
                AuthorizationMode::Node => Decision::NoOpinion(String::new()),
                AuthorizationMode::Rbac => self.rbac().authorize(attributes),
            };
            match decision {
                Decision::NoOpinion(reason) if reason.is_empty() => {}
                // As upstream's GetNameForAuthorizerMode.
                Decision::NoOpinion(reason) => reasons.push(format!("{}: {reason}", mode.name().to_ascii_lowercase())),
                decided => return decided,
            }
        }
        Decision::NoOpinion(reasons.join("\n"))
    }

    fn allows(&self, attributes: &Attributes<'_>) -> bool {
        is_master(attributes.user)
            || self.modes.iter().any(|mode| match mode {
                AuthorizationMode::AlwaysAllow => true,
                AuthorizationMode::AlwaysDeny | AuthorizationMode::Node => false,
                AuthorizationMode::Rbac => self.rbac().allows(attributes),
            })
    }

    /// As upstream's `union.unionAuthzRulesHandler.RulesFor`.
    fn rules_for(&self, user: &User, namespace: &str) -> UserRules {
        let mut all = UserRules::default();
        let mut errors = Vec::new();
        for mode in &self.modes {
            let found = match mode {
                AuthorizationMode::Rbac => self.rbac().rules_for(user, namespace),
                mode => mode.rules(),
            };
            all.rules.extend(found.rules);
            all.incomplete |= found.incomplete;
            errors.extend(found.error);
        }
        all.error = match errors.as_slice() {
            [] => None,
            [error] => Some(error.clone()),
            errors => Some(format!("[{}]", errors.join(", "))),
        };
        all
    }
}

/// True for members of [`MASTERS`], whom no authorization stops.
// As upstream's rbac.EscalationAllowed.
pub fn is_master(user: &User) -> bool {
    user.groups.iter().any(|group| group == MASTERS)
}

impl fmt::Display for AuthorizationMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AuthorizationMode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<AuthorizationMode, UnknownMode> {
        let found = AuthorizationMode::ALL.into_iter().find(|mode| mode.name() == text);
        found.ok_or_else(|| UnknownMode(text.to_owned()))
    }
}

impl From<AuthorizationMode> for Vec<AuthorizationMode> {
    fn from(mode: AuthorizationMode) -> Vec<AuthorizationMode> {
        vec![mode]
    }
}

impl fmt::Display for UnknownMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = AuthorizationMode::ALL.map(AuthorizationMode::name).join(", ");
        write!(f, "unknown authorization mode {:?}: the modes are {known}", self.0)
    }
}

impl std::error::Error for UnknownMode {}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::{ResourceTarget, Target};

    fn access(modes: &[AuthorizationMode]) -> Access {
        let access = Access::new(modes);
        let role = br#"{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}"#;
        access.set("ClusterRole", "", "reader", Some(&json::parse(role).unwrap()));
        for (name, role) in [("read", "reader"), ("gone", "missing")] {
            let binding = format!(
                r#"{{"roleRef":{{"kind":"ClusterRole","name":"{role}"}},"subjects":[{{"kind":"User","name":"ann"}}]}}"#
            );
            access.set("ClusterRoleBinding", "", name, Some(&json::parse(binding.as_bytes()).unwrap()));
        }
        access
    }

    #[track_caller]
    fn check(access: &Access, user: (&str, &str), verb: &str, expected: &Decision) {
        let user = User { name: user.0.into(), groups: vec![user.1.into()], ..User::default() };
        let pods = ResourceTarget { resource: "pods", ..ResourceTarget::default() };
        let attributes = Attributes { user: &user, verb, target: Target::Resource(pods) };
        assert_eq!(access.allows(&attributes), matches!(expected, Decision::Allow(_)));
        assert_eq!(access.authorize(&attributes), *expected);
    }

    const MISSING: &str = r#"rbac: RBAC: clusterrole.rbac.authorization.k8s.io "missing" not found"#;
    const READ: &str = r#"RBAC: allowed by ClusterRoleBinding "read" of ClusterRole "reader" to User "ann""#;

    #[test]
    fn the_first_mode_that_allows_decides() {
        use AuthorizationMode::{AlwaysAllow, AlwaysDeny, Node, Rbac};
        let ann = ("ann", "dev");
        let root = ("root", MASTERS);
        let no = |reason: &str| Decision::NoOpinion(reason.to_owned());
        let yes = |reason: &str| Decision::Allow(reason.to_owned());
        check(&access(&[Rbac]), ann, "get", &yes(READ));
        check(&access(&[Rbac]), ann, "list", &no(MISSING));
        check(&access(&[Rbac]), ("bob", ""), "get", &no(""));
        check(&access(&[Node, Rbac]), ann, "get", &yes(READ));
        check(&access(&[Rbac, AlwaysAllow]), ann, "list", &yes(""));
        check(&access(&[AlwaysDeny]), ann, "get", &no("alwaysdeny: Everything is forbidden."));
        check(&access(&[AlwaysDeny, Rbac]), ann, "get", &yes(READ));
        check(
            &access(&[AlwaysDeny, Rbac]),
            ann,
            "list",
            &no(&format!("alwaysdeny: Everything is forbidden.\n{MISSING}")),
        );
        check(&access(&[AlwaysDeny]), root, "list", &yes(""));
        check(&access(&[]), ann, "get", &no(""));
    }

    #[test]
    fn a_changed_binding_is_in_force_at_once() {
        let access = access(&[AuthorizationMode::Rbac]);
        access.set("ClusterRoleBinding", "", "gone", None);
        check(&access, ("ann", ""), "list", &Decision::NoOpinion(String::new()));
        access.set("ClusterRoleBinding", "", "read", None);
        check(&access, ("ann", ""), "get", &Decision::NoOpinion(String::new()));
    }

    #[test]
    fn rules_of_several_modes_are_joined() {
        use AuthorizationMode::{AlwaysAllow, Node, Rbac};
        let ann = User { name: "ann".into(), ..User::default() };
        let UserRules { rules, incomplete, error } = access(&[Node, Rbac, AlwaysAllow]).rules_for(&ann, "");
        assert_eq!((rules.len(), incomplete), (3, true));
        let node = "node authorizer does not support user rule resolution";
        let role = r#"clusterrole.rbac.authorization.k8s.io "missing" not found"#;
        assert_eq!(error.unwrap(), format!("[{node}, {role}]"));
    }

    #[test]
    fn modes_are_known_by_name() {
        for mode in AuthorizationMode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
        }
        let error = "Webhook".parse::<AuthorizationMode>().unwrap_err().to_string();
        assert_eq!(error, r#"unknown authorization mode "Webhook": the modes are AlwaysAllow, AlwaysDeny, Node, RBAC"#);
    }
}

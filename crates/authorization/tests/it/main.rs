//! Authorization by roles and bindings, and privilege escalation.

#![expect(clippy::unwrap_used, reason = "tests fail where their material is not what it should be")]

mod escalation;
mod rules;

use sprag_authorization::{Access, AuthorizationMode};
use sprag_rest::User;
use sprag_value::{Value, json};

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

fn user(name: &str, groups: &[&str]) -> User {
    User { name: name.into(), groups: groups.iter().map(|group| (*group).to_owned()).collect(), ..User::default() }
}

/// A cluster where `ann` has these rules everywhere, or in the namespace `team`.
fn with_rules(namespace: &str, rules: &str) -> Access {
    let access = Access::new(AuthorizationMode::Rbac);
    let role = parse(&format!(r#"{{"rules":[{rules}]}}"#));
    let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
    let binding =
        format!(r#"{{"roleRef":{{"kind":"{kind}","name":"r"}},"subjects":[{{"kind":"User","name":"ann"}}]}}"#);
    access.set(kind, namespace, "r", Some(&role));
    access.set(&format!("{kind}Binding"), namespace, "b", Some(&parse(&binding)));
    access
}

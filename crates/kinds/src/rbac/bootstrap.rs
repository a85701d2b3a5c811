//! The roles and bindings that every server has, as upstream's `bootstrappolicy` has them.

use sprag_value::{Object, Value};

use super::GROUP;

/// The table; its head says what lines mean.
const TABLE: &str = include_str!("bootstrap.txt");

/// Marks what a server makes by itself.
const LABEL: (&str, &str) = ("kubernetes.io/bootstrapping", "rbac-defaults");
/// The annotation by which a server keeps it up to date.
const AUTO_UPDATE: (&str, &str) = ("rbac.authorization.kubernetes.io/autoupdate", "true");

/// The roles and bindings that every server has, complete with their types, each role before what binds it.
pub fn bootstrap_policy() -> Vec<Value> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut objects: Vec<Value> = Vec::new();
    let mut role = Block::default();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [kind, name, more @ ..] if !line.starts_with(' ') => {
                role.finish(&mut objects);
                role = Block::new(kind, name, more.first());
            }
            ["label", label] => role.labels.push(pair(label)),
            ["aggregate", label] => role.selectors.push(pair(label)),
            ["bind", subjects @ ..] => role.subjects = Some(subjects.iter().map(|text| subject(text)).collect()),
            words => role.rules.push(rule(words)),
        }
    }
    role.finish(&mut objects);
    objects
}

/// A block of the table.
#[derive(Default)]
struct Block<'t> {
    kind: &'t str,
    namespace: Option<&'t str>,
    name: &'t str,
    /// The role of a binding that has another name.
    role: Option<&'t str>,
    labels: Vec<(&'t str, &'t str)>,
    selectors: Vec<(&'t str, &'t str)>,
    subjects: Option<Vec<Value>>,
    rules: Vec<Value>,
}

impl<'t> Block<'t> {
    fn new(kind: &'t str, name: &'t str, role: Option<&&'t str>) -> Block<'t> {
        let (namespace, name) = match name.split_once('/') {
            Some((namespace, name)) if kind != "ClusterRole" => (Some(namespace), name),
            _ => (None, name),
        };
        Block { kind, namespace, name, role: role.copied(), ..Block::default() }
    }

    /// Adds the role and its binding.
    fn finish(&mut self, objects: &mut Vec<Value>) {
        let rules = std::mem::take(&mut self.rules);
        if matches!(self.kind, "ClusterRole" | "Role") {
            let mut object = self.object(self.kind);
            if self.selectors.is_empty() {
                object.insert("rules", rules.into_iter().collect::<Value>());
            } else {
                let labels = |pair: &(&str, &str)| nest("matchLabels", map([*pair]));
                let selectors = self.selectors.iter().map(labels).collect::<Value>();
                object.insert("aggregationRule", nest("clusterRoleSelectors", selectors));
                object.insert("rules", Value::Null);
            }
            objects.push(object);
        }
        let Some(subjects) = self.subjects.take() else { return };
        let (kind, role) = match self.kind {
            "ClusterRole" => ("ClusterRoleBinding", "ClusterRole"),
            _ => ("RoleBinding", "Role"),
        };
        self.labels.clear();
        let mut object = self.object(kind);
        if !subjects.is_empty() {
            object.insert("subjects", subjects.into_iter().collect::<Value>());
        }
        let name = self.role.unwrap_or(self.name);
        object.insert("roleRef", map([("apiGroup", GROUP), ("kind", role), ("name", name)]));
        objects.push(object);
    }

    fn object(&self, kind: &str) -> Value {
        let mut metadata = map([("name", self.name)]);
        if let Some(namespace) = self.namespace {
            metadata.insert("namespace", namespace);
        }
        metadata.insert("labels", map(std::iter::once(LABEL).chain(self.labels.iter().copied())));
        metadata.insert("annotations", map([AUTO_UPDATE]));
        let mut object = map([("apiVersion", "rbac.authorization.k8s.io/v1"), ("kind", kind)]);
        object.insert("metadata", metadata);
        object
    }
}

fn rule(words: &[&str]) -> Value {
    let list = |text: &str| text.split(',').map(|item| if item == "core" { "" } else { item }).collect::<Value>();
    let names = |text: &str| text.split(',').collect::<Value>();
    let members: Vec<(&str, Value)> = match words {
        [verbs, "at", paths] => vec![("verbs", names(verbs)), ("nonResourceURLs", names(paths))],
        [verbs, "on", groups, resources, named @ ..] => {
            let mut members =
                vec![("verbs", names(verbs)), ("apiGroups", list(groups)), ("resources", names(resources))];
            if let ["named", objects] = named {
                members.push(("resourceNames", names(objects)));
            }
            members
        }
        words => unreachable!("a test reads the whole table: {words:?}"),
    };
    Value::Object(members.into_iter().collect::<Object>())
}

fn subject(text: &str) -> Value {
    match text.split_once(':') {
        Some(("account", account)) => {
            let (namespace, name) = account.split_once('/').unwrap_or_default();
            map([("kind", "ServiceAccount"), ("name", name), ("namespace", namespace)])
        }
        Some(("group", name)) => map([("kind", "Group"), ("apiGroup", GROUP), ("name", name)]),
        Some(("user", name)) => map([("kind", "User"), ("apiGroup", GROUP), ("name", name)]),
        _ => unreachable!("a test reads the whole table: {text}"),
    }
}

fn pair(text: &str) -> (&str, &str) {
    text.split_once('=').unwrap_or((text, ""))
}

fn map<'t>(pairs: impl IntoIterator<Item = (&'t str, &'t str)>) -> Value {
    Value::Object(pairs.into_iter().map(|(key, value)| (key, Value::from(value))).collect::<Object>())
}

fn nest(key: &str, value: Value) -> Value {
    Value::Object(std::iter::once((key, value)).collect::<Object>())
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn the_policy_is_that_of_a_fresh_server() {
        let policy = bootstrap_policy();
        let facts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/access/facts.json");
        let Ok(facts) = std::fs::read(facts) else {
            eprintln!("skipped: the policy of a fresh server (../shared/conformance/access is missing)");
            return;
        };
        let facts = json::parse(&facts).unwrap();
        let mut count = 0;
        for (fact, kind) in [
            ("clusterRoles", "ClusterRole"),
            ("clusterRoleBindings", "ClusterRoleBinding"),
            ("roles", "Role"),
            ("roleBindings", "RoleBinding"),
        ] {
            for recorded in facts.get(fact).and_then(Value::as_array).unwrap() {
                let is_same = |ours: &&Value| {
                    let at = |path: &[&str]| ours.lookup(path) == recorded.lookup(path);
                    ours.get("kind").and_then(Value::as_str) == Some(kind)
                        && at(&["metadata", "name"])
                        && at(&["metadata", "namespace"])
                };
                let mut ours = policy.iter().find(is_same).unwrap_or_else(|| panic!("{recorded:?}")).clone();
                ours.remove("kind");
                ours.remove("apiVersion");
                assert_eq!(&ours, recorded);
                count += 1;
            }
        }
        assert_eq!(count, policy.len());
    }
}

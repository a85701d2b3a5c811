//! The roles and bindings that every server has, as upstream's `bootstrappolicy` has them.

use sprag_rest::{FeatureGates, Release, Releases};
use sprag_value::{Object, Value};

use super::GROUP;

/// The table; its head says what lines mean.
const TABLE: &str = include_str!("bootstrap.txt");

/// Marks what a server makes by itself.
const LABEL: (&str, &str) = ("kubernetes.io/bootstrapping", "rbac-defaults");
/// The annotation by which a server keeps it up to date.
const AUTO_UPDATE: (&str, &str) = ("rbac.authorization.kubernetes.io/autoupdate", "true");

/// The roles and bindings that every server has with these feature gates, complete with their types, each role before what
/// binds it.
pub fn bootstrap_policy(gates: &FeatureGates) -> Vec<Value> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut objects: Vec<Value> = Vec::new();
    let mut role = Block::default();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut words = words.as_slice();
        let mut is_on = true;
        while let [condition @ ("if" | "since" | "until"), what, rest @ ..] = words {
            is_on &= holds(condition, what, gates);
            words = rest;
        }
        match words {
            [kind, name, more @ ..] if !line.starts_with(' ') => {
                role.finish(&mut objects);
                // The lines of a block that is not there fill one without a kind, of which nothing is made.
                role = if is_on { Block::new(kind, name, more.first()) } else { Block::default() };
            }
            _ if !is_on => {}
            ["label", label] => role.labels.push(pair(label)),
            ["aggregate", label] => role.selectors.push(pair(label)),
            ["bind", subjects @ ..] => role.subjects = Some(subjects.iter().map(|text| subject(text)).collect()),
            words => role.rules.push(rule(gates, words)),
        }
    }
    role.finish(&mut objects);
    objects
}

/// True if a line is there: while a feature gate is on, from a release on, or up to one.
fn holds(condition: &str, what: &str, gates: &FeatureGates) -> bool {
    let release = || what.parse::<Release>().expect("a test reads the whole table");
    match condition {
        "since" => Releases::since(release()).contains(gates.release()),
        "until" => Releases::until(release()).contains(gates.release()),
        _ => gates.enabled(what),
    }
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
        let Some(subjects) = self.subjects.take().filter(|_| !self.kind.is_empty()) else { return };
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

fn rule(gates: &FeatureGates, words: &[&str]) -> Value {
    let list = |text: &str| text.split(',').map(|item| if item == "core" { "" } else { item }).collect::<Value>();
    let names = |text: &str| text.split(',').filter_map(|item| enabled(gates, item)).collect::<Value>();
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

/// An item of a list, unless the feature gate behind it is off.
fn enabled<'t>(gates: &FeatureGates, item: &'t str) -> Option<&'t str> {
    match item.split_once('?') {
        Some((item, gate)) => gates.enabled(gate).then_some(item),
        None => Some(item),
    }
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

    /// The names of roles that are there with all these gates switched in one way and not in the other, and the rules that
    /// roles with both have gained.
    fn gained(name: &str) -> Vec<String> {
        let [off, on] = [false, true].map(|on| {
            let mut gates = FeatureGates::default();
            gates.set(&format!("{name}={on}")).unwrap();
            bootstrap_policy(&gates)
        });
        let shown = |object: &Value| -> Vec<String> {
            let rules = object.get("rules").and_then(Value::as_array).map_or(&[][..], |rules| rules.as_slice());
            let id = format!("{} {}", text(object, &["kind"]), text(object, &["metadata", "name"]));
            let rules = rules.iter().map(|rule| format!("{id} {}", json::to_string(rule)));
            std::iter::once(id.clone()).chain(rules).collect()
        };
        let known: Vec<String> = off.iter().flat_map(shown).collect();
        on.iter().flat_map(shown).filter(|line| !known.contains(line)).collect()
    }

    fn text<'v>(object: &'v Value, path: &[&str]) -> &'v str {
        object.lookup(path).and_then(Value::as_str).unwrap_or_default()
    }

    #[test]
    fn features_bring_roles_and_rules() {
        assert_eq!(
            gained("CSIVolumeHealth"),
            [
                r#"ClusterRole system:node {"apiGroups":["storage.k8s.io"],"resources":["csinodes/status"],"verbs":["get","patch","update"]}"#
            ]
        );
        assert_eq!(
            gained("KubeletServiceAccountTokenForCredentialProviders"),
            [r#"ClusterRole system:node {"apiGroups":[""],"resources":["serviceaccounts"],"verbs":["get"]}"#]
        );
        assert_eq!(
            gained("ComponentFlagz"),
            [concat!(
                r#"ClusterRole system:monitoring {"nonResourceURLs":["/flagz","/healthz","/healthz/*","/livez","/livez/*","/metrics","#,
                r#""/metrics/slis","/readyz","/readyz/*","/statusz"],"verbs":["get"]}"#
            )]
        );
        assert!(!gained("ComponentStatusz").is_empty());
        let names = |gate: &str| {
            let lines = gained(gate).into_iter().filter(|line| !line.contains('{'));
            lines.map(|line| line.replace("system:controller:", "")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(
            names("ClusterTrustBundle"),
            "ClusterRole system:cluster-trust-bundle-discovery, ClusterRoleBinding system:cluster-trust-bundle-discovery, \
             ClusterRole kube-apiserver-serving-clustertrustbundle-publisher, \
             ClusterRoleBinding kube-apiserver-serving-clustertrustbundle-publisher"
        );
        assert_eq!(
            names("PodCertificateRequest"),
            "ClusterRole podcertificaterequestcleaner, ClusterRoleBinding podcertificaterequestcleaner"
        );
        assert_eq!(
            names("StorageVersionMigrator"),
            "ClusterRole storage-version-migrator-controller, ClusterRoleBinding storage-version-migrator-controller"
        );
        assert_eq!(
            names("DRADeviceTaints"),
            "ClusterRole device-taint-eviction-controller, ClusterRoleBinding device-taint-eviction-controller"
        );
        assert_eq!(
            names("DRAResourcePoolStatus"),
            "ClusterRole resourcepoolstatusrequest-controller, ClusterRoleBinding resourcepoolstatusrequest-controller"
        );
        assert_eq!(
            names("GenericWorkload"),
            "ClusterRole podgroup-protection-controller, ClusterRoleBinding podgroup-protection-controller"
        );
        for (gate, count) in [
            ("GenericWorkload", 8),
            ("CompositePodGroup", 4),
            ("EvictionRequestAPI", 2),
            ("WorkloadWithJob", 1),
            ("DRAWorkloadResourceClaims", 2),
            ("DRADeviceTaintRules", 3),
            ("DRAResourceClaimGranularStatusAuthorization", 2),
        ] {
            assert_eq!(gained(gate).len(), count, "{gate}: {:?}", gained(gate));
        }
    }

    #[test]
    fn older_releases_have_the_roles_of_their_time() {
        let [older, newest] = [Release::V1_34, Release::NEWEST].map(|release| {
            let policy = bootstrap_policy(&FeatureGates::of(release));
            policy.iter().map(json::to_string).collect::<Vec<_>>()
        });
        let locks = r#"{"apiGroups":[""],"resourceNames":["kube-scheduler"],"resources":["configmaps"],"verbs":["get","update"]}"#;
        let [in_older, in_newest] = [&older, &newest].map(|policy| policy.iter().any(|role| role.contains(locks)));
        assert!(in_older && !in_newest);
        let discovery = "system:cluster-trust-bundle-discovery";
        assert!(!older.iter().any(|role| role.contains(discovery)));
        assert!(newest.iter().any(|role| role.contains(discovery)));
    }

    #[test]
    fn every_gate_of_the_table_is_known() {
        let gates = FeatureGates::default();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let of_line = words.first().filter(|word| **word == "if").and(words.get(1)).copied();
            let of_items = line.split([',', ' ']).filter_map(|item| Some(item.split_once('?')?.1));
            for gate in of_line.into_iter().chain(of_items) {
                assert!(gates.is_known(gate), "{gate}");
            }
        }
    }

    #[test]
    fn the_policy_is_that_of_a_fresh_server() {
        let policy = bootstrap_policy(&FeatureGates::default());
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

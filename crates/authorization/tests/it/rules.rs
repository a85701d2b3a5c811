//! Tests of the requests that a rule allows.

use sprag_authorization::{Access, Attributes, AuthorizationMode, Authorizer as _, Decision, ResourceTarget, Target};

use crate::{parse, user, with_rules};

/// True if a rule allows `verb group resource/subresource name`, with `-` for nothing.
#[track_caller]
fn check(rule: &str, request: &str, expected: bool) {
    let words: Vec<&str> = request.split(' ').map(|word| if word == "-" { "" } else { word }).collect();
    let [verb, group, resource, name] = words.as_slice() else { panic!("{request:?}") };
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let target = ResourceTarget { group, resource, subresource, name, namespace: "team" };
    let ann = user("ann", &[]);
    let asked = Attributes { user: &ann, verb, target: Target::Resource(target) };
    assert_eq!(with_rules("", rule).allows(&asked), expected, "{request}");
}

#[track_caller]
fn check_path(rule: &str, path: &str, expected: bool) {
    let ann = user("ann", &[]);
    let asked = Attributes { user: &ann, verb: "get", target: Target::Path(path) };
    assert_eq!(with_rules("", rule).allows(&asked), expected, "{path}");
}

#[test]
fn subresources_are_named_or_meant_by_a_star() {
    let rule = r#"{"verbs":["get"],"apiGroups":[""],"resources":["pods","*/scale"]}"#;
    check(rule, "get - pods -", true);
    check(rule, "get - pods/log -", false);
    check(rule, "get - deployments/scale -", true);
    check(rule, "get - deployments -", false);
    let star = r#"{"verbs":["get"],"apiGroups":[""],"resources":["*"]}"#;
    check(star, "get - pods/log -", true);
    check(r#"{"verbs":["get"],"apiGroups":[""],"resources":["pods/*"]}"#, "get - pods/log -", false);
    // A review can put both into the name of the resource.
    let ann = user("ann", &[]);
    let log = Target::Resource(ResourceTarget { resource: "pods/log", ..ResourceTarget::default() });
    let rule = r#"{"verbs":["get"],"apiGroups":[""],"resources":["pods/log"]}"#;
    assert!(with_rules("", rule).allows(&Attributes { user: &ann, verb: "get", target: log }));
}

#[test]
fn names_are_needed_where_a_rule_has_some() {
    let rule = r#"{"verbs":["*"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["one"]}"#;
    check(rule, "get - configmaps one", true);
    check(rule, "get - configmaps two", false);
    check(rule, "create - configmaps -", false);
    check(rule, "list - configmaps -", false);
}

#[test]
fn groups_are_not_meant_by_others() {
    let rule = r#"{"verbs":["get"],"apiGroups":["apps"],"resources":["*"]}"#;
    check(rule, "get apps deployments -", true);
    check(rule, "get - deployments -", false);
    check(rule, "delete apps deployments -", false);
}

#[test]
fn paths_end_with_a_star_and_resources_give_no_paths() {
    let rule = r#"{"verbs":["get"],"nonResourceURLs":["/logs/*","/metrics"]}"#;
    check_path(rule, "/logs/x/y", true);
    check_path(rule, "/logs/", true);
    check_path(rule, "/logs", false);
    check_path(rule, "/metrics", true);
    check_path(rule, "/metrics/x", false);
    check_path(r#"{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}"#, "/metrics", false);
    check_path(r#"{"verbs":["get"],"nonResourceURLs":["*"]}"#, "/anything", true);
}

#[test]
fn a_role_of_a_namespace_gives_nothing_elsewhere() {
    let access = with_rules("team", r#"{"verbs":["list"],"apiGroups":[""],"resources":["pods"]}"#);
    let ann = user("ann", &[]);
    for (namespace, expected) in [("team", true), ("other", false), ("", false)] {
        let target = Target::Resource(ResourceTarget { resource: "pods", namespace, ..ResourceTarget::default() });
        assert_eq!(access.allows(&Attributes { user: &ann, verb: "list", target }), expected, "{namespace}");
    }
}

#[test]
fn bindings_to_missing_roles_are_named_once_each() {
    let access = Access::new(AuthorizationMode::Rbac);
    for (name, role) in [("a", "missing"), ("b", "missing"), ("c", "other")] {
        let subject = r#"{"kind":"ServiceAccount","name":"robot","namespace":"team"}"#;
        let binding = format!(r#"{{"roleRef":{{"kind":"ClusterRole","name":"{role}"}},"subjects":[{subject}]}}"#);
        access.set("ClusterRoleBinding", "", name, Some(&parse(&binding)));
    }
    let robot = user("system:serviceaccount:team:robot", &[]);
    let decision = access.authorize(&Attributes { user: &robot, verb: "get", target: Target::Path("/x") });
    let missing = |name: &str| format!("clusterrole.rbac.authorization.k8s.io \"{name}\" not found");
    let reason = format!("rbac: RBAC: [{}, {}]", missing("missing"), missing("other"));
    assert_eq!(decision, Decision::NoOpinion(reason));
}

#[test]
fn a_binding_that_is_taken_away_gives_nothing_more() {
    let access = with_rules("", r#"{"verbs":["get"],"nonResourceURLs":["/x"]}"#);
    let ann = user("ann", &[]);
    let asked = Attributes { user: &ann, verb: "get", target: Target::Path("/x") };
    assert!(access.allows(&asked));
    access.set("ClusterRoleBinding", "", "b", None);
    assert!(!access.allows(&asked));
}

/// Roles are bound as often as somebody likes, and each binding is listed.
#[test]
fn a_review_lists_so_many_texts_and_says_when_there_are_more() {
    let ann = user("ann", &[]);
    let rules_of = |texts: usize| {
        let names: Vec<String> = (0..texts - 3).map(|number| format!("\"n{number}\"")).collect();
        let names = names.join(",");
        let rule = format!(r#"{{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":[{names}]}}"#);
        let access = with_rules("", &rule);
        let second = r#"{"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"ann"}]}"#;
        access.set("ClusterRoleBinding", "", "c", Some(&parse(second)));
        let found = access.rules_for(&ann, "");
        (found.rules.len(), found.incomplete, found.error)
    };
    assert_eq!(rules_of(50_000), (2, false, None));
    let why = "there are more rules: they have more than 100000 texts".to_owned();
    assert_eq!(rules_of(50_001), (1, true, Some(why)));
}

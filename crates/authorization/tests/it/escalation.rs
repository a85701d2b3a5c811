//! Privilege escalation checks.

use sprag_authorization::Access;
use sprag_rest::{Request, User};

use crate::{parse, user, with_rules};

const GROUP: &str = "rbac.authorization.k8s.io";

fn request<'a>(resource: &'a str, name: &'a str, user: &'a User) -> Request<'a> {
    Request { group: GROUP, version: "v1", resource, namespace: "", name, subresource: "", user }
}

/// The message and code that `ann` receives when she writes an object.
#[track_caller]
fn check(access: &Access, resource: &str, object: &str, old: Option<&str>, expected: Result<(), (u16, &str)>) {
    let ann = user("ann", &["team", "system:authenticated"]);
    let old = old.map(parse);
    let name = if old.is_some() { "new" } else { "" };
    let found = access.check_escalation(&request(resource, name, &ann), &parse(object), old.as_ref());
    let found = found.map_err(|error| (error.code(), error.to_string()));
    assert_eq!(found, expected.map_err(|(code, text)| (code, text.to_owned())));
}

const READ: &str = r#"{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}"#;

fn role(rules: &str) -> String {
    format!(r#"{{"metadata":{{"name":"new"}},"rules":[{rules}]}}"#)
}

#[test]
fn a_role_may_have_what_its_writer_has() {
    let access = with_rules("", READ);
    check(&access, "clusterroles", &role(READ), None, Ok(()));
    check(&access, "clusterroles", &role(""), None, Ok(()));
    let named = r#"{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["web"]}"#;
    check(&access, "clusterroles", &role(named), None, Ok(()));
}

#[test]
fn what_is_missing_is_listed_sorted_with_its_verbs_together() {
    let asked = r#"{"verbs":["get","watch","delete","watch"],"apiGroups":["","apps"],"resources":["pods"]},
                   {"verbs":["get"],"nonResourceURLs":["/x"]}"#;
    check(
        &with_rules("", READ),
        "clusterroles",
        &role(asked),
        None,
        Err((
            403,
            "clusterroles.rbac.authorization.k8s.io \"new\" is forbidden: user \"ann\" (groups=[\"team\" \"system:authenticated\"]) \
             is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\" \"watch\"]}\n\
             {APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"watch\" \"delete\" \"watch\"]}\n\
             {NonResourceURLs:[\"/x\"], Verbs:[\"get\"]}",
        )),
    );
}

#[test]
fn a_change_of_owners_and_finalizers_is_free() {
    let access = with_rules("", READ);
    let big = r#"{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}"#;
    let with = |metadata: &str| format!(r#"{{"metadata":{{"name":"new"{metadata}}},"rules":[{big}]}}"#);
    let old = with(r#","finalizers":["a"]"#);
    let freed = with("");
    check(&access, "clusterroles", &freed, Some(&old), Ok(()));
    let labelled = with(r#","labels":{"a":"b"}"#);
    let ann = user("ann", &[]);
    let old = parse(&old);
    let found = access.check_escalation(&request("clusterroles", "new", &ann), &parse(&labelled), Some(&old));
    assert_eq!(found.unwrap_err().code(), 403);
}

#[test]
fn escalate_and_masters_pass() {
    let rule = |name: &str| {
        let names = if name.is_empty() { String::new() } else { format!(r#","resourceNames":["{name}"]"#) };
        format!(r#"{{"verbs":["escalate"],"apiGroups":["{GROUP}"],"resources":["clusterroles"]{names}}}"#)
    };
    let big = role(r#"{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}"#);
    check(&with_rules("", &rule("")), "clusterroles", &big, None, Ok(()));
    check(&with_rules("", &rule("new")), "clusterroles", &big, Some(&role("")), Ok(()));
    // A create has no name that the right could be limited to.
    let ann = user("ann", &[]);
    let named = with_rules("", &rule("new"));
    assert!(named.check_escalation(&request("clusterroles", "", &ann), &parse(&big), None).is_err());
    let master = user("root", &["system:masters"]);
    assert_eq!(named.check_escalation(&request("clusterroles", "", &master), &parse(&big), None), Ok(()));
}

#[test]
fn aggregation_needs_everything() {
    let aggregated =
        r#"{"metadata":{"name":"new"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}"#;
    let refused = "clusterroles.rbac.authorization.k8s.io \"new\" is forbidden: must have cluster-admin privileges to use the \
                   aggregationRule";
    let all = r#"{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}"#;
    check(&with_rules("", READ), "clusterroles", aggregated, None, Err((403, refused)));
    check(&with_rules("", READ), "clusterroles", &role(""), Some(aggregated), Err((403, refused)));
    let everything = format!(r#"{all},{{"verbs":["*"],"nonResourceURLs":["*"]}}"#);
    check(&with_rules("", &everything), "clusterroles", aggregated, None, Ok(()));
}

#[test]
fn a_binding_gives_a_role_that_its_writer_has_or_may_bind() {
    let binding = |kind: &str, name: &str| {
        format!(r#"{{"metadata":{{"name":"new"}},"roleRef":{{"apiGroup":"{GROUP}","kind":"{kind}","name":"{name}"}}}}"#)
    };
    let access = with_rules("", READ);
    let big = parse(r#"{"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]}"#);
    access.set("ClusterRole", "", "big", Some(&big));
    check(&access, "clusterrolebindings", &binding("ClusterRole", "r"), None, Ok(()));
    let refused = "clusterrolebindings.rbac.authorization.k8s.io \"new\" is forbidden: user \"ann\" (groups=[\"team\" \
                   \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n\
                   {NonResourceURLs:[\"/x\"], Verbs:[\"get\"]}";
    check(&access, "clusterrolebindings", &binding("ClusterRole", "big"), None, Err((403, refused)));
    let missing = "clusterrolebindings.rbac.authorization.k8s.io \"none\" not found";
    check(&access, "clusterrolebindings", &binding("ClusterRole", "none"), None, Err((404, missing)));
    let found = access.check_escalation(
        &request("clusterrolebindings", "", &user("ann", &[])),
        &parse(&binding("Group", "x")),
        None,
    );
    assert_eq!(found.unwrap_err().code(), 500);
    let bind =
        format!(r#"{{"verbs":["bind"],"apiGroups":["{GROUP}"],"resources":["clusterroles"],"resourceNames":["big"]}}"#);
    let binder = with_rules("", &bind);
    check(&binder, "clusterrolebindings", &binding("ClusterRole", "big"), None, Ok(()));
    check(&binder, "clusterrolebindings", &binding("ClusterRole", "r"), None, Ok(()));
    check(&binder, "clusterrolebindings", &binding("ClusterRole", "none"), None, Err((404, missing)));
}

/// A list of these texts with numbers behind them, as JSON.
fn numbered(text: &str, count: usize) -> String {
    let texts: Vec<String> = (0..count).map(|number| format!("\"{text}{number}\"")).collect();
    format!("[{}]", texts.join(","))
}

/// Four lists of a hundred texts stand for a hundred million permissions.
#[test]
fn rules_that_stand_for_too_much_are_refused() {
    let lists = ["verbs", "apiGroups", "resources", "resourceNames"];
    let members: Vec<String> = lists.iter().map(|list| format!("\"{list}\":{}", numbered("a", 100))).collect();
    let all = role(&format!("{{{}}}", members.join(",")));
    let ann = user("ann", &[]);
    let write = |own: &str, role: &str| {
        let access = with_rules("", own);
        access
            .check_escalation(&request("clusterroles", "", &ann), &parse(role), None)
            .map_err(|error| error.to_string())
    };
    // What is missing is listed as far as somebody might read it.
    let refusal = write(READ, &all).unwrap_err();
    assert_eq!(refusal.lines().count(), 1 + 100, "{refusal}");
    let own = |count: usize| format!(r#"{{"verbs":["*"],"apiGroups":["*"],"resources":{}}}"#, numbered("a", count));
    let refusal = write(&own(97), &all).unwrap_err();
    assert!(
        refusal.ends_with(
            "have too many verbs, groups, resources and names together to be compared with those of user \"ann\""
        ),
        "{refusal}"
    );
    // Each part is compared with the 99 texts of the own rule: 5 million texts at most.
    let asked = |verbs: usize| {
        role(&format!(r#"{{"verbs":{},"apiGroups":{},"resources":["a0"]}}"#, numbered("v", verbs), numbered("g", 100)))
    };
    assert_eq!(write(&own(97), &asked(500)), Ok(()));
    assert!(write(&own(97), &asked(501)).unwrap_err().contains("have too many verbs"));
}

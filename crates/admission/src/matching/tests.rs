//! Matching of real requests to a registry in memory, asked by a plug-in.

use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use sprag_registry::{AdmissionPlugin, Admitted, Registry};
use sprag_rest::{DeleteOptions, Patch, Request, User, WriteOptions};
use sprag_storage::Memory;
use sprag_value::json;

use super::*;

/// Matches every request, and remembers as what.
struct Probe {
    resources: Mutex<MatchResources>,
    namespaces: Namespaces,
    seen: Mutex<Vec<String>>,
}

impl AdmissionPlugin for Probe {
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let resources = self.resources.lock().unwrap();
        let may_match = resources.may_match(&attributes);
        let seen = match resources.matches(&attributes, &self.namespaces) {
            Ok(None) => "no".to_owned(),
            Ok(Some(matched)) => {
                // The index must not leave out what matches.
                assert!(may_match, "{resources:?}");
                let GroupVersionResource { group, version, resource } = matched.resource(&attributes);
                assert_eq!(matched.version(&attributes), version);
                format!("{group}/{version} {resource} {}", matched.kind(&attributes).kind)
            }
            Err(error) => error.to_string(),
        };
        self.seen.lock().unwrap().push(seen);
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// A registry with the namespaces `blue`, labelled `color=blue`, and `lost`, which selectors do not know.
struct Site {
    probe: Arc<Probe>,
    registry: Registry,
    user: User,
}

fn ready<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("work in memory does not wait"),
    }
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// An object of the kind of a request.
fn body(registry: &Registry, request: &Request<'_>, text: &str) -> Value {
    let definition = registry.definition(&GroupResource::new(request.group, request.resource)).unwrap();
    let mut body = parse(text);
    let group = if request.group.is_empty() { String::new() } else { format!("{}/", request.group) };
    body.insert("apiVersion", format!("{group}{}", request.version));
    body.insert("kind", definition.kind.as_str());
    body
}

impl Site {
    fn new() -> Site {
        let resources = Mutex::default();
        let seen = Mutex::default();
        let probe = Arc::new(Probe { resources, namespaces: Namespaces::default(), seen });
        let mut registry = Registry::builder(Arc::new(Memory::new())).admission(probe.clone());
        for definition in sprag_kinds::definitions() {
            registry = registry.resource(definition);
        }
        let site = Site { probe, registry: registry.build(), user: User::default() };
        let blue = r#"{"metadata":{"name":"blue","labels":{"color":"blue"}}}"#;
        site.probe.namespaces.set(&Key::cluster("", "namespaces", "blue").unwrap(), Some(parse(blue)));
        for namespace in [blue, r#"{"metadata":{"name":"lost"}}"#] {
            let request = site.request(("", "v1", "namespaces"), "", "");
            let namespace = body(&site.registry, &request, namespace);
            ready(site.registry.create(&request, namespace, &WriteOptions::default())).unwrap();
        }
        site
    }

    fn request<'a>(&'a self, kind: (&'a str, &'a str, &'a str), namespace: &'a str, name: &'a str) -> Request<'a> {
        let (group, version, resource) = kind;
        Request { group, version, resource, namespace, name, subresource: "", user: &self.user }
    }

    /// Returns the case of a request matched by the `matchConstraints` of a policy.
    fn policy(&self, constraints: &str) -> Case<'_> {
        *self.probe.resources.lock().unwrap() = MatchResources::of_policy(&parse(constraints)).unwrap();
        Case(self)
    }

    /// Returns the case of a request matched by a webhook.
    fn webhook(&self, webhook: &str) -> Case<'_> {
        *self.probe.resources.lock().unwrap() = MatchResources::of_webhook(&parse(webhook)).unwrap();
        Case(self)
    }
}

/// Requests that are made of the same matcher.
struct Case<'s>(&'s Site);

impl Case<'_> {
    fn take(&self) -> String {
        self.0.probe.seen.lock().unwrap().pop().expect("the plug-in was asked")
    }

    #[track_caller]
    fn creates(&self, kind: (&str, &str, &str), namespace: &str, text: &str, expected: &str) -> &Self {
        let request = self.0.request(kind, namespace, "");
        let options = WriteOptions { dry_run: vec!["All".to_owned()], ..WriteOptions::default() };
        let object = body(&self.0.registry, &request, text);
        ready(self.0.registry.create(&request, object, &options)).unwrap();
        assert_eq!(self.take(), expected);
        self
    }

    /// Creates a config map with labels in a namespace.
    #[track_caller]
    fn map(&self, namespace: &str, labels: &str, expected: &str) -> &Self {
        let map = format!(r#"{{"metadata":{{"name":"m","labels":{labels}}}}}"#);
        self.creates(("", "v1", "configmaps"), namespace, &map, expected)
    }
}

const MAP: &str = "/v1 configmaps ConfigMap";

/// Rules about config maps, with more members.
fn maps(more: &str) -> String {
    format!(
        r#"{{"resourceRules":[{{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}}]{more}}}"#
    )
}

/// A rule of webhooks with these members in place of those that match everything.
fn rule(members: &str) -> String {
    let all = r#""operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]"#;
    let mut rule = parse(&format!("{{{all}}}"));
    for (name, value) in parse(&format!("{{{members}}}")).as_object().unwrap() {
        rule.insert(name.clone(), value.clone());
    }
    format!(r#"{{"rules":[{}]}}"#, json::to_string(&rule))
}

#[test]
fn without_rules_policies_match_everything_and_webhooks_nothing() {
    let site = Site::new();
    site.policy("{}").map("blue", "{}", MAP);
    site.webhook("{}").map("blue", "{}", "no");
}

#[test]
fn each_part_of_a_rule_must_match() {
    let site = Site::new();
    for (members, expected) in [
        ("", MAP),
        (r#""operations":["UPDATE","DELETE"]"#, "no"),
        (r#""operations":["UPDATE","CREATE"]"#, MAP),
        (r#""apiGroups":["apps"]"#, "no"),
        (r#""apiVersions":["v2"]"#, "no"),
        (r#""resources":["secrets","configmaps"]"#, MAP),
        (r#""resources":["configmaps/*"]"#, MAP),
        (r#""resources":["configmaps/status"]"#, "no"),
        (r#""resources":["*/status"]"#, "no"),
        (r#""resources":["*/*"]"#, MAP),
        (r#""scope":"*""#, MAP),
        (r#""scope":"Namespaced""#, MAP),
        (r#""scope":"Cluster""#, "no"),
        (r#""scope":"Other""#, "no"),
        (r#""resourceNames":["m"]"#, MAP),
        (r#""resourceNames":["other"]"#, "no"),
    ] {
        site.webhook(&rule(members)).map("blue", "{}", expected);
    }
}

#[test]
fn a_namespace_is_an_object_of_the_cluster() {
    let site = Site::new();
    let namespace = r#"{"metadata":{"name":"new"}}"#;
    let kind = ("", "v1", "namespaces");
    site.webhook(&rule(r#""scope":"Cluster""#)).creates(kind, "", namespace, "/v1 namespaces Namespace");
    site.webhook(&rule(r#""scope":"Namespaced""#)).creates(kind, "", namespace, "no");
}

#[test]
fn namespaces_are_selected_by_their_labels() {
    let site = Site::new();
    let blue = maps(r#","namespaceSelector":{"matchLabels":{"color":"blue"}}"#);
    site.policy(&blue).map("blue", "{}", MAP);
    let red = maps(r#","namespaceSelector":{"matchLabels":{"color":"red"}}"#);
    site.policy(&red).map("blue", "{}", "no");
    // A namespace that is not known is an error only where the rest matches.
    site.policy(&blue).map("lost", "{}", "namespaces \"lost\" not found");
    site.policy(&blue).creates(("", "v1", "secrets"), "lost", r#"{"metadata":{"name":"s"}}"#, "no");
    let selected =
        maps(r#","namespaceSelector":{"matchLabels":{"color":"blue"}},"objectSelector":{"matchLabels":{"a":"b"}}"#);
    site.policy(&selected).map("lost", "{}", "no");
    // Without a selector nobody asks for the namespace.
    site.policy(&maps("")).map("lost", "{}", MAP);
}

#[test]
fn a_namespace_that_is_written_has_the_labels_of_the_request() {
    let site = Site::new();
    let selected = r#"{"namespaceSelector":{"matchLabels":{"color":"red"}}}"#;
    let kind = ("", "v1", "namespaces");
    let matched = "/v1 namespaces Namespace";
    let case = site.policy(selected);
    case.creates(kind, "", r#"{"metadata":{"name":"new","labels":{"color":"red"}}}"#, matched);
    case.creates(kind, "", r#"{"metadata":{"name":"new"}}"#, "no");
    // One that is deleted has those that it has.
    let request = site.request(kind, "", "blue");
    let options = DeleteOptions { dry_run: vec!["All".to_owned()], ..DeleteOptions::default() };
    ready(site.registry.delete(&request, &options)).unwrap();
    assert_eq!(case.take(), "no");
    // Objects without a namespace match whatever the selector is.
    let role = r#"{"metadata":{"name":"r"},"rules":[]}"#;
    let kind = ("rbac.authorization.k8s.io", "v1", "clusterroles");
    case.creates(kind, "", role, "rbac.authorization.k8s.io/v1 clusterroles ClusterRole");
}

#[test]
fn an_update_matches_by_the_labels_before_and_after() {
    let site = Site::new();
    let kind = ("", "v1", "configmaps");
    let request = site.request(kind, "blue", "");
    let map = body(&site.registry, &request, r#"{"metadata":{"name":"m","labels":{"a":"old"}}}"#);
    ready(site.registry.create(&request, map, &WriteOptions::default())).unwrap();
    let rules =
        r#""resourceRules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}]"#;
    let request = site.request(kind, "blue", "m");
    let options = WriteOptions { dry_run: vec!["All".to_owned()], ..WriteOptions::default() };
    for (wanted, expected) in [("old", MAP), ("new", MAP), ("other", "no")] {
        let case = site.policy(&format!(r#"{{{rules},"objectSelector":{{"matchLabels":{{"a":"{wanted}"}}}}}}"#));
        let patch = Patch::Merge(br#"{"metadata":{"labels":{"a":"new"}}}"#);
        ready(site.registry.patch(&request, patch, &options)).unwrap();
        assert_eq!(case.take(), expected, "{wanted}");
    }
}

#[test]
fn what_is_excluded_never_matches() {
    let site = Site::new();
    let excluded = |resource: &str| {
        maps(&format!(
            r#","excludeResourceRules":[{{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["{resource}"]}}]"#
        ))
    };
    site.policy(&excluded("configmaps")).map("blue", "{}", "no");
    site.policy(&excluded("secrets")).map("blue", "{}", MAP);
}

#[test]
fn equivalent_rules_match_another_version() {
    let site = Site::new();
    let event = r#"{"metadata":{"name":"e","namespace":"blue"},"involvedObject":{"namespace":"blue"}}"#;
    let kind = ("", "v1", "events");
    let of_group = |policy: &str| {
        format!(
            r#"{{"rules":[{{"operations":["*"],"apiGroups":["events.k8s.io"],"apiVersions":["v1"],"resources":["events"]}}]{policy}}}"#
        )
    };
    let equivalent = of_group(r#","matchPolicy":"Equivalent""#);
    site.webhook(&equivalent).creates(kind, "blue", event, "events.k8s.io/v1 events Event");
    site.webhook(&of_group(r#","matchPolicy":"Exact""#)).creates(kind, "blue", event, "no");
    site.webhook(&of_group("")).creates(kind, "blue", event, "no");
    // A rule about the request itself comes first, wherever it is.
    let both = r#"{"matchPolicy":"Equivalent","rules":[
        {"operations":["*"],"apiGroups":["events.k8s.io"],"apiVersions":["v1"],"resources":["events"]},
        {"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["events"]}]}"#;
    site.webhook(both).creates(kind, "blue", event, "/v1 events Event");
}

#[test]
fn a_selector_that_cannot_be_read_is_an_error() {
    let wrong = parse(r#"{"objectSelector":{"matchExpressions":[{"key":"a","operator":"Near"}]}}"#);
    let error = MatchResources::of_policy(&wrong).unwrap_err();
    assert_eq!(error, "\"Near\" is not a valid label selector operator");
}

/// Something that matches, by number.
struct Item(usize, MatchResources);

impl AsRef<MatchResources> for Item {
    fn as_ref(&self) -> &MatchResources {
        &self.1
    }
}

/// Remembers which of its items can match requests.
struct IndexProbe(Indexed<Item>, Mutex<Vec<Vec<usize>>>);

impl AdmissionPlugin for IndexProbe {
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        self.1.lock().unwrap().push(self.0.candidates(&attributes).map(|item| item.0).collect());
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

#[test]
fn an_index_finds_what_can_match_in_order() {
    let of = |text: &str| MatchResources::of_webhook(&parse(text)).unwrap();
    let items = [
        of(&rule(r#""resources":["secrets"]"#)),
        of(&rule("")),
        of(&rule(r#""operations":["DELETE"]"#)),
        of(&rule(r#""resources":["configmaps/*"],"apiGroups":[""]"#)),
    ];
    let items = items.into_iter().enumerate().map(|(at, resources)| Item(at, resources)).collect();
    let probe = Arc::new(IndexProbe(Indexed::new(items), Mutex::default()));
    let mut registry = Registry::builder(Arc::new(Memory::new())).admission(probe.clone());
    for definition in sprag_kinds::definitions().into_iter().filter(|kind| kind.group().is_empty()) {
        registry = registry.resource(definition);
    }
    let registry = registry.build();
    let user = User::default();
    let request = |resource, namespace| Request {
        group: "",
        version: "v1",
        resource,
        namespace,
        name: "",
        subresource: "",
        user: &user,
    };
    let options = WriteOptions::default();
    let create = |resource, namespace, name: &str| {
        let request = request(resource, namespace);
        let object = body(&registry, &request, &format!(r#"{{"metadata":{{"name":"{name}"}}}}"#));
        ready(registry.create(&request, object, &options)).unwrap();
    };
    create("namespaces", "", "blue");
    create("configmaps", "blue", "a");
    create("configmaps", "blue", "b");
    create("secrets", "blue", "s");
    assert_eq!(*probe.1.lock().unwrap(), [vec![1], vec![1, 3], vec![1, 3], vec![0, 1]]);
}

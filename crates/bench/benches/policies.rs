//! Admission policies: what a policy with three rules adds to a create, and what a hundred policies add that are about something else.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use divan::{Bencher, black_box};
use sprag_access::{Access, AuthorizationMode};
use sprag_admission::matching::Namespaces;
use sprag_admission::policy::{Unobserved, ValidatingPolicies};
use sprag_registry::{Answer, Follower, Registry};
use sprag_rest::{Request, User, WriteOptions};
use sprag_storage::{Key, Memory};
use sprag_value::{Value, json};

#[global_allocator]
static ALLOC: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

const GROUP: &str = "admissionregistration.k8s.io";

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","labels":{"app":"web","team":"shop"}},
"spec":{"containers":[{"name":"web","image":"registry.example.com/web:1.2","resources":{"limits":{"cpu":"1","memory":"1Gi"}}},
{"name":"side","image":"registry.example.com/side:3","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}],"restartPolicy":"Always"}}"#;

fn main() {
    divan::main();
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).expect("it is JSON")
}

/// All kinds in memory, with as many bound policies about a resource.
struct Site {
    registry: Registry,
    user: User,
    options: WriteOptions,
    pod: Value,
}

impl Site {
    fn new(policies: usize, resource: &str) -> Site {
        let namespaces = Arc::new(Namespaces::default());
        let namespace = parse(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}"#);
        namespaces.set(&Key::cluster("", "namespaces", "default").expect("a key"), Some(namespace.clone()));
        let access = Arc::new(Access::new(AuthorizationMode::AlwaysAllow));
        let plugin = ValidatingPolicies::new(namespaces, access, Arc::new(Unobserved));
        for number in 0..policies {
            let name = format!("policy-{number}");
            let key = |plural: &str| Key::cluster(GROUP, plural, &name).expect("a key");
            let policy = format!(
                r#"{{"metadata":{{"name":"{name}"}},"spec":{{"failurePolicy":"Fail","matchConstraints":{{"matchPolicy":"Equivalent",
                "namespaceSelector":{{}},"objectSelector":{{}},"resourceRules":[{{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],
                "resources":["{resource}"],"scope":"*"}}]}},"validations":[
                {{"expression":"object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))"}},
                {{"expression":"object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits)"}},
                {{"expression":"has(object.metadata.labels) && 'team' in object.metadata.labels"}}]}}}}"#
            );
            plugin.set(&key("validatingadmissionpolicies"), Some(parse(&policy)));
            let binding = format!(r#"{{"spec":{{"policyName":"{name}","validationActions":["Deny"]}}}}"#);
            plugin.set(&key("validatingadmissionpolicybindings"), Some(parse(&binding)));
        }
        let mut registry = Registry::builder(Arc::new(Memory::new())).admission(Arc::new(plugin));
        for definition in sprag_kinds::definitions() {
            registry = registry.resource(definition);
        }
        let site = Site {
            registry: registry.build(),
            user: User { name: "ann".to_owned(), ..User::default() },
            options: WriteOptions { dry_run: vec!["All".to_owned()], ..WriteOptions::by("bench") },
            pod: parse(POD),
        };
        let cluster = Request { resource: "namespaces", namespace: "", ..site.request() };
        ready(site.registry.create(&cluster, namespace, &WriteOptions::default())).expect("it is created");
        site
    }

    fn request(&self) -> Request<'_> {
        Request {
            group: "",
            version: "v1",
            resource: "pods",
            namespace: "default",
            name: "",
            subresource: "",
            user: &self.user,
        }
    }

    /// Creates a pod in a dry run.
    fn create(&self) -> Answer {
        let request = self.request();
        ready(self.registry.create(black_box(&request), self.pod.clone(), &self.options)).expect("the pod is fine")
    }
}

fn ready<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("work in memory does not wait"),
    }
}

/// What a create costs without any policy: the others are held against it.
#[divan::bench]
fn create_without_policies(bencher: Bencher<'_, '_>) {
    let site = Site::new(0, "pods");
    bencher.bench_local(|| site.create());
}

#[divan::bench]
fn create_with_three_rules(bencher: Bencher<'_, '_>) {
    let site = Site::new(1, "pods");
    bencher.bench_local(|| site.create());
}

/// A hundred policies, none of which is about pods.
#[divan::bench]
fn create_that_no_policy_matches(bencher: Bencher<'_, '_>) {
    let site = Site::new(100, "services");
    bencher.bench_local(|| site.create());
}

//! Admission policies: a policy with three rules, and a write that none of a hundred policies is about.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use divan::{Bencher, black_box};
use sprag_access::{Access, AuthorizationMode};
use sprag_admission::matching::Namespaces;
use sprag_admission::policy::{Unobserved, ValidatingPolicies};
use sprag_registry::{AdmissionPlugin, Attributes, Follower, Operation, Registry, Reinvocation};
use sprag_rest::{Definition, GroupResource, Request, User, WriteOptions};
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

/// A server's worth of kinds, and as many bound policies about a resource.
struct Site {
    registry: Registry,
    plugin: ValidatingPolicies,
    definition: Arc<Definition>,
    user: User,
    options: WriteOptions,
    reinvocation: Reinvocation,
    pod: Value,
}

impl Site {
    fn new(policies: usize, resource: &str) -> Site {
        let mut registry = Registry::builder(Arc::new(Memory::new()));
        for definition in sprag_kinds::definitions() {
            registry = registry.resource(definition);
        }
        let registry = registry.build();
        let namespaces = Arc::new(Namespaces::default());
        let namespace = parse(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}"#);
        namespaces.set(&Key::cluster("", "namespaces", "default").expect("a key"), Some(namespace));
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
        let definition = registry.definition(&GroupResource::new("", "pods")).expect("pods are served");
        Site {
            registry,
            plugin,
            definition,
            user: User { name: "ann".to_owned(), ..User::default() },
            options: WriteOptions::default(),
            reinvocation: Reinvocation::default(),
            pod: parse(POD),
        }
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

    fn attributes<'a>(&'a self, request: &'a Request<'a>) -> Attributes<'a> {
        Attributes {
            registry: &self.registry,
            definition: &self.definition,
            request,
            operation: Operation::Create(&self.options),
            now: self.registry.now(),
            version: "v1",
            name: "web",
            object: Some(&self.pod),
            old: None,
            reinvocation: &self.reinvocation,
        }
    }
}

#[divan::bench]
fn three_rules(bencher: Bencher<'_, '_>) {
    let site = Site::new(1, "pods");
    let request = site.request();
    let attributes = site.attributes(&request);
    bencher.bench_local(|| {
        assert!(site.plugin.handles(black_box(&attributes)));
        let mut answer = pin!(site.plugin.validate(attributes));
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(warnings)) => warnings,
            _ => panic!("the pod is fine"),
        }
    });
}

#[divan::bench]
fn no_policy_matches(bencher: Bencher<'_, '_>) {
    let site = Site::new(100, "services");
    let request = site.request();
    let attributes = site.attributes(&request);
    bencher.bench_local(|| assert!(!site.plugin.handles(black_box(&attributes))));
}

//! Requests for a custom resource of about 1 KB in process: from the text of the body to the text of the answer.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use divan::{AllocProfiler, Bencher};
use sprag_custom::{Controller, definitions};
use sprag_registry::{Answer, Format, Patch, Registry, Request, User, WriteOptions, meta, namespaces};
use sprag_storage::Memory;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const DEFINITION: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"loads.bench.example.com"},
"spec":{"group":"bench.example.com","scope":"Namespaced","names":{"plural":"loads","singular":"load","kind":"Load"},
"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{
"replicas":{"type":"integer","minimum":0,"default":1},
"mode":{"type":"string","enum":["auto","manual"],"default":"auto"},
"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","maxLength":64}},
"notes":{"type":"array","items":{"type":"string"}},
"items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"size":{"type":"integer"},
"protocol":{"type":"string","default":"TCP"}}}}}},
"status":{"type":"object","properties":{"replicas":{"type":"integer"},"phase":{"type":"string"}}}}}}}]}}"#;

fn main() {
    divan::main();
}

/// A registry that serves the definition, and who uses it.
struct Api {
    registry: Registry,
    user: User,
    options: WriteOptions,
}

impl Api {
    fn new() -> Api {
        let registry =
            Registry::builder(Arc::new(Memory::new())).resource(namespaces()).resource(definitions()).build();
        let api = Api { registry, user: User::default(), options: WriteOptions::by("bench") };
        wait(api.registry.ensure_namespace("default")).expect("the namespace is created");
        let request = Request {
            group: "apiextensions.k8s.io",
            version: "v1",
            resource: "customresourcedefinitions",
            namespace: "",
            name: "",
            subresource: "",
            user: &api.user,
        };
        api.post(&request, DEFINITION);
        wait(Controller::new(api.registry.clone()).sync()).expect("the definition is accepted");
        api
    }

    fn request<'r>(&'r self, name: &'r str) -> Request<'r> {
        Request {
            group: "bench.example.com",
            version: "v1",
            resource: "loads",
            namespace: "default",
            name,
            subresource: "",
            user: &self.user,
        }
    }

    fn post(&self, request: &Request<'_>, body: &str) -> Answer {
        let (object, _) = self.registry.read(request, body.as_bytes(), Format::Json, &self.options).expect("an object");
        wait(self.registry.create(request, object, &self.options)).expect("the object is valid")
    }

    #[inline(never)]
    fn create(&self, body: &str) -> Answer {
        self.post(&self.request(""), body)
    }

    #[inline(never)]
    fn update(&self, name: &str, body: &str) -> Answer {
        let request = self.request(name);
        let (object, _) =
            self.registry.read(&request, body.as_bytes(), Format::Json, &self.options).expect("an object");
        wait(self.registry.update(&request, object, &self.options)).expect("the object is valid")
    }

    #[inline(never)]
    fn patch(&self, name: &str, patch: Patch<'_>) -> Answer {
        wait(self.registry.patch(&self.request(name), patch, &self.options)).expect("the patch is valid")
    }

    #[inline(never)]
    fn get(&self, name: &str) -> Bytes {
        wait(self.registry.get_encoded(&self.request(name), "")).expect("the object is there")
    }
}

/// Everything in memory is ready at once.
fn wait<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the memory store answers at once"),
    }
}

fn body(name: &str, round: usize, version: &str) -> String {
    let items: Vec<String> = (0..6).map(|i| format!(r#"{{"name":"item-{i}","size":{}}}"#, i + round)).collect();
    let notes = vec![format!(r#""{}""#, "n".repeat(100)); 4];
    format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Load","metadata":{{"name":"{name}"{version}}},"spec":{{"replicas":{round},"tags":["red","green","blue"],"notes":[{}],"items":[{}]}}}}"#,
        notes.join(","),
        items.join(",")
    )
}

fn names() -> impl FnMut() -> String {
    let mut count = 0_u64;
    move || {
        count += 1;
        format!("load-{count}")
    }
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn create(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    bencher.with_inputs(|| body(&names(), 1, "")).bench_local_values(|body| api.create(&body));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn update(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        let created = api.create(&body(&name, 1, ""));
        let version = format!(r#","resourceVersion":"{}""#, meta::text(&created.object, "resourceVersion"));
        let body = body(&name, 2, &version);
        (name, body)
    };
    bencher.with_inputs(input).bench_local_values(|(name, body)| api.update(&name, &body));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn merge_patch(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        api.create(&body(&name, 1, ""));
        name
    };
    let patch = Patch::Merge(br#"{"spec":{"replicas":2}}"#);
    bencher.with_inputs(input).bench_local_values(|name| api.patch(&name, patch));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn apply(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        api.patch(&name, Patch::Apply(body(&name, 1, "").as_bytes()));
        let body = body(&name, 2, "");
        (name, body)
    };
    bencher.with_inputs(input).bench_local_values(|(name, body)| api.patch(&name, Patch::Apply(body.as_bytes())));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn get(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        api.create(&body(&name, 1, ""));
        name
    };
    bencher.with_inputs(input).bench_local_values(|name| api.get(&name));
}

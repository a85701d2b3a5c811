//! Requests for a custom resource of about 1 KB in process: from the text of the body to the text of the answer.

mod load;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use divan::{AllocProfiler, Bencher};
use sprag_custom::{Controller, definitions};
use sprag_registry::{Answer, Registry, namespaces};
use sprag_rest::{Format, Patch, Request, User, WriteOptions, meta};
use sprag_storage::Memory;

use crate::load::{DEFINITION, body};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

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
        let (object, _) =
            self.registry.decode(request, body.as_bytes(), Format::Json, &self.options).expect("an object");
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
            self.registry.decode(&request, body.as_bytes(), Format::Json, &self.options).expect("an object");
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
    bencher.with_inputs(|| body(&names(), 1, None)).bench_local_values(|body| api.create(&body));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn update(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        let created = api.create(&body(&name, 1, None));
        let body = body(&name, 2, Some(meta::text(&created.object, "resourceVersion")));
        (name, body)
    };
    bencher.with_inputs(input).bench_local_values(|(name, body)| api.update(&name, &body));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn merge_patch(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        api.create(&body(&name, 1, None));
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
        api.patch(&name, Patch::Apply(body(&name, 1, None).as_bytes()));
        let body = body(&name, 2, None);
        (name, body)
    };
    bencher.with_inputs(input).bench_local_values(|(name, body)| api.patch(&name, Patch::Apply(body.as_bytes())));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn get(bencher: Bencher<'_, '_>) {
    let (api, mut names) = (Api::new(), names());
    let input = || {
        let name = names();
        api.create(&body(&name, 1, None));
        name
    };
    bencher.with_inputs(input).bench_local_values(|name| api.get(&name));
}

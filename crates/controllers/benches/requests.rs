//! Requests for a custom resource of about 1 KB in process: from the text of the body to the text of the answer.
//!
//! The fast paths listed in ARCHITECTURE.md are judged by these rows. Each row calls one method of [`Api`], which is not
//! inlined, so that instructions are counted for it alone:
//! `valgrind --tool=callgrind --toggle-collect='*Api*update*' <the bench executable> --bench update`.

mod load;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use divan::{AllocProfiler, Bencher};
use sprag_controllers::DefinitionController;
use sprag_crd::definitions;
use sprag_registry::{Answer, List, Registry};
use sprag_rest::{Format, ListOptions, Patch, Request, User, WriteOptions, meta};
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
        let registry = Registry::builder(Arc::new(Memory::new()))
            .resource(sprag_kinds::namespaces())
            .resource(definitions())
            .build();
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
        wait(DefinitionController::new(api.registry.clone()).sync()).expect("the definition is accepted");
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

    #[inline(never)]
    fn list(&self) -> Bytes {
        wait(self.registry.list_encoded(&self.request(""), &ListOptions::default())).expect("a list")
    }

    /// The objects themselves, as tables are made of them.
    #[inline(never)]
    fn objects(&self) -> List {
        wait(self.registry.list(&self.request(""), &ListOptions::default())).expect("a list")
    }
}

/// Everything in memory is ready at once.
fn wait<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the memory store answers at once"),
    }
}

fn large_body(name: &str) -> String {
    let items: Vec<String> =
        (0..500).map(|i| format!(r#"{{"name":"item-{i}","size":{},"protocol":"TCP"}}"#, i % 4)).collect();
    format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Load","metadata":{{"name":"{name}"}},"spec":{{"items":[{}]}}}}"#,
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
    let api = Api::new();
    let mut names = names();
    bencher.with_inputs(|| body(&names(), 1, None)).bench_local_values(|body| api.create(&body));
}

/// An object of 500 items, 24 KB.
#[divan::bench(sample_count = 50, sample_size = 2)]
fn create_large(bencher: Bencher<'_, '_>) {
    let api = Api::new();
    let mut names = names();
    bencher.with_inputs(|| large_body(&names())).bench_local_values(|body| api.create(&body));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn update(bencher: Bencher<'_, '_>) {
    let api = Api::new();
    let mut names = names();
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
    let api = Api::new();
    let mut names = names();
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
    let api = Api::new();
    let mut names = names();
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
    let api = Api::new();
    let mut names = names();
    let input = || {
        let name = names();
        api.create(&body(&name, 1, None));
        name
    };
    bencher.with_inputs(input).bench_local_values(|name| api.get(&name));
}

/// The API with 1000 objects.
fn filled() -> Api {
    let api = Api::new();
    let mut names = names();
    (0..1000).for_each(|_| drop(api.create(&body(&names(), 1, None))));
    api
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_1000(bencher: Bencher<'_, '_>) {
    let api = filled();
    bencher.bench_local(|| api.list());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn objects_1000(bencher: Bencher<'_, '_>) {
    let api = filled();
    bencher.bench_local(|| api.objects());
}

//! Requests in process, from the text of the body to the text of the answer: for a custom resource of about 1 KB, and for
//! a Deployment with three containers (2.6 KB).
//!
//! The fast paths listed in docs/performance.md are judged by these rows. Each row calls one method of [`Api`], which is not
//! inlined, so that instructions are counted for it alone:
//! `valgrind --tool=callgrind --toggle-collect='*Api*update*' <the bench executable> --bench load_update`.

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

use crate::load::DEFINITION;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// The kind of objects that are written and read.
#[derive(Clone, Copy)]
enum Kind {
    Load,
    Deployment,
}

impl Kind {
    /// Group, version and plural name.
    fn resource(self) -> [&'static str; 3] {
        match self {
            Kind::Load => ["bench.example.com", "v1", "loads"],
            Kind::Deployment => ["apps", "v1", "deployments"],
        }
    }

    /// The text of an object, another one in each round, as of a resource version.
    fn body(self, name: &str, round: usize, version: Option<&str>) -> String {
        match self {
            Kind::Load => load::body(name, round, version),
            Kind::Deployment => load::deployment(name, round, version),
        }
    }
}

/// A registry that serves the kind, and who uses it.
struct Api {
    kind: Kind,
    registry: Registry,
    user: User,
    options: WriteOptions,
}

impl Api {
    fn new(kind: Kind) -> Api {
        let mut builder = Registry::builder(Arc::new(Memory::new())).resource(definitions());
        for definition in sprag_kinds::definitions() {
            builder = builder.resource(definition);
        }
        let api = Api { kind, registry: builder.build(), user: User::default(), options: WriteOptions::by("bench") };
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
        let [group, version, resource] = self.kind.resource();
        Request { group, version, resource, namespace: "default", name, subresource: "", user: &self.user }
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

    /// Makes an object that is applied again, and is not counted with that.
    fn apply_first(&self, name: &str, body: &str) {
        let patch = Patch::Apply(body.as_bytes());
        wait(self.registry.patch(&self.request(name), patch, &self.options)).expect("the object is valid");
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

fn creates(bencher: Bencher<'_, '_>, kind: Kind) {
    let api = Api::new(kind);
    let mut names = names();
    bencher.with_inputs(|| kind.body(&names(), 1, None)).bench_local_values(|body| api.create(&body));
}

fn updates(bencher: Bencher<'_, '_>, kind: Kind) {
    let api = Api::new(kind);
    let mut names = names();
    let input = || {
        let name = names();
        let created = api.create(&kind.body(&name, 1, None));
        let body = kind.body(&name, 2, Some(meta::text(&created.object, "resourceVersion")));
        (name, body)
    };
    bencher.with_inputs(input).bench_local_values(|(name, body)| api.update(&name, &body));
}

fn merge_patches(bencher: Bencher<'_, '_>, kind: Kind) {
    let api = Api::new(kind);
    let mut names = names();
    let input = || {
        let name = names();
        api.create(&kind.body(&name, 1, None));
        name
    };
    let patch = Patch::Merge(br#"{"spec":{"replicas":2}}"#);
    bencher.with_inputs(input).bench_local_values(|name| api.patch(&name, patch));
}

fn applies(bencher: Bencher<'_, '_>, kind: Kind) {
    let api = Api::new(kind);
    let mut names = names();
    let input = || {
        let name = names();
        api.apply_first(&name, &kind.body(&name, 1, None));
        let body = kind.body(&name, 2, None);
        (name, body)
    };
    bencher.with_inputs(input).bench_local_values(|(name, body)| api.patch(&name, Patch::Apply(body.as_bytes())));
}

fn gets(bencher: Bencher<'_, '_>, kind: Kind) {
    let api = Api::new(kind);
    let mut names = names();
    let input = || {
        let name = names();
        api.create(&kind.body(&name, 1, None));
        name
    };
    bencher.with_inputs(input).bench_local_values(|name| api.get(&name));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn load_create(bencher: Bencher<'_, '_>) {
    creates(bencher, Kind::Load);
}

/// An object of 500 items, 24 KB.
#[divan::bench(sample_count = 50, sample_size = 2)]
fn load_create_large(bencher: Bencher<'_, '_>) {
    let api = Api::new(Kind::Load);
    let mut names = names();
    bencher.with_inputs(|| large_body(&names())).bench_local_values(|body| api.create(&body));
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn load_update(bencher: Bencher<'_, '_>) {
    updates(bencher, Kind::Load);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn load_merge_patch(bencher: Bencher<'_, '_>) {
    merge_patches(bencher, Kind::Load);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn load_apply(bencher: Bencher<'_, '_>) {
    applies(bencher, Kind::Load);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn load_get(bencher: Bencher<'_, '_>) {
    gets(bencher, Kind::Load);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn deployment_create(bencher: Bencher<'_, '_>) {
    creates(bencher, Kind::Deployment);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn deployment_update(bencher: Bencher<'_, '_>) {
    updates(bencher, Kind::Deployment);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn deployment_merge_patch(bencher: Bencher<'_, '_>) {
    merge_patches(bencher, Kind::Deployment);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn deployment_apply(bencher: Bencher<'_, '_>) {
    applies(bencher, Kind::Deployment);
}

#[divan::bench(sample_count = 50, sample_size = 20)]
fn deployment_get(bencher: Bencher<'_, '_>) {
    gets(bencher, Kind::Deployment);
}

/// The API with 1000 objects.
fn filled() -> Api {
    let api = Api::new(Kind::Load);
    let mut names = names();
    (0..1000).for_each(|_| drop(api.create(&load::body(&names(), 1, None))));
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

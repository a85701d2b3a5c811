//! A whole create in process: decode, default, prepare, validate, store, event.

use std::sync::Arc;

use divan::Bencher;
use sprag_registry::{Answer, Definition, Format, Registry, Request, RestConfig, User, WriteOptions, namespaces};
use sprag_storage::Memory;
use sprag_value::Value;
use widgets::v1::Widget;

#[global_allocator]
static ALLOC: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

/// A registry with widgets in it, and who uses it.
struct Api {
    registry: Registry,
    user: User,
    options: WriteOptions,
}

impl Api {
    fn new(definition: Definition) -> Api {
        let registry = Registry::builder(Arc::new(Memory::new()))
            .gates(widgets::gates())
            .resource(namespaces())
            .resource(definition)
            .build();
        wait(registry.ensure_namespace("default")).expect("the namespace is created");
        Api { registry, user: User { name: "bench".into(), ..User::default() }, options: WriteOptions::by("bench") }
    }

    fn request(&self) -> Request<'_> {
        Request {
            group: "example.dev",
            version: "v1",
            resource: "widgets",
            namespace: "default",
            name: "",
            subresource: "",
            user: &self.user,
        }
    }

    fn read(&self, body: &str) -> Value {
        let read = self.registry.read(&self.request(), body.as_bytes(), Format::Json, &self.options);
        read.expect("the body is an object").0
    }

    fn create(&self, body: Value) -> Answer {
        wait(self.registry.create(&self.request(), body, &self.options)).expect("the widget is valid")
    }
}

/// The text of another widget each time.
fn bodies() -> impl FnMut() -> String {
    let mut count = 0_u64;
    move || {
        count += 1;
        format!(
            r#"{{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{{"name":"w{count}","labels":{{"a":"b"}}}},"spec":{{"class":"fast","parts":[{{"name":"x"}}]}}}}"#
        )
    }
}

/// With the hooks of the example.
#[divan::bench(sample_count = 200, sample_size = 50)]
fn create_with_hooks(bencher: Bencher<'_, '_>) {
    let api = Api::new(widgets::widgets());
    bencher.with_inputs(bodies()).bench_local_values(|body| api.create(api.read(&body)));
}

/// As a resource is by default.
#[divan::bench(sample_count = 200, sample_size = 50)]
fn create_by_default(bencher: Bencher<'_, '_>) {
    let api = Api::new(RestConfig::<Widget>::new("example.dev", "v1", "widgets").define());
    bencher.with_inputs(bodies()).bench_local_values(|body| api.create(api.read(&body)));
}

/// Just the first step.
#[divan::bench(sample_count = 200, sample_size = 50)]
fn decode(bencher: Bencher<'_, '_>) {
    let api = Api::new(widgets::widgets());
    bencher.with_inputs(bodies()).bench_local_values(|body| api.read(&body));
}

/// Everything in memory is ready at once.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("the memory store answers at once"),
    }
}

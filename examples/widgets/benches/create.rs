//! A whole create in process: decode, default, prepare, validate, store, event.

use std::sync::Arc;

use divan::{Bencher, counter::ItemsCount};
use sprag_registry::{Registry, Request, User, WriteOptions, namespaces};
use sprag_storage::Memory;

#[global_allocator]
static ALLOC: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench]
fn create_widget(bencher: Bencher<'_, '_>) {
    let registry = Registry::builder(Arc::new(Memory::new()))
        .gates(widgets::gates())
        .resource(namespaces())
        .resource(widgets::widgets())
        .build();
    wait(registry.ensure_namespace("default")).expect("the namespace is created");
    let user = User { name: "bench".into(), ..User::default() };
    let options = WriteOptions::by("bench");
    let mut count = 0_u64;
    let bodies = move || {
        count += 1;
        format!(
            r#"{{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{{"name":"w{count}","labels":{{"a":"b"}}}},"spec":{{"class":"fast","parts":[{{"name":"x"}}]}}}}"#
        )
    };
    bencher.counter(ItemsCount::new(1_u32)).with_inputs(bodies).bench_local_values(|body| {
        let request = Request {
            group: "example.dev",
            version: "v1",
            resource: "widgets",
            namespace: "default",
            name: "",
            subresource: "",
            user: &user,
        };
        let (object, _) = registry.read(&request, body.as_bytes(), &options).expect("the body is an object");
        wait(registry.create(&request, object, &options)).expect("the widget is valid")
    });
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

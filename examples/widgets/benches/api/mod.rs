//! Widgets in memory, for benches.

use std::sync::Arc;

use sprag_registry::{Answer, Registry};
use sprag_rest::{Body, Definition, Format, Request, User, WriteOptions};
use sprag_storage::Memory;

/// A registry with widgets in it, and who uses it.
pub(crate) struct Api {
    pub(crate) registry: Registry,
    user: User,
    options: WriteOptions,
}

impl Api {
    pub(crate) fn new(definition: Definition) -> Api {
        let registry = Registry::builder(Arc::new(Memory::new()))
            .gates(widgets::gates())
            .resource(sprag_kinds::namespaces())
            .resource(definition)
            .build();
        wait(registry.ensure_namespace("default")).expect("the namespace is created");
        Api { registry, user: User { name: "bench".into(), ..User::default() }, options: WriteOptions::by("bench") }
    }

    pub(crate) fn request(&self) -> Request<'_> {
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

    pub(crate) fn read(&self, body: &str) -> Body {
        let read = self.registry.decode(&self.request(), body.as_bytes(), Format::Json, &self.options);
        read.expect("the body is an object").0
    }

    pub(crate) fn create(&self, body: Body) -> Answer {
        wait(self.registry.create(&self.request(), body, &self.options)).expect("the widget is valid")
    }
}

/// Everything in memory is ready at once.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("the memory store answers at once"),
    }
}

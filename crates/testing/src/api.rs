//! Resources over a store in memory.

use std::sync::Arc;
use std::time::Duration;

use sprag_registry::Registry;
use sprag_rest::{DEFAULT_NAMESPACE, Definition, FeatureGates, Stage, User, split_api_version};
use sprag_storage::{ManualClock, Memory, Retention};

use crate::client::Client;
use crate::fixed::{START, Sequence};
use crate::wait::wait;

/// Resources over a store in memory.
pub struct Api {
    registry: Registry,
    clock: Arc<ManualClock>,
    pub(crate) user: User,
}

/// Sets up an [`Api`].
#[derive(Default)]
pub struct Builder {
    definitions: Vec<Definition>,
    gates: FeatureGates,
    user: User,
}

impl Api {
    /// An API with one resource and no feature gates.
    ///
    /// # Panics
    ///
    /// As [`Builder::build`].
    pub fn new(resource: impl Into<Definition>) -> Api {
        Api::builder().resource(resource).build()
    }

    /// An API with several resources, feature gates or a user.
    pub fn builder() -> Builder {
        Builder { user: User { name: "test".into(), ..User::default() }, ..Builder::default() }
    }

    /// A client of a resource, given as `group/version` (`v1` for core resources) and plural name. Objects of namespaced
    /// resources are in the namespace `default`.
    pub fn client(&self, api_version: &str, resource: &str) -> Client<'_> {
        let (group, version) = split_api_version(api_version);
        Client::new(self, group, version, resource)
    }

    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Everything else that a registry does: lists, watches, garbage collection.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Creates a namespace unless it exists.
    pub(crate) fn ensure_namespace(&self, name: &str) {
        wait(self.registry.ensure_namespace(name)).unwrap_or_else(|error| panic!("namespace {name:?}: {error}"));
    }
}

impl Builder {
    /// Serves a resource.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<Definition>) -> Builder {
        self.definitions.push(resource.into());
        self
    }

    /// Sets all feature gates at once.
    #[must_use]
    pub fn gates(self, gates: FeatureGates) -> Builder {
        Builder { gates, ..self }
    }

    /// Switches a feature, which may be one that [`gates`](Builder::gates) did not declare.
    ///
    /// # Panics
    ///
    /// If the gate is locked.
    #[must_use]
    pub fn feature(self, name: &str, on: bool) -> Builder {
        let mut gates = self.gates.with(name, Stage::Alpha);
        gates.set(&format!("{name}={on}")).unwrap_or_else(|error| panic!("{error}"));
        Builder { gates, ..self }
    }

    /// Makes requests in the name of this user; `test` by default.
    #[must_use]
    pub fn user(self, name: impl Into<String>) -> Builder {
        Builder { user: User { name: name.into(), ..User::default() }, ..self }
    }

    /// The finished API, with a namespace `default`.
    ///
    /// # Panics
    ///
    /// If a resource depends on a feature gate that is not declared, as a server would refuse to start.
    pub fn build(self) -> Api {
        for definition in &self.definitions {
            self.gates.check_declared(definition).unwrap_or_else(|error| panic!("{error}"));
        }
        let clock = Arc::new(ManualClock::default());
        clock.advance(Duration::from_secs(START));
        let store = Arc::new(Memory::with(Retention::default(), clock.clone()));
        let registry = Registry::builder(store)
            .gates(self.gates)
            .clock(clock.clone())
            .entropy(Arc::new(Sequence::default()))
            .resource(sprag_kinds::namespaces());
        let registry = self.definitions.into_iter().fold(registry, sprag_registry::Builder::resource).build();
        let api = Api { registry, clock, user: self.user };
        api.ensure_namespace(DEFAULT_NAMESPACE);
        api
    }
}

//! One registry with all kinds, and requests as short as they can be.

use std::sync::Arc;

use expect_test::Expect;
use sprag_kinds::ServiceRanges;
use sprag_registry::{AdmissionPlugin, Registry};
use sprag_rest::{ApiError, DeleteOptions, FeatureGates, Format, ListOptions, Patch, Request, User, WriteOptions};
use sprag_storage::{Memory, Store};
use sprag_value::{Time, Value, json};

pub(crate) struct Api {
    pub(crate) registry: Registry,
    user: User,
}

impl Api {
    pub(crate) fn new() -> Api {
        Api::over(Memory::new())
    }

    pub(crate) fn over(store: Memory) -> Api {
        Api::with(Arc::new(store), ServiceRanges::default())
    }

    /// With feature gates switched, as `--feature-gates` does.
    pub(crate) fn gated(switches: &str) -> Api {
        let mut gates = FeatureGates::default();
        gates.set(switches).expect("the gates are known");
        Api::build(Arc::new(Memory::new()), ServiceRanges::default(), gates, None)
    }

    /// With a plug-in.
    pub(crate) fn admitting(store: Arc<dyn Store>, plugin: Arc<dyn AdmissionPlugin>) -> Api {
        Api::build(store, ServiceRanges::default(), FeatureGates::default(), Some(plugin))
    }

    pub(crate) fn with(store: Arc<dyn Store>, ranges: ServiceRanges) -> Api {
        Api::build(store, ranges, FeatureGates::default(), None)
    }

    fn build(
        store: Arc<dyn Store>,
        ranges: ServiceRanges,
        gates: FeatureGates,
        plugin: Option<Arc<dyn AdmissionPlugin>>,
    ) -> Api {
        let mut builder = Registry::builder(store).gates(gates);
        if let Some(plugin) = plugin {
            builder = builder.admission(plugin);
        }
        for definition in sprag_kinds::definitions_with(sprag_rest::Release::default(), ranges) {
            builder = builder.resource(definition);
        }
        let registry = builder.build();
        wait(registry.ensure_namespace("default")).expect("the namespace is created");
        Api { registry, user: User { name: "ada".into(), ..User::default() } }
    }

    /// `path` is a resource like `configmaps` or `coordination.k8s.io/leases`, with a name behind another slash or not.
    fn request<'a>(&'a self, path: &'a str, name: &'a str) -> Request<'a> {
        let (group, resource) = path.rsplit_once('/').unwrap_or(("", path));
        let definition = self
            .registry
            .definitions()
            .into_iter()
            .find(|definition| definition.group() == group && definition.resource.resource == resource)
            .expect("the resource is there");
        let namespace = if definition.namespaced() { "default" } else { "" };
        Request { group, version: "v1", resource, namespace, name, subresource: "", user: &self.user }
    }

    pub(crate) fn create(&self, path: &str, body: &str) -> Result<Value, ApiError> {
        self.create_with(path, body, &WriteOptions::by("test"))
    }

    pub(crate) fn create_dry(&self, path: &str, body: &str) -> Result<Value, ApiError> {
        self.create_with(path, body, &WriteOptions { dry_run: vec!["All".into()], ..WriteOptions::by("test") })
    }

    fn create_with(&self, path: &str, body: &str, options: &WriteOptions) -> Result<Value, ApiError> {
        let request = self.request(path, "");
        let (body, _) = self.registry.decode(&request, body.as_bytes(), Format::Json, options)?;
        wait(self.registry.create(&request, body, options)).map(|answer| answer.object)
    }

    pub(crate) fn update(&self, path: &str, name: &str, body: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = self.request(path, name);
        let (body, _) = self.registry.decode(&request, body.as_bytes(), Format::Json, &options)?;
        wait(self.registry.update(&request, body, &options)).map(|answer| answer.object)
    }

    pub(crate) fn get(&self, path: &str, name: &str) -> Result<Value, ApiError> {
        wait(self.registry.get(&self.request(path, name), ""))
    }

    /// The object in another version than v1.
    pub(crate) fn get_in(&self, version: &str, path: &str, name: &str) -> Result<Value, ApiError> {
        wait(self.registry.get(&Request { version, ..self.request(path, name) }, ""))
    }

    /// Creates an object in another version than v1.
    pub(crate) fn create_in(&self, version: &str, path: &str, body: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = Request { version, ..self.request(path, "") };
        let (body, _) = self.registry.decode(&request, body.as_bytes(), Format::Json, &options)?;
        wait(self.registry.create(&request, body, &options)).map(|answer| answer.object)
    }

    pub(crate) fn delete(&self, path: &str, name: &str) -> Result<Value, ApiError> {
        let options = DeleteOptions::default();
        wait(self.registry.delete(&self.request(path, name), &options)).map(|answer| answer.object)
    }

    pub(crate) fn strategic(&self, path: &str, name: &str, patch: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = self.request(path, name);
        wait(self.registry.patch(&request, Patch::Strategic(patch.as_bytes()), &options)).map(|answer| answer.object)
    }

    pub(crate) fn apply(&self, path: &str, name: &str, configuration: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = self.request(path, name);
        wait(self.registry.patch(&request, Patch::Apply(configuration.as_bytes()), &options))
            .map(|answer| answer.object)
    }

    /// Reads a subresource: `scale` or `status`.
    pub(crate) fn below(&self, path: &str, subresource: &str) -> Result<Value, ApiError> {
        wait(self.registry.get(&Request { subresource, ..self.request(path, "x") }, ""))
    }

    /// Replaces what is below the object `x`.
    pub(crate) fn update_below(&self, path: &str, subresource: &str, body: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = Request { subresource, ..self.request(path, "x") };
        let (body, _) = self.registry.decode(&request, body.as_bytes(), Format::Json, &options)?;
        wait(self.registry.update(&request, body, &options)).map(|answer| answer.object)
    }

    /// Merges a patch into what is below the object `x`.
    pub(crate) fn merge_below(&self, path: &str, subresource: &str, patch: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = Request { subresource, ..self.request(path, "x") };
        wait(self.registry.patch(&request, Patch::Merge(patch.as_bytes()), &options)).map(|answer| answer.object)
    }

    /// Creates what is below the object `x`.
    pub(crate) fn create_below(&self, path: &str, subresource: &str, body: &str) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = Request { subresource, ..self.request(path, "x") };
        let (body, _) = self.registry.decode(&request, body.as_bytes(), Format::Json, &options)?;
        wait(self.registry.create(&request, body, &options)).map(|answer| answer.object)
    }

    /// The same with a body in protobuf.
    pub(crate) fn create_below_protobuf(&self, path: &str, subresource: &str, body: &[u8]) -> Result<Value, ApiError> {
        let options = WriteOptions::by("test");
        let request = Request { subresource, ..self.request(path, "x") };
        let body = self.registry.decode_protobuf(&request, body)?;
        wait(self.registry.create(&request, body, &options)).map(|answer| answer.object)
    }

    /// Asks for a connection with the object `x`; the text of what becomes of it.
    pub(crate) fn connect(&self, path: &str, subresource: &str, parameters: &[(&str, &str)]) -> String {
        self.connect_to(path, "x", subresource, parameters)
    }

    pub(crate) fn connect_to(&self, path: &str, name: &str, subresource: &str, parameters: &[(&str, &str)]) -> String {
        let request = Request { subresource, ..self.request(path, name) };
        match wait(self.registry.connect(&request, parameters)) {
            Ok(()) => "nothing".to_owned(),
            Err(error) => format!("{} {error}", error.code()),
        }
    }

    pub(crate) fn delete_with(&self, path: &str, options: &DeleteOptions) -> Result<Value, ApiError> {
        wait(self.registry.delete(&self.request(path, "x"), options)).map(|answer| answer.object)
    }

    pub(crate) fn warnings(&self, path: &str, body: &str) -> Vec<String> {
        let options = WriteOptions::by("test");
        let request = self.request(path, "");
        let (body, _) =
            self.registry.decode(&request, body.as_bytes(), Format::Json, &options).expect("the body can be read");
        wait(self.registry.create(&request, body, &options)).expect("the object is valid").warnings
    }

    pub(crate) fn names(&self, path: &str, field_selector: &str) -> Result<Vec<String>, ApiError> {
        let options = ListOptions { field_selector: field_selector.into(), ..ListOptions::default() };
        let list = wait(self.registry.list(&self.request(path, ""), &options))?;
        let name =
            |item: &Value| item.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(list.items.iter().map(name).collect())
    }

    /// The cells of an object's row, as JSON.
    pub(crate) fn row(&self, path: &str, object: &Value) -> String {
        let request = self.request(path, "");
        let resource = sprag_rest::GroupResource::new(request.group, request.resource);
        let definition = self.registry.definition(&resource).expect("the resource is there");
        let version = definition.version("v1").expect("all kinds are at v1");
        let now = Time::from_unix(1_900_000_000, 0);
        let cells: Vec<Value> = version.columns.iter().map(|column| column.cell(object, now)).collect();
        json::to_string(&Value::from(cells))
    }
}

/// Waits for what other threads do, at most: everything in memory is ready at once.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);

    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let mut future = std::pin::pin!(future);
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut cx = std::task::Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

/// The object without what differs from run to run, or the message.
pub(crate) fn shown(answer: Result<Value, ApiError>) -> String {
    match answer {
        Ok(mut object) => {
            if let Some(metadata) = object.get_mut("metadata") {
                for member in ["uid", "creationTimestamp", "managedFields", "resourceVersion", "namespace"] {
                    metadata.remove(member);
                }
            }
            json::to_string(&object)
        }
        Err(error) => error.to_string(),
    }
}

/// A kind under test: where it is served, and how its objects begin.
pub(crate) struct Kind {
    pub(crate) path: &'static str,
    pub(crate) api_version: &'static str,
    pub(crate) name: &'static str,
}

impl Kind {
    pub(crate) fn body(&self, members: &str) -> String {
        let Kind { api_version, name, .. } = self;
        format!(r#"{{"apiVersion":"{api_version}","kind":"{name}","metadata":{{"name":"x"}}{members}}}"#)
    }

    /// Checks the answer to a create.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
    pub(crate) fn check(&self, members: &str, expected: Expect) {
        expected.assert_eq(&shown(Api::new().create(self.path, &self.body(members))));
    }

    /// Checks the answer to an update.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
    pub(crate) fn check_update(&self, before: &str, after: &str, expected: Expect) {
        let api = Api::new();
        api.create(self.path, &self.body(before)).expect("the object is valid");
        expected.assert_eq(&shown(api.update(self.path, "x", &self.body(after))));
    }

    /// The cells of an object's row.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
    pub(crate) fn check_row(&self, members: &str, expected: Expect) {
        let api = Api::new();
        let mut object = api.create(self.path, &self.body(members)).expect("the object is valid");
        if let Some(metadata) = object.get_mut("metadata") {
            metadata.insert("creationTimestamp", "2030-03-17T17:45:40Z");
        }
        expected.assert_eq(&api.row(self.path, &object));
    }
}

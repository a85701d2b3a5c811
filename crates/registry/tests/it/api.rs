//! A resource written out by hand, and requests to it in a few words.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};
use sprag_checks::{At, Validate};
use sprag_field::{Error, Errors, Stage as RuleStage};
use sprag_registry::{Answer, List, Registry, WatchStream};
use sprag_rest::{
    ApiError, Definition, DeleteOptions, Entropy, Facts, FeatureGates, Gated, ListOptions, ObjectMeta, Observer, Patch,
    Request, Resource, RestConfig, Selectable, Stage, Step, User, WriteOptions,
};
use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef, TypeShape};
use sprag_storage::{ManualClock, Memory, Store};
use sprag_value::{Value, json};

use crate::namespace_kind::namespaces;

/// An object with everything that defaults are about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Gadget {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: Spec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Value>,
    /// Neither spec nor status: what an older strategy would forget to reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extra: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Spec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replicas: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) color: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gated: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ungated: Option<i64>,
}

impl Validate for Gadget {
    const GO_TYPE: &'static str = "*v1.Gadget";
    const SUBRESOURCES: &'static [&'static str] = &["/"];

    fn validate_at(at: &At<'_>, new: &Self, _: Option<&Self>, errors: &mut Errors) -> bool {
        let spec = at.child("spec");
        let before = errors.len();
        if let Some(replicas) = new.spec.replicas.filter(|replicas| *replicas < 0) {
            let detail = "must be greater than or equal to 0";
            errors.push(Error::invalid(&spec.child("replicas").path, replicas, detail).with_origin("minimum"));
        }
        // A rule that holds for one subresource only.
        if new.spec.color == "status-only" && at.request.subresource == "/status" {
            errors.push(Error::forbidden(&spec.child("color").path, "not in /status"));
        }
        // Rules at other points of their life cycle.
        let staged = |stage, native| {
            let error = Error::invalid(&spec.child("color").path, new.spec.color.as_str(), "by rule");
            Error { native, ..error.with_origin("staged").with_stage(stage) }
        };
        match new.spec.color.as_str() {
            "alpha" => errors.push(staged(RuleStage::Alpha, false)),
            "beta" => errors.push(staged(RuleStage::Beta, false)),
            "native" => errors.push(staged(RuleStage::Stable, true)),
            "panic" => panic!("a rule"),
            _ => {}
        }
        errors.len() > before
    }
}

const GADGET: TypeId = TypeId(4);

static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let [text, int, any, spec] = [0, 1, 2, 3].map(TypeId).map(TypeRef::value);
    let optional = TypeRef::pointer(int.id);
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 64, signed: true }),
        TypeShape::new("", Kind::Any),
        TypeShape::new(
            "v1.GadgetSpec",
            Kind::of_fields(Cow::Owned(vec![
                Field::new("replicas", "replicas", optional).omit_empty().default("1"),
                Field::new("color", "color", text).omit_empty(),
                Field::new("gated", "gated", optional).omit_empty(),
                Field::new("ungated", "ungated", optional).omit_empty(),
            ])),
        ),
        TypeShape::new(
            "v1.Gadget",
            Kind::of_fields(Cow::Owned(vec![
                Field::new("metadata", "metadata", any).omit_empty(),
                Field::new("spec", "spec", spec).omit_empty(),
                Field::new("status", "status", any).omit_empty(),
                Field::new("extra", "extra", text).omit_empty(),
            ])),
        ),
    ])
});

impl Resource for Gadget {
    fn facts() -> Facts {
        let step = |name: &'static str| Step::Field(Cow::Borrowed(name));
        Facts {
            kind: "Gadget".into(),
            shapes: &SHAPES,
            shape: GADGET,
            has_spec: true,
            has_status: true,
            gated: vec![Gated { gate: "GadgetGate".into(), path: vec![step("spec"), step("gated")].into() }].into(),
            gates: vec!["GadgetGate".into()].into(),
            selectable: vec![Selectable::new("spec.color")].into(),
            columns: Cow::Borrowed(&[]),
            rules: None,
        }
    }
}

/// Bytes that count up.
#[derive(Default)]
struct Counting(AtomicU8);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}

/// A registry with gadgets and namespaces, and a namespace to put them in.
pub(crate) struct Api {
    pub(crate) registry: Registry,
    pub(crate) store: Arc<Memory>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) user: User,
}

pub(crate) fn config() -> RestConfig<Gadget> {
    RestConfig::new("example.com", "v1", "gadgets")
}

pub(crate) fn gates() -> FeatureGates {
    FeatureGates::default().with("GadgetGate", Stage::Alpha)
}

impl Default for Api {
    fn default() -> Self {
        Api::new(config().define())
    }
}

impl Api {
    pub(crate) fn new(definition: Definition) -> Api {
        Api::with_gates(definition, gates())
    }

    pub(crate) fn with_gates(definition: Definition, gates: FeatureGates) -> Api {
        let store = Arc::new(Memory::new());
        let clock = Arc::new(ManualClock::default());
        let registry = Registry::builder(store.clone() as Arc<dyn Store>)
            .gates(gates)
            .clock(clock.clone())
            .entropy(Arc::new(Counting::default()))
            .resource(namespaces())
            .resource(definition)
            .build();
        wait(registry.ensure_namespace("default")).unwrap();
        Api { registry, store, clock, user: User { name: "ada".into(), ..User::default() } }
    }

    /// The same with an observer.
    pub(crate) fn observed(definition: Definition, observer: Arc<dyn Observer>) -> Api {
        let registry = Registry::builder(Arc::new(Memory::new()) as Arc<dyn Store>)
            .gates(gates())
            .observer(observer)
            .resource(namespaces())
            .resource(definition)
            .build();
        wait(registry.ensure_namespace("default")).unwrap();
        Api { registry, ..Api::default() }
    }

    pub(crate) fn request<'a>(&'a self, name: &'a str) -> Request<'a> {
        Request {
            group: "example.com",
            version: "v1",
            resource: "gadgets",
            namespace: "default",
            name,
            subresource: "",
            user: &self.user,
        }
    }

    pub(crate) fn namespace<'a>(&'a self, name: &'a str) -> Request<'a> {
        Request { group: "", resource: "namespaces", namespace: "", ..self.request(name) }
    }

    /// Creates a gadget; the text is its metadata and the rest of its members.
    pub(crate) fn try_create(&self, metadata: &str, rest: &str) -> Result<Answer, ApiError> {
        wait(self.registry.create(&self.request(""), gadget(metadata, rest), &WriteOptions::by("test")))
    }

    pub(crate) fn create(&self, metadata: &str, rest: &str) -> Value {
        self.try_create(metadata, rest).unwrap().object
    }

    pub(crate) fn get(&self, name: &str) -> Result<Value, ApiError> {
        wait(self.registry.get(&self.request(name), ""))
    }

    pub(crate) fn try_update(&self, object: Value) -> Result<Answer, ApiError> {
        let name = object.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default().to_owned();
        wait(self.registry.update(&self.request(&name), object, &WriteOptions::by("test")))
    }

    pub(crate) fn update(&self, object: Value) -> Value {
        self.try_update(object).unwrap().object
    }

    pub(crate) fn update_status(&self, name: &str, object: Value) -> Result<Answer, ApiError> {
        let request = Request { subresource: "status", ..self.request(name) };
        wait(self.registry.update(&request, object, &WriteOptions::by("test")))
    }

    pub(crate) fn merge(&self, name: &str, patch: &str) -> Result<Answer, ApiError> {
        let options = WriteOptions::by("test");
        wait(self.registry.patch(&self.request(name), Patch::Merge(patch.as_bytes()), &options))
    }

    pub(crate) fn delete(&self, name: &str, options: &DeleteOptions) -> Result<Value, ApiError> {
        wait(self.registry.delete(&self.request(name), options)).map(|answer| answer.object)
    }

    pub(crate) fn list(&self, options: &ListOptions) -> Result<List, ApiError> {
        wait(self.registry.list(&self.request(""), options))
    }

    pub(crate) fn watch(&self, options: &ListOptions) -> WatchStream {
        wait(self.registry.watch(&self.request(""), options)).unwrap()
    }

    pub(crate) fn names(&self, options: &ListOptions) -> Vec<String> {
        names(&self.list(options).unwrap())
    }
}

pub(crate) fn names(list: &List) -> Vec<String> {
    list.items.iter().map(|item| meta(item, "name")).collect()
}

pub(crate) fn gadget(metadata: &str, rest: &str) -> Value {
    let comma = if rest.is_empty() { "" } else { "," };
    parse(&format!(r#"{{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{{{metadata}}}{comma}{rest}}}"#))
}

#[track_caller]
pub(crate) fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

/// A member of metadata as text.
pub(crate) fn meta(object: &Value, member: &str) -> String {
    match object.lookup(&["metadata", member]) {
        None => String::new(),
        Some(Value::String(text)) => text.to_string(),
        Some(other) => json::to_string(other),
    }
}

/// A part of an object as text.
pub(crate) fn at(object: &Value, path: &[&str]) -> String {
    object.lookup(path).map(json::to_string).unwrap_or_default()
}

/// Waits for what is ready at once: everything in memory is.
#[track_caller]
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    poll(future).expect("the memory store answers at once")
}

/// Returns the output of a future, if it is ready at once.
pub(crate) fn poll<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

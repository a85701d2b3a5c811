//! Admission plug-ins: code that changes or refuses objects on their way into the store.
//!
//! A mutating plug-in sees the object that the client's write makes, before it is judged; what it changes is read again. A
//! validating plug-in sees the object that is about to be stored. Both run on every attempt of a write.

mod chain;

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sprag_rest::{
    ApiError, Definition, DeleteOptions, Format, GroupVersionKind, Request, Result, SubresourceKind, Write,
    WriteOptions, read_typed, scale_shape,
};
use sprag_shape::{Shapes, TypeId, to_go_json};
use sprag_value::{Time, Value, json};

use crate::registry::{self, Registry};

/// The result of a plug-in: warnings for the client, or the rejection.
pub type Admitted<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The operation of a request, with its options.
// As upstream's admission.Operation and the options of admission.Attributes.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// Creates an object, or what a subresource creates.
    Create(&'a WriteOptions),
    /// Changes an object. Patches are updates too.
    Update(&'a WriteOptions),
    /// Deletes an object.
    Delete(&'a DeleteOptions),
    /// Connects a client with what is below an object.
    Connect,
}

impl Operation<'_> {
    /// The name that rules of webhooks and policies use.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Create(_) => "CREATE",
            Operation::Update(_) => "UPDATE",
            Operation::Delete(_) => "DELETE",
            Operation::Connect => "CONNECT",
        }
    }

    /// True if nothing is stored.
    pub fn is_dry_run(&self) -> bool {
        match self {
            Operation::Create(options) | Operation::Update(options) => options.is_dry_run(),
            Operation::Delete(options) => options.is_dry_run(),
            Operation::Connect => false,
        }
    }
}

/// The attributes of a request that plug-ins see.
// As upstream's admission.Attributes.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    /// All resources, for plug-ins that look at other objects.
    pub registry: &'a Registry,
    /// The resource.
    pub definition: &'a Definition,
    /// The request.
    pub request: &'a Request<'a>,
    /// The operation.
    pub operation: Operation<'a>,
    /// True if the verb of an update is `patch`.
    pub is_patch: bool,
    /// The time of the request.
    pub now: Time,
    /// The version of the resource that `object` and `old` are in: that of the request for mutating plug-ins, that of the hub for
    /// validating ones.
    pub version: &'a str,
    /// The name of the object, as the request has it; empty for one whose name is generated later, and when many are deleted.
    pub name: &'a str,
    /// The new object, or what is posted below one; nothing when one is deleted.
    pub object: Option<&'a Value>,
    /// The stored object in the same version; nothing when one is created.
    pub old: Option<&'a Value>,
    /// The reinvocation state shared by mutating plug-ins.
    pub reinvocation: &'a Reinvocation,
    /// The write, which knows how objects are read.
    pub(crate) write: &'a Write<'a>,
}

impl<'a> Attributes<'a> {
    /// Does work of a plug-in: here while it is little, otherwise again from its beginning where it keeps nothing else waiting.
    pub async fn work<T: Send>(&self, work: impl Fn() -> T + Send + Sync) -> T {
        registry::work(self.registry, self.write, work).await
    }

    /// The name of the object, as the request has it; empty for one whose name is generated later, and when many are deleted.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The namespace of the request. That of a namespace is its own name.
    // As upstream's admission.Attributes.GetNamespace.
    pub fn namespace(&self) -> &'a str {
        if self.is_namespace() {
            return if self.request.name.is_empty() { self.name } else { self.request.name };
        }
        if self.definition.namespaced() { self.request.namespace } else { "" }
    }

    /// True if the request is about namespaces themselves.
    pub fn is_namespace(&self) -> bool {
        self.definition.group().is_empty() && self.definition.resource.resource == "namespaces"
    }

    /// The new object; null when one is deleted.
    pub fn new_object(&self) -> &'a Value {
        static NOTHING: Value = Value::Null;
        self.object.unwrap_or(&NOTHING)
    }

    /// The kind of what is written: that of the resource in the version of the request, or that of a subresource.
    pub fn kind(&self) -> GroupVersionKind {
        kind_of(self.definition, self.request.version, self.request.subresource)
    }

    /// True if objects have the kind of the resource, and so can be in any of its versions.
    pub fn is_versioned(&self) -> bool {
        self.request.subresource.is_empty() || {
            let kind = self.kind();
            kind.group == self.definition.group() && kind.kind == self.definition.kind
        }
    }

    /// One of the objects in another version of the resource.
    pub fn in_version<'v>(&self, object: &'v Value, version: &str) -> Result<Cow<'v, Value>> {
        if version == self.version || !self.is_versioned() {
            return Ok(Cow::Borrowed(object));
        }
        self.definition.convert(object.clone(), self.version, version).map(Cow::Owned)
    }
}

/// Encoding and decoding of the request's objects.
impl Attributes<'_> {
    /// One of the objects as text, as clients and webhooks get it. It is in this version of the resource.
    pub fn encode(&self, object: &Value, version: &str) -> String {
        match self.shape(version) {
            Some((shapes, id)) => to_go_json(shapes, id, object),
            None => json::to_string(object),
        }
    }

    /// Reads an object that a plug-in made, in a version of the resource: what the version does not know is dropped.
    pub fn decode(&self, text: &str, version: &str) -> Result<Value> {
        if self.is_versioned() {
            return self.in_write(version, |write| write.decode_mutated(text));
        }
        match self.shape(version) {
            Some((shapes, id)) => {
                read_typed(shapes, id, text.as_bytes(), Format::Json).map(|read| read.value).map_err(ApiError::internal)
            }
            None => json::parse(text.as_bytes()).map_err(ApiError::internal),
        }
    }

    /// Sets the defaults of an object that is in a version of the resource.
    pub fn complete(&self, object: &mut Value, version: &str) -> Result<()> {
        if self.is_versioned() { self.definition.complete(version, object) } else { Ok(()) }
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        let found = self.definition.version(version).and_then(|version| version.subresource(self.request.subresource));
        match found.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Scale(_)) => Some(scale_shape()),
            Some(SubresourceKind::Create(sub)) => sub.shape(),
            Some(SubresourceKind::Connect(_)) => None,
            Some(SubresourceKind::Part(_)) | None => self.definition.written_shape(version),
        }
    }

    /// Works with the write as it would be in another version.
    fn in_write<T>(&self, version: &str, work: impl FnOnce(&Write<'_>) -> T) -> T {
        if version == self.request.version {
            return work(self.write);
        }
        let request = Request { version, ..*self.request };
        work(&Write::new(self.write.info.clone(), &request, self.write.context))
    }
}

/// The kind of what is written to a resource in a version, or below it.
// As upstream's EquivalentResourceMapper.KindFor.
pub fn kind_of(definition: &Definition, version: &str, subresource: &str) -> GroupVersionKind {
    let found = definition.version(version).and_then(|version| version.subresource(subresource));
    match found.map(|subresource| &subresource.kind) {
        Some(SubresourceKind::Scale(_)) => GroupVersionKind::new("autoscaling", "v1", "Scale"),
        Some(SubresourceKind::Create(sub)) => sub.gvk(),
        Some(SubresourceKind::Connect(sub)) => sub.gvk(),
        Some(SubresourceKind::Part(_)) | None => definition.gvk(version),
    }
}

/// The state of reinvocation: whether mutating plug-ins run a second time, and their state from the first. One for
/// every attempt of a request.
// As upstream's admission.ReinvocationContext.
#[derive(Default)]
pub struct Reinvocation {
    is_wanted: AtomicBool,
    is_second: AtomicBool,
    notes: Mutex<HashMap<&'static str, Box<dyn Any + Send>>>,
}

impl Reinvocation {
    /// Asks for a second run of all mutating plug-ins.
    pub fn request(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
    }

    /// True if a second run was asked for, which begins now.
    fn take_request(&self) -> bool {
        let begins = !self.is_second() && self.is_wanted.load(Ordering::Relaxed);
        self.is_second.store(begins, Ordering::Relaxed);
        begins
    }

    /// True if this is the second run.
    pub fn is_second(&self) -> bool {
        self.is_second.load(Ordering::Relaxed)
    }

    /// Works with what a plug-in remembers under its name, which begins as the default.
    pub fn with<T: Default + Send + 'static, R>(&self, plugin: &'static str, work: impl FnOnce(&mut T) -> R) -> R {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let note = notes.remove(plugin).and_then(|note| note.downcast().ok());
        let mut note: Box<T> = note.unwrap_or_default();
        let outcome = work(&mut note);
        notes.insert(plugin, note);
        outcome
    }
}

/// The result of a mutating plug-in.
#[derive(Clone, Debug, Default)]
pub struct Mutation {
    /// The changed object; nothing when it stays as it is.
    pub object: Option<Value>,
    /// Warnings for the client.
    pub warnings: Vec<String>,
}

/// An admission plug-in. Each method has a default that lets everything pass.
// As upstream's admission.MutationInterface and admission.ValidationInterface.
pub trait AdmissionPlugin: Send + Sync {
    /// True if the plug-in has anything to do with a request; if not, it is not asked.
    // As upstream's admission.Interface.Handles, which knows the operation only.
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        let _ = attributes;
        true
    }

    /// True if the object that the plug-in returns has no unknown members and all defaults, so that it is not read again.
    // As upstream's compiled-in plug-ins, which change the object that was read.
    fn keeps_form(&self) -> bool {
        false
    }

    /// Reports whether the namespace of a new object is created if it is missing.
    // As upstream's NamespaceAutoProvision, which runs before NamespaceLifecycle looks for the namespace.
    fn provisions_namespaces(&self) -> bool {
        false
    }

    /// True if [`mutate`](AdmissionPlugin::mutate) does anything; if not, it is not called.
    fn mutates(&self) -> bool {
        true
    }

    /// True if [`validate`](AdmissionPlugin::validate) does anything; if not, it is not called.
    fn validates(&self) -> bool {
        true
    }

    /// Changes an object before it is judged.
    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let _ = attributes;
        Box::pin(std::future::ready(Ok(Mutation::default())))
    }

    /// Refuses a request whose object is valid, or adds warnings to the answer.
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let _ = attributes;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

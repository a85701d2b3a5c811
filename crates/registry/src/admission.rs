//! Admission plug-ins: code that changes or refuses objects on their way into the store.
//!
//! A mutating plug-in sees the object that the client's write makes, before it is judged; what it changes is read again. A
//! validating plug-in sees the object that is about to be stored. Both run on every attempt of a write.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sprag_rest::{
    ApiError, Definition, DeleteOptions, Format, GroupVersionKind, Input, Judged, Old, Read, Request, Result,
    ScalePaths, SubresourceKind, Write, WriteOptions, meta, read_scale, read_typed, scale_shape,
};
use sprag_shape::{Shapes, TypeId, to_go_json};
use sprag_value::{Time, Value, json};

use crate::registry::{Registry, Target};

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

/// Whether mutating plug-ins run a second time, and what they remember of the first. One for every attempt of a request.
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

impl Target<'_> {
    fn plugins(&self) -> &[Arc<dyn AdmissionPlugin>] {
        &self.registry.0.admission
    }

    /// Lets mutating plug-ins change an object, one after the other, and once more if one of them asks for it.
    // As upstream's admission.reinvoker.Admit.
    pub(crate) async fn mutate(&self, read: Read, old: Option<&Old>, input: &Input<'_>) -> Result<Read> {
        if self.plugins().is_empty() || self.creates_below()? {
            return Ok(read);
        }
        let reinvocation = Reinvocation::default();
        let old = old.map(|old| &old.requested);
        let read = self.mutate_once(read, old, input, &reinvocation).await?;
        if !reinvocation.take_request() {
            return Ok(read);
        }
        self.mutate_once(read, old, input, &reinvocation).await
    }

    async fn mutate_once(
        &self,
        mut read: Read,
        old: Option<&Value>,
        input: &Input<'_>,
        reinvocation: &Reinvocation,
    ) -> Result<Read> {
        let mut is_changed = false;
        for plugin in self.plugins() {
            let (object, shown) = match &read.scale {
                Some(scale) => (&scale.new, Some(&scale.old)),
                None => (&read.object, old),
            };
            let attributes = Attributes {
                version: self.write.request.version,
                name: self.admission_name(input),
                object: Some(object),
                ..self.attributes(write(old, input.options()), shown, reinvocation)
            };
            if !plugin.handles(&attributes) {
                continue;
            }
            let outcome = plugin.mutate(attributes).await.and_then(|Mutation { object, warnings }| {
                match (object, old) {
                    (None, _) => {}
                    (Some(scale), Some(parent)) if read.scale.is_some() => {
                        self.write.read_mutated_scale(parent, &scale, &mut read)?;
                    }
                    (Some(object), _) if plugin.keeps_form() => {
                        read.object = object;
                        is_changed = true;
                    }
                    (Some(object), _) => {
                        self.write.read_mutated(&object, &mut read)?;
                        is_changed = true;
                    }
                }
                Ok(warnings)
            });
            match outcome {
                Ok(warnings) => read.warnings.extend(warnings),
                Err(error) => return Err(error.with_warnings(read.warnings)),
            }
        }
        // As upstream's rest.EnsureObjectNamespaceMatchesRequestNamespace, to which plug-ins are no exception.
        if is_changed && let Err(error) = meta::match_namespace(&mut read.object, self.write.namespace()) {
            return Err(error.with_warnings(read.warnings));
        }
        Ok(read)
    }

    /// Lets all plug-ins change and judge what is posted below an object, which is never stored itself.
    // As upstream's handlers.createHandler and the `Create` of subresources.
    pub(crate) async fn mutate_below(
        &self,
        body: &Value,
        options: &WriteOptions,
    ) -> Result<(Option<Value>, Vec<String>)> {
        let reinvocation = Reinvocation::default();
        let (mut changed, mut warnings) = (None, Vec::new());
        for _ in 0..2 {
            for plugin in self.plugins() {
                let object = changed.as_ref().unwrap_or(body);
                let attributes = self.attributes(Operation::Create(options), None, &reinvocation);
                let attributes = Attributes { version: self.write.request.version, object: Some(object), ..attributes };
                if !plugin.handles(&attributes) {
                    continue;
                }
                match plugin.mutate(attributes).await {
                    Ok(mutation) => {
                        warnings.extend(mutation.warnings);
                        changed = mutation.object.or(changed);
                    }
                    Err(error) => return Err(error.with_warnings(warnings)),
                }
            }
            if !reinvocation.take_request() {
                break;
            }
        }
        Ok((changed, warnings))
    }

    /// Asks validating plug-ins about what is posted below an object.
    pub(crate) async fn admit_below(&self, body: &Value, options: &WriteOptions) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Create(options), None, &reinvocation);
        self.validate(Attributes { version: self.write.request.version, object: Some(body), ..attributes }).await
    }

    /// Asks all plug-ins about a connection with these options.
    // As upstream's handlers.ConnectResource.
    pub(crate) async fn admit_connect(&self, options: &Value) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Connect, None, &reinvocation);
        self.admit_unchanged(Attributes { version: self.write.request.version, object: Some(options), ..attributes })
            .await
    }

    /// Whether the request posts something below an object, about which plug-ins are asked in place of the object.
    fn creates_below(&self) -> Result<bool> {
        let subresource = self.write.subresource()?.map(|subresource| &subresource.kind);
        Ok(matches!(subresource, Some(SubresourceKind::Create(_))))
    }

    /// Asks validating plug-ins about an object that is valid.
    pub(crate) async fn admit(&self, mut judged: Judged, old: Option<&Old>, input: &Input<'_>) -> Result<Judged> {
        if self.plugins().is_empty() || self.creates_below()? {
            return Ok(judged);
        }
        if let Some(SubresourceKind::Scale(paths)) = self.write.subresource()?.map(|subresource| &subresource.kind) {
            judged.warnings.extend(self.admit_scale(paths, &judged.object, old, input).await?);
            return Ok(judged);
        }
        match self.ask_plugins(&judged.object, old.map(|old| &old.hub), input).await {
            Ok(warnings) => judged.warnings.extend(warnings),
            Err(error) => return Err(error.with_warnings(judged.warnings)),
        }
        Ok(judged)
    }

    /// Asks validating plug-ins about the `Scale` of an object that is valid.
    // As upstream's toScaleUpdateValidation.
    async fn admit_scale(
        &self,
        paths: &ScalePaths,
        object: &Value,
        old: Option<&Old>,
        input: &Input<'_>,
    ) -> Result<Vec<String>> {
        let version = self.write.request.version;
        let object = self.definition().convert(object.clone(), self.write.hub(), version)?;
        let new = read_scale(&object, paths)?.0;
        let old = old.map(|old| read_scale(&old.requested, paths)).transpose()?.map(|(scale, _)| scale);
        let reinvocation = Reinvocation::default();
        let operation = write(old.as_ref(), input.options());
        let attributes =
            Attributes { version, object: Some(&new), ..self.attributes(operation, old.as_ref(), &reinvocation) };
        self.validate(attributes).await
    }

    /// The warnings of validating plug-ins about an object.
    pub(crate) async fn ask_plugins(
        &self,
        object: &Value,
        old: Option<&Value>,
        input: &Input<'_>,
    ) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(write(old, input.options()), old, &reinvocation);
        // As upstream's rest.AdmissionToValidateObjectFunc: names are generated by now.
        let name = Some(self.admission_name(input)).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| meta::name(object));
        self.validate(Attributes { name, object: Some(object), ..attributes }).await
    }

    /// The name by which plug-ins know the object of a write: that of the request, or that in the body of a create.
    // As upstream's handlers.createHandler, before names are generated.
    fn admission_name<'a>(&'a self, input: &'a Input<'_>) -> &'a str {
        match self.write.request.name {
            "" => input.name(),
            name => name,
        }
    }

    /// Asks all plug-ins about an object that is to be deleted, in the version of the hub; returns their warnings.
    // As upstream's rest.AdmissionToValidateObjectDeleteFunc.
    pub(crate) async fn admit_delete(
        &self,
        object: &Value,
        options: &DeleteOptions,
        name: &str,
    ) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Delete(options), Some(object), &reinvocation);
        let attributes = Attributes { name, ..attributes };
        self.admit_unchanged(attributes).await
    }

    /// Asks all plug-ins, none of which can change anything.
    async fn admit_unchanged(&self, attributes: Attributes<'_>) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        for plugin in self.plugins().iter().filter(|plugin| plugin.handles(&attributes)) {
            match plugin.mutate(attributes).await {
                Ok(mutation) => warnings.extend(mutation.warnings),
                Err(error) => return Err(error.with_warnings(warnings)),
            }
        }
        match self.validate(attributes).await {
            Ok(more) => warnings.extend(more),
            Err(error) => return Err(error.with_warnings(warnings)),
        }
        Ok(warnings)
    }

    async fn validate(&self, attributes: Attributes<'_>) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        for plugin in self.plugins().iter().filter(|plugin| plugin.handles(&attributes)) {
            match plugin.validate(attributes).await {
                Ok(more) => warnings.extend(more),
                Err(error) => return Err(error.with_warnings(warnings)),
            }
        }
        Ok(warnings)
    }

    /// The attributes of the request without its new object, in the hub version.
    fn attributes<'a>(
        &'a self,
        operation: Operation<'a>,
        old: Option<&'a Value>,
        reinvocation: &'a Reinvocation,
    ) -> Attributes<'a> {
        Attributes {
            registry: self.registry,
            definition: self.definition(),
            request: self.write.request,
            operation,
            now: self.write.context.now,
            version: self.write.hub(),
            name: self.write.request.name,
            object: None,
            old,
            reinvocation,
            write: &self.write,
        }
    }
}

fn write<'a>(old: Option<&Value>, options: &'a WriteOptions) -> Operation<'a> {
    if old.is_some() { Operation::Update(options) } else { Operation::Create(options) }
}

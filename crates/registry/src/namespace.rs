//! Namespaces: the kind, what others ask of it, and the end of one with everything in it.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use sprag_checks::format;
use sprag_checks::object_meta::{self, Rules};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{
    ApiError, Cause, Column, Conventions, Cx, Decoded, Definition, DeleteOptions, Format, GroupResource, ListOptions,
    Propagation, Request, ResetFields, Result, Scheme, Scope, Selectable, SimpleNameGenerator, Strategy, Subresource,
    Unreadable, User, Version, Views, WriteOptions, meta, read_typed, with_object_meta,
};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::{Object, Value};

use crate::registry::{Registry, Target};

const NAME_LABEL: &str = "kubernetes.io/metadata.name";
const FINALIZER: &str = "kubernetes";
/// Maximum number of namespaces that are emptied at the same time.
// As upstream's --concurrent-namespace-syncs.
const EMPTIED_AT_ONCE: usize = 10;
/// Namespaces that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// The definition of `namespaces`.
pub fn namespaces() -> Definition {
    let behaviour: Arc<dyn Strategy> = Arc::new(NamespaceStrategy);
    let version = Version {
        columns: vec![Column::new("Status", "status.phase")],
        selectable: vec![Selectable::new("status.phase")],
        subresources: vec![
            Subresource::part("status", Arc::new(PartStrategy { kept: "spec" })),
            Subresource::part("finalize", Arc::new(PartStrategy { kept: "status" })),
        ],
        ..Version::new("v1")
    };
    Definition {
        resource: resource(),
        kind: "Namespace".into(),
        list_kind: "NamespaceList".into(),
        singular: "namespace".into(),
        short_names: vec!["ns".into()],
        categories: Vec::new(),
        scope: Scope::Cluster,
        versions: vec![version],
        storage_version: "v1".into(),
        storage_prefix: "namespaces".into(),
        name_rule: Arc::new(object_meta::dns_label),
        name_generator: Arc::new(SimpleNameGenerator),
        scheme: Arc::new(NamespaceScheme),
        create: behaviour.clone(),
        update: behaviour.clone(),
        delete: behaviour,
        returns_deleted_object: true,
        unstored: None,
        is_cached: true,
        allocator: None,
        feature_gates: Vec::new(),
        gated_fields: Vec::new(),
        has_own_strategy: true,
        conventions: &Conventions::BUILT_IN,
    }
}

fn resource() -> GroupResource {
    GroupResource::new("", "namespaces")
}

impl Registry {
    /// Creates a namespace unless it exists.
    pub async fn ensure_namespace(&self, name: &str) -> Result<()> {
        let user = User::default();
        let request = Request { name: "", ..namespace_request(name, "", &user) };
        let body = meta::bare("v1", "Namespace", name);
        match self.create(&request, body, &WriteOptions::by("kube-apiserver")).await {
            Err(error) if !error.is_already_exists() => Err(error),
            _ => Ok(()),
        }
    }

    /// Empties the namespaces that are being deleted, and removes those that are empty. Returns how many are gone.
    /// Objects that are held back by finalizers hold back their namespace: call again later. One that cannot be emptied, for instance
    /// because a webhook does not answer, holds back no other; the error of the first is returned.
    pub async fn finish_namespaces(&self) -> Result<usize> {
        let user = &User { name: "system:serviceaccount:kube-system:namespace-controller".into(), ..User::default() };
        let terminating = ListOptions { field_selector: "status.phase=Terminating".into(), ..ListOptions::default() };
        let namespaces = self.list(&namespace_request("", "", user), &terminating).await?.items;
        let mut namespaces = namespaces.into_iter();
        let mut running = FuturesUnordered::new();
        let (mut finished, mut failed) = (0, None);
        loop {
            while running.len() < EMPTIED_AT_ONCE
                && let Some(namespace) = namespaces.next()
            {
                running.push(self.finish_namespace(namespace, user));
            }
            match running.next().await {
                Some(Ok(is_finished)) => finished += usize::from(is_finished),
                Some(Err(error)) => failed = failed.or(Some(error)),
                None => return failed.map_or(Ok(finished), Err),
            }
        }
    }

    /// Empties a namespace, and removes it if nothing is left; whether it is gone.
    async fn finish_namespace(&self, namespace: Value, user: &User) -> Result<bool> {
        let is_empty = self.empty_namespace(meta::name(&namespace), user).await?;
        if is_empty {
            self.finalize_namespace(namespace, user).await?;
        }
        Ok(is_empty)
    }

    /// Deletes what is in a namespace; whether nothing is left. Objects of one kind that cannot be deleted hold back none of others.
    async fn empty_namespace(&self, namespace: &str, user: &User) -> Result<bool> {
        let (mut empty, mut failed) = (true, None);
        for definition in self.definitions().into_iter().filter(|definition| definition.namespaced()) {
            let request = Request {
                group: definition.group(),
                version: &definition.storage_version,
                resource: &definition.resource.resource,
                namespace,
                name: "",
                subresource: "",
                user,
            };
            let options = DeleteOptions::propagation(Propagation::Background);
            if definition.version(&definition.storage_version).is_none_or(|version| !version.served) {
                continue;
            }
            if let Err(error) = self.delete_collection(&request, &options, &ListOptions::default()).await {
                failed = failed.or(Some(error));
            }
            empty &= self.count_all(&request).await? == 0;
        }
        failed.map_or(Ok(empty), Err)
    }

    /// The number of objects of a resource in a namespace.
    async fn count_all(&self, request: &Request<'_>) -> Result<usize> {
        let target = self.resolve(request)?;
        let Some(scope) = target.scope(request.namespace) else { return Ok(0) };
        self.0.store.count(&scope).await.map_err(|error| target.store_error(error, "list"))
    }

    async fn finalize_namespace(&self, mut namespace: Value, user: &User) -> Result<()> {
        let name = meta::name(&namespace).to_owned();
        if let Some(spec) = namespace.get_mut("spec") {
            spec.remove("finalizers");
        }
        let request = namespace_request(&name, "finalize", user);
        match self.update(&request, namespace, &WriteOptions::by("kube-controller-manager")).await {
            Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
            _ => Ok(()),
        }
    }
}

fn namespace_request<'a>(name: &'a str, subresource: &'a str, user: &'a User) -> Request<'a> {
    Request { group: "", version: "v1", resource: "namespaces", namespace: "", name, subresource, user }
}

/// Some namespaces cannot be deleted.
pub(crate) fn refuse_delete(request: &Request<'_>) -> Result<()> {
    if request.group.is_empty() && request.resource == "namespaces" && IMMORTAL.contains(&request.name) {
        return Err(ApiError::forbidden(&resource(), request.name, "this namespace may not be deleted"));
    }
    Ok(())
}

impl Target<'_> {
    /// Reads the labels of the namespace where rules depend on them. A namespace that is not there has none.
    pub(crate) async fn learn_namespace(&self) -> Result<()> {
        let definition = self.definition();
        if !definition.create.reads_namespace() || !definition.namespaced() {
            return Ok(());
        }
        let Some(namespaces) = self.registry.installed("", "namespaces") else { return Ok(()) };
        let Ok(key) = sprag_storage::Key::cluster("", "namespaces", self.write.request.namespace) else {
            return Ok(());
        };
        let found = self.registry.0.store.get(&key).await.map_err(|error| self.store_error(error, "get"))?;
        let labels = match found.entry {
            Some(entry) => namespaces.cache.get(&namespaces.definition, &entry)?.labels.clone(),
            None => Value::object(),
        };
        self.write.learn_namespace_labels(labels);
        Ok(())
    }

    /// New objects need a namespace that is there to stay, if there are namespaces at all. One that is missing may be created.
    pub(crate) async fn check_namespace(&self, name: &str, dry_run: bool) -> Result<()> {
        let definition = self.definition();
        if !definition.namespaced() {
            return Ok(());
        }
        let Some(namespaces) = self.registry.installed("", "namespaces") else { return Ok(()) };
        let namespace = self.write.request.namespace;
        let missing = || ApiError::not_found(&resource(), namespace);
        let key = sprag_storage::Key::cluster("", "namespaces", namespace).map_err(|_| missing())?;
        let found = self.registry.0.store.get(&key).await.map_err(|error| self.store_error(error, "get"))?;
        let Some(entry) = found.entry else {
            let is_provided = !dry_run && self.plugins().iter().any(|plugin| plugin.provisions_namespaces());
            return if is_provided { self.provide_namespace(name).await } else { Err(missing()) };
        };
        if !namespaces.cache.get(&namespaces.definition, &entry)?.deleting {
            return Ok(());
        }
        let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
        Err(ApiError::forbidden(&definition.resource, name, &why).with_cause(Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".into(),
        }))
    }

    /// Creates the namespace of the request.
    // As upstream's autoprovision.Provision.Admit.
    async fn provide_namespace(&self, name: &str) -> Result<()> {
        let user = User { name: "system:apiserver".into(), groups: vec!["system:masters".into()], ..User::default() };
        let (group, version, resource) = ("", "v1", "namespaces");
        let request = Request { group, version, resource, namespace: "", name: "", subresource: "", user: &user };
        let types = [("apiVersion", Value::from("v1")), ("kind", Value::from("Namespace"))];
        let mut namespace = Value::Object(Object::from(types));
        namespace.insert("metadata", Object::from([("name", Value::from(self.write.request.namespace))]));
        let options = WriteOptions::by("kube-apiserver");
        match Box::pin(self.registry.create(&request, namespace, &options)).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_already_exists() => Ok(()),
            Err(error) => Err(ApiError::forbidden(&self.definition().resource, name, &error.to_string())),
        }
    }
}

struct NamespaceStrategy;

impl Strategy for NamespaceStrategy {
    fn allow_delete_collection(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, _: &Cx<'_>, new: &mut Value) {
        new.insert("status", Object::from([("phase", Value::from("Active"))]));
        let spec = new.get("spec").cloned().unwrap_or_else(Value::object);
        let mut finalizers: Vec<Value> =
            spec.get("finalizers").and_then(Value::as_array).map(|list| list.to_vec()).unwrap_or_default();
        if !finalizers.iter().any(|finalizer| *finalizer == FINALIZER) {
            finalizers.push(FINALIZER.into());
        }
        let mut spec = spec;
        spec.insert("finalizers", finalizers);
        new.insert("spec", spec);
    }

    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        for member in ["spec", "status"] {
            new.insert(member, old.get(member).cloned().unwrap_or_default());
        }
    }

    fn validate(&self, _: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        check_metadata(new.hub, errors);
        check_finalizers(new.hub, false, errors);
        object_meta::drop_repeated(errors, 0);
    }

    /// Upstream validates a changed namespace like a new one.
    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, _: Views<'_>, errors: &mut Errors) {
        let rules = Rules { namespaced: false, name: &object_meta::dns_label };
        let metadata = new.hub.get("metadata").unwrap_or(&Value::Null);
        object_meta::validate_create(metadata, &rules, &Path::new("metadata"), errors);
        self.validate(cx, new, errors);
    }

    fn mark_deleting(&self, object: &mut Value) {
        meta::remove(object, "deletionGracePeriodSeconds");
        set_phase(object, "Terminating");
    }

    fn failed_precondition(&self) -> Option<&'static str> {
        Some("Precondition failed")
    }

    /// Upstream begins the delete of a namespace by code of its own.
    fn unorphaned(&self, object: &Value) -> Propagation {
        if meta::is_deleting(object) { Propagation::Background } else { Propagation::Foreground }
    }

    /// The first delete of a namespace waits for what is in it, and so do others until nothing is.
    fn holds(&self, object: &Value) -> bool {
        let finalizers = object.lookup(&["spec", "finalizers"]).and_then(Value::as_array);
        !meta::is_deleting(object) || finalizers.is_some_and(|finalizers| !finalizers.is_empty())
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(["status"])
    }
}

/// A part of a namespace that is written on its own: the other part is kept.
struct PartStrategy {
    kept: &'static str,
}

impl Strategy for PartStrategy {
    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        new.insert(self.kept, old.get(self.kept).cloned().unwrap_or_default());
    }

    fn validate_update(&self, _: &Cx<'_>, new: Views<'_>, _: Views<'_>, errors: &mut Errors) {
        check_metadata(new.hub, errors);
        if self.kept == "spec" {
            check_phase(new.hub, errors);
        } else {
            check_finalizers(new.hub, true, errors);
        }
        object_meta::drop_repeated(errors, 0);
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level([self.kept])
    }

    fn replace_only(&self) -> bool {
        self.kept == "status"
    }

    fn has_table(&self) -> bool {
        !self.replace_only()
    }
}

/// Refuses finalizers of the object that are neither qualified nor known.
fn check_metadata(namespace: &Value, errors: &mut Errors) {
    let (metadata, names) = (Path::new("metadata"), meta::get(namespace, "finalizers").and_then(Value::as_array));
    let path = metadata.child("finalizers");
    for (at, name) in names.into_iter().flat_map(|names| names.iter()).enumerate() {
        object_meta::standard_finalizer(name.as_str().unwrap_or_default(), &path.index(at), errors);
    }
}

/// Refuses finalizers of the namespace that are neither qualified nor known; upstream counts them only on `/finalize`.
fn check_finalizers(namespace: &Value, counted: bool, errors: &mut Errors) {
    let (spec, names) = (Path::new("spec"), namespace.lookup(&["spec", "finalizers"]).and_then(Value::as_array));
    let path = spec.child("finalizers");
    for (at, name) in names.into_iter().flat_map(|names| names.iter()).enumerate() {
        let (name, indexed) = (name.as_str().unwrap_or_default(), path.index(at));
        let path = if counted { &indexed } else { &path };
        format::Format::LabelKey.check(name, &mut |flaw| errors.push(Error::invalid(path, name, flaw.detail)));
        object_meta::standard_finalizer(name, path, errors);
    }
}

/// Refuses a phase that does not fit the life of the namespace.
fn check_phase(namespace: &Value, errors: &mut Errors) {
    let phase = namespace.lookup(&["status", "phase"]).and_then(Value::as_str).unwrap_or_default();
    let (expected, state) =
        if meta::is_deleting(namespace) { ("Terminating", "not empty") } else { ("Active", "empty") };
    if phase != expected {
        let (status, detail) =
            (Path::new("status"), format!("may only be '{expected}' if `deletionTimestamp` is {state}"));
        errors.push(Error::invalid(&status.child("Phase"), BadValue::json_str(phase), detail));
    }
}

struct NamespaceScheme;

impl Scheme for NamespaceScheme {
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
        requested
    }

    fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
        Some((&SHAPES.0, SHAPES.1))
    }

    fn read(&self, _: &str, text: &[u8], format: Format, _: bool) -> std::result::Result<Decoded, Unreadable> {
        read_typed(&SHAPES.0, SHAPES.1, text, format)
    }

    fn complete(&self, _: &str, object: &mut Value) -> std::result::Result<(), String> {
        complete_namespace(object);
        Ok(())
    }

    fn canonicalize(&self, object: &mut Value) {
        complete_namespace(object);
    }

    fn convert(&self, object: Value, _: &str, _: &str) -> std::result::Result<Value, String> {
        Ok(object)
    }
}

fn set_phase(namespace: &mut Value, phase: &str) {
    let mut status = namespace.get("status").filter(|status| !status.is_null()).cloned().unwrap_or_else(Value::object);
    status.insert("phase", phase);
    namespace.insert("status", status);
}

/// Sets what every namespace has: a phase, and its name as a label.
pub fn complete_namespace(object: &mut Value) {
    label_namespace(object);
    if object.lookup(&["status", "phase"]).and_then(Value::as_str).is_none_or(str::is_empty) {
        set_phase(object, "Active");
    }
}

fn label_namespace(object: &mut Value) {
    let name = meta::name(object).to_owned();
    let label = meta::get(object, "labels").and_then(|labels| labels.get(NAME_LABEL)).and_then(Value::as_str);
    if name.is_empty() || label == Some(&name) {
        return;
    }
    let mut labels = meta::get(object, "labels").cloned().unwrap_or_default();
    labels.insert(NAME_LABEL, name);
    meta::set(object, "labels", labels);
}

static SHAPES: LazyLock<(Shapes, TypeId)> = LazyLock::new(|| {
    let [text, texts, any, condition, conditions, spec, status] = [0, 1, 2, 3, 4, 5, 6].map(TypeId).map(TypeRef::value);
    let namespace = TypeId(7);
    let list = |elem| Kind::List { elem, list: ListType::Unset };
    let members = |fields: Vec<Field>| Kind::of_fields(Cow::Owned(fields));
    let by_type = ListType::Map(Cow::Borrowed(&[Cow::Borrowed("type")]));
    let shapes = Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", list(text)),
        TypeShape::new("", Kind::Any),
        TypeShape::new(
            "v1.NamespaceCondition",
            members(vec![
                Field::new("type", "Type", text).required(),
                Field::new("status", "Status", text).required(),
                Field::new("lastTransitionTime", "LastTransitionTime", text).omit_empty(),
                Field::new("reason", "Reason", text).omit_empty(),
                Field::new("message", "Message", text).omit_empty(),
            ]),
        ),
        TypeShape::new("", list(condition)),
        TypeShape::new(
            "v1.NamespaceSpec",
            members(vec![Field::new("finalizers", "Finalizers", texts).omit_empty().list(ListType::Atomic)]),
        ),
        TypeShape::new(
            "v1.NamespaceStatus",
            members(vec![
                Field::new("phase", "Phase", text).omit_empty(),
                Field::new("conditions", "Conditions", conditions).omit_empty().list(by_type),
            ]),
        ),
        TypeShape::new(
            "v1.Namespace",
            members(vec![
                Field::new("metadata", "ObjectMeta", any).omit_empty(),
                Field::new("spec", "Spec", spec).omit_empty(),
                Field::new("status", "Status", status).omit_empty(),
            ]),
        ),
    ]);
    with_object_meta(&shapes, namespace)
});

//! Namespaces: what they look like, and the rules about their parts. Their end is up to the registry.

use std::sync::Arc;

use sprag_checks::format;
use sprag_checks::object_meta::{self, Rules};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{
    Column, Conventions, Cx, Definition, Fact, GroupResource, Propagation, Release, ResetFields, Scope, Selectable,
    SimpleNameGenerator, Strategy, Subresource, Version, Views, meta,
};
use sprag_value::{Object, Value};

use crate::columns::{string, text};
use crate::meta::Declared;
use crate::program;

const NAME_LABEL: &str = "kubernetes.io/metadata.name";
const FINALIZER: &str = "kubernetes";

/// The definition of `namespaces`.
pub fn namespaces(release: Release) -> Definition {
    let behaviour: Arc<dyn Strategy> = Arc::new(NamespaceStrategy);
    let declared = program::resource(release, "", "v1", "Namespace").complete(complete_namespace);
    // A generated name is a label, too; upstream's storage completes what it returns.
    let declared = declared.canonicalize(complete_namespace).define();
    let phase = text("Status", "The status of the namespace", |object| string(object, &["status", "phase"]).into());
    let version = Version {
        columns: vec![phase, Column::age()],
        selectable: vec![Selectable::new("status.phase")],
        subresources: vec![
            Subresource::part("status", Arc::new(PartStrategy { kept: "spec" })),
            Subresource::part("finalize", Arc::new(PartStrategy { kept: "status" })),
        ],
        ..Version::new("v1")
    };
    Definition {
        resource: GroupResource::new("", "namespaces"),
        kind: "Namespace".into(),
        list_kind: "NamespaceList".into(),
        singular: "namespace".into(),
        short_names: vec!["ns".into()],
        categories: Vec::new(),
        scope: Scope::Cluster,
        versions: vec![version],
        storage_version: "v1".into(),
        storage_prefix: "namespaces".into(),
        name_rule: declared.name_rule,
        name_generator: Arc::new(SimpleNameGenerator),
        scheme: declared.scheme,
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

struct NamespaceStrategy;

impl Strategy for NamespaceStrategy {
    fn allow_delete_collection(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, _: &Cx<'_>, new: &mut Value) {
        new.insert("status", Object::from([("phase", Value::from("Active"))]));
        let mut spec = new.get("spec").cloned().unwrap_or_else(Value::object);
        let mut finalizers: Vec<Value> =
            spec.get("finalizers").and_then(Value::as_array).map(|list| list.to_vec()).unwrap_or_default();
        if !finalizers.iter().any(|finalizer| *finalizer == FINALIZER) {
            finalizers.push(FINALIZER.into());
        }
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
        if !errors.release().has(Fact::KeepsRepeatedErrors) {
            object_meta::drop_repeated(errors, 0);
        }
    }

    /// Upstream validates a changed namespace like a new one.
    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, _: Views<'_>, errors: &mut Errors) {
        let rules = Rules { namespaced: false, name: &object_meta::dns_label, declares_name: true, fields: &Declared };
        let metadata = new.hub.get("metadata").unwrap_or(&Value::Null);
        object_meta::validate_create(metadata, &rules, &Path::new("metadata"), errors);
        if errors.release().has(Fact::KeepsRepeatedErrors) {
            check_metadata(new.hub, errors);
        }
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
        if !errors.release().has(Fact::KeepsRepeatedErrors) {
            object_meta::drop_repeated(errors, 0);
        }
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

fn set_phase(namespace: &mut Value, phase: &str) {
    let mut status = namespace.get("status").filter(|status| !status.is_null()).cloned().unwrap_or_else(Value::object);
    status.insert("phase", phase);
    namespace.insert("status", status);
}

/// Sets what every namespace has: a phase, and its name as a label.
fn complete_namespace(object: &mut Value) {
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

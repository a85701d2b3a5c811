//! Namespaces, as far as a registry asks for them: a phase, and finalizers that `/finalize` takes away.

use std::sync::Arc;

use sprag_rest::{
    Column, Conventions, Cx, Decoded, Definition, Format, GroupResource, Scheme, Scope, Selectable,
    SimpleNameGenerator, Strategy, Subresource, Unreadable, Version, meta,
};
use sprag_shape::{Shapes, TypeId};
use sprag_value::{Object, Value, json};

struct Namespace;

impl Strategy for Namespace {
    fn prepare_for_create(&self, _: &Cx<'_>, new: &mut Value) {
        new.insert("status", phase("Active"));
        new.insert("spec", Object::from([("finalizers", Value::from(vec![Value::from("kubernetes")]))]));
    }

    fn mark_deleting(&self, object: &mut Value) {
        meta::remove(object, "deletionGracePeriodSeconds");
        object.insert("status", phase("Terminating"));
    }

    fn holds(&self, object: &Value) -> bool {
        let finalizers = object.lookup(&["spec", "finalizers"]).and_then(Value::as_array);
        !meta::is_deleting(object) || finalizers.is_some_and(|finalizers| !finalizers.is_empty())
    }
}

/// The parts that are written on their own.
struct Part;

impl Strategy for Part {}

impl Scheme for Namespace {
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
        requested
    }

    fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
        None
    }

    fn read(&self, _: &str, text: &[u8], _: Format, _: bool) -> std::result::Result<Decoded, Unreadable> {
        let value = json::parse(text).map_err(|error| error.to_string())?;
        Ok(Decoded::new(value, Vec::new()))
    }

    fn complete(&self, _: &str, _: &mut Value) -> std::result::Result<(), String> {
        Ok(())
    }

    fn convert(&self, object: Value, _: &str, _: &str) -> std::result::Result<Value, String> {
        Ok(object)
    }
}

fn phase(phase: &str) -> Object {
    Object::from([("phase", Value::from(phase))])
}

/// The definition of `namespaces`.
pub(crate) fn namespaces() -> Definition {
    let namespace = Arc::new(Namespace);
    let version = Version {
        columns: vec![Column::age()],
        selectable: vec![Selectable::new("status.phase")],
        subresources: vec![Subresource::part("finalize", Arc::new(Part))],
        ..Version::new("v1")
    };
    Definition {
        resource: GroupResource::new("", "namespaces"),
        kind: "Namespace".into(),
        list_kind: "NamespaceList".into(),
        singular: "namespace".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Cluster,
        versions: vec![version],
        storage_version: "v1".into(),
        storage_prefix: "namespaces".into(),
        name_rule: Arc::new(|_, _, _| ()),
        name_generator: Arc::new(SimpleNameGenerator),
        scheme: namespace.clone(),
        create: namespace.clone(),
        update: namespace.clone(),
        delete: namespace,
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

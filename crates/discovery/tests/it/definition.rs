//! Definitions of custom resources from their manifests, with nothing behind them.

use std::sync::Arc;

use sprag_rest::{
    Conventions, Decoded, Definition, Format, GroupResource, ScalePaths, Scheme, Scope, Selectable,
    SimpleNameGenerator, Strategy, Subresource, SubresourceKind, Unreadable, Version,
};
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

struct Nothing;

impl Strategy for Nothing {}

impl Scheme for Nothing {
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
        requested
    }

    fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
        None
    }

    fn read(&self, _: &str, _: &[u8], _: Format, _: bool) -> Result<Decoded, Unreadable> {
        Err("nothing can be read".to_owned().into())
    }

    fn complete(&self, _: &str, _: &mut Value) -> Result<(), String> {
        Ok(())
    }

    fn convert(&self, object: Value, _: &str, _: &str) -> Result<Value, String> {
        Ok(object)
    }
}

/// Returns the definition in a manifest.
pub(crate) fn definition(manifest: &Value) -> Definition {
    let spec = manifest.get("spec").unwrap();
    let names = spec.get("names").unwrap();
    let name = |member| text(names.get(member));
    let versions = spec.get("versions").unwrap().as_array().unwrap();
    let storage = versions.iter().find(|version| version.get("storage").unwrap().as_bool().unwrap()).unwrap();
    Definition {
        resource: GroupResource::new(text(spec.get("group")), name("plural")),
        kind: name("kind"),
        list_kind: name("listKind"),
        singular: name("singular"),
        short_names: texts(names.get("shortNames")),
        categories: texts(names.get("categories")),
        scope: if text(spec.get("scope")) == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
        versions: versions.iter().map(version).collect(),
        storage_version: text(storage.get("name")),
        storage_prefix: String::new(),
        name_rule: Arc::new(|_, _, _| ()),
        name_generator: Arc::new(SimpleNameGenerator),
        scheme: Arc::new(Nothing),
        create: Arc::new(Nothing),
        update: Arc::new(Nothing),
        delete: Arc::new(Nothing),
        returns_deleted_object: false,
        unstored: None,
        is_cached: true,
        allocator: None,
        feature_gates: Vec::new(),
        gated_fields: Vec::new(),
        has_own_strategy: true,
        conventions: &Conventions::CUSTOM,
    }
}

fn version(version: &Value) -> Version {
    let subresources = version.get("subresources");
    let status = subresources.and_then(|all| all.get("status")).map(|_| Subresource::part("status", Arc::new(Nothing)));
    let scale = subresources
        .and_then(|all| all.get("scale"))
        .map(|_| Subresource { name: "scale".into(), kind: SubresourceKind::Scale(ScalePaths::default()) });
    let fields = version.get("selectableFields").and_then(Value::as_array).cloned().unwrap_or_default();
    let selectable = fields.iter().map(|field| Selectable::new(text(field.get("jsonPath")).trim_start_matches('.')));
    Version {
        served: version.get("served").unwrap().as_bool().unwrap(),
        subresources: status.into_iter().chain(scale).collect(),
        selectable: selectable.collect(),
        schema: version.lookup(&["schema", "openAPIV3Schema"]).cloned().map(Arc::new),
        ..Version::new(text(version.get("name")))
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let texts = value.and_then(Value::as_array).into_iter().flatten();
    texts.map(|value| text(Some(value))).collect()
}

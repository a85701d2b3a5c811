//! The custom resource definitions of these tests.

use serde_json::{Value, json};

/// The path of definitions.
pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The path of widgets.
pub(crate) const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

/// A namespaced definition in `example.com` with one version and this schema.
pub(crate) fn definition(kind: &str, schema: &Value) -> Value {
    let singular = kind.to_lowercase();
    let plural = format!("{singular}s");
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": singular, "shortNames": [&singular[..2]]},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// Widgets: a size, a title, parts by name; with status, scale and columns.
pub(crate) fn widgets() -> Value {
    let mut definition = definition(
        "Widget",
        &json!({
            "type": "object",
            "description": "A Widget is what these tests are about.",
            "properties": {
                "spec": {
                    "type": "object",
                    "properties": {
                        "size": {"type": "integer", "minimum": 0, "description": "How large it is."},
                        "title": {"type": "string"},
                        "parts": {
                            "type": "array",
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["name"],
                            "items": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {"name": {"type": "string"}, "quantity": {"type": "integer"}},
                            },
                        },
                    },
                },
                "status": {
                    "type": "object",
                    "properties": {
                        "ready": {"type": "integer"},
                        "conditions": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        }),
    );
    let version = &mut definition["spec"]["versions"][0];
    version["subresources"] =
        json!({"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.ready"}});
    version["additionalPrinterColumns"] = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Title", "type": "string", "jsonPath": ".spec.title", "priority": 1},
    ]);
    definition
}

/// Things whose schema describes nothing and keeps everything.
pub(crate) fn loose() -> Value {
    definition("Loose", &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
}

/// A widget of a size.
pub(crate) fn widget(name: &str, size: i64) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": size}})
}

/// A definition as servers take it.
pub(crate) fn value(definition: &Value) -> sprag_value::Value {
    sprag_decode::json::decode(definition.to_string().as_bytes()).unwrap()
}

//! `OpenAPI` documents of built-in kinds, by the example of namespaces.

use std::sync::Arc;

use expect_test::{Expect, expect};
use sprag_discovery::openapi::{self, Options};
use sprag_rest::Definition;
use sprag_value::{Value, json};

fn definitions() -> Vec<Arc<Definition>> {
    vec![Arc::new(sprag_kinds::namespaces())]
}

#[track_caller]
fn check(document: &Value, path: &[&str], expected: &Expect) {
    expected.assert_eq(&json::to_string(document.lookup(path).unwrap()));
}

#[test]
fn schemas_tell_how_lists_are_merged() {
    let document = openapi::openapi_v3(&definitions(), "", "v1", &Options::default()).unwrap();
    let schema = ["components", "schemas", "io.k8s.api.core.v1.NamespaceStatus", "properties", "conditions"];
    check(
        &document,
        &schema,
        &expect![[
            r##"{"description":"Conditions that describe the progress of the deletion of the namespace's contents.","items":{"$ref":"#/components/schemas/io.k8s.api.core.v1.NamespaceCondition"},"type":"array","x-kubernetes-list-map-keys":["type"],"x-kubernetes-list-type":"map","x-kubernetes-patch-merge-key":"type","x-kubernetes-patch-strategy":"merge"}"##
        ]],
    );
    let kind = ["components", "schemas", "io.k8s.api.core.v1.Namespace", "x-kubernetes-group-version-kind"];
    check(&document, &kind, &expect![[r#"[{"group":"","kind":"Namespace","version":"v1"}]"#]]);
    let condition = ["components", "schemas", "io.k8s.api.core.v1.NamespaceCondition", "required"];
    check(&document, &condition, &expect![[r#"["type","status"]"#]]);
}

#[test]
fn references_stand_beside_texts_in_version_2_and_below_in_version_3() {
    let v3 = openapi::openapi_v3(&definitions(), "", "v1", &Options::default()).unwrap();
    let spec = ["components", "schemas", "io.k8s.api.core.v1.Namespace", "properties", "spec"];
    check(
        &v3,
        &spec,
        &expect![[
            r##"{"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.NamespaceSpec"}],"default":{},"description":"Desired state of the namespace."}"##
        ]],
    );
    let v2 = openapi::openapi_v2(&definitions(), &Options::default());
    check(
        &v2,
        &["definitions", "io.k8s.api.core.v1.Namespace", "properties", "spec"],
        &expect![[
            r##"{"$ref":"#/definitions/io.k8s.api.core.v1.NamespaceSpec","description":"Desired state of the namespace."}"##
        ]],
    );
}

#[test]
fn only_what_is_served_has_operations() {
    let document = openapi::openapi_v3(&definitions(), "", "v1", &Options::default()).unwrap();
    let methods = |path: &str| {
        let item = document.get("paths").unwrap().get(path).unwrap().as_object().unwrap();
        item.keys().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(methods("/api/v1/namespaces"), "get parameters post");
    assert_eq!(methods("/api/v1/namespaces/{name}"), "delete get parameters patch put");
    assert_eq!(methods("/api/v1/namespaces/{name}/status"), "get parameters patch put");
    assert_eq!(methods("/api/v1/namespaces/{name}/finalize"), "parameters put");
}

#[test]
fn every_reference_has_a_definition() {
    for (document, prefix, path) in [
        (openapi::openapi_v2(&definitions(), &Options::default()), "#/definitions/", &["definitions"][..]),
        (
            openapi::openapi_v3(&definitions(), "", "v1", &Options::default()).unwrap(),
            "#/components/schemas/",
            &["components", "schemas"],
        ),
    ] {
        let schemas = document.lookup(path).unwrap();
        let text = json::to_string(&document);
        for reference in text.split("\"$ref\":\"").skip(1) {
            let target = reference.split('"').next().unwrap();
            let known = target.strip_prefix(prefix).is_some_and(|name| schemas.get(name).is_some());
            assert!(known || target.starts_with("#/parameters/"), "{target}");
        }
    }
}

//! Objects that cannot be read into their types: the finding is at the field, and warnings are kept.

use expect_test::expect;

use crate::run::check;

#[test]
fn type_errors_are_shown_at_their_field() {
    check(
        &["validate"],
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  good: x\n  port: 8080\n",
        &expect![[r#"
            error: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string
             --> stdin:7:9
              |
            7 |   port: 8080
              |         ^^^^
              |
              = ConfigMap a (v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n\
                - apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b}\n  immutable: maybe\n";
    check(
        &["validate"],
        list,
        &expect![[r#"
            error: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool
             --> stdin:8:14
              |
            8 |   immutable: maybe
              |              ^^^^^
              |
              = ConfigMap b (v1)

            Summary: 2 resources found parsing stdin - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 2
            --- exit 1
        "#]],
    );
    check(
        &["validate", "--crds", "crds"],
        "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  labels:\n    a: 1\nspec: {size: 1}\n",
        &expect![[r#"
            error: Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string
             --> stdin:6:8
              |
            6 |     a: 1
              |        ^
              |
              = Widget a (example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 1
            --- exit 1
        "#]],
    );
}

/// YAML reads `no` as a truth value.
#[test]
fn type_errors_of_a_definition_are_shown_at_their_line() {
    let definition = |schema: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\nspec:\n  \
             group: example.com\n  scope: Namespaced\n  names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}\n  \
             versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n{schema}"
        )
    };
    let rule = "        type: object\n        x-kubernetes-validations:\n        - rule: self.metadata.name != 'x'\n          message: no\n";
    check(
        &["crd", "lint", "-"],
        &definition(rule),
        &expect![[r#"
            error: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal bool into Go struct field ValidationRule.spec.versions.schema.openAPIV3Schema.x-kubernetes-validations.message of type string
              --> stdin:17:20
               |
            17 |           message: no
               |                    ^^
               |
               = CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            --- exit 1
        "#]],
    );
    let below = "        type: object\n        properties:\n          list:\n            type: array\n            items:\n              \
                 type: string\n              maxLength: ten\n";
    check(
        &["crd", "lint", "-"],
        &definition(below),
        &expect![[r#"
            error: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.maxLength of type int64
              --> stdin:20:26
               |
            20 |               maxLength: ten
               |                          ^^^
               |
               = CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            --- exit 1
        "#]],
    );
}

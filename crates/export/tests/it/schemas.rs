//! Tests of rules in schemas.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use sprag_export::{Settings, definitions};

use crate::source::widget;

/// Shows the schema of the spec, and what is not in it.
#[track_caller]
fn check(spec: &str, expected: &Expect) {
    let exported = definitions(&widget(spec), &Settings::default());
    assert!(exported.refused.is_empty(), "{:?}", exported.refused);
    let path = ["spec", "versions"];
    let versions = exported.definitions[0].lookup(&path).unwrap();
    let schema = versions.at(0).unwrap().lookup(&["schema", "openAPIV3Schema", "properties", "spec"]).unwrap();
    let mut shown = sprag_decode::yaml::to_string(schema);
    for left in &exported.untranslated {
        let _ = write!(shown, "\n{}: {} ({})", left.path, left.rule, left.why);
    }
    expected.assert_eq(&shown);
}

#[test]
fn bounds_lengths_and_enums_are_keywords() {
    check(
        "type WidgetSpec struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Class string `json:\"class\"`

	// +k8s:optional
	// +k8s:minimum=1
	// +k8s:maximum=9
	Size *int32 `json:\"size,omitempty\"`
}",
        &expect![[r"
            properties:
              class:
                maxLength: 63
                minLength: 1
                pattern: ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
                type: string
              size:
                format: int32
                maximum: 9
                minimum: 1
                type: integer
            required:
            - class
            type: object
        "]],
    );
}

#[test]
fn lists_have_their_types() {
    check(
        "type WidgetSpec struct {
	// +k8s:optional
	// +k8s:listType=set
	Tags []string `json:\"tags,omitempty\"`
}",
        &expect![[r"
            properties:
              tags:
                items:
                  type: string
                type: array
                x-kubernetes-list-type: set
            type: object
        "]],
    );
}

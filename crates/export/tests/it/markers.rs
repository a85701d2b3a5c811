//! Tests of controller-gen's markers in schemas.

use expect_test::{Expect, expect};
use sprag_export::{Marked, Settings, definitions};

use crate::source::marked_parts;

const TYPES: &str = "
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=wids,singular=wid,shortName=w;wi,categories=all,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size
// +kubebuilder:printcolumn:name=\"Size\",type=integer,JSONPath=`.spec.size`,priority=1
// +kubebuilder:selectablefield:JSONPath=`.spec.mode`
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning=\"use v2\"
type Widget struct {
	metav1.TypeMeta   `json:\",inline\"`
	metav1.ObjectMeta `json:\"metadata,omitempty\"`

	Spec Spec `json:\"spec\"`
	// +optional
	Status Status `json:\"status,omitempty\"`
}

// +kubebuilder:validation:XValidation:rule=\"!has(self.size) || self.size < 7\",message=\"less than seven\"
type Spec struct {
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=3
	// +optional
	Size *int32 `json:\"size,omitempty\"`

	Mode Mode `json:\"mode\"`

	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=9
	// +listType:=set
	Names []Name `json:\"names,omitempty\"`

	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Raw *Mode `json:\"raw,omitempty\"`

	Count int `json:\"count,omitempty\"`

	// +kubebuilder:validation:UniqueItems=true
	Odd []string `json:\"odd,omitempty\"`
}

type Status struct {
	Size int32 `json:\"size\"`
}

// +kubebuilder:validation:Enum=On;Off
type Mode string

// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:MaxLength=63
type Name string
";

#[track_caller]
fn check(source: &str, path: &[&str], expected: &Expect) {
    let (parts, universe) = marked_parts(source);
    let settings = Settings { marked: Marked::read(&universe), ..Settings::default() };
    let exported = definitions(&parts, &settings);
    assert!(exported.refused.is_empty(), "{:?}", exported.refused);
    let mut shown = exported.definitions[0].lookup(path).unwrap().clone();
    if let Some(versions) = shown.as_array() {
        shown = versions.as_slice()[0].clone();
    }
    let left: Vec<String> =
        exported.untranslated.iter().map(|left| format!("{}: {}\n", left.path, left.rule)).collect();
    expected.assert_eq(&format!("{}{}", sprag_decode::yaml::to_string(&shown), left.concat()));
}

#[test]
fn versions_have_what_markers_say() {
    check(
        TYPES,
        &["spec", "versions"],
        &expect![[r#"
        additionalPrinterColumns:
        - jsonPath: .spec.size
          name: Size
          priority: 1
          type: integer
        deprecated: true
        deprecationWarning: use v2
        name: v1
        schema:
          openAPIV3Schema:
            properties:
              apiVersion:
                type: string
              kind:
                type: string
              metadata:
                type: object
              spec:
                properties:
                  count:
                    type: integer
                  mode:
                    enum:
                    - "On"
                    - "Off"
                    type: string
                  names:
                    items:
                      maxLength: 9
                      minLength: 2
                      type: string
                    maxItems: 4
                    type: array
                    x-kubernetes-list-type: set
                  odd:
                    items:
                      type: string
                    type: array
                  raw:
                    x-kubernetes-preserve-unknown-fields: true
                  size:
                    default: 3
                    format: int32
                    minimum: 1
                    type: integer
                required:
                - mode
                type: object
                x-kubernetes-validations:
                - message: less than seven
                  rule: '!has(self.size) || self.size < 7'
              status:
                properties:
                  size:
                    format: int32
                    type: integer
                required:
                - size
                type: object
            required:
            - spec
            type: object
        selectableFields:
        - jsonPath: .spec.mode
        served: true
        storage: true
        subresources:
          scale:
            specReplicasPath: .spec.size
            statusReplicasPath: .status.size
          status: {}
        v1.Spec.odd: +kubebuilder:validation:UniqueItems=true
    "#]],
    );
}

#[test]
fn names_are_those_of_markers() {
    check(
        TYPES,
        &["spec", "names"],
        &expect![[r"
        categories:
        - all
        kind: Widget
        listKind: WidgetList
        plural: wids
        shortNames:
        - w
        - wi
        singular: wid
        v1.Spec.odd: +kubebuilder:validation:UniqueItems=true
    "]],
    );
    check(
        TYPES,
        &["metadata"],
        &expect![[r"
        name: wids.example.com
        v1.Spec.odd: +kubebuilder:validation:UniqueItems=true
    "]],
    );
}

#[test]
fn kinds_that_are_skipped_are_left_out() {
    let (parts, universe) =
        marked_parts(&TYPES.replace("// +kubebuilder:storageversion\n", "// +kubebuilder:skipversion\n"));
    let settings = Settings { marked: Marked::read(&universe), ..Settings::default() };
    assert!(definitions(&parts, &settings).definitions.is_empty());
}

//! `sprag check`.

use expect_test::{Expect, expect};

use crate::run;

#[track_caller]
fn go(object: &str, more: &[&str], expect: &Expect) {
    run::check(&[&["check", "--types", "go/v1", "--type", "Widget", "-f", "-"], more].concat(), object, expect);
}

#[track_caller]
fn rust(object: &str, more: &[&str], expect: &Expect) {
    run::check(&[&["check", "--types", "widget.rs", "--type", "Widget", "-f", "-"], more].concat(), object, expect);
}

const ON: &[&str] = &["--option", "WidgetPriority=true"];

#[test]
fn a_valid_object_passes() {
    run::check(
        &[&["check", "--types", "go/v1", "-f", "objects/good.json"], ON].concat(),
        "",
        &expect![[r#"
            --- exit 0
        "#]],
    );
    rust(
        r#"{"spec": {"class": "fast", "maxReplicas": 3, "mode": "Slow", "labels": {"a": "b"}}}"#,
        &[],
        &expect![[r#"
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 0
        "#]],
    );
}

#[test]
fn errors_are_printed_as_kubernetes_prints_them() {
    go(
        r#"{"spec": {"replicas": -1, "phase": "Flying", "parts": [{"name": "a"}, {"name": "a"}, {}]}}"#,
        ON,
        &expect![[r#"
            spec.replicas: Invalid value: -1: must be greater than or equal to 0
            spec.class: Required value
            spec.phase: Unsupported value: "Flying": supported values: "Idle", "Spinning"
            spec.priority: Required value
            spec.parts[1]: Duplicate value: {"name":"a"}
            spec.parts[2].name: Required value
            --- stderr
            note: not run: hand-written check ValidateCustom_WidgetSpec_Parts at spec.parts
            note: rules on metadata were not judged: the object has none
            --- exit 1
        "#]],
    );
    run::check(
        &["check", "--types", "widget.rs", "--type", "Widget", "-f", "widget-bad.json"],
        "",
        &expect![[r#"
            spec.maxReplicas: Invalid value: 2000: must be less than or equal to 1000
            spec.class: Invalid value: "Not Short": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
            spec.labels[a]: Too long: may not be more than 3 characters
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 1
        "#]],
    );
}

#[test]
fn an_update_is_judged_against_the_old_object() {
    let old = &["--old", "objects/good.json"];
    go(
        r#"{"spec": {"class": "slow", "priority": 1}}"#,
        &[ON, old].concat(),
        &expect![[r#"
            spec.class: Invalid value: null: field is immutable
            --- stderr
            note: rules on metadata were not judged: the object has none
            --- exit 1
        "#]],
    );
    go(
        r#"{"spec": {"class": "fast", "priority": 1}}"#,
        &[ON, old].concat(),
        &expect![[r#"
            --- stderr
            note: rules on metadata were not judged: the object has none
            --- exit 0
        "#]],
    );
}

#[test]
fn rules_may_depend_on_options() {
    go(
        r#"{"spec": {"class": "a"}}"#,
        ON,
        &expect![[r#"
            spec.priority: Required value
            --- stderr
            note: rules on metadata were not judged: the object has none
            --- exit 1
        "#]],
    );
    go(
        r#"{"spec": {"class": "a", "priority": 1}}"#,
        &["--option", "WidgetPriority=false"],
        &expect![[r#"
            spec.priority: Forbidden
            --- stderr
            note: rules on metadata were not judged: the object has none
            --- exit 1
        "#]],
    );
    go(
        r#"{"spec": {"class": "a"}}"#,
        &[],
        &expect![[r#"
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 0
        "#]],
    );
}

#[test]
fn alpha_rules_and_hand_written_checks_are_notes() {
    go(
        r#"{"spec": {"class": "a", "priority": 1, "replicas": 10, "parts": [{"name": "a"}]}}"#,
        ON,
        &expect![[r#"
            --- stderr
            note: not enforced (alpha): spec.replicas: Invalid value: 10: must be less than or equal to 9
            note: not run: hand-written check ValidateCustom_WidgetSpec_Parts at spec.parts
            note: rules on metadata were not judged: the object has none
            --- exit 0
        "#]],
    );
}

#[test]
fn an_object_that_does_not_fit_is_refused_before_the_rules() {
    go(
        r#"{"metadata": {"labels": {"a": 1}, "creationTimestamp": "today"}, "spec": {"replicas": "three", "class": true,
            "priority": 1.5, "parts": [{"weight": []}, 7], "size": "10 GB", "key": "!", "sise": 1, "phase": {}}, "stauts": 1}"#,
        &[],
        &expect![[r#"
            Widget in version "v1" cannot be handled as a Widget: parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"
            --- exit 1
        "#]],
    );
    go(
        r#"{"spec": {"replicas": 2147483648, "parts": {}}}"#,
        &[],
        &expect![[r#"
            Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal object into Go struct field WidgetSpec.spec.parts of type []v1.Part
            --- exit 1
        "#]],
    );
    go(
        "[]",
        &[],
        &expect![[r#"
            Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal array into Go value of type v1.Widget
            --- exit 1
        "#]],
    );
    rust(
        r#"{"spec": {"mode": "Medium"}}"#,
        &[],
        &expect![[r#"
            spec.class: Required value
            spec.mode: Unsupported value: "Medium": supported values: "Fast", "Slow"
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 1
        "#]],
    );
}

#[test]
fn subresources_are_those_the_type_answers_for() {
    go(
        r#"{"spec": {"class": "a", "priority": 1}}"#,
        &[ON, &["--subresource", "status"]].concat(),
        &expect![[r#"
            --- stderr
            note: rules on metadata were not judged: the object has none
            --- exit 0
        "#]],
    );
    go(
        r#"{"spec": {"class": "a", "priority": 1}}"#,
        &[ON, &["--subresource", "scale"]].concat(),
        &expect![[r#"
        --- stderr
        error: type Widget has no rules for subresource /scale, only for /, /status (see +k8s:supportsSubresource)
        --- exit 2
    "#]],
    );
}

#[test]
fn the_result_can_be_a_document() {
    go(
        r#"{"spec": {"replicas": -1, "class": "a", "priority": 1, "parts": [{"name": "a"}], "x": 1}}"#,
        &[ON, &["-o", "json"]].concat(),
        &expect![[r#"
            {
              "type": "example.com/widgets/v1.Widget",
              "operation": "create",
              "subresource": "/",
              "valid": false,
              "errors": [
                {
                  "field": "spec.replicas",
                  "reason": "FieldValueInvalid",
                  "message": "Invalid value: -1: must be greater than or equal to 0",
                  "origin": "minimum",
                  "stage": "stable"
                }
              ],
              "notEnforced": [],
              "warnings": [
                {
                  "field": "spec.x",
                  "message": "unknown field \"spec.x\""
                }
              ],
              "hooks": [
                {
                  "name": "ValidateCustom_WidgetSpec_Parts",
                  "field": "spec.parts"
                }
              ],
              "findings": [],
              "notes": [
                "rules on metadata were not judged: the object has none"
              ]
            }
            --- exit 1
        "#]],
    );
    run::check(
        &["check", "--types", "go/bad", "--type", "Gizmo", "-f", "-", "-o", "json"],
        "{}",
        &expect![[r#"
        {
          "type": "example.com/widgets/bad.Gizmo",
          "operation": "create",
          "subresource": "/",
          "valid": false,
          "errors": [],
          "notEnforced": [],
          "warnings": [],
          "hooks": [],
          "findings": [
            {
              "severity": "error",
              "file": "go/bad/types.go",
              "line": 4,
              "column": 6,
              "message": "field example.com/widgets/bad.Gizmo.replicas: tag \"k8s:minimum\": tag value has wrong type: got string, want int"
            }
          ],
          "notes": []
        }
        --- exit 1
    "#]],
    );
}

#[test]
fn a_wrong_tag_is_shown_where_it_stands() {
    run::check(
        &["check", "--types", "go/bad", "--type", "Gizmo", "-f", "-"],
        "{}",
        &expect![[r#"
        --- stderr
        error: field example.com/widgets/bad.Gizmo.replicas: tag "k8s:minimum": tag value has wrong type: got string, want int
         --> go/bad/types.go:4:6
          |
        4 |     // +k8s:minimum=zero
          |         ^^^^^^^^^^^^^^^^
        --- exit 1
    "#]],
    );
}

#[test]
fn what_was_not_read_is_not_judged() {
    let args = ["check", "--types", "go/painted", "--type", "Painted", "-f", "-"];
    run::check(
        &args,
        r#"{"color": {"r": 255}, "colour": 1}"#,
        &expect![[r#"
            --- stderr
            warning: example.com/widgets/painted.Painted.color: type *example.com/elsewhere/paint.Color is in a package that was not loaded; treating it as opaque
             --> go/painted/types.go:7:2
              |
            7 |     Color *paint.Color `json:"color,omitempty"`
              |     ^^^^^
            warning: unknown field "colour"
            note: type example.com/widgets/painted.Painted has no rules
            --- exit 0
        "#]],
    );
}

#[test]
fn the_dialect_can_be_chosen() {
    let object = r#"{"spec": {"class": "slow"}}"#;
    let old = &["--old", "widget-bad.json"];
    rust(
        object,
        old,
        &expect![[r#"
            spec.class: Invalid value: null: field cannot be modified once set
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 1
        "#]],
    );
    rust(
        object,
        &[old, &["--dialect", "kubernetes"][..]].concat(),
        &expect![[r#"
            spec.class: Invalid value: null: field is immutable
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 1
        "#]],
    );
}

#[test]
fn fields_of_features_that_are_off_are_dropped_as_a_server_drops_them() {
    rust(
        r#"{"spec": {"class": "a", "priority": "x"}}"#,
        &["--option", "WidgetPriority=false"],
        &expect![[r#"
        Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal string into Go struct field WidgetSpec.spec.priority of type int32
        --- exit 1
    "#]],
    );
    rust(
        r#"{"spec": {"class": "a", "priority": 1}}"#,
        &["--option", "WidgetPriority=false"],
        &expect![[r#"
        --- stderr
        note: rules on metadata were not judged: the object has none
        --- exit 0
    "#]],
    );
}

#[test]
fn metadata_is_judged_and_defaults_are_set() {
    go(
        r#"{"metadata": {"name": "Bad_Name"}, "spec": {"class": "a", "priority": 1}}"#,
        ON,
        &expect![[r#"
        metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
        --- exit 1
    "#]],
    );
    go(
        r#"{"metadata": {"nmae": "a"}, "spec": {"class": "a", "priority": 1}}"#,
        ON,
        &expect![[r#"
        metadata.name: Required value: name or generateName is required
        --- stderr
        warning: unknown field "metadata.nmae"
        --- exit 1
    "#]],
    );
}

#[test]
fn a_status_is_judged_as_it_is_written_first() {
    go(
        r#"{"spec": {"replicas": -1, "class": "a"}, "status": {"ready": 1}}"#,
        &["--subresource", "status"],
        &expect![[r#"
            Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field WidgetStatus.status.ready of type bool
            --- exit 1
        "#]],
    );
    go(
        r#"{"spec": {"replicas": -1}, "status": {"ready": true}}"#,
        &["--subresource", "status"],
        &expect![[r#"
            --- stderr
            note: rules on metadata were not judged: the object has none
            note: option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 0
        "#]],
    );
}

#[test]
fn types_are_found_by_name_package_or_kind() {
    let find = |name: &str, expect: &Expect| {
        run::check(&["check", "-R", "--types", "go", "--type", name, "-f", "-"], r#"{"ready": 1}"#, expect);
    };
    find(
        "WidgetStatus",
        &expect![[r#"
            json: cannot unmarshal number into Go struct field WidgetStatus.ready of type bool
            --- exit 1
        "#]],
    );
    find(
        "v1.WidgetStatus",
        &expect![[r#"
            json: cannot unmarshal number into Go struct field WidgetStatus.ready of type bool
            --- exit 1
        "#]],
    );
    find(
        "example.com/widgets/v1.WidgetStatus",
        &expect![[r#"
            json: cannot unmarshal number into Go struct field WidgetStatus.ready of type bool
            --- exit 1
        "#]],
    );
    find(
        "bad.WidgetStatus",
        &expect![[r#"
            --- stderr
            error: there is no type bad.WidgetStatus in example.com/widgets/bad, example.com/widgets/painted, example.com/widgets/v1; did you mean WidgetStatus?
            --- exit 2
        "#]],
    );
    find(
        "Wigdet",
        &expect![[r#"
            --- stderr
            error: there is no type Wigdet in example.com/widgets/bad, example.com/widgets/painted, example.com/widgets/v1; did you mean Widget?
            --- exit 2
        "#]],
    );
    run::check(
        &["check", "--types", "go/v1", "-f", "-"],
        "{}",
        &expect![[r#"
        --- stderr
        error: the object has no kind: name its type with --type
        --- exit 2
    "#]],
    );
}

#[test]
fn what_cannot_be_read_exits_with_two() {
    run::check(
        &["check", "--types", "go/v1", "-f", "objects/missing.json"],
        "",
        &expect![[r#"
        --- stderr
        error: objects/missing.json: No such file or directory (os error 2)
        --- exit 2
    "#]],
    );
    run::check(
        &["check", "--types", "nowhere", "-f", "objects/good.json"],
        "",
        &expect![[r#"
        --- stderr
        error: nowhere: No such file or directory (os error 2)
        --- exit 2
    "#]],
    );
    run::check(
        &["check", "--types", "objects", "-f", "objects/good.json"],
        "",
        &expect![[r#"
        --- stderr
        error: objects: no Go or Rust source files here
        --- exit 2
    "#]],
    );
}

#[test]
fn objects_may_be_yaml() {
    go(
        "spec:\n  class: fast\n  priority: 1\n  replicas: -1\n",
        ON,
        &expect![[r#"
            spec.replicas: Invalid value: -1: must be greater than or equal to 0
            --- stderr
            note: rules on metadata were not judged: the object has none
            --- exit 1
        "#]],
    );
    go(
        "spec: {class: fast}\n---\nspec: {class: slow}\n",
        ON,
        &expect![[r#"
        --- stderr
        error: standard input: more than one document; sprag validate takes several
        --- exit 2
    "#]],
    );
}

#[test]
fn text_that_is_neither_json_nor_yaml_is_a_finding() {
    run::check(
        &["check", "--types", "go/v1", "-f", "objects/broken.json"],
        "",
        &expect![[r#"
            --- stderr
            error: json: invalid character ']' after object key:value pair
             --> objects/broken.json:3:27
              |
            3 |   "spec": {"class": "fast"]
              |                           ^
            --- exit 1
        "#]],
    );
    go(
        "{\"a\": é]",
        &[],
        &expect![[r#"
            --- stderr
            error: json: invalid character 'é' looking for beginning of value
             --> standard input:1:7
              |
            1 | {"a": é]
              |       ^
            --- exit 1
        "#]],
    );
    go(
        "a: b: c\n",
        &[],
        &expect![[r#"
        --- stderr
        error: error converting YAML to JSON: yaml: mapping values are not allowed in this context
         --> standard input:1:5
          |
        1 | a: b: c
          |     ^
        --- exit 1
    "#]],
    );
    go(
        "{\n",
        &[],
        &expect![[r#"
        --- stderr
        error: unexpected EOF
         --> standard input:2:1
          |
        2 |
          | ^
        --- exit 1
    "#]],
    );
}

/// The types of an example with feature gates and subresources.
const TURBINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/turbines/src/v1.rs");

#[track_caller]
fn turbine(ty: &str, object: &str, more: &[&str], expect: &Expect) {
    run::check(&[&["check", "--types", TURBINES, "--type", ty, "-f", "-"], more].concat(), object, expect);
}

#[test]
fn parts_of_objects_know_feature_gates() {
    turbine(
        "TurbineSpec",
        r#"{"size": 1, "blades": 1}"#,
        &["--option", "TurbineBlades=false"],
        &expect![[r"
            --- exit 0
        "]],
    );
    turbine(
        "TurbineSpec",
        r#"{"size": 1, "thickness": 1, "drive": "Steam"}"#,
        &["--option", "TurbineBlades=true"],
        &expect![[r#"
            alloy: Required value
            drive: Unsupported value: "Steam": supported values: "Blades", "Water", "Wind"
            --- exit 1
        "#]],
    );
}

#[test]
fn a_subresource_beside_the_status_changes_an_old_object() {
    turbine(
        "Turbine",
        r#"{"metadata": {"name": "t"}, "spec": {"size": 0}}"#,
        &["--subresource", "resize", "--option", "TurbineBlades=false"],
        &expect![[r#"
            a write of /resize changes an object: name the old one with --old
            --- exit 1
        "#]],
    );
}

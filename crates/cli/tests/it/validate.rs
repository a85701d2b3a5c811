//! `sprag validate`.

use expect_test::{Expect, expect};

use crate::run;
use crate::scratch::Scratch;

#[track_caller]
fn manifests(more: &[&str], expect: &Expect) {
    run::check(&[&["validate", "-f", "manifests", "--crds", "crds"], more].concat(), "", expect);
}

/// Validates standard input.
#[track_caller]
fn stdin(text: &str, more: &[&str], expect: &Expect) {
    run::check(&[&["validate", "-f", "-", "--crds", "crds"], more].concat(), text, expect);
}

pub(crate) const GOOD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: good}\nspec: {size: 1}\n";

#[test]
fn a_valid_object_is_only_counted() {
    stdin(
        GOOD,
        &[],
        &expect![[r#"
            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 1
            --- exit 0
        "#]],
    );
    stdin(
        GOOD,
        &["--verbose", "--summary"],
        &expect![[r#"
            stdin: Widget good (example.com/v1): valid
            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 1
            --- exit 0
        "#]],
    );
}

#[test]
fn findings_are_shown_with_their_lines() {
    manifests(
        &["--summary"],
        &expect![[r#"
            error: spec.mode: Unsupported value: "Medium": supported values: "Fast", "Slow"
             --> manifests/bad.yaml:8:9
              |
            8 |   mode: Medium
              |         ^^^^^^
              |
              = Widget first (example.com/v1)

            error: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
             --> manifests/bad.yaml:7:9
              |
            7 |   size: -1
              |         ^^
              |
              = Widget first (example.com/v1)

            error: <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
             --> manifests/bad.yaml:2:1
              |
            2 | apiVersion: example.com/v1
              | ^
              |
              = Widget first (example.com/v1)

            warning: unknown field "spec.colour"
             --> manifests/bad.yaml:9:3
              |
            9 |   colour: red
              |   ^^^^^^
              |
              = Widget first (example.com/v1)

            error: spec: Invalid value: size must not be above limit
              --> manifests/bad.yaml:16:1
               |
            16 | spec:
               | ^^^^
               |
               = Widget other/second (example.com/v1)

            Summary: 3 resources found in 2 files - Valid: 1, Invalid: 2, Errors: 0, Skipped: 0, Warnings: 1, Ratcheted: 0
            Judged by the rules of custom resource definitions: 3
            --- exit 1
        "#]],
    );
}

#[test]
fn folders_are_read_below_when_asked() {
    let listed = ["--verbose", "--skip", "Widget", "--ignore-missing-schemas"];
    manifests(
        &listed,
        &expect![[r#"
            manifests/bad.yaml: Widget first (example.com/v1): skipped
            manifests/bad.yaml: Widget other/second (example.com/v1): skipped
            manifests/good.yaml: Widget good (example.com/v1): skipped
            Summary: 3 resources found in 2 files - Valid: 0, Invalid: 0, Errors: 0, Skipped: 3, Warnings: 0, Ratcheted: 0
            --- exit 0
        "#]],
    );
    manifests(
        &[&listed[..], &["-R"]].concat(),
        &expect![[r#"
            manifests/bad.yaml: Widget first (example.com/v1): skipped
            manifests/bad.yaml: Widget other/second (example.com/v1): skipped
            manifests/below/list.json: Widget a (example.com/v1): skipped
            manifests/below/list.json: Widget b (example.com/v1): skipped
            error: spec.selector: Required value
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            error: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            error: spec.template.spec.containers: Required value
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            manifests/below/list.json: Deployment c (apps/v1): invalid
            manifests/good.yaml: Widget good (example.com/v1): skipped
            Summary: 6 resources found in 3 files - Valid: 0, Invalid: 1, Errors: 0, Skipped: 5, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
    run::check(
        &[&["validate", "manifests"], &listed[..]].concat(),
        "",
        &expect![[r#"
            manifests/bad.yaml: Widget first (example.com/v1): skipped
            manifests/bad.yaml: Widget other/second (example.com/v1): skipped
            manifests/below/list.json: Widget a (example.com/v1): skipped
            manifests/below/list.json: Widget b (example.com/v1): skipped
            error: spec.selector: Required value
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            error: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            error: spec.template.spec.containers: Required value
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            manifests/below/list.json: Deployment c (apps/v1): invalid
            manifests/good.yaml: Widget good (example.com/v1): skipped
            Summary: 6 resources found in 3 files - Valid: 0, Invalid: 1, Errors: 0, Skipped: 5, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
    let pattern = ["-R", "--ignore-filename-pattern", "below/", "--ignore-filename-pattern", "^manifests/b"];
    manifests(
        &[&listed[..], &pattern].concat(),
        &expect![[r#"
            manifests/good.yaml: Widget good (example.com/v1): skipped
            Summary: 1 resource found in 1 file - Valid: 0, Invalid: 0, Errors: 0, Skipped: 1, Warnings: 0, Ratcheted: 0
            --- exit 0
        "#]],
    );
}

#[test]
fn lists_are_taken_apart() {
    run::check(
        &["validate", "-f", "manifests/below/list.json", "--crds", "crds"],
        "",
        &expect![[r#"
            error: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"
             --> manifests/below/list.json:3:98
              |
            3 |   {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "b"}, "spec": {"size": "3"}},
              |                                                                                                  ^^^
              |
              = Widget b (example.com/v1)

            error: <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
             --> manifests/below/list.json:3:3
              |
            3 |   {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "b"}, "spec": {"size": "3"}},
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Widget b (example.com/v1)

            error: spec.selector: Required value
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            error: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            error: spec.template.spec.containers: Required value
             --> manifests/below/list.json:4:3
              |
            4 |   {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c"}}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Deployment c (apps/v1)

            Summary: 3 resources found in 1 file - Valid: 1, Invalid: 2, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1, custom resource definitions: 2
            --- exit 1
        "#]],
    );
}

#[test]
fn unknown_and_duplicate_fields_are_warnings_unless_strict() {
    let text = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  size: 1\n  size: 2\n  x: 1\n";
    stdin(
        text,
        &[],
        &expect![[r#"
            warning: key "size" already set in map
             --> stdin:7:3
              |
            7 |   size: 2
              |   ^^^^^^^
              |
              = Widget a (example.com/v1)

            warning: unknown field "spec.x"
             --> stdin:8:3
              |
            8 |   x: 1
              |   ^
              |
              = Widget a (example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 2, Ratcheted: 0
            Judged by the rules of custom resource definitions: 1
            --- exit 0
        "#]],
    );
    stdin(
        text,
        &["--strict"],
        &expect![[r#"
            error: key "size" already set in map
             --> stdin:7:3
              |
            7 |   size: 2
              |   ^^^^^^^
              |
              = Widget a (example.com/v1)

            error: unknown field "spec.x"
             --> stdin:8:3
              |
            8 |   x: 1
              |   ^
              |
              = Widget a (example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 1
            --- exit 1
        "#]],
    );
}

#[test]
fn warnings_point_at_the_field_that_they_name() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a.b\n  annotations:\n    \
                scheduler.alpha.kubernetes.io/critical-pod: ''\nspec:\n  containers:\n  - {name: c, image: i, ports: \
                [{containerPort: 1, protocol: TCP},{containerPort: 1}]}\n  nodeSelector:\n    beta.kubernetes.io/os: linux\n";
    stdin(
        text,
        &[],
        &expect![[r#"
            warning: metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]
             --> stdin:4:9
              |
            4 |   name: a.b
              |         ^^^
              |
              = Pod a.b (v1)

            warning: spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead
              --> stdin:11:28
               |
            11 |     beta.kubernetes.io/os: linux
               |                            ^^^^^
               |
               = Pod a.b (v1)

            warning: metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead
             --> stdin:6:49
              |
            6 |     scheduler.alpha.kubernetes.io/critical-pod: ''
              |                                                 ^^
              |
              = Pod a.b (v1)

            warning: spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]
             --> stdin:9:67
              |
            9 |   - {name: c, image: i, ports: [{containerPort: 1, protocol: TCP},{containerPort: 1}]}
              |                                                                   ^^^^^^^^^^^^^^^^^^
              |
              = Pod a.b (v1)

            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 4, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 0
        "#]],
    );
}

#[test]
fn kinds_without_schema_are_errors_unless_ignored() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n---\n\
                apiVersion: example.com/v2\nkind: Widget\nmetadata: {name: a}\n";
    stdin(
        text,
        &[],
        &expect![[r#"
            error: spec.selector: Required value
             --> stdin:1:1
              |
            1 | apiVersion: apps/v1
              | ^
              |
              = Deployment a (apps/v1)

            error: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`
             --> stdin:1:1
              |
            1 | apiVersion: apps/v1
              | ^
              |
              = Deployment a (apps/v1)

            error: spec.template.spec.containers: Required value
             --> stdin:1:1
              |
            1 | apiVersion: apps/v1
              | ^
              |
              = Deployment a (apps/v1)

            error: no matches for kind "Widget" in version "example.com/v2"; served: v1
             --> stdin:6:7
              |
            6 | kind: Widget
              |       ^^^^^^
              |
              = Widget a (example.com/v2)

            Summary: 2 resources found parsing stdin - Valid: 0, Invalid: 1, Errors: 1, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
    stdin(
        text,
        &["--ignore-missing-schemas", "--summary"],
        &expect![[r#"
            error: spec.selector: Required value
             --> stdin:1:1
              |
            1 | apiVersion: apps/v1
              | ^
              |
              = Deployment a (apps/v1)

            error: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`
             --> stdin:1:1
              |
            1 | apiVersion: apps/v1
              | ^
              |
              = Deployment a (apps/v1)

            error: spec.template.spec.containers: Required value
             --> stdin:1:1
              |
            1 | apiVersion: apps/v1
              | ^
              |
              = Deployment a (apps/v1)

            error: no matches for kind "Widget" in version "example.com/v2"; served: v1
             --> stdin:6:7
              |
            6 | kind: Widget
              |       ^^^^^^
              |
              = Widget a (example.com/v2)

            Summary: 2 resources found parsing stdin - Valid: 0, Invalid: 1, Errors: 1, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
    stdin(
        text,
        &["--skip", "apps/v1/Deployment, Widget", "--summary"],
        &expect![[r#"
        Summary: 2 resources found parsing stdin - Valid: 0, Invalid: 0, Errors: 0, Skipped: 2, Warnings: 0, Ratcheted: 0
        --- exit 0
    "#]],
    );
    stdin(
        text,
        &["--reject", "Deployment", "--skip", "Widget"],
        &expect![[r#"
            error: prohibited resource kind Deployment
             --> stdin:2:7
              |
            2 | kind: Deployment
              |       ^^^^^^^^^^
              |
              = Deployment a (apps/v1)

            Summary: 2 resources found parsing stdin - Valid: 0, Invalid: 0, Errors: 1, Skipped: 1, Warnings: 0, Ratcheted: 0
            --- exit 1
        "#]],
    );
}

#[test]
fn every_format_can_be_chosen() {
    for format in ["json", "junit", "tap", "sarif", "github"] {
        let run = run::sprag(&["validate", "-f", "manifests", "--crds", "crds", "--output", format], "");
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{format}");
        assert!(run.stdout.contains("size must not be above limit"), "{format}: {}", run.stdout);
    }
    manifests(
        &["-o", "github"],
        &expect![[r#"
        ::error file=manifests/bad.yaml,line=8,col=9,title=Widget first (example.com/v1)::spec.mode: Unsupported value: "Medium": supported values: "Fast", "Slow"
        ::error file=manifests/bad.yaml,line=7,col=9,title=Widget first (example.com/v1)::spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
        ::error file=manifests/bad.yaml,line=2,col=1,title=Widget first (example.com/v1)::<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
        ::warning file=manifests/bad.yaml,line=9,col=3,title=Widget first (example.com/v1)::unknown field "spec.colour"
        ::error file=manifests/bad.yaml,line=16,col=1,title=Widget other/second (example.com/v1)::spec: Invalid value: size must not be above limit
        --- exit 1
    "#]],
    );
    manifests(
        &["-o", "tap"],
        &expect![[r#"
        TAP version 13
        not ok 1 - manifests/bad.yaml (example.com/v1/Widget//first): [spec.mode: Unsupported value: "Medium": supported values: "Fast", "Slow", spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]
        not ok 2 - manifests/bad.yaml (example.com/v1/Widget/other/second): spec: Invalid value: size must not be above limit
        ok 3 - manifests/good.yaml (example.com/v1/Widget//good)
        1..3
        --- exit 1
    "#]],
    );
}

#[test]
fn json_says_which_check_a_finding_comes_from() {
    let run = run::sprag(&["validate", "-f", "manifests", "--crds", "crds", "--output", "json"], "");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let resources = report["resources"].as_array().unwrap().iter();
    let findings = resources.filter_map(|resource| resource["findings"].as_array()).flatten();
    let sources = findings.map(|finding| format!("{} {}", finding["source"], finding["field"])).collect::<Vec<_>>();
    expect![[r#"
        "schema" "spec.mode"
        "schema" "spec.size"
        "schema" "<nil>"
        "decode" null
        "cel" "spec""#]]
    .assert_eq(&sources.join("\n"));
}

#[test]
fn objects_are_updates_of_old_ones() {
    manifests(
        &["--old", "old"],
        &expect![[r#"
            error: spec.mode: Unsupported value: "Medium": supported values: "Fast", "Slow"
             --> manifests/bad.yaml:8:9
              |
            8 |   mode: Medium
              |         ^^^^^^
              |
              = Widget first (example.com/v1)

            error: <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
             --> manifests/bad.yaml:2:1
              |
            2 | apiVersion: example.com/v1
              | ^
              |
              = Widget first (example.com/v1)

            warning: unknown field "spec.colour"
             --> manifests/bad.yaml:9:3
              |
            9 |   colour: red
              |   ^^^^^^
              |
              = Widget first (example.com/v1)

            ratcheted: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
             --> manifests/bad.yaml:7:9
              |
            7 |   size: -1
              |         ^^
              |
              = Widget first (example.com/v1)

            ratcheted: spec: Invalid value: size must not be above limit
              --> manifests/bad.yaml:16:1
               |
            16 | spec:
               | ^^^^
               |
               = Widget other/second (example.com/v1)

            Summary: 3 resources found in 2 files - Valid: 2, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 1, Ratcheted: 2
            Judged by the rules of custom resource definitions: 3
            --- exit 1
        "#]],
    );
}

#[test]
fn output_is_the_same_on_any_number_of_threads() {
    let scratch = Scratch::new("threads");
    for file in 0..40 {
        let documents = (0..20).map(|object| {
            let size = if (file + object) % 7 == 0 { -1 } else { 1 };
            format!(
                "---\n{}",
                GOOD.replace("good", &format!("w{file}-{object}")).replace("size: 1", &format!("size: {size}"))
            )
        });
        scratch.write(&format!("m/{file}.yaml"), &documents.collect::<String>());
    }
    let output = |threads: &str| {
        let run = run::sprag(&["validate", "-f", &scratch.path("m"), "--crds", "crds", "--summary", "-n", threads], "");
        assert_eq!(run.code, Some(1));
        run.stdout
    };
    let one = output("1");
    assert!(one.contains("Summary: 800 resources found in 40 files"), "{one}");
    for threads in ["2", "7", "0"] {
        assert_eq!(output(threads), one);
    }
}

//! Nothing to do is said, and definitions that a server would refuse are errors.

use std::fs::File;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::run::{self, command};
use crate::scratch::Scratch;

#[track_caller]
fn check(scratch: &Scratch, args: &[&str], stdin: &str, expect: &Expect) {
    let run = run::sprag_in(scratch.dir(), args, stdin);
    expect.assert_eq(&format!("{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap()));
}

const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

#[test]
fn empty_input_is_an_error_unless_it_is_allowed() {
    let scratch = Scratch::new("empty");
    scratch.write("folder/below/a.yaml", OBJECT);
    scratch.write("comments.yaml", "# nothing\n---\n");
    scratch.write("object.yaml", OBJECT);
    check(
        &scratch,
        &["validate", "-f", "folder"],
        "",
        &expect![[r#"
            error: folder: no .yaml, .yml or .json files in this folder; -R also reads the folders below
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        &["validate"],
        "\n",
        &expect![[r#"
            Summary: 0 resource found parsing stdin - Valid: 0, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            error: nothing was validated: there are no objects in standard input; --allow-empty accepts that
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        &["validate", "comments.yaml", "--summary"],
        "",
        &expect![[r#"
            Summary: 0 resource found in 1 file - Valid: 0, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            error: nothing was validated: there are no objects in comments.yaml; --allow-empty accepts that
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        &["validate", "object.yaml", "--crds", "comments.yaml"],
        "",
        &expect![[r#"
            error: no definitions of custom resources in the files of --crds; --allow-empty accepts that
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        &["validate", "object.yaml", "--crds", "folder"],
        "",
        &expect![[r#"
            error: no definitions of custom resources in the files of --crds; --allow-empty accepts that
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        &["crd", "lint", "object.yaml"],
        "",
        &expect![[r#"
            Summary: 0 resource found in 1 file - Valid: 0, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            error: no definitions of custom resources in object.yaml; --allow-empty accepts that
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        &["crd", "check", "object.yaml", "comments.yaml"],
        "",
        &expect![[r#"
            error: no definitions of custom resources in object.yaml and comments.yaml
            --- exit 2
        "#]],
    );
    for args in
        [&["validate", "-f", "folder", "--crds", "comments.yaml"][..], &["validate"], &["crd", "lint", "object.yaml"]]
    {
        let run = run::sprag_in(scratch.dir(), &[args, &["--allow-empty"]].concat(), "");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
    scratch.write(".sprag.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {allowEmpty: true}\n");
    assert_eq!(run::sprag_in(scratch.dir(), &["validate"], "").code, Some(0));
}

#[test]
fn bare_validate_on_a_terminal_prints_help() {
    // The master side of a pseudo-terminal is a terminal, too.
    let Ok(terminal) = File::options().read(true).write(true).open("/dev/ptmx") else {
        eprintln!("skipped: there is no /dev/ptmx");
        return;
    };
    let scratch = Scratch::new("bare");
    let output = command(&["validate"]).current_dir(scratch.dir()).stdin(Stdio::from(terminal)).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("Usage: sprag validate [OPTIONS] [PATH]...") && stderr.contains("Examples:"), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
}

fn definition(schema: &str, metadata: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com{metadata}}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}\n  \
         versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        {schema}\n"
    )
}

#[test]
fn definitions_that_the_server_refuses_are_errors() {
    let scratch = Scratch::new("refused");
    scratch.write("object.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {a: 1}\n");
    scratch.write("crds/refused.yaml", &definition("{type: object, properties: {spec: {properties: {a: {}}}}}", ""));
    scratch.write("crds/unreadable.yaml", "kind: CustomResourceDefinition\n  x: 1\n");
    check(
        &scratch,
        &["validate", "-f", "object.yaml", "--crds", "crds"],
        "",
        &expect![[r#"
            error: crds/refused.yaml:14: the API server would refuse the definition widgets.example.com: spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields
                     | crds/refused.yaml:14: the API server would refuse the definition widgets.example.com: spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields
                     | crds/unreadable.yaml:2: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context
            --- exit 2
        "#]],
    );
}

#[test]
fn definitions_that_a_server_stored_are_judged_as_they_are() {
    let scratch = Scratch::new("stored");
    scratch.write("object.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {a: 1}\n");
    // A schema that is not structural is rejected in new definitions, and tolerated in stored ones.
    let schema = "{type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}, x-kubernetes-validations: [{rule: 'self.spec.a > 0', message: m, reason: Nonsense}]}";
    scratch.write("new.yaml", &definition(schema, ""));
    let run = run::sprag_in(scratch.dir(), &["validate", "-f", "object.yaml", "--crds", "new.yaml"], "");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let fine = "{type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}";
    let stored =
        definition(fine, ", uid: 4f0, resourceVersion: '7', generation: 1, creationTimestamp: '2024-01-01T00:00:00Z'")
            + "status: {storedVersions: [v1], conditions: [], acceptedNames: {plural: widgets, kind: Widget}}\n";
    let run = run::sprag_in(scratch.dir(), &["validate", "-f", "object.yaml", "--crds", "-"], &stored);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("Valid: 1, Invalid: 0"), "{}", run.stdout);
}

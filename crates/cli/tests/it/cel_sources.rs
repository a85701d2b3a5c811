//! `sprag cel eval`: where values and types come from.

use std::fs;

use expect_test::{Expect, expect};

use crate::run;
use crate::scratch::Scratch;

#[track_caller]
fn check(args: &[&str], expect: &Expect) {
    run::check(&[&["cel", "eval"], args].concat(), "", expect);
}

/// Names of inferred types were those of the members, so that a member was taken for its type.
#[test]
fn a_member_that_is_an_object_is_its_value() {
    check(
        &["self.a", "--self", r#"{"a": {"b": 1}}"#],
        &expect![[r#"
        {"b": 1}
        type: selfType.a
        cost: 2
        estimated cost: 2
        --- exit 0
    "#]],
    );
    check(
        &["self.a.b.c + self.l[0].x", "--self", r#"{"a": {"b": {"c": 1}}, "l": [{"x": 2}]}"#],
        &expect![[r#"
        3
        type: int
        cost: 9
        estimated cost: 9
        --- exit 0
    "#]],
    );
    check(
        &["self[0] == oldSelf[0]", "--self", "[1]", "--old", "[2]"],
        &expect![[r#"
        false
        type: bool
        cost: 5
        estimated cost: 4
        --- exit 0
    "#]],
    );
}

fn widget(spec: &str) -> String {
    format!(r#"{{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {{"name": "a"}}, "spec": {spec}}}"#)
}

#[test]
fn rules_of_a_definition_run_with_its_types() {
    let bad = widget(r#"{"size": 5, "limit": 3}"#);
    check(
        &["--crd", "crds", "--path", "spec", "--self", &bad],
        &expect![[r#"
        rule: !has(self.limit) || self.size <= self.limit
        false
        type: bool
        cost: 7
        estimated cost: 2 to 7
        --- exit 1
    "#]],
    );
    let good = r#"{"size": 5, "limit": 7}"#;
    check(
        &["--crd", "crds/widgets.yaml", "--path", "spec", "--self", good, "-o", "json"],
        &expect![[r#"
        [
          {
            "rule": "!has(self.limit) || self.size <= self.limit",
            "value": true,
            "literal": "true",
            "type": "bool",
            "cost": 7,
            "estimatedCost": {
              "min": 2,
              "max": 7
            }
          }
        ]
        --- exit 0
    "#]],
    );
    // A type that values could not show.
    check(
        &["self.mode + 1", "--crd", "crds", "--path", "spec", "--self", good],
        &expect![[r#"
        --- stderr
        error: the expression does not compile:
                 | ERROR: <input>:1:11: found no matching overload for '_+_' applied to '(string, int)'
                 |  | self.mode + 1
                 |  | ..........^
        --- exit 1
    "#]],
    );
    check(
        &["self.metadata.name", "--crd", "crds", "--self", &bad],
        &expect![[r#"
        "a"
        type: string
        cost: 3
        estimated cost: 3
        --- exit 0
    "#]],
    );
    check(
        &["true", "--crd", "crds", "--path", "spec.nope", "--self", &bad],
        &expect![[r#"
        --- stderr
        error: --path spec.nope: the schema has no member "nope" there; it has limit, mode, size
        --- exit 2
    "#]],
    );
    check(
        &["--crd", "crds", "--path", "spec.mode", "--self", &bad],
        &expect![[r#"
        --- stderr
        error: --self: Widget a (example.com/v1) has no spec.mode
        --- exit 2
    "#]],
    );
    check(
        &["--crd", "manifests", "--self", &bad],
        &expect![[r#"
        --- stderr
        error: --crd manifests: no definitions of custom resources here
        --- exit 2
    "#]],
    );
}

#[test]
fn rules_see_defaults_lists_and_old_values_as_the_server_has_them() {
    let scratch = Scratch::new("rules");
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    let schema = "limit: {type: integer, default: 4}\n              parts:\n                type: array\n                items:\n                  \
                  type: object\n                  properties: {label: {type: string, maxLength: 9}}\n                  \
                  x-kubernetes-validations: [{rule: \"self.label.size() > 1\"}, {rule: \"!oldSelf.hasValue() || oldSelf.value().label != ''\", optionalOldSelf: true}]";
    scratch.write("crd.yaml", &crd.replace("limit: {type: integer}", schema));
    scratch.write("a.json", &widget(r#"{"size": 5, "parts": [{"label": "ab"}, {"label": "c"}]}"#));
    let eval = |args: &[&str]| {
        let run = run::sprag_in(scratch.dir(), &[&["cel", "eval", "--crd", "crd.yaml"], args].concat(), "");
        format!("{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect![[r#"
        rule: !has(self.limit) || self.size <= self.limit
        false
        type: bool
        cost: 7
        estimated cost: 2 to 7
        --- exit 1
    "#]]
    .assert_eq(&eval(&["--path", "spec", "--self", "a.json"]));
    expect![[r#"
        rule: self.label.size() > 1
        false
        type: bool
        cost: 4
        estimated cost: 4
        rule: !oldSelf.hasValue() || oldSelf.value().label != ''
        true
        type: bool
        cost: 3
        estimated cost: 3 to 6
        --- exit 1
    "#]]
    .assert_eq(&eval(&["--path", "spec.parts[1]", "--self", "a.json"]));
    expect![[r#"
        error: --self: Widget a (example.com/v1) has no spec.parts[7]
        --- exit 2
    "#]]
    .assert_eq(&eval(&["--path", "spec.parts[7]", "--self", "a.json"]));
    expect![[r#"
        error: oldSelf has no value; give it with --old
        --- exit 1
    "#]]
    .assert_eq(&eval(&["--path", "spec", "--self", "a.json", "self.size >= oldSelf.size"]));
    expect![[r#"
        true
        type: bool
        cost: 5
        estimated cost: 5
        --- exit 0
    "#]]
    .assert_eq(&eval(&["--path", "spec", "--self", "a.json", "--old", "a.json", "self.size >= oldSelf.size"]));
}

#[test]
fn policies_have_their_variables() {
    let object = widget(r#"{"size": 5}"#);
    let expr = "object.spec.size > params.max && oldObject == null && request.operation == 'CREATE' && request.kind.kind == 'Widget'";
    check(
        &[expr, "--object", &object, "--params", r#"{"max": 1}"#],
        &expect![[r#"
        true
        type: bool
        cost: 15
        estimated cost: 3 to 1844674407370955275
        --- exit 0
    "#]],
    );
    check(
        &["request.operation", "--object", &object, "--old-object", &object],
        &expect![[r#"
        "UPDATE"
        type: string
        cost: 2
        estimated cost: 2
        --- exit 0
    "#]],
    );
    check(
        &["request.operation + string(object == null)", "--old-object", &object],
        &expect![[r#"
        "DELETEtrue"
        type: string
        cost: 6
        estimated cost: 5 to 1844674407370955269
        --- exit 0
    "#]],
    );
    check(
        &[
            "namespaceObject.metadata.labels['team'] == 'a'",
            "--object",
            &object,
            "--namespace-object",
            r#"{"metadata": {"labels": {"team": "a"}}}"#,
        ],
        &expect![[r#"
            true
            type: bool
            cost: 5
            estimated cost: 5
            --- exit 0
        "#]],
    );
    check(
        &["request.userInfo.groups.exists(g, g == 'a')", "--request", r#"{"userInfo": {"groups": ["a"]}}"#],
        &expect![[r#"
            true
            type: bool
            cost: 10
            estimated cost: at least 4
            --- exit 0
        "#]],
    );
    check(
        &["request.nope", "--object", &object],
        &expect![[r#"
        --- stderr
        error: the expression does not compile:
                 | ERROR: <input>:1:8: undefined field 'nope'
                 |  | request.nope
                 |  | .......^
        --- exit 1
    "#]],
    );
    check(
        &["self.x", "--object", &object, "--self", "{}"],
        &expect![[r#"
        --- stderr
        error: the argument '--object <VALUE>' cannot be used with '--self <VALUE>'

        Usage: sprag cel eval --object <VALUE> <EXPR>

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
}

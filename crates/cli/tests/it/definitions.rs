//! `sprag crd`.

use expect_test::{Expect, expect};

use crate::run;
use crate::scratch::Scratch;

const OLD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: SPEC}}}}
";

/// A definition whose `spec` has this schema.
pub(crate) fn definition(schema: &str) -> String {
    OLD.replace("SPEC", schema)
}

#[track_caller]
fn changes(old: &str, new: &str, expect: &Expect) {
    let scratch = Scratch::new(&format!("changes-{:?}", std::thread::current().id()).replace(['(', ')'], ""));
    scratch.write("old.yaml", &definition(old));
    scratch.write("new.yaml", &definition(new));
    let run = run::sprag_in(scratch.dir(), &["crd", "check", "old.yaml", "new.yaml"], "");
    assert_eq!(run.stderr, "");
    expect.assert_eq(&format!("{}--- exit {}\n", run.stdout, run.code.unwrap()));
}

#[test]
fn nothing_changed_is_one_line() {
    let schema = "{type: object, properties: {a: {type: string}}}";
    changes(
        schema,
        schema,
        &expect![[r#"
            nothing changed in 1 definition
            --- exit 0
        "#]],
    );
}

#[test]
fn limits_are_tightened_and_widened() {
    changes(
        "{type: object, properties: {a: {type: integer, minimum: 1, maximum: 5}, b: {type: string, maxLength: 3, pattern: ^a}}}",
        "{type: object, properties: {a: {type: integer, minimum: 0, maximum: 4}, b: {type: string, maxLength: 9, minLength: 1}}}",
        &expect![[r#"
            safe: widgets.example.com v1 spec.a: widened: minimum 1 becomes 0
            breaks: widgets.example.com v1 spec.a: tightened: maximum 5 becomes 4
            breaks: widgets.example.com v1 spec.b: tightened: minLength is 1
            safe: widgets.example.com v1 spec.b: widened: maxLength 3 becomes 9
            safe: widgets.example.com v1 spec.b: widened: pattern ^a is gone
            5 changes: 2 can break something, 3 safe
            --- exit 1
        "#]],
    );
    changes(
        "{type: object, required: [a], properties: {a: {type: string, enum: [x, y]}, b: {type: string, nullable: true}}}",
        "{type: object, required: [b], properties: {a: {type: string, enum: [y, z]}, b: {type: string, default: q}}}",
        &expect![[r#"
            safe: widgets.example.com v1 spec.b: changed: is required, and set by its default
            safe: widgets.example.com v1 spec.a: widened: is not required any more
            breaks: widgets.example.com v1 spec.a: tightened: enum lacks "x"
            safe: widgets.example.com v1 spec.a: widened: enum has "z"
            breaks: widgets.example.com v1 spec.b: tightened: null is not allowed any more
            safe: widgets.example.com v1 spec.b: changed: default changes from unset to "q"
            6 changes: 2 can break something, 4 safe
            --- exit 1
        "#]],
    );
}

#[test]
fn removed_properties_lose_data() {
    changes(
        "{type: object, properties: {a: {type: string}, m: {type: object, additionalProperties: {type: string}}}}",
        "{type: object, properties: {c: {type: string}, m: {type: object}}}",
        &expect![[r#"
            breaks: widgets.example.com v1 spec.a: loses data: is gone: stored values are dropped
            breaks: widgets.example.com v1 spec.m: loses data: further entries are dropped
            safe: widgets.example.com v1 spec.c: added: is new
            3 changes: 2 can break something, 1 safe
            --- exit 1
        "#]],
    );
    changes(
        "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}",
        "{type: object}",
        &expect![[r#"
            breaks: widgets.example.com v1 spec: loses data: fields that the schema does not have are dropped
            breaks: widgets.example.com v1 spec.a: loses data: is gone: stored values are dropped
            2 changes: 2 can break something
            --- exit 1
        "#]],
    );
}

#[test]
fn other_types_and_list_types_are_unsafe() {
    changes(
        "{type: object, properties: {a: {type: string}, l: {type: array, items: {type: string}, x-kubernetes-list-type: set}}}",
        "{type: object, properties: {a: {type: integer}, l: {type: array, items: {type: string}, x-kubernetes-list-type: atomic}}}",
        &expect![[r#"
            breaks: widgets.example.com v1 spec.a: unsafe: type changes from string to integer
            breaks: widgets.example.com v1 spec.l: unsafe: x-kubernetes-list-type changes from set to atomic
            2 changes: 2 can break something
            --- exit 1
        "#]],
    );
}

#[test]
fn rules_are_compared_by_their_text() {
    let rule = |rules: &str| {
        format!("{{type: object, properties: {{a: {{type: integer}}}}, x-kubernetes-validations: [{rules}]}}")
    };
    changes(
        &rule(""),
        &rule("{rule: self.a > 1}"),
        &expect![[r#"
            breaks: widgets.example.com v1 spec: rule added: self.a > 1
            1 change: 1 can break something
            --- exit 1
        "#]],
    );
    changes(
        &rule("{rule: self.a > 1}"),
        &rule("{rule: self.a > 2}"),
        &expect![[r#"
            breaks: widgets.example.com v1 spec: rule changed: self.a > 1 becomes self.a > 2
            1 change: 1 can break something
            --- exit 1
        "#]],
    );
    changes(
        &rule("{rule: self.a > 1}"),
        &rule(""),
        &expect![[r#"
            safe: widgets.example.com v1 spec: rule removed: self.a > 1
            1 change: 1 safe
            --- exit 0
        "#]],
    );
    changes(
        &rule("{rule: self.a > 1}"),
        &rule("{rule: self.a > 1, message: wrong}"),
        &expect![[r#"
            safe: widgets.example.com v1 spec: changed: the message or place of self.a > 1 has changed
            1 change: 1 safe
            --- exit 0
        "#]],
    );
}

#[expect(clippy::too_many_lines, reason = "two snapshots of the same")]
#[test]
fn stored_objects_are_tried() {
    let scratch = Scratch::new("objects");
    scratch.write(
        "old.yaml",
        &definition("{type: object, properties: {a: {type: integer}, b: {type: string}, l: {type: string}}}"),
    );
    scratch.write(
        "new.yaml",
        &definition("{type: object, properties: {a: {type: integer, maximum: 5}, l: {type: string}}, x-kubernetes-validations: [{rule: \
                     '!has(oldSelf.l) || self.l != oldSelf.l', message: l must change}]}"),
    );
    let object = |name: &str, spec: &str| {
        format!(
            "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}, namespace: x}}\nspec: {spec}\n"
        )
    };
    let objects = [
        object("fine", "{a: 1}"),
        object("large", "{a: 9}"),
        object("loses", "{a: 1, b: x}"),
        object("stuck", "{l: x}"),
        "---\napiVersion: v1\nkind: Secret\nmetadata: {name: other}\n".to_owned(),
        object("gone", "{a: 1}").replace("example.com/v1", "example.com/v0"),
    ];
    scratch.write("objects/all.yaml", &objects.concat());
    let check = |more: &[&str]| {
        let args = [&["crd", "check", "old.yaml", "new.yaml", "--objects", "objects"], more].concat();
        let run = run::sprag_in(scratch.dir(), &args, "");
        format!("{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect![[r#"
        breaks: widgets.example.com v1 spec: rule added: !has(oldSelf.l) || self.l != oldSelf.l
        breaks: widgets.example.com v1 spec.a: tightened: maximum is 5
        breaks: widgets.example.com v1 spec.b: loses data: is gone: stored values are dropped
        objects/all.yaml:7: Widget x/large (example.com/v1)
          fails on create: spec.a: Invalid value: 9: spec.a in body should be less than or equal to 5
          ratcheted: spec.a: Invalid value: 9: spec.a in body should be less than or equal to 5 (any edit of spec.a is rejected until this is corrected; edits of other parts pass)
        objects/all.yaml:12: Widget x/loses (example.com/v1)
          loses field: spec.b
        objects/all.yaml:17: Widget x/stuck (example.com/v1)
          fails on unchanged update: spec: Invalid value: l must change
        objects/all.yaml:26: Widget x/gone (example.com/v0)
          cannot be tried: no matches for kind "Widget" in version "example.com/v0"; served: v1
        3 changes: 3 can break something; 5 objects tried: 3 broken, 1 ratcheted or refused on create, 1 as before
        --- exit 1
    "#]]
    .assert_eq(&check(&[]));
    expect![[r#"
        {
          "changes": [
            {
              "place": "widgets.example.com v1 spec",
              "class": "rule added",
              "message": "!has(oldSelf.l) || self.l != oldSelf.l",
              "breaks": true,
              "verdict": "breaks"
            },
            {
              "place": "widgets.example.com v1 spec.a",
              "class": "tightened",
              "message": "maximum is 5",
              "breaks": true,
              "verdict": "breaks"
            },
            {
              "place": "widgets.example.com v1 spec.b",
              "class": "loses data",
              "message": "is gone: stored values are dropped",
              "breaks": true,
              "verdict": "breaks"
            }
          ],
          "objects": [
            {
              "filename": "objects/all.yaml",
              "line": 7,
              "version": "example.com/v1",
              "kind": "Widget",
              "namespace": "x",
              "name": "large",
              "failsOnCreate": [
                "spec.a: Invalid value: 9: spec.a in body should be less than or equal to 5"
              ],
              "failsOnUnchangedUpdate": [],
              "ratcheted": [
                "spec.a: Invalid value: 9: spec.a in body should be less than or equal to 5"
              ],
              "ratcheting": [
                {
                  "error": "spec.a: Invalid value: 9: spec.a in body should be less than or equal to 5",
                  "unchangedPart": "spec.a",
                  "edits": "any edit of spec.a is rejected until this is corrected; edits of other parts pass"
                }
              ],
              "losesFields": []
            },
            {
              "filename": "objects/all.yaml",
              "line": 12,
              "version": "example.com/v1",
              "kind": "Widget",
              "namespace": "x",
              "name": "loses",
              "failsOnCreate": [],
              "failsOnUnchangedUpdate": [],
              "ratcheted": [],
              "losesFields": [
                "spec.b"
              ]
            },
            {
              "filename": "objects/all.yaml",
              "line": 17,
              "version": "example.com/v1",
              "kind": "Widget",
              "namespace": "x",
              "name": "stuck",
              "failsOnCreate": [],
              "failsOnUnchangedUpdate": [
                "spec: Invalid value: l must change"
              ],
              "ratcheted": [],
              "losesFields": []
            },
            {
              "filename": "objects/all.yaml",
              "line": 26,
              "version": "example.com/v0",
              "kind": "Widget",
              "namespace": "x",
              "name": "gone",
              "problem": "no matches for kind \"Widget\" in version \"example.com/v0\"; served: v1",
              "failsOnCreate": [],
              "failsOnUnchangedUpdate": [],
              "ratcheted": [],
              "losesFields": []
            }
          ],
          "tried": 5
        }
        --- exit 1
    "#]]
    .assert_eq(&check(&["-o", "json"]));
}

#[test]
fn lint_says_what_the_api_server_refuses() {
    let misspelt = definition("{type: object, propertees: {}}");
    run::check(
        &["crd", "lint", "-"],
        &misspelt,
        &expect![[r#"
            warning: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.spec.propertees"
             --> stdin:9:120
              |
            9 |   - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, propertees: {}...
              |                                                                                                                        ^^^^^^^^^^
              |
              = CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)

            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 1, Ratcheted: 0
            --- exit 0
        "#]],
    );
    let wrong = definition("{type: object, properties: {a: {}}}").replace("plural: widgets", "plural: gadgets");
    run::check(
        &["crd", "lint", "-", "--summary"],
        &wrong,
        &expect![[r#"
            error: metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group
             --> stdin:3:18
              |
            3 | metadata: {name: widgets.example.com}
              |                  ^^^^^^^^^^^^^^^^^^^
              |
              = CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)

            error: spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields
             --> stdin:9:133
              |
            9 | ...: {type: object, properties: {spec: {type: object, properties: {a: {}}}}}}}
              |                                                                    ^
              |
              = CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            --- exit 1
        "#]],
    );
    run::check(
        &["crd", "lint", "crds", "manifests", "--summary"],
        "",
        &expect![[r#"
        Summary: 1 resource found in 4 files - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
        --- exit 0
    "#]],
    );
}

#[test]
fn definitions_that_come_and_go_are_named() {
    let scratch = Scratch::new("come-and-go");
    scratch.write("old.yaml", &definition("{type: object}"));
    scratch.write("new.yaml", &definition("{type: object}").replace("widget", "gadget").replace("Widget", "Gadget"));
    let run = run::sprag_in(scratch.dir(), &["crd", "check", "old.yaml", "new.yaml"], "");
    expect![[r#"
        breaks: widgets.example.com: unsafe: the definition is gone
        safe: gadgets.example.com: added: the definition is new
        2 changes: 1 can break something, 1 safe
    "#]]
    .assert_eq(&run.stdout);
    let served = definition("{type: object}").replace(
        "versions:\n",
        "versions:\n  - {name: v0, served: true, storage: false, schema: \
                                                                     {openAPIV3Schema: {type: object}}}\n",
    );
    scratch.write("old.yaml", &served);
    scratch.write("new.yaml", &definition("{type: object}"));
    let run = run::sprag_in(scratch.dir(), &["crd", "check", "old.yaml", "new.yaml"], "");
    expect![[r#"
        breaks: widgets.example.com v0: unsafe: the version is gone
        1 change: 1 can break something
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn costs_of_rules_come_with_what_would_fit() {
    let cheap =
        definition("{type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: self.a > 1}]}");
    run::check(
        &["cel", "cost", "--crd", "-"],
        &cheap,
        &expect![[r#"
            widgets.example.com v1: 1 rule, 0.1 % of the budget of a definition
              properties[spec].x-kubernetes-validations[0]: self.a > 1
                3 in all, 3 a run, once; 0.1 % of the budget of a rule
                most of it (1): self.a > 1
            --- exit 0
        "#]],
    );
    let costly = "{type: object, properties: {l: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: \
                  'self.l.all(a, self.l.all(b, a == b))'}, {rule: self.nope}]}";
    run::check(
        &["cel", "cost", "--crd", "-"],
        &definition(costly),
        &expect![[r#"
            widgets.example.com v1: 2 rules, 3458815091 times the budget of a definition
              properties[spec].x-kubernetes-validations[0]: self.l.all(a, self.l.all(b, a == b))
                345881509131242703 in all, 345881509131242703 a run, once; 34588150913 times the budget of a rule: too expensive
                most of it (345881509131242703, loops up to 1048575 times): (a, self.l.all(b, a == b))
                would fit with maxItems 5 at properties[spec].properties[l]
              properties[spec].x-kubernetes-validations[1]: self.nope
                does not compile: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | ....^
            --- exit 1
        "#]],
    );
    run::check(
        &["cel", "cost", "--crd", "manifests"],
        "",
        &expect![[r#"
            --- stderr
            error: --crd manifests: no definitions of custom resources here
            --- exit 2
        "#]],
    );
}

/// Counts how often each advisory rule fires on definitions that are in use, if they are available. Before it followed
/// what rules read, `unbounded-in-rule` fired 3,128 times.
#[test]
fn advice_on_real_definitions_is_rare() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/crds");
    if !std::path::Path::new(corpus).is_dir() {
        eprintln!("skipped: {corpus} is missing");
        return;
    }
    let run = run::sprag(&["crd", "lint", corpus, "-o", "github"], "");
    assert!(!run.stdout.contains("::error"), "a definition in use is refused");
    let mut counts = std::collections::BTreeMap::new();
    for line in run.stdout.lines() {
        let rule = line.rsplit_once(" (").map_or(line, |(_, rule)| rule.trim_end_matches(')'));
        *counts.entry(rule).or_insert(0) += 1;
    }
    let lines: Vec<String> = counts.iter().map(|(rule, count)| format!("{count} {rule}\n")).collect();
    expect![[r#"
        433 list-type-missing
        5 optional-in-rule
        28 required-defaulted
        4 rule-near-budget
        3 status-not-subresource
        26 unbounded-in-rule
    "#]]
    .assert_eq(&lines.concat());
}

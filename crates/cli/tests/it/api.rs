//! `sprag api`: snapshots of types, and what a release does to the last one.

use expect_test::{Expect, expect};

use crate::run::sprag_in;
use crate::scratch::Scratch;

const HEAD: &str = "// +groupName=example.com\npackage v1\n\n";

/// Compares two sources and demands what is printed, and the exit code.
#[track_caller]
fn check(name: &str, old: &str, new: &str, code: i32, expected: &Expect) {
    let scratch = Scratch::new(&format!("api-{name}"));
    scratch.write("old/v1/types.go", &format!("{HEAD}{old}"));
    scratch.write("new/v1/types.go", &format!("{HEAD}{new}"));
    let run = sprag_in(scratch.dir(), &["api", "diff", "old/v1", "new/v1"], "");
    expected.assert_eq(&format!("{}{}", run.stdout, run.stderr));
    assert_eq!(run.code, Some(code));
    // A snapshot says the same as the types that it was made of.
    for side in ["old", "new"] {
        let snapshot = sprag_in(scratch.dir(), &["api", "snapshot", &format!("{side}/v1")], "");
        scratch.write(&format!("{side}.json"), &snapshot.stdout);
    }
    let again = sprag_in(scratch.dir(), &["api", "diff", "old.json", "new.json"], "");
    assert_eq!((again.stdout, again.code), (run.stdout, run.code));
}

const SPEC: &str = "type Spec struct {\n\t// +k8s:optional\n\tSize int32 `json:\"size,omitempty\"`\n}\n";

#[test]
fn the_same_api_keeps_its_promises() {
    check(
        "same",
        SPEC,
        SPEC,
        0,
        &expect![[r#"
            0 findings, 0 excepted, 0 not needed
        "#]],
    );
}

#[test]
fn rules_begin_in_alpha_wherever_they_stand() {
    let below_a_list = "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:eachVal=+k8s:alpha=+k8s:maxLength=3\n\
        \tNames []string `json:\"names,omitempty\"`\n\n\t// +k8s:optional\n\t// +k8s:eachVal=+k8s:maxLength=3\n\tOthers []string `json:\"others,omitempty\"`\n}\n";
    let bare = below_a_list.lines().filter(|line| !line.contains("eachVal")).collect::<Vec<_>>().join("\n");
    check(
        "nested",
        &bare,
        below_a_list,
        1,
        &expect![[r#"
            example.com/v1 Spec.others: new-rule-alpha: a new rule of what was there begins in alpha: +k8s:alpha=+k8s:eachVal=+k8s:maxLength=3
            1 finding, 0 excepted, 0 not needed
        "#]],
    );
}

#[test]
fn types_and_fields_that_go_are_named() {
    let more = format!("{SPEC}\ntype Other struct {{\n\tName string `json:\"name\"`\n}}\n");
    let changed =
        SPEC.replace("int32", "string").replace("// +k8s:optional", "// +k8s:featureGate=Sizes\n\t// +k8s:optional");
    check(
        "gone",
        &more,
        &changed,
        1,
        &expect![[r#"
            example.com/v1 Other: nothing-removed: the type is gone
            example.com/v1 Spec.size: type-unchanged: the type was int32 and is string
            example.com/v1 Spec.size: type-unchanged: the gate Sizes would drop what was stored without it
            3 findings, 0 excepted, 0 not needed
        "#]],
    );
}

#[test]
fn values_of_an_enumeration_stay() {
    let modes = "// +k8s:enum\ntype Mode string\n\nconst (\n\tFast Mode = \"Fast\"\n\tSlow Mode = \"Slow\"\n)\n";
    let other = modes.replace("Slow", "Idle");
    check(
        "values",
        modes,
        &other,
        1,
        &expect![[r#"
            example.com/v1 Mode: nothing-removed: the value "Slow" is gone: stored objects may have it
            1 finding, 0 excepted, 0 not needed
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_a_failure() {
    let scratch = Scratch::new("api-unreadable");
    scratch.write("v1/types.go", &format!("{HEAD}{SPEC}"));
    scratch.write("other.json", r#"{"apiVersion": "v1", "kind": "List", "versions": []}"#);
    scratch.write("text.json", "not JSON");
    scratch.write("exceptions.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: ApiExceptions\nexceptions:\n- {resource: a, practice: new-field-gate, reason: r, approver: ann}\n");
    for (args, said) in [
        (["api", "diff", "none.json", "v1"].as_slice(), "none.json"),
        (&["api", "diff", "other.json", "v1"], "make one with sprag api snapshot"),
        (&["api", "diff", "text.json", "v1"], "not a snapshot"),
        (&["api", "diff", "v1", "none"], "none"),
        (&["api", "diff", "v1", "v1", "--exceptions", "none.yaml"], "there is no such file"),
        (&["api", "diff", "v1", "v1", "--exceptions", "exceptions.yaml"], "did you mean new-field-gated"),
    ] {
        let run = sprag_in(scratch.dir(), args, "");
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn wrong_tags_have_no_snapshot() {
    let scratch = Scratch::new("api-wrong");
    scratch.write("v1/types.go", &format!("{HEAD}{}", SPEC.replace("optional", "optionl")));
    let run = sprag_in(scratch.dir(), &["api", "snapshot", "v1"], "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("k8s:optional"), "{}", run.stderr);
}

/// Rust and Go of the same API have the same rules.
#[test]
fn rust_types_have_snapshots_too() {
    let scratch = Scratch::new("api-rust");
    let source = "pub struct Spec {\n    /// +k8s:optional\n    /// +k8s:beta(since: \"v1.37\")=+k8s:minimum=0\n    pub size: Option<i32>,\n}\n";
    scratch.write("src/v1.rs", source);
    let run = sprag_in(scratch.dir(), &["api", "snapshot", "src/v1.rs"], "");
    expect![[r#"
        {
          "apiVersion": "sprag.dev/v1alpha1",
          "kind": "ApiSnapshot",
          "versions": [
            {
              "name": "v1",
              "types": [
                {
                  "name": "Spec",
                  "fields": [
                    {
                      "name": "size",
                      "type": "int32",
                      "rules": [
                        {
                          "rule": "+k8s:minimum=0",
                          "stage": "beta",
                          "since": "1.37"
                        }
                      ]
                    }
                  ]
                }
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn types_of_packages_that_are_not_there_need_no_flag() {
    let foreign = "import \"example.org/elsewhere/paint\"\n\ntype Spec struct {\n\t// +k8s:optional\n\tColor paint.Color `json:\"color,omitempty\"`\n}\n";
    let scratch = Scratch::new("api-foreign");
    scratch.write("v1/types.go", &format!("{HEAD}{foreign}"));
    let run = sprag_in(scratch.dir(), &["api", "diff", "v1", "v1"], "");
    assert_eq!((run.stdout.as_str(), run.code), ("0 findings, 0 excepted, 0 not needed\n", Some(0)), "{}", run.stderr);
    assert!(run.stderr.contains("is in a package that was not loaded; treating it as opaque"), "{}", run.stderr);
    assert!(!run.stderr.contains("--readonly-pkg"), "{}", run.stderr);
}

//! `sprag coverage`.

use std::path::Path;

use expect_test::expect;

use crate::run;
use crate::scratch::Scratch;

/// The example with two kinds in every form between hooks and rules.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/migration");

#[test]
fn the_example_kinds_are_covered_in_every_form() {
    let forms: [&[&str]; 4] =
        [&["parts", "shadow", "v1beta1"], &["parts", "gated"], &["graduating"], &["parts", "enforced"]];
    let mut kinds = 0;
    for modules in forms {
        let files: Vec<String> = modules.iter().map(|module| format!("--types=src/{module}.rs")).collect();
        let mut args = vec!["coverage"];
        args.extend(files.iter().map(String::as_str));
        args.push("tests/fixtures");
        let run = run::sprag_in(Path::new(EXAMPLE), &args, "");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
        assert!(run.stdout.lines().all(|line| line.ends_with("(100 %)")), "{}", run.stdout);
        kinds += run.stdout.lines().count();
    }
    assert_eq!(kinds, 8);
    let run = run::sprag_in(Path::new(EXAMPLE), &["test", "tests/fixtures"], "");
    assert!(run.stdout.ends_with(" passed, 0 failed\n"), "{}", run.stdout);
}

const TESTS: &str = "apiVersion: sprag.dev/v1alpha1\nkind: Test\ntypes: [widget.rs]\ntests:\n";

#[test]
fn rules_without_a_test_are_listed() {
    let tests = format!(
        "{TESTS}- name: large\n  given: {{apiVersion: example.com/v1, kind: Widget, metadata: {{name: a}}, spec: {{class: fast, maxReplicas: 2000}}}}\n  \
         errors: [{{field: spec.maxReplicas}}]\n"
    );
    run::check(
        &["test", "-"],
        &tests,
        &expect![[r#"
        1 passed, 0 failed
        --- exit 0
    "#]],
    );
    run::check(
        &["coverage", "--types", "widget.rs", "-"],
        &tests,
        &expect![[r#"
        widget.Widget: 1 of 7 rules triggered (14 %)
          never: widget.WidgetSpec.maxReplicas: minimum=0
          never: widget.WidgetSpec.class: update=NoSet,NoUnset,NoModify
          never: widget.WidgetSpec.class: required
          never: widget.WidgetSpec.class: format=k8s-short-name
          never: widget.WidgetSpec.labels: eachVal maxLength=3
          never: widget.Mode: enum
        --- exit 1
    "#]],
    );
    run::check(
        &["coverage", "--types", "widget.rs", "-", "--verbose"],
        &tests,
        &expect![[r#"
        widget.Widget: 1 of 7 rules triggered (14 %)
              1: widget.WidgetSpec.maxReplicas: maximum=1000
          never: widget.WidgetSpec.maxReplicas: minimum=0
          never: widget.WidgetSpec.class: update=NoSet,NoUnset,NoModify
          never: widget.WidgetSpec.class: required
          never: widget.WidgetSpec.class: format=k8s-short-name
          never: widget.WidgetSpec.labels: eachVal maxLength=3
          never: widget.Mode: enum
        --- exit 1
    "#]],
    );
}

#[test]
fn feature_gates_of_types_are_set_for_a_file() {
    let scratch = Scratch::new("coverage-gates");
    let types = "use sprag::ObjectMeta;\n\npub struct Chest {\n    pub metadata: ObjectMeta,\n    pub spec: ChestSpec,\n}\n\npub struct ChestSpec {\n    \
                 /// +k8s:featureGate=Lids\n    /// +k8s:optional\n    /// +k8s:minimum=1\n    pub lids: Option<i32>,\n}\n";
    scratch.write("v1.rs", types);
    let test = |on: bool| {
        let given = "{apiVersion: example.com/v1, kind: Chest, metadata: {name: a}, spec: {lids: 0}}";
        let file = format!("{TESTS}- name: lids\n  given: {given}\n  errors: [{{field: spec.lids}}]\n");
        let file =
            file.replace("widget.rs", "v1.rs").replace("tests:", &format!("featureGates: {{Lids: {on}}}\ntests:"));
        scratch.write("test.yaml", &file);
        run::sprag_in(scratch.dir(), &["test", "test.yaml"], "").stdout
    };
    assert_eq!(test(true), "1 passed, 0 failed\n");
    assert_eq!(test(false), "FAIL test.yaml: lids\n     expected error: {field: spec.lids}\n0 passed, 1 failed\n");
    let coverage = |gates: &[&str]| {
        let run = run::sprag_in(scratch.dir(), &[&["coverage", "--types", "v1.rs", "test.yaml"], gates].concat(), "");
        (run.stdout.lines().next().unwrap_or_default().to_owned(), run.code)
    };
    assert_eq!(coverage(&[]), ("v1.Chest: 0 of 1 rules triggered (0 %)".to_owned(), Some(1)));
    let on = coverage(&["--feature-gates", "Lids=true"]);
    assert_eq!(on, ("v1.Chest: 1 of 1 rules triggered (100 %)".to_owned(), Some(0)));
}

#[test]
fn types_with_errors_are_refused() {
    run::check(
        &["coverage", "--types", "no-such-file.rs", "rules"],
        "",
        &expect![[r#"
        --- stderr
        error: no-such-file.rs: No such file or directory (os error 2)
        --- exit 2
    "#]],
    );
    run::check(
        &["coverage", "--types", "../../src/main.rs", "rules"],
        "",
        &expect![[r#"
            --- stderr
            error: the types declare no kind that has rules: a kind is a Go struct that embeds metav1.TypeMeta, or a Rust struct with metadata: ObjectMeta, and +k8s: tags are its rules
            --- exit 2
        "#]],
    );
    run::check(
        &["coverage", "rules"],
        "",
        &expect![[r#"
        --- stderr
        error: the following required arguments were not provided:
          --types <PATH>

        Usage: sprag coverage --types <PATH> <PATH>...

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
}

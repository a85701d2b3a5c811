//! Input that is out to break something: a clear finding, bounded time and memory, no panic.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect;

use crate::run::{self, FIXTURES, Run};
use crate::scratch::Scratch;

fn validate(input: impl AsRef<[u8]>, more: &[&str]) -> Run {
    let args = [&["validate", "-f", "-", "--crds", "crds"], more].concat();
    let run = run::sprag_in(Path::new(FIXTURES), &args, input);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

fn named(name: &str) -> String {
    let name = serde_json::to_string(name).unwrap();
    format!(r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":{name}}},"spec":{{"size":-1}}}}"#)
}

#[test]
fn names_cannot_leave_their_place_in_any_format() {
    let name = "x\u{1b}[2J\r\n::error file=a::gotcha\n##[error]no\n]]></testcase><testcase name=\"y";
    for format in ["text", "github", "tap", "junit", "json", "sarif"] {
        let run = validate(named(name), &["--output", format, "--verbose"]);
        assert_eq!(run.code, Some(1), "{format}");
        assert!(!run.stdout.contains('\u{1b}'), "{format}: {}", run.stdout);
        for line in run.stdout.lines().map(str::trim_start) {
            assert!(!line.starts_with("::error file=a::gotcha") && !line.starts_with("##["), "{format}: {line}");
        }
    }
    let junit = validate(named(name), &["--output", "junit"]).stdout;
    assert_eq!(junit.matches("<testcase").count(), 1, "{junit}");
}

#[test]
fn errors_have_a_limit_in_every_format() {
    let long = "x".repeat(300);
    let keys: Vec<String> = (0..5_000).map(|number| format!(r#""{number}!{long}": "x""#)).collect();
    let object = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x","namespace":"default"}},"data":{{{}}}}}"#,
        keys.join(",\n")
    );
    for format in ["text", "github", "tap", "junit", "json", "sarif"] {
        let run = validate(&object, &["--output", format]);
        assert_eq!(run.code, Some(1), "{format}: {}", run.stderr);
        assert!(run.stdout.len() < 3 << 20, "{format}: {} bytes", run.stdout.len());
        assert!(run.stdout.contains("more errors were left out"), "{format} does not say what is missing");
    }
}

#[test]
fn excerpts_show_no_escapes() {
    let text = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: -1, mode: \u{85}}\n";
    assert!(!validate(text, &[]).stdout.contains('\u{85}'));
    let run = validate("a: \u{1b}[31m\n", &[]);
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert_eq!(run.code, Some(1));
}

#[test]
fn aliases_that_grow_without_end_are_refused() {
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        let inner = vec![format!("*a{}", level - 1); 9].join(",");
        writeln!(bomb, "a{level}: &a{level} [{inner}]").unwrap();
    }
    let run = validate(&bomb, &[]);
    expect![[r#"
        error: error converting YAML to JSON: yaml: document contains excessive aliasing
        --> stdin:2:22

        Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 0, Errors: 1, Skipped: 0, Warnings: 0, Ratcheted: 0
    "#]]
    .assert_eq(&run.stdout);
    assert_eq!(run.code, Some(1));
}

#[test]
fn ten_thousand_levels_are_refused() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let text = format!("a: {}{}\n", open.repeat(10_000), close.repeat(10_000));
        let run = validate(&text, &[]);
        assert_eq!((run.code, run.stdout.lines().count() < 12), (Some(1), true), "{}", run.stdout);
    }
    let json = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(validate(json, &[]).code, Some(1));
}

#[test]
fn a_definition_that_nests_without_end_is_refused() {
    let schema = format!("{}{{type: string}}{}", "{type: array, items: ".repeat(2_000), "}".repeat(2_000));
    let crd = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ws.example.org}}\nspec:\n  group: \
         example.org\n  scope: Cluster\n  names: {{plural: ws, kind: W}}\n  versions:\n  - {{name: v1, served: true, storage: true, \
         schema: {{openAPIV3Schema: {schema}}}}}\n"
    );
    let run = validate(&crd, &[]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
}

#[test]
fn many_findings_in_one_document_end_soon() {
    let mut text = String::from("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  size: 1\n");
    for index in 0..20_000 {
        writeln!(text, "  x{index}: 1").unwrap();
    }
    let run = validate(&text, &["--output", "tap"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 3));
}

#[test]
fn large_keys_and_bytes_that_are_no_text_are_findings() {
    let key = "k".repeat(1 << 20);
    let run = validate(named("a").replace("-1}", &format!("1, \"{key}\": 1}}")), &[]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    // A key of YAML may not be longer than a kilobyte.
    let run = validate(
        format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {{size: 1}}\n{key}: 1\n"),
        &[],
    );
    assert_eq!(run.code, Some(1));
    let run = validate(b"apiVersion: \xff\xfe\nkind: Widget\n", &[]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    let run = validate(b"\0\0\0\0", &[]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
}

/// A hundred megabytes of documents with `SPRAG_FULL` set, two otherwise.
#[cfg(unix)]
#[test]
fn documents_are_judged_as_they_come() {
    let document = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n---\n";
    let megabytes = if std::env::var_os("SPRAG_FULL").is_some() { 100 } else { 2 };
    let count = (megabytes << 20) / document.len();
    let scratch = Scratch::new("hostile-documents");
    scratch.write("all.yaml", &document.repeat(count));
    let all = scratch.join("all.yaml");
    let args = ["validate", "-n", "2", "--crds", "crds", "--summary", "-f", all.to_str().unwrap()];
    let run = run::sprag_within(600 << 20, &args);
    let summary = format!("Summary: {count} resources found in 1 file - Valid: {count}, ");
    assert!(run.code == Some(0) && run.stdout.starts_with(&summary), "{}{}", run.stdout, run.stderr);
}

/// Many versions, properties and values where others write few.
#[test]
fn a_definition_that_is_wide_beyond_measure_ends_soon() {
    let many = |start: &str, part: &dyn Fn(usize) -> String, end: &str| {
        format!("{start}{}{end}", (0..5_000).map(part).collect::<Vec<_>>().join(", "))
    };
    let string = "type: string";
    for schema in [
        many("{type: object, properties: {", &|at| format!("p{at}: {{{string}, default: x}}"), "}}"),
        many("{type: string, enum: [", &|at| format!("v{at}"), "]}"),
        many("{type: object, allOf: [", &|at| format!("{{required: [r{at}]}}"), "]}"),
        many("{type: object, required: [", &|at| format!("r{at}"), "]}"),
    ] {
        let crd = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: \
             ws.example.org}}\nspec:\n  group: example.org\n  scope: Cluster\n  names: {{plural: ws, kind: W}}\n  \
             versions:\n  - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, \
             properties: {{spec: {schema}}}}}}}}}\n---\napiVersion: example.org/v1\nkind: W\nmetadata: {{name: \
             a}}\nspec: {{p1: x}}\n"
        );
        let run = validate(&crd, &["--summary"]);
        assert!(run.stdout.contains("Summary: 2 resources found parsing stdin"), "{}", run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_are_shown_harmless() {
    let scratch = Scratch::new("hostile-names");
    scratch.write("m/x\n::error::gotcha.yaml", "a: b");
    scratch.write("m/\u{1b}[31m.yaml", "a: [");
    for format in ["text", "github", "tap", "junit", "json", "sarif"] {
        let run = run::sprag_in(scratch.dir(), &["validate", "m", "--crds", "m", "--output", format], "");
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(!text.contains('\u{1b}'), "{format}: {text}");
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::error::gotcha")), "{format}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_not_read_unless_told() {
    use std::os::unix::fs::symlink;

    let scratch = Scratch::new("hostile-links");
    scratch.write("secret.yaml", &named("hunter2"));
    scratch.write("m/deep/good.yaml", &named("a").replace("-1", "1"));
    symlink("../secret.yaml", scratch.join("m/leak.yaml")).unwrap();
    symlink("deep/good.yaml", scratch.join("m/inside.yaml")).unwrap();
    let crds = Path::new(FIXTURES).join("crds");
    let crds = crds.to_str().unwrap();
    let validate =
        |more: &[&str]| run::sprag_in(scratch.dir(), &[&["validate", "--crds", crds, "--summary"], more].concat(), "");
    let run = validate(&["m"]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stdout.contains("m/leak.yaml") && run.stdout.contains("--follow-links"), "{}", run.stdout);
    assert!(!run.stdout.contains("hunter2") && run.stdout.contains("Valid: 2"), "{}", run.stdout);
    for more in [&["m", "--follow-links"][..], &["m/leak.yaml"]] {
        assert!(validate(more).stdout.contains("hunter2"), "{more:?}");
    }
}

#[test]
fn no_command_prints_control_characters() {
    let scratch = Scratch::new("hostile-check");
    let hostile = "\u{1b}[31m\u{9b}\u{7f}\u{202e}\r";
    let text = serde_json::to_string(hostile).unwrap();
    scratch.write("widget.rs", "/// A widget.\npub struct Widget {\n    /// +k8s:maxLength=1\n    pub name: String,\n    /// +k8s:eachVal=+k8s:maxLength=1\n    pub labels: std::collections::BTreeMap<String, String>,\n}\n");
    scratch.write(
        "bad.rs",
        &format!("/// +k8s:no{hostile}pe\npub struct Widget {{ /// +k8s:maxLength={hostile}\n pub name: String }}\n"),
    );
    let object = format!(r#"{{"kind": "Widget", "name": {text}, "labels": {{{text}: "too long"}}}}"#);
    for types in ["widget.rs", "bad.rs"] {
        for output in ["text", "json"] {
            let args = ["check", "--types", types, "--type", "Widget", "--output", output, "-f", "-"];
            let run = run::sprag_in(scratch.dir(), &args, &object);
            assert_eq!(run.code, Some(1), "{types} {output}: {}{}", run.stdout, run.stderr);
            assert_harmless(&run, &format!("{types} {output}"));
            if output == "json" {
                serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
            }
        }
    }
    let outputs = ["text", "github", "tap", "junit", "json", "sarif"];
    for output in outputs {
        assert_harmless(&validate(named(hostile), &["--output", output, "--verbose"]), output);
    }
    for args in [&["gen", "--types", "bad.rs", "--out", "out"][..], &["cel", "eval", "self", "--self", "-"]] {
        assert_harmless(&run::sprag_in(scratch.dir(), args, &text), &args.join(" "));
    }
}

#[track_caller]
fn assert_harmless(run: &Run, what: &str) {
    let is_bad = |letter: &char| letter.is_control() && *letter != '\n' || ('\u{202a}'..='\u{202e}').contains(letter);
    for text in [&run.stdout, &run.stderr] {
        assert_eq!(text.chars().find(is_bad), None, "{what}: {text:?}");
    }
}

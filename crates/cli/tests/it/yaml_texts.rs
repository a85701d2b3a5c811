//! Manifests as people write them by hand and as editors save them: each is read, or refused in the words of kubectl.

use std::path::Path;

use crate::run::{self, FIXTURES};

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

/// The findings about a text without their places, and how many objects it has.
fn findings(text: impl AsRef<[u8]>) -> (Vec<String>, usize) {
    let args = ["validate", "-", "--summary", "--allow-empty", "--output", "json"];
    let run = run::sprag_in(Path::new(FIXTURES), &args, text);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let found =
        report["resources"].as_array().unwrap().iter().flat_map(|resource| resource["findings"].as_array().unwrap());
    let text = |finding: &serde_json::Value, member: &str| finding[member].as_str().unwrap().to_owned();
    let found = found.map(|finding| format!("{}: {}", text(finding, "severity"), text(finding, "message"))).collect();
    let count = |status: &str| usize::try_from(report["summary"][status].as_u64().unwrap()).unwrap();
    (found, ["valid", "invalid", "errors", "skipped"].into_iter().map(count).sum())
}

/// A text with so many objects that nothing is wrong with.
#[track_caller]
fn valid(text: impl AsRef<[u8]>, objects: usize) {
    assert_eq!(findings(text), (Vec::new(), objects));
}

/// Members of a configuration map, and what is wrong with them.
#[track_caller]
fn check(members: &str, finding: &str) {
    assert_eq!(findings(format!("{MAP}{members}")), (vec![finding.to_owned()], 1), "{members}");
}

#[track_caller]
fn refused(members: &str, problem: &str) {
    check(members, &format!("error: error converting YAML to JSON: {problem}"));
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn files_of_other_systems_are_read_as_kubectl_reads_them() {
    let two = format!("{MAP}data:\n  k: |\n    ä\n    b\n---\n{MAP}");
    valid(two.replace('\n', "\r\n"), 2);
    valid(format!("\u{feff}{two}"), 2);
    valid(format!("\u{feff}---\n{two}"), 2);
    valid(format!("{MAP}---\n\u{feff}{MAP}"), 2);
    valid(utf16(&two, u16::to_le_bytes), 2);
    valid(utf16(&two, u16::to_be_bytes), 2);
    valid(utf16(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#, u16::to_le_bytes), 1);
    valid("\u{feff}{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}", 1);
    valid([MAP.as_bytes(), b"data:\n  k: \xE4\n"].concat(), 1);
}

#[test]
fn places_in_converted_files_are_those_that_an_editor_shows() {
    let text = utf16(&format!("{MAP}data:\n  k: [ä, 1]\n"), u16::to_le_bytes);
    let run = run::sprag_in(Path::new(FIXTURES), &["validate", "-"], text);
    assert!(run.stdout.contains(":6:6\n") && run.stdout.contains("6 |   k: [ä, 1]\n"), "{}", run.stdout);
}

#[test]
fn documents_are_told_apart_as_kubectl_does_it() {
    valid(format!("---\n{MAP}--- # two\n{MAP}---   \n---\n# none\n---\n{MAP}"), 3);
    valid(format!("{MAP}data:\n  k: |\n    a\n    ---\n    b\n"), 1);
    valid(format!("{MAP}...\n{MAP}"), 1);
    valid(format!("apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n", indented(MAP), indented(MAP)), 2);
    for empty in ["", "\n\n", "# a\n# b\n", "---\n---\n", "apiVersion: v1\nkind: List\nitems:\n"] {
        valid(empty, 0);
    }
    // The document before a line that separates nothing is lost with it.
    let (found, objects) = findings(format!("{MAP}---two\n{MAP}"));
    assert_eq!((found.as_slice(), objects), (&["error: invalid Yaml document separator: two".to_owned()][..], 2));
    // A line that begins with dashes ends a document inside of a block scalar too.
    let (found, _) = findings(format!("{MAP}data:\n  k: |\n    a\n---\n    b\n"));
    assert_eq!(found, ["error: json: cannot unmarshal string into Go value of type unstructured.detector"]);
    let (found, _) = findings(format!("{MAP}data: &x\n  k: v\n---\n{MAP}data: *x\n"));
    assert_eq!(found, ["error: error converting YAML to JSON: yaml: unknown anchor 'x' referenced"]);
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n  ")
}

#[test]
fn members_are_read_in_every_spelling() {
    for members in [
        "data:\n  k:\tv\n  j: w\t\n",
        "data:\n  k: |\n     five\n      six\n  j: |2\n      two more\n",
        "data: !!map\n  k: !!str 1\n  j: !!binary aGk=\n  i: !Ref x\n",
        "data:\n  date: 2024-01-01\n  time: 12:30:45\n",
        "data: {1: one, 1.5: more}\n",
    ] {
        valid(format!("{MAP}{members}"), 1);
    }
    check("x: &x {k: v}\ndata:\n  <<: *x\n  j: w\n", "warning: unknown field \"x\"");
    check("data:\n  k: v\n  k: w\n", "warning: line 7: key \"k\" already set in map");
}

#[test]
fn mistakes_are_told_in_the_words_of_kubectl() {
    let no_text = |kind: &str| {
        let is = format!("json: cannot unmarshal {kind} into Go struct field ConfigMap.data of type string");
        format!("error: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: {is}")
    };
    for (value, kind) in [("1", "number"), ("0777", "number"), ("yes", "bool"), ("[a]", "array")] {
        check(&format!("data:\n  a: {value}\n"), &no_text(kind));
    }
    refused("data:\n\tk: v\n", "yaml: line 6: found character that cannot start any token");
    refused("data:\n  k: a: b\n", "yaml: line 6: mapping values are not allowed in this context");
    refused("data:\n k: v\n  j: w\n", "yaml: line 7: mapping values are not allowed in this context");
    refused("data:\n  k: |\n      six\n     five\n", "yaml: line 7: did not find expected key");
    refused("data:\n  k: |\n text\n", "yaml: line 6: did not find expected key");
    refused("data:\n  k: \"v\n", "yaml: line 7: found unexpected end of stream");
    refused("data: {k: v\n", "yaml: line 5: did not find expected ',' or '}'");
    refused("data:\n  k: a\u{1}b\n", "yaml: control characters are not allowed");
    refused("data:\n  {a: b}: one\n", "yaml: invalid map key");
    refused("data:\n  ~: one\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"one\"");
    refused("{{- if x }}\ndata: {}\n{{- end }}\n", "yaml: line 6: could not find expected ':'");
}

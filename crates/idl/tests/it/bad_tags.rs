//! Tags that the reference refuses to parse, with its words.

use sprag_idl::model::TypeKind;
use sprag_idl::{GoPackageInput, Sources, Span, Syntax, parse_tag, read_go};

use crate::shared;

#[test]
fn parse_errors_read_like_the_reference() {
    let Some(text) = shared("conformance/validation-gen-bad-tags.json") else { return };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for case in &cases {
        let Some((_, failure)) = case["essential"].as_str().and_then(|text| text.split_once("failed to parse tags: "))
        else {
            continue;
        };
        let (message, tags) = failure.rsplit_once(": [").unwrap();
        let tag = tags.strip_suffix(']').unwrap();
        let error = parse_tag(tag, Span::NONE, Syntax::Kubernetes).unwrap_err();
        assert_eq!(error.message, message, "{}", case["name"]);
        compared += 1;
    }
    assert!(compared >= 7, "only {compared} parse failures found in the table");
}

#[test]
fn sources_of_the_table_are_read_without_findings() {
    let Some(text) = shared("conformance/validation-gen-bad-tags.json") else { return };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    for case in &cases {
        let mut sources = Sources::default();
        let files = [sources.add("types.go", case["source"].as_str().unwrap())];
        let (package, findings) = read_go(GoPackageInput { path: "example.dev/bad/v1", files: &files }, &sources);
        assert_eq!(findings, [], "{}", case["name"]);
        let structs = package.types.iter().filter(|ty| matches!(ty.kind, TypeKind::Struct(_)));
        assert!(structs.count() > 0, "{}", case["name"]);
    }
}

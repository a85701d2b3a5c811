//! `sprag docs`.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::{expect, expect_file};
use serde_json::Value;

use crate::run::sprag;

#[test]
fn the_checked_in_page_is_current() {
    let run = sprag(&["docs", "tags"], "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tags.md")].assert_eq(&run.stdout);
}

#[test]
fn the_checked_in_page_of_kinds_is_current() {
    let run = sprag(&["docs", "kinds"], "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kinds.md")].assert_eq(&run.stdout);
}

fn tags() -> Vec<Value> {
    let run = sprag(&["docs", "tags", "--format", "json"], "");
    assert_eq!(run.code, Some(0));
    let reference: Value = serde_json::from_str(&run.stdout).unwrap();
    reference["tags"].as_array().unwrap().clone()
}

fn find<'t>(tags: &'t [Value], name: &str) -> Option<&'t Value> {
    tags.iter().find(|tag| tag["name"] == name)
}

#[test]
fn the_document_says_all_about_a_tag() {
    let tags = tags();
    expect![[r#"
        {
          "acceptsUnknownArgs": false,
          "args": [
            {
              "docs": "The release in which the rule got this stage.",
              "name": "since",
              "required": false,
              "type": "string"
            }
          ],
          "dialects": [
            "kubernetes",
            "kep"
          ],
          "example": "+k8s:alpha(since: \"1.35\")=+k8s:minimum=1",
          "name": "k8s:alpha",
          "payload": {
            "kind": "tag",
            "required": true
          },
          "scopes": [
            "type",
            "field",
            "listVal",
            "mapKey",
            "mapVal"
          ],
          "stability": "Beta",
          "summary": "Runs the wrapped tag but labels every error it yields as alpha, so that it is only observed."
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(find(&tags, "k8s:alpha").unwrap()).unwrap());
}

#[test]
fn tags_are_sorted_and_described() {
    let tags = tags();
    assert!(tags.is_sorted_by_key(|tag| tag["name"].as_str().unwrap().to_owned()));
    for tag in &tags {
        assert!(!tag["summary"].as_str().unwrap().is_empty(), "{tag}");
        assert!(tag["example"].as_str().unwrap().contains(&format!("+{}", tag["name"].as_str().unwrap())), "{tag}");
    }
}

/// Scopes as a set.
fn scopes(tag: &Value) -> BTreeSet<String> {
    tag["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap().to_owned()).collect()
}

/// Name, type and need of each argument.
fn args(tag: &Value) -> Vec<(Option<String>, String, bool)> {
    let args = tag["args"].as_array().unwrap().iter().map(|arg| {
        let name = arg["name"].as_str().map(str::to_owned);
        (name, arg["type"].as_str().unwrap().to_owned(), arg["required"].as_bool().unwrap())
    });
    args.collect()
}

#[test]
fn the_recorded_catalog_agrees() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/validation-gen-tags.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is missing", path.display());
        return;
    };
    let catalog: Value = serde_json::from_str(&text).unwrap();
    let tags = tags();
    let mut differences = Vec::new();
    for want in catalog["validationTags"].as_array().unwrap() {
        let name = want["tag"].as_str().unwrap();
        let Some(got) = find(&tags, name) else {
            differences.push(format!("{name} is missing"));
            continue;
        };
        let mut compare = |what: &str, same: bool| {
            if !same {
                differences.push(format!("{name}: {what} differs: {want} {got}"));
            }
        };
        compare("stability", want["stability"] == got["stability"]);
        compare("scopes", scopes(want) == scopes(got));
        compare("args", args(want) == args(got));
        compare("unknown args", want["acceptsUnknownArgs"] == got["acceptsUnknownArgs"]);
        compare("payload", want["payload"]["kind"] == got["payload"]["kind"]);
        compare("payload need", want["payload"]["required"] == got["payload"]["required"]);
    }
    assert_eq!(differences, Vec::<String>::new());
}

//! Tags of an API author's own.

use sprag_rules::{CustomTag, Dialect, Registry, Scope};

use crate::api::Api;

fn color() -> CustomTag {
    CustomTag {
        name: "acme:color".into(),
        scopes: vec![Scope::Field, Scope::ListVal],
        summary: "The string has to be a colour.".into(),
        function: "crate::checks::color".into(),
    }
}

#[test]
fn an_authors_tag_runs_the_authors_function() {
    let registry = Registry::standard().with(color()).expect("the name is free");
    let source = "type T struct {\n\t// +acme:color\n\tF string `json:\"f\"`\n}\n";
    let (api, findings) = Api::read(Dialect::Kep, source, &registry);
    assert!(findings.is_empty());
    // The interpreter has no such function, and says so.
    assert_eq!(api.create(r#"{"f": "red"}"#), ["f: Internal error: no hand-written check crate::checks::color"]);
}

#[test]
fn an_authors_tag_is_checked_like_any_other() {
    let registry = Registry::standard().with(color()).expect("the name is free");
    let (_, findings) = Api::read(Dialect::Kep, "// +acme:color\ntype T struct {}\n", &registry);
    assert_eq!(findings, ["example.dev/api/v1.T: tag \"acme:color\" cannot be specified on type definitions"]);
}

#[test]
fn a_standard_name_cannot_be_taken() {
    assert!(Registry::standard().with(CustomTag { name: "k8s:minimum".into(), ..color() }).is_err());
}

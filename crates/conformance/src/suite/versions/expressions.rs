//! The definitions around single rules of `crd.json`.

use sprag_value::{Value, json};

/// The schema around the rules of `expression`.
pub(super) fn expression() -> String {
    let short = r#"{"type":"string","maxLength":20}"#;
    let nested = object(&[("deep", &object(&[("val", r#"{"type":"boolean"}"#)], &[]))], &[]);
    let x = object(
        &[
            ("f", r#"{"type":"number"}"#),
            ("n", r#"{"type":"integer"}"#),
            ("name", short),
            ("list", &list(short, 5)),
            ("nested", &nested),
        ],
        &[],
    );
    let properties = [
        ("b", r#"{"type":"boolean"}"#),
        ("d", r#"{"type":"number"}"#),
        ("i", r#"{"type":"integer"}"#),
        ("li", &list(r#"{"type":"integer"}"#, 5)),
        ("ls", &list(short, 5)),
        ("m", &map(short, 5)),
        ("mi", &map(r#"{"type":"integer"}"#, 5)),
        ("s", short),
        ("x", &x),
    ];
    object(&properties, &[])
}

/// The schema around the rules of `library`.
pub(super) fn library(is_bounded: bool) -> String {
    let text = if is_bounded { r#"{"type":"string","maxLength":30}"# } else { r#"{"type":"string"}"# };
    let most = if is_bounded { 10 } else { 0 };
    let properties = [
        ("s", text),
        ("o", text),
        ("i", r#"{"type":"integer"}"#),
        ("d", r#"{"type":"number"}"#),
        ("ls", &list(text, most)),
        ("li", &list(r#"{"type":"integer"}"#, most)),
        ("m", &map(text, most)),
    ];
    object(&properties, &["o"])
}

/// The definition with a schema of its spec and a rule for it.
pub(super) fn definition(spec: &str, rule: &str) -> Value {
    let rule = json::to_string(&Value::from(rule));
    let spec = spec.replacen('{', &format!(r#"{{"x-kubernetes-validations":[{{"rule":{rule}}}],"#), 1);
    let text = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{{"name":"exprs.corpus.example.com"}},"spec":{{"group":"corpus.example.com","scope":"Namespaced",
        "names":{{"plural":"exprs","singular":"expr","kind":"Expr","listKind":"ExprList"}},
        "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":
        {{"type":"object","properties":{{"spec":{spec}}}}}}}}}]}}}}"#
    );
    json::parse(text.as_bytes()).unwrap_or_default()
}

/// An object whose members are required, but for some.
fn object(properties: &[(&str, &str)], optional: &[&str]) -> String {
    let members: Vec<String> = properties.iter().map(|(name, schema)| format!("{name:?}:{schema}")).collect();
    let required = properties.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name));
    let required: Vec<String> = required.map(|name| format!("{name:?}")).collect();
    format!(r#"{{"type":"object","required":[{}],"properties":{{{}}}}}"#, required.join(","), members.join(","))
}

/// A list with a limit; 0 for none.
fn list(items: &str, most: u32) -> String {
    format!(r#"{{"type":"array"{},"items":{items}}}"#, limit("maxItems", most))
}

/// A map with a limit; 0 for none.
fn map(values: &str, most: u32) -> String {
    format!(r#"{{"type":"object"{},"additionalProperties":{values}}}"#, limit("maxProperties", most))
}

fn limit(keyword: &str, most: u32) -> String {
    if most == 0 { String::new() } else { format!(",{keyword:?}:{most}") }
}

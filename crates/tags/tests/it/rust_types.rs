//! Features of Rust types only: metadata of this project, flattened structs.

use crate::api::Api;

const WIDGET: &str = "
use sprag::ObjectMeta;

pub struct T {
    /// +k8s:subfield(name)=+k8s:format=k8s-short-name
    /// +k8s:subfield(labels)=+k8s:required
    /// +k8s:subfield(labels)=+k8s:eachKey=+k8s:maxLength=3
    /// +k8s:subfield(generateName)=+k8s:immutable
    pub metadata: ObjectMeta,
}
";

#[test]
fn rules_reach_into_metadata() {
    for (import, ty) in [
        ("use sprag::ObjectMeta;", "ObjectMeta"),
        ("use sprag::rest;", "rest::ObjectMeta"),
        ("use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;", "ObjectMeta"),
        ("use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;", "Option<ObjectMeta>"),
    ] {
        let source = WIDGET.replace("use sprag::ObjectMeta;", import).replace(": ObjectMeta", &format!(": {ty}"));
        let api = Api::rust(&source);
        assert_eq!(api.create(r#"{"metadata": {"name": "web", "labels": {"a": "b"}}}"#), [""; 0]);
        let texts = api.create(r#"{"metadata": {"name": "Web", "labels": {"long": "b"}}}"#);
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].starts_with("metadata.name: Invalid value: \"Web\""), "{texts:?}");
        assert!(texts[1].starts_with("metadata.labels: Too long"), "{texts:?}");
        assert_eq!(api.create(r#"{"metadata": {"name": "web"}}"#), ["metadata.labels: Required value"]);
        let old = r#"{"metadata": {"name": "web", "generateName": "a", "labels": {"a": "b"}}}"#;
        let texts = api.update(old, &old.replace("\"generateName\": \"a\"", "\"generateName\": \"b\""));
        assert_eq!(texts, ["metadata.generateName: Invalid value: null: field cannot be modified once set"]);
    }
}

#[test]
fn a_field_that_metadata_does_not_have_is_refused() {
    let source = WIDGET.replace("subfield(name)", "subfield(nmae)");
    let refusals = Api::strays(sprag_idl::model::Language::Rust, sprag_tags::Dialect::Kep, &source);
    assert_eq!(refusals, ["field widgets::v1.T.metadata: tag \"k8s:subfield\": no field for json name \"nmae\""]);
}

#[test]
fn paths_of_flattened_structs_are_those_of_the_wire_form() {
    let api = Api::rust(
        "pub struct T {
    #[serde(flatten)]
    pub outer: Outer,
    pub nested: Outer,
}

pub struct Outer {
    #[serde(flatten)]
    pub inner: Option<Inner>,
    /// +k8s:maximum=1
    pub size: i32,
}

pub struct Inner {
    /// +k8s:maxLength=1
    pub text: String,
}
",
    );
    assert_eq!(
        api.create(r#"{"size": 2, "text": "ab", "nested": {"size": 3, "text": "cd"}}"#),
        [
            "text: Too long: may not be more than 1 character",
            "size: Invalid value: 2: must be less than or equal to 1",
            "nested.text: Too long: may not be more than 1 character",
            "nested.size: Invalid value: 3: must be less than or equal to 1",
        ]
    );
}

#[test]
fn an_enum_is_judged_once_whatever_the_stage_of_its_tag() {
    for tag in ["", "/// +k8s:enum", "/// +k8s:beta(since: \"1.37\")=+k8s:enum"] {
        let api = Api::rust(&format!(
            "pub struct T {{ pub mode: Mode }}\n\n{tag}\npub enum Mode {{ Fast, Slow, #[serde(untagged)] Unknown(String) }}\n"
        ));
        let expected = r#"mode: Unsupported value: "x": supported values: "Fast", "Slow""#;
        assert_eq!(api.create(r#"{"mode": "x"}"#), [expected], "{tag}");
    }
}

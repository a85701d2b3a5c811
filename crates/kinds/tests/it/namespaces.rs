use expect_test::expect;

use sprag_rest::DeleteOptions;

use crate::api::{Api, Kind, shown};

const NAMESPACES: Kind = Kind { path: "namespaces", api_version: "v1", name: "Namespace" };

#[test]
fn namespaces_are_active_labelled_and_held() {
    NAMESPACES.check(r#","status":{"phase":"Terminating"}"#, expect![[r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"x"},"name":"x"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}"#]]);
    let body = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x",
        "labels":{"kubernetes.io/metadata.name":"y"}}}"#;
    expect![[r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"x"},"name":"x"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}"#]].assert_eq(&shown(Api::new().create(NAMESPACES.path, body)));
}

#[test]
fn finalizers_are_qualified_or_known() {
    NAMESPACES.check(r#","spec":{"finalizers":["bad"]}"#, expect![[r#"Namespace "x" is invalid: spec.finalizers: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified"#]]);
    let body = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x","finalizers":["bad"]}}"#;
    expect![[r#"Namespace "x" is invalid: metadata.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified"#]].assert_eq(&shown(Api::new().create(NAMESPACES.path, body)));
}

#[test]
fn an_update_changes_neither_spec_nor_status() {
    NAMESPACES.check_update("", r#","spec":{"finalizers":[]},"status":{"phase":"x"}"#, expect![[r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"x"},"name":"x"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}"#]]);
}

#[test]
fn a_changed_namespace_is_validated_like_a_new_one() {
    let api = Api::new();
    api.create(NAMESPACES.path, &NAMESPACES.body("")).unwrap();
    let body = NAMESPACES.body("").replace(r#""x""#, r#""x","generateName":"A","labels":{"a":"-","b":"-"}"#);
    let answers = [api.update(NAMESPACES.path, "x", &body), Api::new().create(NAMESPACES.path, &body)];
    for error in answers.map(Result::unwrap_err) {
        let causes = &error.parts().details.as_ref().unwrap().causes;
        let fields: Vec<&str> = causes.iter().map(|cause| cause.field.as_str()).collect();
        // The same error about two labels is reported once.
        assert_eq!(fields.iter().filter(|field| **field == "metadata.labels").count(), 1, "{error}");
        assert_eq!(fields.iter().filter(|field| **field == "metadata.generateName").count(), 1, "{error}");
    }
}

#[test]
fn wrong_types_are_told_in_the_words_of_go() {
    NAMESPACES.check(r#","spec":[]"#, expect![[r#"Namespace in version "v1" cannot be handled as a Namespace: json: cannot unmarshal array into Go struct field Namespace.spec of type v1.NamespaceSpec"#]]);
    NAMESPACES.check(r#","spec":{"finalizers":[5]}"#, expect![[r#"Namespace in version "v1" cannot be handled as a Namespace: json: cannot unmarshal number into Go struct field NamespaceSpec.spec.finalizers of type v1.FinalizerName"#]]);
}

#[test]
fn a_row_has_phase_and_age() {
    NAMESPACES.check_row("", expect![[r#"["Active","60s"]"#]]);
}

#[test]
fn the_first_delete_marks_a_namespace_and_others_wait() {
    for (orphan_dependents, finalizers) in [
        (None, None),
        (Some(true), Some(r#"["orphan"]"#)),
        // Unlike elsewhere: the namespace waits for what depends on it.
        (Some(false), Some(r#"["foregroundDeletion"]"#)),
    ] {
        let api = Api::new();
        api.create(NAMESPACES.path, &NAMESPACES.body("")).unwrap();
        let delete = |orphan_dependents: Option<bool>| {
            let options = DeleteOptions { orphan_dependents, ..DeleteOptions::default() };
            let deleted = api.delete_with(NAMESPACES.path, &options).unwrap();
            deleted.lookup(&["metadata", "finalizers"]).map(sprag_value::json::to_string)
        };
        assert_eq!(delete(orphan_dependents).as_deref(), finalizers);
        assert_eq!(delete(Some(true)).as_deref(), finalizers, "another delete changes nothing");
    }
    let api = Api::new();
    api.create(NAMESPACES.path, &NAMESPACES.body("")).unwrap();
    api.update_below(NAMESPACES.path, "finalize", &NAMESPACES.body("")).unwrap();
    let marked = api.delete(NAMESPACES.path, "x").unwrap();
    assert_eq!(marked.lookup(&["status", "phase"]).unwrap(), &"Terminating");
    api.delete(NAMESPACES.path, "x").unwrap();
    assert_eq!(api.get(NAMESPACES.path, "x").unwrap_err().code(), 404);
}

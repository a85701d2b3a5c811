use expect_test::expect;

use crate::api::{Api, Kind, shown};

const ACCOUNTS: Kind = Kind { path: "serviceaccounts", api_version: "v1", name: "ServiceAccount" };

#[test]
fn references_to_secrets_are_names() {
    ACCOUNTS.check(
        r#","secrets":[{"name":"a","namespace":"b","kind":"Secret"}]"#,
        expect![[r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"},"secrets":[{"name":"a"}]}"#]],
    );
    ACCOUNTS.check(r#","secrets":["a"]"#, expect![[r#"ServiceAccount in version "v1" cannot be handled as a ServiceAccount: json: cannot unmarshal string into Go struct field ServiceAccount.secrets of type v1.ObjectReference"#]]);
    ACCOUNTS.check(r#","imagePullSecrets":[{}],"automountServiceAccountToken":false"#, expect![[r#"{"apiVersion":"v1","automountServiceAccountToken":false,"imagePullSecrets":[{}],"kind":"ServiceAccount","metadata":{"name":"x"}}"#]]);
}

#[test]
fn secrets_merge_by_name_and_pull_secrets_are_replaced() {
    let api = Api::new();
    let body = ACCOUNTS.body(r#","secrets":[{"name":"a"}],"imagePullSecrets":[{"name":"a"}]"#);
    api.create(ACCOUNTS.path, &body).unwrap();
    let patch = r#"{"secrets":[{"name":"b"}],"imagePullSecrets":[{"name":"b"}]}"#;
    expect![[r#"{"apiVersion":"v1","imagePullSecrets":[{"name":"b"}],"kind":"ServiceAccount","metadata":{"name":"x"},"secrets":[{"name":"b"},{"name":"a"}]}"#]].assert_eq(&shown(api.strategic(ACCOUNTS.path, "x", patch)));
}

#[test]
fn a_delete_answers_with_the_account() {
    let api = Api::new();
    api.create(ACCOUNTS.path, &ACCOUNTS.body("")).unwrap();
    expect![[r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}}"#]]
        .assert_eq(&shown(api.delete(ACCOUNTS.path, "x")));
}

#[test]
fn an_old_annotation_yields_a_warning() {
    let body = r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x",
        "annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}}}"#;
    expect!["metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"].assert_eq(&Api::new().warnings(ACCOUNTS.path, body).join("; "));
}

#[test]
fn a_row_has_the_age() {
    ACCOUNTS.check_row("", expect![[r#"["60s"]"#]]);
}

use expect_test::expect;

use crate::api::{Api, Kind, shown};

const V1: &str = "rbac.authorization.k8s.io/v1";
const ROLES: Kind = Kind { path: "rbac.authorization.k8s.io/roles", api_version: V1, name: "Role" };
const CLUSTER_ROLES: Kind =
    Kind { path: "rbac.authorization.k8s.io/clusterroles", api_version: V1, name: "ClusterRole" };
const BINDINGS: Kind = Kind { path: "rbac.authorization.k8s.io/rolebindings", api_version: V1, name: "RoleBinding" };
const CLUSTER_BINDINGS: Kind =
    Kind { path: "rbac.authorization.k8s.io/clusterrolebindings", api_version: V1, name: "ClusterRoleBinding" };

#[test]
fn no_rules_stay_as_they_were_sent() {
    ROLES.check(
        "",
        expect![[
            r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"x"},"rules":null}"#
        ]],
    );
    ROLES.check(
        r#","rules":[]"#,
        expect![[r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"x"},"rules":[]}"#]],
    );
}

#[test]
fn names_that_cannot_be_stored_are_refused() {
    let create = |name: &str| {
        let body = CLUSTER_ROLES.body(r#","rules":[]"#).replace(r#""name":"x""#, &format!(r#""name":"{name}""#));
        shown(Api::new().create(CLUSTER_ROLES.path, &body))
    };
    expect![[r#"ClusterRole.rbac.authorization.k8s.io "a\tb" is invalid: metadata.name: Invalid value: "a\tb": the name must not contain '\t'"#]].assert_eq(&create(r"a\tb").replace('\t', r"\t"));
    assert!(create(&"a".repeat(1025)).ends_with("the name is longer than 1024 bytes"));
    assert!(!create(r"a<b é").contains("invalid"));
}

#[test]
fn who_sends_no_rules_owns_them() {
    let api = Api::new();
    let owned = |object: &sprag_value::Value| object.lookup(&["metadata", "managedFields"]).is_some();
    for (name, rules, is_owned) in [("a", r#","rules":[]"#, true), ("b", r#","rules":null"#, false), ("c", "", false)] {
        let body = ROLES.body(rules).replace(r#""x""#, &format!("{name:?}"));
        let created = api.create(ROLES.path, &body).unwrap();
        let is_null = created.get("rules") == Some(&sprag_value::Value::Null);
        assert_eq!((is_null, owned(&created)), (!is_owned, is_owned), "{body}");
        let again = api.update(ROLES.path, name, &body).unwrap();
        assert_eq!(again.lookup(&["metadata", "resourceVersion"]), created.lookup(&["metadata", "resourceVersion"]));
    }
}

#[test]
fn rules_are_about_resources_or_paths() {
    ROLES.check(r#","rules":[{}]"#, expect![[r#"Role.rbac.authorization.k8s.io "x" is invalid: [rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource, rules[0].verbs: Required value]"#]]);
    ROLES.check(r#","rules":[{"verbs":["get"],"nonResourceURLs":["/<a>"]}]"#, expect![[r#"Role.rbac.authorization.k8s.io "x" is invalid: rules[0].nonResourceURLs: Invalid value: ["/\u003ca\u003e"]: namespaced rules cannot apply to non-resource URLs"#]]);
    CLUSTER_ROLES.check(r#","rules":[{"verbs":["get"],"nonResourceURLs":["/a"]}]"#, expect![[r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"x"},"rules":[{"nonResourceURLs":["/a"],"verbs":["get"]}]}"#]]);
    CLUSTER_ROLES
        .check(r#","rules":[{"verbs":["get"],"nonResourceURLs":["/a"],"resources":["pods"]}]"#, expect![[r#"ClusterRole.rbac.authorization.k8s.io "x" is invalid: rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs"#]]);
}

#[test]
fn names_are_parts_of_paths() {
    let create = |name: &str| {
        let body = format!(r#"{{"apiVersion":"{V1}","kind":"Role","metadata":{{"name":"{name}"}}}}"#);
        shown(Api::new().create(ROLES.path, &body))
    };
    expect![[
        r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"system:X y"},"rules":null}"#
    ]]
    .assert_eq(&create("system:X y"));
    expect![[
        r#"Role.rbac.authorization.k8s.io "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'"#
    ]]
    .assert_eq(&create("a/b"));
}

#[test]
fn bases_for_names_are_judged_as_names() {
    for kind in [ROLES, CLUSTER_ROLES, BINDINGS, CLUSTER_BINDINGS] {
        let api = Api::new();
        let named = kind
            .body(r#","roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},"rules":[]"#);
        api.create(kind.path, &named).unwrap();
        let expected = format!(
            r#"{}.rbac.authorization.k8s.io "x" is invalid: metadata.generateName: Invalid value: "..": may not be '..'"#,
            kind.name
        );
        let body = named.replace(r#""name":"x""#, r#""name":"x","generateName":"..""#);
        assert_eq!(shown(api.update(kind.path, "x", &body)), expected);
        assert_eq!(shown(Api::new().create(kind.path, &body)), expected);
    }
}

#[test]
fn aggregated_roles_need_selectors_that_can_be_read() {
    CLUSTER_ROLES.check(r#","aggregationRule":{}"#, expect![[r#"ClusterRole.rbac.authorization.k8s.io "x" is invalid: aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"#]]);
    let selectors = r#"[{"matchLabels":{"a b":"c"}},{"matchExpressions":[{"key":"a","operator":"Foo"}]},
        {"matchExpressions":[{"key":"a","operator":"In"},{"key":"a","operator":"Exists","values":["b c"]}]}]"#;
    CLUSTER_ROLES.check(&format!(r#","aggregationRule":{{"clusterRoleSelectors":{selectors}}}"#), expect![[r#"ClusterRole.rbac.authorization.k8s.io "x" is invalid: [aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector., aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator, aggregationRule.clusterRoleSelectors[1]: Invalid value: null: invalid label selector., aggregationRule.clusterRoleSelectors[2].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', aggregationRule.clusterRoleSelectors[2].matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist', aggregationRule.clusterRoleSelectors[2].matchExpressions[1].values[0]: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), aggregationRule.clusterRoleSelectors[2]: Invalid value: null: invalid label selector.]"#]]);
}

#[test]
fn groups_are_filled_in() {
    let members = r#","roleRef":{"kind":"ClusterRole","name":"r"},
        "subjects":[{"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]"#;
    BINDINGS.check(members, expect![[r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"x"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]}"#]]);
}

#[test]
fn bindings_name_a_role_and_subjects() {
    BINDINGS.check("", expect![[r#"RoleBinding.rbac.authorization.k8s.io "x" is invalid: [roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole", roleRef.name: Required value]"#]]);
    let members = r#","roleRef":{"apiGroup":"x","kind":"Role","name":"a/b"},
        "subjects":[{"kind":"User"},{"kind":"Foo","name":"f"},{"kind":"ServiceAccount","name":"S_","apiGroup":"x"}]"#;
    BINDINGS.check(members, expect![[r#"RoleBinding.rbac.authorization.k8s.io "x" is invalid: [roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io", roleRef.name: Invalid value: "a/b": may not contain '/', subjects[1].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group", subjects[2].name: Invalid value: "S_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), subjects[2].apiGroup: Unsupported value: "x": supported values: "", subjects[0].name: Required value]"#]]);
    CLUSTER_BINDINGS.check(members, expect![[r#"ClusterRoleBinding.rbac.authorization.k8s.io "x" is invalid: [roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io", roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole", roleRef.name: Invalid value: "a/b": may not contain '/', subjects[1].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group", subjects[2].name: Invalid value: "S_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), subjects[2].apiGroup: Unsupported value: "x": supported values: "", subjects[2].namespace: Required value, subjects[0].name: Required value]"#]]);
}

#[test]
fn the_role_of_a_binding_stays() {
    let (before, after) =
        (r#","roleRef":{"kind":"ClusterRole","name":"r"}"#, r#","roleRef":{"kind":"Role","name":"<s>"}"#);
    BINDINGS.check_update(before, after, expect![[r#"RoleBinding.rbac.authorization.k8s.io "x" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"\u003cs\u003e"}: field is immutable"#]]);
    CLUSTER_BINDINGS.check_update(before, after, expect![[r#"ClusterRoleBinding.rbac.authorization.k8s.io "x" is invalid: [roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole", roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"\u003cs\u003e"}: field is immutable]"#]]);
}

#[test]
fn rows_tell_who_has_which_role() {
    ROLES.check_row("", expect![[r#"["2030-03-17T17:45:40Z"]"#]]);
    let members = r#","roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"u"},
        {"kind":"User","name":"v"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]"#;
    CLUSTER_BINDINGS.check_row(members, expect![[r#"["ClusterRole/r","60s","u, v","g","n/s"]"#]]);
}

/// `runtime.DefaultMetaV1FieldSelectorConversion` knows no scope.
#[test]
fn kinds_without_fields_of_their_own_select_by_namespace_whatever_their_scope() {
    let api = Api::new();
    api.create(CLUSTER_ROLES.path, &CLUSTER_ROLES.body("")).unwrap();
    assert_eq!(api.names(CLUSTER_ROLES.path, "metadata.namespace=a").unwrap(), [""; 0]);
    assert_eq!(api.names(CLUSTER_ROLES.path, "metadata.namespace!=a").unwrap(), ["x"]);
    // Namespaces have a conversion of their own.
    let refused = api.names("namespaces", "metadata.namespace=a").unwrap_err();
    assert_eq!(refused.to_string(), "field label not supported: metadata.namespace");
}

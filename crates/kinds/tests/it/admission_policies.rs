use expect_test::expect;

use crate::api::{Api, Kind, shown};

const POLICIES: Kind = Kind {
    path: "admissionregistration.k8s.io/validatingadmissionpolicies",
    api_version: "admissionregistration.k8s.io/v1",
    name: "ValidatingAdmissionPolicy",
};
pub(crate) const MUTATING: Kind = Kind {
    path: "admissionregistration.k8s.io/mutatingadmissionpolicies",
    api_version: "admissionregistration.k8s.io/v1",
    name: "MutatingAdmissionPolicy",
};
const WEBHOOKS: Kind = Kind {
    path: "admissionregistration.k8s.io/mutatingwebhookconfigurations",
    api_version: "admissionregistration.k8s.io/v1",
    name: "MutatingWebhookConfiguration",
};

const MATCH: &str = r#""matchConstraints":{"resourceRules":[{"operations":["CREATE"],"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]}]}"#;

/// Returns the error of a policy with these members of a spec; empty if it is valid.
#[track_caller]
fn flaw(kind: &Kind, members: &str) -> String {
    let body = kind.body(&format!(r#","spec":{{{MATCH},{members}}}"#));
    Api::new().create(kind.path, &body).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn expressions_see_variables_that_come_before_them() {
    let good = r#""variables":[{"name":"small","expression":"object.spec.replicas < 5"},{"name":"ok","expression":"variables.small || request.dryRun"}],
        "validations":[{"expression":"variables.ok","messageExpression":"'replicas: ' + string(object.spec.replicas)"}]"#;
    assert_eq!(flaw(&POLICIES, good), "");
    let early = r#""variables":[{"name":"ok","expression":"variables.small"},{"name":"small","expression":"true"}],
        "validations":[{"expression":"variables.ok"}]"#;
    assert!(flaw(&POLICIES, early).contains("spec.variables[0].expression: Invalid value: \"variables.small\": compilation failed: ERROR: <input>:1:10: undefined field 'small'"));
    // Without a list of variables, no variable is declared.
    let none = flaw(&POLICIES, r#""validations":[{"expression":"variables.ok"}]"#);
    assert!(none.contains("undeclared reference to 'variables' (in container '')"), "{none}");
}

#[test]
fn messages_do_not_ask_who_may() {
    let members = r#""validations":[{"expression":"authorizer.requestResource.check('delete').allowed()","messageExpression":"authorizer.path('/x').check('get').reason()"}]"#;
    let text = flaw(&POLICIES, members);
    assert!(text.starts_with(r#"ValidatingAdmissionPolicy.admissionregistration.k8s.io "x" is invalid: spec.validations[0].messageExpression: Invalid value: "authorizer.path"#), "{text}");
    assert!(text.contains("undeclared reference to 'authorizer'"), "{text}");
}

#[test]
fn params_are_there_if_their_kind_is() {
    let expression = r#""validations":[{"expression":"object.spec.replicas <= params.data.max"}]"#;
    assert!(flaw(&POLICIES, expression).contains("undeclared reference to 'params'"));
    let kind = r#""paramKind":{"apiVersion":"v1","kind":"ConfigMap"}"#;
    assert_eq!(flaw(&POLICIES, &format!("{kind},{expression}")), "");
}

#[test]
fn annotations_are_texts_or_nothing() {
    let annotation =
        |expression: &str| format!(r#""auditAnnotations":[{{"key":"size","valueExpression":"{expression}"}}]"#);
    assert_eq!(flaw(&POLICIES, &annotation("object.spec.replicas > 50 ? 'big' : ''")), "");
    expect![[r#"ValidatingAdmissionPolicy.admissionregistration.k8s.io "x" is invalid: spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int"#]]
        .assert_eq(&flaw(&POLICIES, &annotation("1")));
}

#[test]
fn mutations_yield_what_their_type_says() {
    let mutation = |body: &str| format!(r#""reinvocationPolicy":"Never","mutations":[{body}]"#);
    let apply = r#"{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"Object{spec: Object.spec{replicas: 3}}"}}"#;
    assert_eq!(flaw(&MUTATING, &mutation(apply)), "");
    let patch = r#"{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]"}}"#;
    assert_eq!(flaw(&MUTATING, &mutation(patch)), "");
    let switched = r#"{"patchType":"JSONPatch","jsonPatch":{"expression":"Object{}"}}"#;
    assert!(flaw(&MUTATING, &mutation(switched)).ends_with("must evaluate to list(JSONPatch) but got Object"));
    let body = MUTATING.body(&format!(r#","spec":{{{},{}}}"#, MATCH.replace("CREATE", "DELETE"), mutation(apply)));
    let text = shown(Api::new().create(MUTATING.path, &body));
    assert!(text.contains(r#"spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE""#), "{text}");
}

#[test]
fn conditions_that_do_not_change_are_not_compiled_again() {
    let webhook = |timeout: u8, conditions: &str| {
        let members = format!(
            r#","webhooks":[{{"name":"a.example.com","clientConfig":{{"url":"https://example.com/x"}},"sideEffects":"None",
            "admissionReviewVersions":["v1"],"timeoutSeconds":{timeout},"matchConditions":[{conditions}]}}]"#
        );
        WEBHOOKS.body(&members)
    };
    let condition = r#"{"name":"a","expression":"object.metadata.name.startsWith('a')"}"#;
    let api = Api::new();
    let stored = api.create(WEBHOOKS.path, &webhook(5, condition)).unwrap();
    assert_eq!(stored.lookup(&["metadata", "generation"]).and_then(sprag_value::Value::as_i64), Some(1));
    // An update needs the version it is based on.
    let text = shown(api.update(WEBHOOKS.path, "x", &webhook(6, condition)));
    assert!(text.contains("metadata.resourceVersion: Invalid value: 0: must be specified for an update"), "{text}");
    let patched = api.strategic(WEBHOOKS.path, "x", r#"{"webhooks":[{"name":"a.example.com","timeoutSeconds":6}]}"#);
    assert!(shown(patched).contains(r#""timeoutSeconds":6"#));
    let wrong = r#"{"webhooks":[{"name":"a.example.com","matchConditions":[{"name":"b","expression":"object"}]}]}"#;
    let text = shown(api.strategic(WEBHOOKS.path, "x", wrong));
    assert!(text.contains(r#"expression: Invalid value: "object": must evaluate to bool but got dyn"#), "{text}");
}

#[test]
fn names_of_files_are_reserved() {
    let body = WEBHOOKS.body("").replace(r#""name":"x""#, r#""name":"x.static.k8s.io""#);
    let text = shown(Api::new().create(WEBHOOKS.path, &body));
    assert!(text.contains("are reserved for static manifest-based configurations"), "{text}");
}

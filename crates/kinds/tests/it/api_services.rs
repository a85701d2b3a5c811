use expect_test::expect;

use crate::api::{Api, Kind, shown};

const SERVICES: Kind =
    Kind { path: "apiregistration.k8s.io/apiservices", api_version: "apiregistration.k8s.io/v1", name: "APIService" };

fn named(name: &str, spec: &str) -> String {
    SERVICES.body(&format!(r#","spec":{spec}"#)).replace(r#""name":"x""#, &format!(r#""name":"{name}""#))
}

#[test]
fn names_say_version_and_group() {
    SERVICES.check(
        r#","spec":{"group":"example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1}"#,
        expect![[r#"APIService.apiregistration.k8s.io "x" is invalid: metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com""#]],
    );
    SERVICES.check(r#","spec":{"groupPriorityMinimum":0,"versionPriority":1001}"#, expect![[r#"APIService.apiregistration.k8s.io "x" is invalid: [metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: ".", spec.group: Required value: only v1 may have an empty group and it better be legacy kube, spec.version: Invalid value: "": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'), spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000, spec.versionPriority: Invalid value: 1001: must be positive and less than 1000]"#]]);
}

#[test]
fn names_are_checked_before_labels() {
    let spec = r#"{"group":"example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1}"#;
    let body = named("x", spec).replace(r#""name":"x""#, r#""name":"x","labels":{"a!":""}"#);
    let answer = shown(Api::new().create(SERVICES.path, &body));
    let name = answer.find("metadata.name").unwrap();
    let labels = answer.find("metadata.labels").unwrap();
    assert!(name < labels, "{answer}");
}

#[test]
fn what_this_server_answers_for_is_available() {
    let spec = r#"{"group":"example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1}"#;
    let made = Api::new().create(SERVICES.path, &named("v1.example.com", spec)).expect("the object is valid");
    let condition = made.lookup(&["status", "conditions"]).and_then(|all| all.as_array()?.first().cloned());
    assert_eq!(condition.and_then(|condition| condition.get("reason").cloned()), Some("Local".into()));
}

#[test]
fn services_have_a_port_and_one_way_to_be_trusted() {
    let spec = r#"{"group":"example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1,"service":{"name":"s"},
        "caBundle":"eA==","insecureSkipTLSVerify":true}"#;
    let body = named("v1.example.com", spec);
    expect![[r#"APIService.apiregistration.k8s.io "v1.example.com" is invalid: [spec.service.namespace: Required value, spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present]"#]].assert_eq(&shown(Api::new().create(SERVICES.path, &body)));
}

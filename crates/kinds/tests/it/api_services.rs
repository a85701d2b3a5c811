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
        expect![[""]],
    );
    SERVICES.check(r#","spec":{"groupPriorityMinimum":0,"versionPriority":1001}"#, expect![[""]]);
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
    expect![[""]].assert_eq(&shown(Api::new().create(SERVICES.path, &body)));
}

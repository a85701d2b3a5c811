//! Admission policies, as in a first trial.

use serde_json::{Value, json};

use crate::harness::{Home, TestServer, eventually};
use crate::http::{Client, MERGE_PATCH};

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn server() -> TestServer {
    Home::memory().await.unwrap().start_with(|server| server.admission_plugins(&[], &["ServiceAccount"]).unwrap()).await
}

fn rules(group: &str, resource: &str) -> Value {
    json!({"resourceRules": [
        {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": [resource]},
    ]})
}

/// A policy about config maps with one rule.
fn policy(name: &str, expression: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"matchConstraints": rules("", "configmaps"), "validations": [{"expression": expression}]},
    })
}

fn binding(name: &str, policy: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"policyName": policy, "validationActions": ["Deny"]}})
}

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}, "data": {"size": "5"}})
}

async fn create(client: &Client, resource: &str, object: &Value) {
    client.post(&format!("{GROUP}/{resource}"), object).await.expect(201);
}

async fn bind(client: &Client, policy: &Value) {
    let name = policy["metadata"]["name"].as_str().unwrap();
    create(client, "validatingadmissionpolicies", policy).await;
    create(client, "validatingadmissionpolicybindings", &binding(name, name)).await;
}

/// What is said of a refused config map.
async fn refusal(client: &Client, object: &Value) -> String {
    let answer = client.post(MAPS, object).await.expect(422);
    answer["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_policy_is_in_force_with_its_binding_and_not_before() {
    let server = server().await;
    let client = server.client();
    create(&client, "validatingadmissionpolicies", &policy("small", "int(object.data.size) < 3")).await;
    client.post(MAPS, &map("without")).await.expect(201);
    create(&client, "validatingadmissionpolicybindings", &binding("small", "small")).await;
    assert_eq!(
        refusal(&client, &map("with")).await,
        "configmaps \"with\" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'small' denied request: failed \
         expression: int(object.data.size) < 3"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_binding_waits_for_its_policy_and_outlives_it() {
    let server = server().await;
    let client = server.client();
    create(&client, "validatingadmissionpolicybindings", &binding("early", "late")).await;
    client.post(MAPS, &map("a")).await.expect(201);
    create(&client, "validatingadmissionpolicies", &policy("late", "false")).await;
    assert!(refusal(&client, &map("b")).await.contains("'late' with binding 'early'"));
    client.delete(&format!("{GROUP}/validatingadmissionpolicies/late")).await.expect(200);
    client.post(MAPS, &map("c")).await.expect(201);
    server.stop().await;
}

#[tokio::test]
async fn a_changed_policy_counts_at_once() {
    let server = server().await;
    let client = server.client();
    bind(&client, &policy("size", "int(object.data.size) < 3")).await;
    for limit in [9, 4, 8] {
        let change = json!({"spec": {"validations": [{"expression": format!("int(object.data.size) < {limit}")}]}});
        let path = format!("{GROUP}/validatingadmissionpolicies/size");
        client.patch(&path, MERGE_PATCH, &change).await.expect(200);
        let code = if limit > 5 { 201 } else { 422 };
        client.post(MAPS, &map(&format!("m{limit}"))).await.expect(code);
    }
    server.stop().await;
}

#[tokio::test]
async fn params_may_be_in_another_namespace_and_come_later() {
    let server = server().await;
    let client = server.client();
    client.post("/api/v1/namespaces", &json!({"metadata": {"name": "rules"}})).await.expect(201);
    let mut limited = policy("limited", "int(object.data.size) <= int(params.data.max)");
    limited["spec"]["paramKind"] = json!({"apiVersion": "v1", "kind": "ConfigMap"});
    limited["spec"]["matchConditions"] =
        json!([{"name": "not-params", "expression": "object.metadata.name != 'limit'"}]);
    create(&client, "validatingadmissionpolicies", &limited).await;
    let mut bound = binding("limited", "limited");
    bound["spec"]["paramRef"] = json!({"name": "limit", "namespace": "rules", "parameterNotFoundAction": "Deny"});
    create(&client, "validatingadmissionpolicybindings", &bound).await;
    assert!(refusal(&client, &map("a")).await.ends_with(
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    ));
    let policies = format!("{GROUP}/validatingadmissionpolicybindings/limited");
    let allow = json!({"spec": {"paramRef": {"parameterNotFoundAction": "Allow"}}});
    client.patch(&policies, MERGE_PATCH, &allow).await.expect(200);
    client.post(MAPS, &map("b")).await.expect(201);
    let limit = json!({"metadata": {"name": "limit"}, "data": {"max": "4"}});
    client.post("/api/v1/namespaces/rules/configmaps", &limit).await.expect(201);
    assert!(
        refusal(&client, &map("c")).await.ends_with("failed expression: int(object.data.size) <= int(params.data.max)")
    );
    server.stop().await;
}

#[tokio::test]
async fn policies_do_not_judge_policies() {
    let server = server().await;
    let client = server.client();
    let mut locking = policy("locking", "false");
    locking["spec"]["matchConstraints"] = json!({"resourceRules": [
        {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]},
    ]});
    bind(&client, &locking).await;
    client.post(MAPS, &map("a")).await.expect(422);
    let review = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review).await.expect(201);
    client.delete(&format!("{GROUP}/validatingadmissionpolicybindings/locking")).await.expect(200);
    client.post(MAPS, &map("a")).await.expect(201);
    server.stop().await;
}

#[tokio::test]
async fn variables_are_computed_once_and_their_errors_name_them() {
    let server = server().await;
    let client = server.client();
    let mut object = policy("named", "variables.count < 3 || variables.count > 4");
    object["spec"]["variables"] = json!([{"name": "size", "expression": "object.data.size"}, {"name": "count", "expression": "int(variables.size)"}]);
    bind(&client, &object).await;
    client.post(MAPS, &map("five")).await.expect(201);
    let none = json!({"metadata": {"name": "none"}, "data": {"other": "1"}});
    assert!(refusal(&client, &none).await.ends_with(
        "resulted in error: composited variable \"count\" fails to evaluate: composited variable \"size\" fails to \
         evaluate: no such key: size"
    ));
    server.stop().await;
}

#[tokio::test]
async fn an_expensive_expression_is_stopped() {
    let server = server().await;
    let client = server.client();
    let mut object =
        policy("loops", "variables.l.all(a, variables.l.all(b, variables.l.all(c, variables.l.all(d, true))))");
    let numbers: Vec<String> = (0..60).map(|number| number.to_string()).collect();
    object["spec"]["variables"] = json!([{"name": "l", "expression": format!("[{}]", numbers.join(","))}]);
    bind(&client, &object).await;
    assert!(refusal(&client, &map("a")).await.ends_with("operation cancelled: actual cost limit exceeded"));
    server.stop().await;
}

#[tokio::test]
async fn what_a_mutating_policy_sets_is_judged_and_stored() {
    let server = server().await;
    let client = server.client();
    let mutating = json!({
        "metadata": {"name": "stamp"},
        "spec": {
            "matchConstraints": rules("", "configmaps"),
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "mutations": [
                {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression":
                    "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username.split(':')[0]}}}"}},
                {"patchType": "JSONPatch", "jsonPatch": {"expression":
                    "[JSONPatch{op: 'add', path: '/data/seen', value: object.metadata.labels.by}]"}},
            ],
        },
    });
    create(&client, "mutatingadmissionpolicies", &mutating).await;
    let bound = json!({"metadata": {"name": "stamp"}, "spec": {"policyName": "stamp"}});
    create(&client, "mutatingadmissionpolicybindings", &bound).await;
    let stored = client.post(MAPS, &map("a")).await.expect(201);
    assert_eq!(stored["metadata"]["labels"]["by"], stored["data"]["seen"]);
    bind(&client, &policy("unseen", "!has(object.data.seen)")).await;
    assert!(refusal(&client, &map("b")).await.contains("'unseen'"));
    let untouched = client.patch(&format!("{MAPS}/a"), MERGE_PATCH, &json!({"data": {"seen": null}})).await.expect(422);
    assert!(untouched["message"].as_str().unwrap().contains("'unseen'"));
    server.stop().await;
}

#[tokio::test]
async fn types_are_checked_in_the_status() {
    let server = server().await;
    let client = server.client();
    let mut object = policy("typo", "object.spec.replica < 3 && object.spec.replicas > 'x'");
    object["spec"]["matchConstraints"] = rules("apps", "deployments");
    create(&client, "validatingadmissionpolicies", &object).await;
    let status = status_of(&server, "typo").await;
    assert_eq!(status["observedGeneration"], 1);
    let warning = &status["typeChecking"]["expressionWarnings"][0];
    assert_eq!(warning["fieldRef"], "spec.validations[0].expression");
    let text = warning["warning"].as_str().unwrap();
    assert!(text.starts_with("apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n"), "{text}");
    assert!(text.contains("found no matching overload for '_>_' applied to '(int, string)'"), "{text}");
    let fine = policy("fine", "object.data.all(k, object.data[k].size() < 9) && object.metadata.name != ''");
    create(&client, "validatingadmissionpolicies", &fine).await;
    assert_eq!(status_of(&server, "fine").await["typeChecking"], json!({}));
    server.stop().await;
}

async fn status_of(server: &TestServer, name: &str) -> Value {
    let (client, path) = (server.client(), format!("{GROUP}/validatingadmissionpolicies/{name}"));
    eventually("the status is written", async || {
        let policy = client.get(&path).await.expect(200);
        policy["status"]["observedGeneration"].is_number().then(|| policy["status"].clone())
    })
    .await
}

#[tokio::test]
async fn checks_are_counted() {
    let server = server().await;
    let client = server.client();
    bind(&client, &policy("no", "false")).await;
    client.post(MAPS, &map("a")).await.expect(422);
    let metrics = client.get("/metrics").await.text();
    let line = "apiserver_validating_admission_policy_check_total{enforcement_action=\"deny\",error_type=\"invalid_error\",\
                policy=\"no\",policy_binding=\"no\"} 1";
    assert!(metrics.contains(line), "{metrics}");
    server.stop().await;
}

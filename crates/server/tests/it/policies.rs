//! Admission policies, as in a first trial.

use serde_json::{Value, json};

use crate::access::{binding as user_binding, with_users};
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

/// Returns the message for a rejected config map.
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
    let client = server.client();
    let path = format!("{GROUP}/validatingadmissionpolicies/{name}");
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

#[tokio::test]
async fn a_policy_whose_kind_of_parameters_is_deleted_fails() {
    let server = server().await;
    let client = server.client();
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let definition = json!({
        "metadata": {"name": "limits.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "limits", "kind": "Limit"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    });
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    client.post(definitions, &definition).await.expect(201);
    let limit = json!({"apiVersion": "example.com/v1", "kind": "Limit", "metadata": {"name": "l"}, "max": 9});
    client.post("/apis/example.com/v1/limits", &limit).await.expect(201);
    let mut size = policy("size", "int(object.data.size) < params.max");
    size["spec"]["paramKind"] = json!({"apiVersion": "example.com/v1", "kind": "Limit"});
    create(&client, "validatingadmissionpolicies", &size).await;
    let mut bound = binding("size", "size");
    bound["spec"]["paramRef"] = json!({"name": "l", "parameterNotFoundAction": "Deny"});
    create(&client, "validatingadmissionpolicybindings", &bound).await;
    client.post(MAPS, &map("before")).await.expect(201);
    // Without the object the binding says what happens.
    client.delete("/apis/example.com/v1/limits/l").await.expect(200);
    assert_eq!(
        refusal(&client, &map("no-object")).await,
        "configmaps \"no-object\" is forbidden: ValidatingAdmissionPolicy 'size' with binding 'size' denied request: failed to \
         configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    );
    // Without the definition the failure policy does.
    client.delete(&format!("{definitions}/limits.example.com")).await.expect(200);
    eventually("the kind is gone", async || {
        (client.get("/apis/example.com/v1/limits").await.code == 404).then_some(())
    })
    .await;
    assert_eq!(
        refusal(&client, &map("no-kind")).await,
        "configmaps \"no-kind\" is forbidden: ValidatingAdmissionPolicy 'size' denied request: failed to configure policy: \
         failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'"
    );
    let path = format!("{GROUP}/validatingadmissionpolicies/size");
    client.patch(&path, MERGE_PATCH, &json!({"spec": {"failurePolicy": "Ignore"}})).await.expect(200);
    client.post(MAPS, &map("ignored")).await.expect(201);
    server.stop().await;
}

#[tokio::test]
async fn an_expression_that_fails_is_passed_over_where_failures_are_ignored() {
    let server = server().await;
    let client = server.client();
    let mut lenient = policy("lenient", "object.data.none == 'x'");
    lenient["spec"]["failurePolicy"] = "Ignore".into();
    bind(&client, &lenient).await;
    client.post(MAPS, &map("a")).await.expect(201);
    // A rule that is false is not a failure.
    let both = json!([{"expression": "object.data.none == 'x'"}, {"expression": "object.data.size == '4'"}]);
    let path = format!("{GROUP}/validatingadmissionpolicies/lenient");
    client.patch(&path, MERGE_PATCH, &json!({"spec": {"validations": both}})).await.expect(200);
    assert!(refusal(&client, &map("b")).await.ends_with("denied request: failed expression: object.data.size == '4'"));
    client.patch(&path, MERGE_PATCH, &json!({"spec": {"failurePolicy": "Fail"}})).await.expect(200);
    assert!(
        refusal(&client, &map("c"))
            .await
            .ends_with("denied request: expression 'object.data.none == 'x'' resulted in error: no such key: none")
    );
    server.stop().await;
}

#[tokio::test]
async fn patches_of_policies_append_to_lists_and_escape_keys() {
    let server = server().await;
    let client = server.client();
    let expression = r#"[
        JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers{name: "side", image: "i"}},
        JSONPatch{op: "add", path: "/spec/containers/0/env", value: []},
        JSONPatch{op: "add", path: "/spec/containers/0/env/-", value: Object.spec.containers.env{name: "A", value: "1"}},
        JSONPatch{op: "add", path: "/spec/containers/0/env/-", value: Object.spec.containers.env{name: "B", value: "2"}},
        JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/by"), value: "policy"}
    ]"#;
    let policy = json!({
        "metadata": {"name": "side"},
        "spec": {
            "matchConstraints": {"resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]},
            ]},
            "matchConditions": [{"name": "labelled", "expression": "has(object.metadata.labels)"}],
            "reinvocationPolicy": "Never",
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
        },
    });
    create(&client, "mutatingadmissionpolicies", &policy).await;
    let bound = json!({"metadata": {"name": "side"}, "spec": {"policyName": "side"}});
    create(&client, "mutatingadmissionpolicybindings", &bound).await;
    let pods = "/api/v1/namespaces/default/pods";
    let containers = json!([{"name": "main", "image": "i"}]);
    let pod = json!({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"containers": containers}});
    let pod = client.post(pods, &pod).await.expect(201);
    let names: Vec<_> = pod["spec"]["containers"].as_array().unwrap().iter().map(|c| c["name"].clone()).collect();
    assert_eq!(names, ["main", "side"]);
    assert_eq!(pod["spec"]["containers"][0]["env"], json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]));
    assert_eq!(pod["metadata"]["labels"], json!({"app": "web", "example.com/by": "policy"}));
    // The patched object has defaults, too.
    assert_eq!(pod["spec"]["containers"][1]["imagePullPolicy"], "Always");
    let plain = json!({"metadata": {"name": "b"}, "spec": {"containers": containers}});
    let plain = client.post(pods, &plain).await.expect(201);
    assert_eq!(plain["spec"]["containers"].as_array().map(Vec::len), Some(1));
    server.stop().await;
}

#[tokio::test]
async fn a_policy_about_deletes_sees_the_object_that_goes() {
    let server = server().await;
    let client = server.client();
    let mut keep = policy("keep", "object == null && oldObject.data.size != '5'");
    keep["spec"]["matchConstraints"]["resourceRules"][0]["operations"] = json!(["DELETE"]);
    bind(&client, &keep).await;
    client.post(MAPS, &map("a")).await.expect(201);
    client.post(MAPS, &json!({"metadata": {"name": "b"}, "data": {"size": "6"}})).await.expect(201);
    let refused = client.delete(&format!("{MAPS}/a")).await.expect(422);
    assert_eq!(
        refused["message"],
        "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: failed \
         expression: object == null && oldObject.data.size != '5'"
    );
    client.delete(&format!("{MAPS}/b")).await.expect(200);
    // All at once is one by one, too.
    client.delete(MAPS).await.expect(422);
    client.get(&format!("{MAPS}/a")).await.expect(200);
    // Somebody who looks at `object` there gets an error that says so.
    let path = format!("{GROUP}/validatingadmissionpolicies/keep");
    let change = json!({"spec": {"validations": [{"expression": "object.data.size != '5'"}]}});
    client.patch(&path, MERGE_PATCH, &change).await.expect(200);
    let refused = client.delete(&format!("{MAPS}/a")).await.expect(422);
    assert_eq!(
        refused["message"],
        "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: expression \
         'object.data.size != '5'' resulted in error: no such key: data"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_label_of_a_namespace_counts_at_once() {
    let server = server().await;
    let client = server.client();
    let mut prod = policy("prod", "false");
    prod["spec"]["matchConstraints"]["namespaceSelector"] = json!({"matchLabels": {"env": "prod"}});
    bind(&client, &prod).await;
    client.post(MAPS, &map("a")).await.expect(201);
    for (env, code) in [("prod", 422), ("test", 201)] {
        let change = json!({"metadata": {"labels": {"env": env}}});
        client.patch("/api/v1/namespaces/default", MERGE_PATCH, &change).await.expect(200);
        client.post(MAPS, &map(env)).await.expect(code);
    }
    server.stop().await;
}

/// As upstream's `validatingAdmissionPolicyStrategy.authorize` and its like: messages of policies show parameters.
#[tokio::test]
async fn who_writes_a_policy_must_be_allowed_to_read_its_parameters() {
    const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    let server = Home::memory().await.unwrap().start_with(|server| with_users(server, &[("eve", &["dev"])])).await;
    let admin = server.client();
    let eve = server.client().with_token(Some("eve"));
    let role = |more: Value| {
        let all = json!({"apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"], "verbs": ["*"]});
        json!({"metadata": {"name": "author"}, "rules": [all, more]})
    };
    let nothing = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
    admin.post(ROLES, &role(nothing.clone())).await.expect(201);
    let bound = user_binding("b", ("ClusterRole", "author"), ("User", "eve"));
    admin.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &bound).await.expect(201);
    let allow = async |rule: Value| drop(admin.put(&format!("{ROLES}/author"), &role(rule)).await.expect(200));

    let mut with_params = policy("leak", "false");
    with_params["spec"]["paramKind"] = json!({"apiVersion": "v1", "kind": "Secret"});
    let who = "&{eve  [dev system:authenticated] map[]}";
    let kinds = [
        ("validatingadmissionpolicies", "ValidatingAdmissionPolicy"),
        ("mutatingadmissionpolicies", "MutatingAdmissionPolicy"),
    ];
    for (resource, kind) in kinds {
        let mut object = with_params.clone();
        if resource == "mutatingadmissionpolicies" {
            object["spec"]["reinvocationPolicy"] = json!("Never");
            object["spec"]["mutations"] =
                json!([{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}]);
            object["spec"].as_object_mut().unwrap().remove("validations");
        }
        allow(nothing.clone()).await;
        let path = format!("{GROUP}/{resource}");
        let why = format!(
            "{kind}.admissionregistration.k8s.io \"leak\" is invalid: spec.paramKind: Forbidden: user {who} must have \"get\" permission \
             on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)"
        );
        assert_eq!(eve.post(&path, &object).await.expect(422)["message"], why);
        // One secret is not all of them.
        allow(json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]})).await;
        assert_eq!(eve.post(&path, &object).await.expect(422)["message"], why);
        let mut plain = object.clone();
        plain["spec"].as_object_mut().unwrap().remove("paramKind");
        eve.post(&path, &plain).await.expect(201);
        assert_eq!(eve.patch(&format!("{path}/leak"), MERGE_PATCH, &with_kind()).await.expect(422)["message"], why);
        allow(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]})).await;
        eve.patch(&format!("{path}/leak"), MERGE_PATCH, &with_kind()).await.expect(200);
        // What is there already is not asked for again.
        allow(nothing.clone()).await;
        let labels = json!({"metadata": {"labels": {"a": "b"}}});
        eve.patch(&format!("{path}/leak"), MERGE_PATCH, &labels).await.expect(200);
    }

    let reference = |name: &str, policy: &str, param: Value| {
        let mut object = binding(name, policy);
        object["spec"]["paramRef"] = param;
        object
    };
    let one = json!({"name": "one", "namespace": "default", "parameterNotFoundAction": "Deny"});
    let all = json!({"selector": {}, "parameterNotFoundAction": "Deny"});
    let bindings = format!("{GROUP}/validatingadmissionpolicybindings");
    let why = async |object: &Value| {
        let message = eve.post(&bindings, object).await.expect(422)["message"].as_str().unwrap().to_owned();
        message.split_once("spec.paramRef: Forbidden: ").map(|(_, why)| why.to_owned()).unwrap_or(message)
    };
    let denied =
        |verb: &str| format!("user {who} does not have \"{verb}\" permission on the object referenced by paramRef");
    assert_eq!(why(&reference("x", "leak", one.clone())).await, denied("get"));
    assert_eq!(why(&reference("x", "leak", all.clone())).await, denied("list"));
    assert_eq!(
        why(&reference("x", "none", one.clone())).await,
        format!(
            "unable to get policy none to determine minimum required permissions and user {who} does not have \"get\" permission for \
             all groups, versions and resources"
        )
    );
    let mut mutating = reference("x", "leak", one.clone());
    mutating["spec"].as_object_mut().unwrap().remove("validationActions");
    let answer = eve.post(&format!("{GROUP}/mutatingadmissionpolicybindings"), &mutating).await.expect(422);
    let swapped = format!("user get does not have \"{who}\" permission on the object referenced by paramRef");
    assert!(answer["message"].as_str().unwrap().ends_with(&swapped), "{answer}");
    allow(json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]})).await;
    eve.post(&bindings, &reference("x", "leak", one)).await.expect(201);
    assert_eq!(why(&reference("y", "leak", all)).await, denied("list"));
    eve.post(&bindings, &binding("z", "leak")).await.expect(201);
    server.stop().await;
}

fn with_kind() -> Value {
    json!({"spec": {"paramKind": {"apiVersion": "v1", "kind": "Secret"}}})
}

//! Objects that were valid once, after a restart with a definition that no longer allows them.

use serde_json::{Value, json};
use sprag_rest::MinorVersion;

use crate::definitions::{self, CRDS};
use crate::harness::{Home, TestServer, stores};
use crate::http::{APPLY_PATCH, MERGE_PATCH};

const GAUGES: &str = "/apis/example.com/v1/namespaces/default/gauges";

/// A definition that allows codes and labels of so many characters: codes by schema, labels by rule.
fn gauges(longest: usize) -> Value {
    let short = json!({"type": "string", "maxLength": longest});
    let rule = format!("self.size() <= {longest}");
    let ruled = json!({
        "type": "string",
        "maxLength": 100,
        "x-kubernetes-validations": [{"rule": rule, "message": "too long for a label"}],
    });
    let mut definition = definitions::definition(
        "Gauge",
        &json!({
            "type": "object",
            "properties": {
                "spec": {"type": "object", "properties": {"code": short, "label": ruled, "note": {"type": "string"}}},
                "status": {"type": "object", "properties": {"reading": {"type": "integer"}}},
            },
        }),
    );
    definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    definition
}

fn gauge(code: &str, label: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Gauge",
        "metadata": {"name": "g"},
        "spec": {"code": code, "label": label, "note": "first"},
    })
}

async fn start(home: &Home, longest: usize, ratcheting: bool) -> TestServer {
    // The last release that lets it be switched.
    let mut gates = sprag_server::gates_at(MinorVersion { major: 1, minor: 32 });
    gates.set(&format!("CRDValidationRatcheting={ratcheting}")).unwrap();
    let definition = definitions::value(&gauges(longest));
    home.start_with(|server| server.gates(gates).crd("gauges", definition)).await
}

/// Every server has the definition that it was started with, and no trace of the one before.
async fn check_definition(server: &TestServer, longest: usize) {
    let stored = server.client().get(&format!("{CRDS}/gauges.example.com")).await.expect(200);
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/code/maxLength";
    assert_eq!(stored.pointer(spec), Some(&json!(longest)));
}

/// An object that is stored now and was valid before may stay as it is.
async fn check_old_object(server: &TestServer) {
    let client = server.client();
    let path = format!("{GAUGES}/g");
    let warning = r#"spec.label: Invalid value: "lengthy": too long for a label"#;
    let refusal = "spec.code: Too long: may not be more than 3 bytes";

    let mut object = client.get(&path).await.expect(200);
    object["status"] = json!({"reading": 7});
    let answer = client.put(&format!("{path}/status"), &object).await;
    object = answer.expect(200);
    assert_eq!(object["status"]["reading"], 7);
    assert_eq!(answer.warnings(), [warning]);

    object["metadata"]["labels"] = json!({"seen": "yes"});
    object = client.put(&path, &object).await.expect(200);
    object["spec"]["note"] = json!("second");
    object = client.put(&path, &object).await.expect(200);

    let mut changed = object.clone();
    changed["spec"]["code"] = json!("another");
    let answer = client.put(&path, &changed).await;
    answer.expect(422);
    assert!(answer.message().contains(refusal), "{}", answer.message());
    let answer = client.patch(&path, MERGE_PATCH, &json!({"spec": {"label": "another"}})).await;
    answer.expect(422);
    assert!(answer.message().contains("spec.label: Invalid value"), "{}", answer.message());

    let applied = json!({"apiVersion": "example.com/v1", "kind": "Gauge", "spec": {"note": "third"}});
    client.patch(&format!("{path}?fieldManager=m&force=true"), APPLY_PATCH, &applied).await.expect(200);
    client
        .post(
            GAUGES,
            &json!({"apiVersion": "example.com/v1", "kind": "Gauge", "metadata": {"name": "new"},
        "spec": {"code": "lengthy"}}),
        )
        .await
        .expect(422);
}

/// Without ratcheting every write is checked as a whole: by rules in any case, by the schema where it writes.
async fn check_no_write(server: &TestServer) {
    let client = server.client();
    let path = format!("{GAUGES}/g");
    let mut object = client.get(&path).await.expect(200);
    object["status"] = json!({"reading": 8});
    for (path, reason) in
        [(format!("{path}/status"), "spec.label: Invalid value: \"lengthy\""), (path, "spec.code: Too long")]
    {
        let answer = client.put(&path, &object).await;
        answer.expect(422);
        assert!(answer.message().contains(reason), "{}", answer.message());
        assert!(answer.warnings().is_empty(), "{:?}", answer.warnings());
    }
}

/// Checks that a corrected object is stored, and then held to the rule.
async fn check_mended(server: &TestServer) {
    let client = server.client();
    let path = format!("{GAUGES}/g");
    let answer = client.patch(&path, MERGE_PATCH, &json!({"spec": {"code": "abc", "label": "xyz"}})).await;
    answer.expect(200);
    assert!(answer.warnings().is_empty(), "{:?}", answer.warnings());
    client.patch(&path, MERGE_PATCH, &json!({"spec": {"code": "lengthy"}})).await.expect(422);
}

stores!(a_tightened_definition_lets_old_objects_be: memory embedded etcd);
async fn a_tightened_definition_lets_old_objects_be(home: Home) {
    let server = start(&home, 10, true).await;
    server.client().post(GAUGES, &gauge("lengthy", "lengthy")).await.expect(201);
    server.stop().await;

    let server = start(&home, 3, true).await;
    check_definition(&server, 3).await;
    check_old_object(&server).await;
    server.stop().await;

    let server = start(&home, 3, false).await;
    check_no_write(&server).await;
    check_mended(&server).await;
    server.stop().await;
}

stores!(a_downgrade_lets_objects_of_the_wider_definition_be: embedded etcd);
async fn a_downgrade_lets_objects_of_the_wider_definition_be(home: Home) {
    let server = start(&home, 3, true).await;
    let client = server.client();
    client.post(GAUGES, &gauge("lengthy", "lengthy")).await.expect(422);
    client.post(GAUGES, &gauge("abc", "xyz")).await.expect(201);
    server.stop().await;

    let server = start(&home, 10, true).await;
    let longer = json!({"spec": {"code": "lengthy", "label": "lengthy"}});
    server.client().patch(&format!("{GAUGES}/g"), MERGE_PATCH, &longer).await.expect(200);
    server.stop().await;

    let server = start(&home, 3, false).await;
    check_no_write(&server).await;
    server.stop().await;

    let server = start(&home, 3, true).await;
    check_definition(&server, 3).await;
    check_old_object(&server).await;
    check_mended(&server).await;
    server.stop().await;
}

/// A definition that demands nothing of the whole object.
fn meters() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"code": {"type": "string"}}},
            "unit": {"type": "string"},
            "status": {"type": "object", "properties": {"reading": {"type": "integer"}}},
        },
    });
    let mut definition = definitions::definition("Meter", &schema);
    definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    definition
}

// Metadata is not described by schemas, so upstream never takes a whole object for unchanged
// (common.CorrelatedObject.CachedDeepEqual).
#[tokio::test(flavor = "multi_thread")]
async fn what_is_demanded_of_the_whole_object_is_never_ratcheted() {
    let path = "/apis/example.com/v1/namespaces/default/meters";
    let meter = format!("{path}/m");
    for demand in ["required", "rule"] {
        let home = Home::memory().await.unwrap();
        let server = home.start_with(|server| server.crd("meters", definitions::value(&meters()))).await;
        let client = server.client();
        let object = json!({
            "apiVersion": "example.com/v1", "kind": "Meter", "metadata": {"name": "m"}, "spec": {"code": "a"},
        });
        client.post(path, &object).await.expect(201);
        let definition = format!("{CRDS}/meters.example.com");
        let mut stored = client.get(&definition).await.expect(200);
        let schema = stored.pointer_mut("/spec/versions/0/schema/openAPIV3Schema").unwrap();
        let (message, status_code) = if demand == "required" {
            schema["required"] = json!(["unit"]);
            (r#"Meter.example.com "m" is invalid: unit: Required value"#, 200)
        } else {
            schema["x-kubernetes-validations"] = json!([{"rule": "has(self.unit)", "message": "no unit"}]);
            (r#"Meter.example.com "m" is invalid: <nil>: Invalid value: no unit"#, 422)
        };
        client.put(&definition, &stored).await.expect(200);

        let unchanged = client.get(&meter).await.expect(200);
        let label = json!({"metadata": {"labels": {"seen": "yes"}}});
        let applied = format!("{meter}?fieldManager=m&force=true");
        for answer in [
            client.put(&meter, &unchanged).await,
            client.patch(&meter, MERGE_PATCH, &json!({})).await,
            client.patch(&meter, MERGE_PATCH, &label).await,
            client.patch(&applied, APPLY_PATCH, &object).await,
        ] {
            answer.expect(422);
            assert_eq!(answer.message(), message);
        }
        // The schema of a status is that of the status alone; rules see the whole object.
        client.put(&format!("{meter}/status"), &unchanged).await.expect(status_code);
        client.delete(&meter).await.expect(200);
        server.stop().await;
    }
}

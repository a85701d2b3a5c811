//! Waiting for objects, scaling, following and deleting them.

use serde_json::json;

use super::with_widgets;
use crate::definitions::{WIDGETS, widget};
use crate::harness::{Home, eventually, stores};
use crate::http::MERGE_PATCH;

stores!(objects_are_waited_for_and_scaled: memory embedded etcd);
async fn objects_are_waited_for_and_scaled(home: Home) {
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let client = server.client();
    kubectl.run_on("create -f -", &widget("w", 1)).await.ok();
    let scaled = kubectl.run("scale widget w --replicas=5 --current-replicas=1").await.ok();
    assert_eq!(scaled, "widget.example.com/w scaled");
    kubectl.run("wait widget/w --for=jsonpath={.spec.size}=5 --timeout=10s").await.ok();
    let refused = kubectl.run("scale widget w --replicas=6 --current-replicas=1").await.refused();
    assert!(refused.contains("Expected replicas to be 1, was 5"), "{refused}");

    let waiting = kubectl.run("wait widget/w --for=condition=Ready --timeout=10s");
    let ready = json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let status = format!("{WIDGETS}/w/status");
    let (waited, _) = tokio::join!(waiting, client.patch(&status, MERGE_PATCH, &ready));
    assert_eq!(waited.ok(), "widget.example.com/w condition met");
    let late = kubectl.run("wait widget/w --for=jsonpath={.spec.size}=6 --timeout=1s").await.refused();
    assert!(late.contains("timed out"), "{late}");
    let said = kubectl.run(r#"patch widget w --subresource=status --type=merge -p={"status":{"ready":4}}"#).await.ok();
    assert_eq!(said, "widget.example.com/w patched");
    assert_eq!(kubectl.run("get widget w --subresource=scale -o jsonpath={.status.replicas}").await.ok(), "4");
    server.stop().await;
}

stores!(changes_are_followed: memory embedded etcd);
async fn changes_are_followed(home: Home) {
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let client = server.client();
    client.post(WIDGETS, &widget("w", 1)).await.expect(201);
    let mut followed = kubectl.follow("get widgets -w --output-watch-events");
    assert_eq!(followed.words().await, ["EVENT", "NAME", "SIZE"]);
    assert_eq!(followed.words().await, ["ADDED", "w", "1"]);
    client.patch(&format!("{WIDGETS}/w"), MERGE_PATCH, &json!({"spec": {"size": 2}})).await.expect(200);
    assert_eq!(followed.words().await, ["MODIFIED", "w", "2"]);
    client.delete(&format!("{WIDGETS}/w")).await.expect(200);
    assert_eq!(followed.words().await, ["DELETED", "w", "2"]);
    followed.end().await;
    server.stop().await;
}

#[tokio::test]
async fn a_delete_waits_for_finalizers() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let client = server.client();
    let mut object = widget("held", 1);
    object["metadata"]["finalizers"] = json!(["example.com/held"]);
    client.post(WIDGETS, &object).await.expect(201);
    let path = format!("{WIDGETS}/held");
    let deleting = kubectl.run("delete widget held --wait=true --timeout=15s");
    let release = async {
        eventually("it is being deleted", async || {
            let object = client.get(&path).await.expect(200);
            object.pointer("/metadata/deletionTimestamp").map(|_| ())
        })
        .await;
        client.patch(&path, MERGE_PATCH, &json!({"metadata": {"finalizers": null}})).await.expect(200)
    };
    let (deleted, _) = tokio::join!(deleting, release);
    deleted.ok();
    assert_eq!(client.get(&path).await.code, 404);
    server.stop().await;
}

//! Effects on objects from others: garbage collection, namespaces, definitions; and paged lists.

use serde_json::{Value, json};

use crate::definitions::{self, CRDS, WIDGETS, widget};
use crate::harness::{Home, eventually, server, stores};
use crate::http::{Client, JSON, MERGE_PATCH, text};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn config_map(name: &str, owner: Option<&Value>) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if let Some(owner) = owner {
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": true,
        }]);
    }
    object
}

async fn is_gone(client: &Client, path: &str) {
    eventually(path, async || (client.get(path).await.code == 404).then_some(())).await;
}

stores!(what_deleted_objects_own_goes_with_them: memory embedded etcd);
async fn what_deleted_objects_own_goes_with_them(home: Home) {
    let widgets = definitions::value(&definitions::widgets());
    let server = home.start_with(|server| server.crd("widgets", widgets)).await;
    let client = server.client();
    for (policy, stays) in [("Background", false), ("Foreground", false), ("Orphan", true)] {
        let name = policy.to_lowercase();
        let owner = client.post(WIDGETS, &widget(&name, 1)).await.expect(201);
        client.post(MAPS, &config_map(&name, Some(&owner))).await.expect(201);
        client.delete(&format!("{WIDGETS}/{name}?propagationPolicy={policy}")).await.expect(200);
        is_gone(&client, &format!("{WIDGETS}/{name}")).await;
        let owned = format!("{MAPS}/{name}");
        if stays {
            let left = client.get(&owned).await.expect(200);
            assert_eq!(left.pointer("/metadata/ownerReferences"), None);
        } else {
            is_gone(&client, &owned).await;
        }
    }
    server.stop().await;
}

stores!(a_deleted_namespace_is_emptied_first: memory embedded etcd);
async fn a_deleted_namespace_is_emptied_first(home: Home) {
    let widgets = definitions::value(&definitions::widgets());
    let server = home.start_with(|server| server.crd("widgets", widgets)).await;
    let client = server.client();
    let namespace = "/api/v1/namespaces/busy";
    let maps = "/api/v1/namespaces/busy/configmaps";
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "busy"}});
    client.post("/api/v1/namespaces", &object).await.expect(201);
    client.post("/apis/example.com/v1/namespaces/busy/widgets", &widget("w", 1)).await.expect(201);
    let mut held = config_map("held", None);
    held["metadata"]["finalizers"] = json!(["example.com/held"]);
    client.post(maps, &held).await.expect(201);

    let deleted = client.delete(namespace).await.expect(200);
    assert_eq!(text(&deleted, "/status/phase"), "Terminating");
    is_gone(&client, "/apis/example.com/v1/namespaces/busy/widgets/w").await;
    let refused = client.post(maps, &config_map("late", None)).await;
    assert!(refused.message().contains("because it is being terminated"), "{}", refused.text());
    assert_eq!(refused.code, 403);
    client.get(namespace).await.expect(200);

    client.patch(&format!("{maps}/held"), MERGE_PATCH, &json!({"metadata": {"finalizers": null}})).await.expect(200);
    is_gone(&client, namespace).await;
    client.post("/api/v1/namespaces", &object).await.expect(201);
    server.stop().await;
}

stores!(definitions_come_and_go: memory embedded etcd);
async fn definitions_come_and_go(home: Home) {
    let server = home.start().await;
    let client = server.client();
    assert_eq!(client.get(WIDGETS).await.code, 404);
    client.post(CRDS, &definitions::widgets()).await.expect(201);
    client.post(WIDGETS, &widget("w", 1)).await.expect(201);
    let documents = client.get("/apis/example.com/v1").await.expect(200);
    assert_eq!(documents["resources"].as_array().map(Vec::len), Some(3), "{documents}");
    let mut watch = client.watch(&format!("{WIDGETS}?watch=true")).await;
    assert_eq!(watch.next_name().await, Some(("ADDED".into(), "w".into())));

    let crd = format!("{CRDS}/widgets.example.com");
    client.delete(&crd).await.expect(200);
    is_gone(&client, &crd).await;
    assert_eq!(watch.next_name().await, Some(("DELETED".into(), "w".into())));
    assert_eq!(client.get(WIDGETS).await.code, 404);
    assert_eq!(client.get("/apis/example.com").await.code, 404);
    client.post(CRDS, &definitions::widgets()).await.expect(201);
    let listed = client.get(WIDGETS).await.expect(200);
    assert_eq!(listed["items"], json!([]));
    client.post(WIDGETS, &widget("w", 1)).await.expect(201);
    assert_eq!(watch.next().await, None, "a watch does not outlive its definition");
    server.stop().await;
}

stores!(lists_come_in_pages: memory embedded etcd);
async fn lists_come_in_pages(home: Home) {
    let server = home.start().await;
    let client = server.client();
    for number in 0..7 {
        client.post(MAPS, &config_map(&format!("m{number}"), None)).await.expect(201);
    }
    let (mut names, mut token, mut version) = (Vec::new(), String::new(), None);
    loop {
        let page = client.get(&format!("{MAPS}?limit=3&continue={token}")).await.expect(200);
        names.extend(page["items"].as_array().unwrap().iter().map(|item| text(item, "/metadata/name").to_owned()));
        // All pages show the same moment, whatever happens meanwhile.
        let shown = text(&page, "/metadata/resourceVersion").to_owned();
        assert_eq!(*version.get_or_insert(shown.clone()), shown);
        client.post(MAPS, &config_map(&format!("m{}-later", names.len()), None)).await.expect(201);
        token = text(&page, "/metadata/continue").to_owned();
        if token.is_empty() {
            break;
        }
        assert_eq!(page["metadata"]["remainingItemCount"], 7 - names.len());
    }
    assert_eq!(names, ["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
    server.stop().await;
}

#[tokio::test]
async fn the_first_namespaces_are_owned_by_the_server() {
    let server = server().await;
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        let namespace = server.client().get(&format!("/api/v1/namespaces/{name}")).await.expect(200);
        let managers = namespace["metadata"]["managedFields"].as_array().unwrap();
        assert_eq!(managers.len(), 1, "{name}");
        assert_eq!((text(&managers[0], "/manager"), text(&managers[0], "/operation")), ("kube-apiserver", "Update"));
    }
    server.stop().await;
}

#[tokio::test]
async fn deletes_of_namespaces_and_definitions_fail_in_words_of_their_own() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &definitions::widgets()).await.expect(201);
    client.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.expect(201);
    let definition = format!("{CRDS}/widgets.example.com");
    for (path, words) in
        [("/api/v1/namespaces/n", "\"n\": Precondition failed"), (&definition, ": precondition failed")]
    {
        let ask = client.ask("DELETE", path).body(JSON, r#"{"preconditions":{"uid":"other"}}"#);
        let refused = ask.send().await;
        let words = format!("{words}: UID in precondition: other, UID in object meta: ");
        assert!(refused.message().contains(&words), "{}", refused.text());
        refused.expect(409);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_namespace_keeps_its_conditions_while_it_goes() {
    let server = server().await;
    let client = server.client();
    let path = "/api/v1/namespaces/n";
    client.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.expect(201);
    let status = json!({"status": {"conditions": [{"type": "X", "status": "True"}]}});
    client.patch(&format!("{path}/status"), MERGE_PATCH, &status).await.expect(200);
    let going = client.delete(&format!("{path}?dryRun=All")).await.expect(200);
    assert_eq!((text(&going, "/status/phase"), text(&going, "/status/conditions/0/type")), ("Terminating", "X"));
    server.stop().await;
}

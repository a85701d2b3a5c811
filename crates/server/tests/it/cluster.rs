//! Two servers on one store.

use serde_json::json;

use crate::definitions::{self, CRDS, WIDGETS, widget};
use crate::harness::{Home, eventually, stores};
use crate::http::{MERGE_PATCH, text};

stores!(servers_see_what_others_write: memory etcd);
async fn servers_see_what_others_write(home: Home) {
    let (one, two) = (home.start().await, home.start().await);
    let (here, there) = (one.client(), two.client());
    here.post(CRDS, &definitions::widgets()).await.expect(201);
    eventually("the other server serves it", async || (there.get(WIDGETS).await.code == 200).then_some(())).await;
    let mut watch = there.watch(&format!("{WIDGETS}?watch=true")).await;

    here.post(WIDGETS, &widget("w", 1)).await.expect(201);
    assert_eq!(watch.next_name().await, Some(("ADDED".into(), "w".into())));
    let path = format!("{WIDGETS}/w");
    there.patch(&path, MERGE_PATCH, &json!({"spec": {"size": 2}})).await.expect(200);
    assert_eq!(here.get(&path).await.expect(200)["spec"]["size"], 2);
    here.delete(&path).await.expect(200);
    assert_eq!(there.get(&path).await.code, 404);

    here.delete(&format!("{CRDS}/widgets.example.com")).await.expect(200);
    eventually("the other server has stopped", async || (there.get(WIDGETS).await.code == 404).then_some(())).await;
    two.stop().await;
    one.stop().await;
}

stores!(a_changed_definition_counts_on_every_server: memory etcd);
async fn a_changed_definition_counts_on_every_server(home: Home) {
    let widgets = definitions::value(&definitions::widgets());
    let (one, two) = (home.start_with(|server| server.crd("widgets", widgets)).await, home.start().await);
    let (here, there) = (one.client(), two.client());
    let crd = format!("{CRDS}/widgets.example.com");
    let mut definition = there.get(&crd).await.expect(200);
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["maximum"] =
        json!(10);
    there.put(&crd, &definition).await.expect(200);
    let large = widget("large", 11);
    eventually("it is refused", async || {
        let answer = here.post(&format!("{WIDGETS}?dryRun=All"), &large).await;
        (answer.code == 422).then_some(())
    })
    .await;
    two.stop().await;
    one.stop().await;
}

/// Of writers that read the same object only one gets through.
#[tokio::test]
async fn conflicts_are_found_between_servers() {
    let home = Home::memory().await.unwrap();
    let (one, two) = (home.start().await, home.start().await);
    let maps = "/api/v1/namespaces/default/configmaps";
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    let mut object = one.client().post(maps, &object).await.expect(201);
    let path = format!("{maps}/m");
    object["data"] = json!({"by": "one"});
    one.client().put(&path, &object).await.expect(200);
    object["data"] = json!({"by": "two"});
    let answer = two.client().put(&path, &object).await;
    assert_eq!(text(&answer.expect(409), "/reason"), "Conflict");
    two.stop().await;
    one.stop().await;
}

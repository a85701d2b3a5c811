//! Features of kubectl that read documents: kinds, fields, columns, completions.

use super::{with_widgets, words};
use crate::definitions::widget;
use crate::harness::{Home, stores};

#[tokio::test]
async fn fields_are_explained() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let kind = kubectl.run("explain widgets").await.ok();
    assert!(kind.contains("A Widget is what these tests are about."), "{kind}");
    let field = kubectl.run("explain widgets.spec.size").await.ok();
    assert_eq!(words(&field)[..6], ["GROUP:", "example.com", "KIND:", "Widget", "VERSION:", "v1"]);
    assert!(field.contains("size <integer>") && field.contains("How large it is."), "{field}");
    let tree = kubectl.run("explain widgets --recursive").await.ok();
    assert!(tree.contains("quantity\t<integer>") || tree.contains("quantity <integer>"), "{tree}");
    let map = kubectl.run("explain configmaps.data").await.ok();
    assert!(map.contains("<map[string]string>"), "{map}");
    let missing = kubectl.run("explain widgets.spec.zebra").await.refused();
    assert!(missing.contains("zebra"), "{missing}");
    server.stop().await;
}

#[tokio::test]
async fn what_is_served_is_listed() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let resources = kubectl.run("api-resources -o wide").await.ok();
    let line = |name: &str| resources.lines().find(|line| line.starts_with(&format!("{name} "))).map(words);
    assert_eq!(line("widgets").unwrap()[..5], ["widgets", "wi", "example.com/v1", "true", "Widget"]);
    assert_eq!(line("configmaps").unwrap()[..5], ["configmaps", "cm", "v1", "true", "ConfigMap"]);
    assert!(line("customresourcedefinitions").is_some());
    let versions = kubectl.run("api-versions").await.ok();
    let versions = words(&versions);
    assert!(["v1", "example.com/v1", "apiextensions.k8s.io/v1"].iter().all(|known| versions.contains(known)));
    assert_eq!(kubectl.run("get --raw /readyz").await.ok(), "ok");
    let version = kubectl.run("version").await.ok();
    assert!(version.contains("Server Version: v1."), "{version}");
    server.stop().await;
}

#[tokio::test]
async fn names_are_completed() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    kubectl.run_on("create -f -", &widget("beautiful", 1)).await.ok();
    let kinds = kubectl.run("__complete get widg").await.ok();
    assert!(words(&kinds).contains(&"widgets.example.com"), "{kinds}");
    let names = kubectl.run("__complete get widgets b").await.ok();
    assert!(words(&names).contains(&"beautiful"), "{names}");
    server.stop().await;
}

stores!(tables_have_the_columns_of_the_definition: memory embedded etcd);
async fn tables_have_the_columns_of_the_definition(home: Home) {
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let mut object = widget("w", 3);
    object["spec"]["title"] = "best".into();
    kubectl.run_on("create -f -", &object).await.ok();
    let table = kubectl.run("get widgets").await.ok();
    assert_eq!(words(&table), ["NAME", "SIZE", "w", "3"]);
    let wide = kubectl.run("get widgets -o wide").await.ok();
    assert_eq!(words(&wide), ["NAME", "SIZE", "TITLE", "w", "3", "best"]);
    let everywhere = kubectl.run("get wi -A --show-labels").await.ok();
    assert_eq!(words(&everywhere), ["NAMESPACE", "NAME", "SIZE", "LABELS", "default", "w", "3", "<none>"]);
    let sorted = kubectl.run("get widgets --sort-by=.spec.size -o name").await.ok();
    assert_eq!(sorted, "widget.example.com/w");
    let described = kubectl.run("describe widget w").await.ok();
    assert!(described.contains("Title:  best"), "{described}");
    server.stop().await;
}

//! kube-rs: a resource that is declared in Rust, its controller's view, its subresources.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Config, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::timeout;

use crate::harness::{Home, PATIENCE, TestServer, eventually, stores};

/// The desired state of a foundry.
#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foundry", plural = "foundries", namespaced)]
#[kube(status = "FoundryStatus", shortname = "fo")]
#[kube(scale(spec_replicas_path = ".spec.furnaces", status_replicas_path = ".status.lit"))]
struct FoundrySpec {
    furnaces: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metal: Option<String>,
}

/// The observed state of a foundry.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct FoundryStatus {
    lit: i32,
}

async fn client(server: &TestServer) -> Client {
    let kubeconfig = Kubeconfig::from_yaml(&server.running.kubeconfig_text()).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

/// A server whose foundries a client defined.
async fn with_foundries(home: &Home) -> (TestServer, Client, Api<Foundry>) {
    let server = home.start().await;
    let client = client(&server).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let apply = Patch::Apply(Foundry::crd());
    definitions.patch(Foundry::crd_name(), &PatchParams::apply("tests").force(), &apply).await.unwrap();
    let established = await_condition(definitions, Foundry::crd_name(), conditions::is_crd_established());
    timeout(PATIENCE, established).await.unwrap().unwrap();
    (server, client.clone(), Api::default_namespaced(client))
}

fn foundry(name: &str, furnaces: i32) -> Foundry {
    Foundry::new(name, FoundrySpec { furnaces, metal: None })
}

stores!(objects_are_written_and_read: memory embedded etcd);
async fn objects_are_written_and_read(home: Home) {
    let (server, client, foundries) = with_foundries(&home).await;
    let created = foundries.create(&PostParams::default(), &foundry("a", 1)).await.unwrap();
    assert_eq!((created.spec.furnaces, created.metadata.generation), (1, Some(1)));
    let mut changed = created.clone();
    changed.spec.metal = Some("iron".into());
    let replaced = foundries.replace("a", &PostParams::default(), &changed).await.unwrap();
    assert_eq!(replaced.metadata.generation, Some(2));
    let conflict = foundries.replace("a", &PostParams::default(), &created).await.unwrap_err();
    assert!(matches!(&conflict, kube::Error::Api(status) if status.code == 409), "{conflict}");
    let invalid = Patch::Merge(json!({"spec": {"furnaces": "many"}}));
    let invalid = foundries.patch("a", &PatchParams::default(), &invalid).await.unwrap_err();
    assert!(invalid.to_string().contains("spec.furnaces: Invalid value"), "{invalid}");

    let metadata = foundries.get_metadata("a").await.unwrap();
    assert_eq!(metadata.metadata.uid, created.metadata.uid);
    let kind = GroupVersionKind::gvk("example.com", "v1", "Foundry");
    let (resource, capabilities) = kube::discovery::pinned_kind(&client, &kind).await.unwrap();
    assert_eq!((&*resource.plural, capabilities.subresources.len()), ("foundries", 2));
    let untyped: Api<DynamicObject> = Api::default_namespaced_with(client, &resource);
    assert_eq!(untyped.get("a").await.unwrap().data["spec"]["metal"], "iron");

    let deleted = foundries.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(deleted.right().is_some_and(|status| status.is_success()));
    assert!(foundries.get_opt("a").await.unwrap().is_none());
    server.stop().await;
}

stores!(fields_have_owners: memory embedded etcd);
async fn fields_have_owners(home: Home) {
    let (server, _, foundries) = with_foundries(&home).await;
    let one = PatchParams::apply("one");
    let two = PatchParams::apply("two");
    foundries.patch("a", &one, &Patch::Apply(foundry("a", 1))).await.unwrap();
    let conflict = foundries.patch("a", &two, &Patch::Apply(foundry("a", 2))).await.unwrap_err();
    assert!(conflict.to_string().contains(r#"conflict with "one": .spec.furnaces"#), "{conflict}");
    let forced = foundries.patch("a", &two.clone().force(), &Patch::Apply(foundry("a", 2))).await.unwrap();
    assert_eq!(forced.spec.furnaces, 2);
    let managers: Vec<_> = forced.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    assert_eq!(managers, ["two"]);
    server.stop().await;
}

stores!(status_and_scale_are_apart: memory embedded etcd);
async fn status_and_scale_are_apart(home: Home) {
    let (server, _, foundries) = with_foundries(&home).await;
    let mut object = foundries.create(&PostParams::default(), &foundry("a", 1)).await.unwrap();
    object.status = Some(FoundryStatus { lit: 1 });
    object.spec.furnaces = 7;
    let replaced = foundries.replace_status("a", &PostParams::default(), &object).await.unwrap();
    assert_eq!((replaced.spec.furnaces, replaced.status.unwrap().lit), (1, 1));
    let lit = Patch::Merge(json!({"status": {"lit": 2}}));
    let patched = foundries.patch_status("a", &PatchParams::default(), &lit).await.unwrap();
    assert_eq!(patched.metadata.generation, Some(1));

    let mut scale = foundries.get_scale("a").await.unwrap();
    assert_eq!((scale.spec.as_ref().unwrap().replicas, scale.status.as_ref().unwrap().replicas), (Some(1), 2));
    scale.spec.as_mut().unwrap().replicas = Some(3);
    foundries.replace_scale("a", &PostParams::default(), &scale).await.unwrap();
    let more = Patch::Merge(json!({"spec": {"replicas": 4}}));
    foundries.patch_scale("a", &PatchParams::default(), &more).await.unwrap();
    assert_eq!(foundries.get("a").await.unwrap().spec.furnaces, 4);
    server.stop().await;
}

stores!(a_reflector_follows_what_happens: memory embedded etcd);
async fn a_reflector_follows_what_happens(home: Home) {
    let (server, _, foundries) = with_foundries(&home).await;
    foundries.create(&PostParams::default(), &foundry("before", 1)).await.unwrap();
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let (store, writer) = reflector::store();
        let stream = watcher(foundries.clone(), config).default_backoff().reflect(writer).touched_objects();
        let following = tokio::spawn(stream.for_each(|event| async { drop(event.unwrap()) }));
        timeout(PATIENCE, store.wait_until_ready()).await.unwrap().unwrap();
        let in_default = |name: &str| ObjectRef::new(name).within("default");
        assert_eq!(store.get(&in_default("before")).map(|seen| seen.spec.furnaces), Some(1));

        foundries.create(&PostParams::default(), &foundry("after", 1)).await.unwrap();
        let more = Patch::Merge(json!({"spec": {"furnaces": 9}}));
        foundries.patch("after", &PatchParams::default(), &more).await.unwrap();
        let seen = async || store.get(&in_default("after")).filter(|seen| seen.spec.furnaces == 9);
        eventually("the change is seen", seen).await;
        foundries.delete("after", &DeleteParams::default()).await.unwrap();
        eventually("the end is seen", async || (store.len() == 1).then_some(())).await;
        following.abort();
    }
    server.stop().await;
}

/// A watcher goes on where it was when its watch is over.
#[tokio::test]
async fn a_watcher_survives_the_end_of_its_watch() {
    let home = Home::memory().await.unwrap();
    let (server, _, foundries) = with_foundries(&home).await;
    let config = watcher::Config::default().timeout(1);
    let mut objects = std::pin::pin!(watcher(foundries.clone(), config).default_backoff().applied_objects());
    for (name, pause) in [("first", Duration::ZERO), ("second", Duration::from_millis(1200))] {
        let create = foundry(name, 1);
        let parameters = PostParams::default();
        let write = async {
            tokio::time::sleep(pause).await;
            foundries.create(&parameters, &create).await.unwrap()
        };
        let (seen, _) = tokio::join!(timeout(PATIENCE, objects.try_next()), write);
        assert_eq!(seen.unwrap().unwrap().map(|object| object.name_any()), Some(name.to_owned()));
    }
    server.stop().await;
}

stores!(lists_come_in_pages: memory embedded etcd);
async fn lists_come_in_pages(home: Home) {
    let server = home.start().await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client(&server).await);
    for number in 0..5 {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(format!("m{number}"));
        maps.create(&PostParams::default(), &map).await.unwrap();
    }
    let mut parameters = ListParams::default().limit(2);
    let mut pages = Vec::new();
    loop {
        let page = maps.list(&parameters).await.unwrap();
        pages.push(page.items.len());
        match page.metadata.continue_ {
            Some(token) if !token.is_empty() => parameters = parameters.continue_token(&token),
            _ => break,
        }
    }
    assert_eq!(pages, [2, 2, 1]);
    let deleted = maps.delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
    assert_eq!(deleted.left().map(|list| list.items.len()), Some(5));
    server.stop().await;
}

/// The Rust code of `docs/test-server.md`, line by line.
async fn code_of_the_page() -> Result<(sprag_server::Running, kube::Client), Box<dyn std::error::Error>> {
    let store = std::sync::Arc::new(sprag_storage::Memory::new());
    let server = sprag_server::Server::new(store).start().await?;
    let kubeconfig = kube::config::Kubeconfig::from_yaml(&server.kubeconfig_text())?;
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &kube::config::KubeConfigOptions::default()).await?;
    let client = kube::Client::try_from(config)?;
    Ok((server, client))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_code_of_the_page_about_test_servers_works() {
    let page = include_str!("../../../../docs/test-server.md");
    let blocks: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [block] = blocks.as_slice() else { panic!("the page has {} blocks of Rust code", blocks.len()) };
    let (_, code) = include_str!("kube_rs.rs").split_once("async fn code_of_the_page").unwrap();
    let body: Vec<&str> = code.lines().skip(1).take_while(|line| *line != "}").map(str::trim).collect();
    assert_eq!(body.split_last().unwrap().1, block.lines().collect::<Vec<_>>());
    let (server, client) = code_of_the_page().await.unwrap();
    assert!(Api::<ConfigMap>::all(client).list(&ListParams::default()).await.is_ok());
    server.shutdown().await;
}

//! Writing objects.

use serde_json::{Value, json};

use super::{with_widgets, words};
use crate::definitions::{self, widget};
use crate::harness::{Home, stores};

fn config_map(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": data})
}

stores!(objects_are_applied_compared_patched_and_deleted: memory embedded etcd);
async fn objects_are_applied_compared_patched_and_deleted(home: Home) {
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    for (kind, first, second, path) in [
        ("configmap", config_map(&json!({"a": "1"})), config_map(&json!({"a": "2"})), "{.data.a}"),
        ("widget.example.com", widget("m", 1), widget("m", 2), "{.spec.size}"),
    ] {
        let apply = "apply -f -";
        assert_eq!(kubectl.run_on(apply, &first).await.ok(), format!("{kind}/m created"));
        assert_eq!(kubectl.run_on("diff -f -", &first).await.ok(), "");
        let difference = kubectl.run_on("diff -f -", &second).await;
        assert_eq!(difference.code, 1, "{difference:?}");
        assert!(difference.out.lines().any(|line| line.starts_with('+') && line.contains('2')), "{difference:?}");
        assert_eq!(kubectl.run_on(apply, &first).await.ok(), format!("{kind}/m unchanged"));
        assert_eq!(kubectl.run_on(apply, &second).await.ok(), format!("{kind}/m configured"));
        assert_eq!(kubectl.run(&format!("get {kind} m -o jsonpath={path}")).await.ok(), "2");
        assert_eq!(kubectl.run(&format!("label {kind} m tier=front")).await.ok(), format!("{kind}/m labeled"));
        assert_eq!(kubectl.run(&format!("annotate {kind} m note=x")).await.ok(), format!("{kind}/m annotated"));
        assert_eq!(kubectl.run(&format!("get {kind} -l tier=front -o name")).await.ok(), format!("{kind}/m"));
        let deleted = kubectl.run_on("delete -f -", &first).await.ok();
        assert!(deleted.ends_with("\"m\" deleted") || deleted.contains("\"m\" deleted from"), "{deleted}");
        let missing = kubectl.run(&format!("get {kind} m")).await.refused();
        assert!(missing.starts_with("Error from server (NotFound)"), "{missing}");
    }
    server.stop().await;
}

/// Kubectl looks at lists with the document of version 2, in protobuf, since they are no kind of the server.
#[tokio::test]
async fn lists_are_applied_object_by_object() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let items = [config_map(&json!({"a": "1"})), widget("m", 1)];
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let said = kubectl.run_on("apply -f -", &list).await.ok();
    assert_eq!(said, "configmap/m created\nwidget.example.com/m created");
    let said = kubectl.run_on("apply -f -", &list).await.ok();
    assert_eq!(said, "configmap/m unchanged\nwidget.example.com/m unchanged");
    server.stop().await;
}

#[tokio::test]
async fn every_kind_of_patch_is_understood() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    kubectl.run_on("create -f -", &config_map(&json!({"a": "1"}))).await.ok();
    kubectl.run_on("create -f -", &widget("m", 1)).await.ok();
    for (kind, patch, expected) in [
        ("cm", r#"--type=merge -p={"data":{"a":"merged"}}"#, "merged"),
        ("cm", r#"--type=strategic -p={"data":{"a":"strategic"}}"#, "strategic"),
        ("cm", r#"--type=json -p=[{"op":"replace","path":"/data/a","value":"json"}]"#, "json"),
        ("wi", r#"--type=merge -p={"spec":{"title":"merged"}}"#, "merged"),
        ("wi", r#"--type=json -p=[{"op":"replace","path":"/spec/title","value":"json"}]"#, "json"),
    ] {
        let said = kubectl.run(&format!("patch {kind} m {patch}")).await.ok();
        assert!(said.ends_with("/m patched"), "{said}");
        let path = if kind == "cm" { "{.data.a}" } else { "{.spec.title}" };
        assert_eq!(kubectl.run(&format!("get {kind} m -o jsonpath={path}")).await.ok(), expected);
    }
    let refused = kubectl.run(r#"patch wi m --type=strategic -p={"spec":{"size":2}}"#).await.refused();
    assert!(refused.contains("application/merge-patch+json"), "{refused}");
    let refused = kubectl.run(r#"patch wi m --type=merge -p={"spec":{"size":-1}}"#).await.refused();
    assert!(refused.contains("spec.size: Invalid value: -1"), "{refused}");
    server.stop().await;
}

#[tokio::test]
async fn fields_of_others_are_left_alone_unless_forced() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let apply = "apply --server-side -f -";
    let applied = "widget.example.com/m serverside-applied";
    assert_eq!(kubectl.run_on(&format!("{apply} --field-manager=one"), &widget("m", 1)).await.ok(), applied);
    let refused = kubectl.run_on(&format!("{apply} --field-manager=two"), &widget("m", 2)).await.refused();
    assert!(refused.contains(r#"conflict with "one": .spec.size"#), "{refused}");
    let forced = kubectl.run_on(&format!("{apply} --field-manager=two --force-conflicts"), &widget("m", 2)).await;
    assert_eq!(forced.ok(), applied);
    let managers = kubectl.run("get wi m --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}").await;
    assert_eq!(managers.ok(), "two");
    server.stop().await;
}

/// `--validate` becomes the parameter of the request, since the documents list it.
#[tokio::test]
async fn unknown_fields_are_refused_told_or_ignored() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let mut widget = widget("m", 1);
    widget["spec"]["zebra"] = json!(true);
    let mut map = config_map(&json!({}));
    map["zebra"] = json!(true);
    for (object, path) in [(&widget, "spec.zebra"), (&map, "zebra")] {
        for command in ["create -f - --dry-run=server", "apply -f -"] {
            let strict = kubectl.run_on(&format!("{command} --validate=strict"), object).await.refused();
            assert!(strict.contains(&format!("unknown field \"{path}\"")), "{strict}");
            let warned = kubectl.run_on(&format!("{command} --validate=warn"), object).await;
            assert_eq!(warned.err, format!("Warning: unknown field \"{path}\""));
            warned.ok();
            let ignored = kubectl.run_on(&format!("{command} --validate=ignore"), object).await;
            assert_eq!(ignored.err, "");
            ignored.ok();
        }
    }
    server.stop().await;
}

/// Since 1.32 these commands send protobuf, older ones JSON.
#[tokio::test]
async fn commands_that_make_objects_work() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    for command in [
        "create configmap made --from-literal=a=1",
        "create secret generic made --from-literal=a=1",
        "create serviceaccount made",
        "create role made --verb=get --resource=configmaps",
        "create rolebinding made --role=made --serviceaccount=default:made",
        "create clusterrole made --verb=get --resource=configmaps",
        "create clusterrolebinding made --clusterrole=made --serviceaccount=default:made",
        "create namespace made",
    ] {
        kubectl.run(command).await.ok();
        let file = kubectl.run(&format!("{command} --dry-run=client -o json")).await.ok();
        kubectl.run_with("apply -f -", &file).await.ok();
    }
    let table = kubectl.run("get configmaps").await.ok();
    assert_eq!(words(&table)[..5], ["NAME", "DATA", "AGE", "made", "1"]);
    assert_eq!(kubectl.run("delete namespace made").await.ok(), "namespace \"made\" deleted");
    let missing = kubectl.run("get namespace made").await.refused();
    assert!(missing.contains("NotFound"), "{missing}");
    server.stop().await;
}

#[tokio::test]
async fn definitions_are_applied_like_everything() {
    let home = Home::memory().await.unwrap();
    let Some((server, kubectl)) = with_widgets(&home).await else { return };
    let said = kubectl.run_on("apply -f -", &definitions::loose()).await.ok();
    assert_eq!(said, "customresourcedefinition.apiextensions.k8s.io/looses.example.com created");
    kubectl.run("wait --for=condition=Established crd/looses.example.com --timeout=10s").await.ok();
    let loose = json!({"apiVersion": "example.com/v1", "kind": "Loose", "metadata": {"name": "l"}, "any": 1});
    kubectl.run_on("apply -f -", &loose).await.ok();
    assert_eq!(kubectl.run("get lo l -o jsonpath={.any}").await.ok(), "1");
    kubectl.run("delete crd looses.example.com").await.ok();
    let gone = kubectl.run("get looses").await.refused();
    assert!(gone.contains("the server doesn't have a resource type") || gone.contains("NotFound"), "{gone}");
    server.stop().await;
}

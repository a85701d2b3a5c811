//! An everyday session: workloads, services and what they need.

use super::{Kubectl, words};
use crate::harness::{Home, stores};

stores!(workloads_are_made_exposed_scaled_and_deleted: memory embedded etcd);
async fn workloads_are_made_exposed_scaled_and_deleted(home: Home) {
    let server = home.start_with(|server| server).await;
    let Some(kubectl) = Kubectl::new(&server).await else { return server.stop().await };
    for (command, said) in [
        ("create ns team", "namespace/team created"),
        ("create configmap cfg -n team --from-literal=a=b", "configmap/cfg created"),
        ("create secret generic pass -n team --from-literal=p=q", "secret/pass created"),
        ("create deployment web -n team --image=nginx:1 --replicas=2", "deployment.apps/web created"),
        ("create job once -n team --image=busybox -- true", "job.batch/once created"),
        ("create cronjob tick -n team --image=busybox --schedule=@hourly -- date", "cronjob.batch/tick created"),
        ("create quota q -n team --hard=pods=3", "resourcequota/q created"),
        ("expose deployment web -n team --port=80", "service/web exposed"),
        ("scale deployment web -n team --replicas=5", "deployment.apps/web scaled"),
        ("set image deployment/web -n team nginx=nginx:2", "deployment.apps/web image updated"),
        ("label deployment web -n team tier=front", "deployment.apps/web labeled"),
        ("rollout history deployment/web -n team", "deployment.apps/web \nNo rollout history found."),
    ] {
        assert_eq!(kubectl.run(command).await.ok(), said, "{command}");
    }
    everything_is_shown(&kubectl).await;

    let mut followed = kubectl.follow("get deployments -n team -w --no-headers --output-watch-events");
    assert_eq!(followed.words().await[..3], ["ADDED", "web", "0/5"]);
    kubectl.run("scale deployment web -n team --replicas=1").await.ok();
    assert_eq!(followed.words().await[..3], ["MODIFIED", "web", "0/1"]);
    assert_eq!(kubectl.run("delete deployment web -n team").await.ok(), "deployment.apps \"web\" deleted");
    assert_eq!(followed.words().await[..2], ["DELETED", "web"]);
    followed.end().await;
    assert_eq!(kubectl.run("delete ns team").await.ok(), "namespace \"team\" deleted");
    let gone = kubectl.run("get configmap cfg -n team").await.refused();
    assert_eq!(gone, "Error from server (NotFound): namespaces \"team\" not found");
    server.stop().await;
}

/// Tables, the documentation of a field, and an address that the server gave.
async fn everything_is_shown(kubectl: &Kubectl) {
    let table = kubectl.run("get deployment web -n team --no-headers").await.ok();
    assert_eq!(words(&table)[..4], ["web", "0/5", "0", "0"]);
    let address = kubectl.run("get service web -n team -o jsonpath={.spec.clusterIP}").await.ok();
    assert!(address.starts_with("10.0."), "{address}");
    let image = kubectl.run("get deployment web -n team -o jsonpath={.spec.template.spec.containers[0].image}").await;
    assert_eq!(image.ok(), "nginx:2");
    let generation = kubectl.run("get deployment web -n team -o jsonpath={.metadata.generation}").await;
    assert_eq!(generation.ok(), "3");
    let explained = kubectl.run("explain deployment.spec.strategy.rollingUpdate").await.ok();
    assert!(explained.contains("FIELD: rollingUpdate <RollingUpdateDeployment>"), "{explained}");
    let all = kubectl.run("get all -n team -o name").await.ok();
    assert_eq!(words(&all), ["service/web", "deployment.apps/web", "cronjob.batch/tick", "job.batch/once"]);
}

#[tokio::test]
async fn a_deployment_without_containers_is_refused_as_upstream_refuses_it() {
    let home = Home::memory().await.unwrap();
    let server = home.start_with(|server| server).await;
    let Some(kubectl) = Kubectl::new(&server).await else { return server.stop().await };
    let object = serde_json::json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "other"}}}}
    });
    let refused = kubectl.run_on("create -f -", &object).await.refused();
    assert_eq!(
        refused,
        "The Deployment \"web\" is invalid: \n\
         * spec.template.metadata.labels: Invalid value: {\"app\":\"other\"}: `selector` does not match template `labels`\n\
         * spec.template.spec.containers: Required value"
    );
    server.stop().await;
}

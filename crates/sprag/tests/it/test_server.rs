//! Servers in the process of a test, by the client of kube-rs.

use k8s_openapi::api::core::v1::{ConfigMap, Service, ServicePort, ServiceSpec};
use kube::api::{ListParams, PostParams};
use kube::{Api, CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sprag::{StartError, TestServer};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Kiln", namespaced)]
struct KilnSpec {
    #[schemars(range(max = 1300))]
    degrees: i32,
}

fn service(name: &str) -> Service {
    let ports = vec![ServicePort { port: 80, ..ServicePort::default() }];
    let mut service = Service::default();
    service.metadata.name = Some(name.into());
    service.spec = Some(ServiceSpec { ports: Some(ports), ..ServiceSpec::default() });
    service
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_of_kube_rs_is_served_and_validated() -> Result<(), StartError> {
    let server = TestServer::builder().crd(&Kiln::crd()).start().await?;
    let kilns: Api<Kiln> = Api::default_namespaced(server.client());
    kilns.create(&PostParams::default(), &Kiln::new("a", KilnSpec { degrees: 1200 })).await?;
    let refused = kilns.create(&PostParams::default(), &Kiln::new("b", KilnSpec { degrees: 1400 })).await.unwrap_err();
    assert!(refused.to_string().contains("should be less than or equal to 1300"), "{refused}");
    server.shutdown().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_release_answers() -> Result<(), StartError> {
    let newest = TestServer::start().await?;
    Api::<Service>::default_namespaced(newest.client()).create(&PostParams::default(), &service("1web")).await?;
    let older = TestServer::builder().kubernetes("1.33".parse()?).start().await?;
    let services: Api<Service> = Api::default_namespaced(older.client());
    let refused = services.create(&PostParams::default(), &service("1web")).await.unwrap_err();
    assert!(refused.to_string().contains("a DNS-1035 label"), "{refused}");
    assert_eq!(older.client().apiserver_version().await?.minor, "33");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn many_servers_run_in_one_process() -> Result<(), StartError> {
    let mut servers = Vec::new();
    for _ in 0..10 {
        servers.push(TestServer::start().await?);
    }
    for (number, server) in servers.iter().enumerate() {
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        let mut map = ConfigMap::default();
        map.metadata.name = Some(format!("own-{number}"));
        maps.create(&PostParams::default(), &map).await?;
        let own = maps.list(&ListParams::default()).await?;
        let own = own.items.iter().filter_map(|map| map.metadata.name.as_deref());
        assert_eq!(own.filter(|name| name.starts_with("own-")).collect::<Vec<_>>(), [format!("own-{number}")]);
    }
    Ok(())
}

#[tokio::test]
async fn a_definition_that_is_rejected_says_why() {
    let definition = serde_json::json!({"kind": "CustomResourceDefinition", "metadata": {"name": "a"}});
    let error = TestServer::builder().crd(&definition).start().await.err().unwrap().to_string();
    assert!(error.starts_with("definition 1: "), "{error}");
}

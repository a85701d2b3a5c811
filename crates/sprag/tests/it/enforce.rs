//! Best practices hold for everything that `sprag serve` serves, but for what Kubernetes itself does differently.

use sprag::testing::enforce::{Enforce, Remote, starting};
use sprag::value::json;

/// A kind that a definition defines, in two versions, with everything that a definition can have.
const PROBES: &str = r#"{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.example.dev"},
  "spec": {
    "group": "example.dev", "scope": "Namespaced",
    "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
    "versions": [
      {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": SCHEMA}},
      {"name": "v1beta1", "served": true, "storage": false, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": SCHEMA}}
    ]
  }
}"#;
const SCHEMA: &str = r#"{
  "type": "object", "required": ["spec"],
  "properties": {
    "spec": {
      "type": "object", "required": ["class", "size"],
      "properties": {
        "class": {"type": "string", "enum": ["fast", "slow"]},
        "size": {"type": "integer", "minimum": 3, "maximum": 9},
        "name": {"type": "string", "minLength": 4},
        "parts": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
        "limits": {"type": "object", "additionalProperties": {"type": "integer"}}
      },
      "x-kubernetes-validations": [{"rule": "self.size != 5", "message": "not five"}]
    },
    "status": {"type": "object", "properties": {"phase": {"type": "string"}, "ready": {"type": "integer"}}}
  }
}"#;

/// Every exception of Kubernetes is needed, and there is no other. A kind that is added may need an object in
/// `crates/testing/src/enforce/kubernetes.yaml` and, where upstream differs, entries in `kubernetes-exceptions.yaml` beside it.
#[test]
fn all_kinds_that_are_served_follow_best_practices() {
    let probes = json::parse(PROBES.replace("SCHEMA", SCHEMA).as_bytes()).unwrap();
    let server = starting(|store| sprag::Server::new().over(store).crd("probes", probes.clone()));
    let report = Enforce::new().strict_kubernetes().run(&server).unwrap();
    let resources = report.resources.len();
    let excepted = report.excepted.len();
    eprintln!(
        "{resources} resources, {excepted} excepted, {} fields kept, {} requests",
        report.fields_kept, report.requests
    );
    for skipped in &report.skipped {
        eprintln!("{skipped}");
    }
    assert!(report.is_clean(), "{report}");
    assert!(report.resources.contains(&"gadgets.example.dev".to_owned()));
    assert!(report.fields_kept > 3_000, "{}", report.fields_kept);
}

/// A server that listens, whether the test has it or only its kubeconfig.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_listens_is_asked_over_https() {
    let store = std::sync::Arc::new(sprag::serve::Memory::new());
    let running = sprag::Server::new().over(store).start().await.unwrap();
    let leases = || Enforce::new().only_group("coordination.k8s.io");
    let report = leases().run(&running).unwrap();
    assert!(report.is_clean() && report.resources == ["leases.coordination.k8s.io"], "{report}");

    let file = std::env::temp_dir().join(format!("sprag-enforce-{}.kubeconfig", std::process::id()));
    std::fs::write(&file, running.kubeconfig_text()).unwrap();
    let remote = Remote::from_kubeconfig(Some(&file)).unwrap();
    std::fs::remove_file(file).unwrap();
    let report = leases().run(&remote).unwrap();
    assert!(report.is_clean() && report.fields_kept > 3, "{report}");
    running.shutdown().await;
}

#[tokio::test]
async fn a_server_on_the_only_thread_is_refused() {
    let store = std::sync::Arc::new(sprag::serve::Memory::new());
    let running = sprag::Server::new().over(store).start().await.unwrap();
    let said = Enforce::new().run(&running).unwrap_err();
    assert!(said.contains(r#"#[tokio::test(flavor = "multi_thread")]"#), "{said}");
}

/// In process, no thread is needed.
#[tokio::test]
async fn a_server_in_process_is_asked_from_anywhere() {
    let store = std::sync::Arc::new(sprag::serve::Memory::new());
    let server = sprag::Server::new().over(store).in_process().await.unwrap();
    let report = Enforce::new().only_group("coordination.k8s.io").run(&server).unwrap();
    assert!(report.is_clean() && !report.excepted.is_empty(), "{report}");
}

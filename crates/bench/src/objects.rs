//! The objects that are measured: like the recorded ones in shape and size, made here so that nothing else is needed.

use sprag_value::{Value, json};

/// A claim with eight requests.
pub fn resource_claim() -> Value {
    let request = |at: usize| {
        format!(
            r#"{{"name": "req-{at}", "exactly": {{"deviceClassName": "gpu.example.com",
              "selectors": [{{"cel": {{"expression": "device.driver == 'gpu.example.com'"}}}}],
              "allocationMode": "ExactCount", "count": 1,
              "tolerations": [{{"key": "example.com/taint", "operator": "Exists"}}]}}}}"#
        )
    };
    let requests: Vec<String> = (0..8).map(request).collect();
    parse(&format!(
        r#"{{"metadata": {{"name": "claim-a", "namespace": "default"}}, "spec": {{"devices": {{
          "requests": [{}],
          "constraints": [{{"requests": ["req-0", "req-1"], "matchAttribute": "gpu.example.com/model"}}],
          "config": [{{"requests": ["req-0"], "opaque": {{"driver": "gpu.example.com", "parameters": {{"a": "b"}}}}}}]
        }}}}, "status": {{}}}}"#,
        requests.join(",")
    ))
}

/// A slice with 128 devices.
pub fn resource_slice() -> Value {
    let device = |at: usize| {
        format!(
            r#"{{"name": "gpu-{at}", "attributes": {{"healthy": {{"bool": true}}, "index": {{"int": {at}}},
              "model": {{"string": "h200"}}}}, "capacity": {{"memory": {{"value": "141Gi"}}}}}}"#
        )
    };
    let devices: Vec<String> = (0..128).map(device).collect();
    parse(&format!(
        r#"{{"metadata": {{"name": "slice-a"}}, "spec": {{"driver": "gpu.example.com",
          "pool": {{"name": "pool-a", "generation": 1, "resourceSliceCount": 1}},
          "nodeName": "node-1", "devices": [{}]}}}}"#,
        devices.join(",")
    ))
}

/// A controller with one container.
pub fn replication_controller() -> Value {
    parse(
        r#"{"metadata": {"name": "rc-a", "namespace": "default"}, "spec": {"replicas": 3, "minReadySeconds": 5,
          "selector": {"a": "b"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [
          {"name": "abc", "image": "image", "resources": {}, "terminationMessagePolicy": "File",
          "imagePullPolicy": "IfNotPresent"}], "restartPolicy": "Always", "dnsPolicy": "Default"}}},
          "status": {"replicas": 0}}"#,
    )
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).expect("the objects above are JSON")
}

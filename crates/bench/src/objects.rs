//! The objects that are measured: the recorded ones where they are at hand, otherwise some of the same shape and size.

use std::path::Path;

use sprag_value::{Value, json};

/// The recorded object with this name, if the recorded objects lie beside the repository.
fn recorded(name: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/bench-objects");
    let text = std::fs::read(folder.join(name)).ok()?;
    Some(json::parse(&text).expect("the recorded objects are JSON"))
}

/// A deployment with three containers.
pub fn deployment() -> Value {
    recorded("deployment.json").unwrap_or_else(made_deployment)
}

fn made_deployment() -> Value {
    let env: Vec<String> = (0..12).map(|at| format!(r#"{{"name": "E{at}", "value": "v{at}"}}"#)).collect();
    let container = |name: &str| {
        format!(
            r#"{{"name": "{name}", "image": "registry.example/{name}:1", "args": ["--x", "--y"],
              "ports": [{{"name": "http", "containerPort": 8080, "protocol": "TCP"}}], "env": [{env}],
              "resources": {{"requests": {{"cpu": "100m", "memory": "128Mi"}}, "limits": {{"memory": "256Mi"}}}},
              "livenessProbe": {{"httpGet": {{"path": "/healthz", "port": 8080}}, "periodSeconds": 10}},
              "volumeMounts": [{{"name": "cfg", "mountPath": "/etc/cfg"}}, {{"name": "tmp", "mountPath": "/tmp"}}]}}"#,
            env = env.join(", ")
        )
    };
    let containers = ["app", "proxy", "log"].map(container).join(", ");
    parse(&format!(
        r#"{{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "web", "namespace": "default"}},
          "spec": {{"replicas": 3, "selector": {{"matchLabels": {{"app": "web"}}}},
          "template": {{"metadata": {{"labels": {{"app": "web"}}}}, "spec": {{"containers": [{containers}],
          "volumes": [{{"name": "cfg", "configMap": {{"name": "web"}}}}, {{"name": "tmp", "emptyDir": {{}}}}]}}}}}}}}"#
    ))
}

/// A claim with eight requests.
pub fn resource_claim() -> Value {
    recorded("native-resourceclaim.json").unwrap_or_else(made_claim)
}

fn made_claim() -> Value {
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
    recorded("native-resourceslice-128.json").unwrap_or_else(made_slice)
}

fn made_slice() -> Value {
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

/// The slice before and after one of its devices changed.
///
/// # Panics
/// When the slice is not the one made for this: 128 devices with a model.
pub fn resource_slice_changed() -> (Value, Value) {
    let old = resource_slice();
    let mut new = resource_slice();
    let devices = new.get_mut("spec").and_then(|spec| spec.get_mut("devices")).and_then(Value::as_array_mut);
    let model = devices
        .and_then(|devices| devices.get_mut(64))
        .and_then(|device| device.get_mut("attributes"))
        .and_then(|attributes| attributes.get_mut("model"));
    model.expect("the slice has 128 devices with a model").insert("string", "h300");
    (old, new)
}

/// A controller with one container.
pub fn replication_controller() -> Value {
    recorded("native-replicationcontroller.json").unwrap_or_else(made_controller)
}

fn made_controller() -> Value {
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

#[cfg(test)]
mod tests {
    use sprag_checks::{Errors, Options, Request, Validate};
    use sprag_value::from_value;

    use super::*;
    use crate::api;

    #[track_caller]
    fn is_valid<T: Validate + serde::de::DeserializeOwned>(object: &Value) {
        let object: T = from_value(object).expect("the object fits its type");
        let options: Options = [("DRAPartitionableDevicesType", false)].into_iter().collect();
        let mut errors = Errors::new();
        T::validate(&Request::create().with_options(&options), &object, None, &mut errors);
        assert_eq!(errors.into_vec(), []);
    }

    #[test]
    fn recorded_and_made_objects_are_valid() {
        for claim in [resource_claim(), made_claim()] {
            is_valid::<api::ResourceClaim>(&claim);
        }
        for slice in [resource_slice(), made_slice()] {
            is_valid::<api::ResourceSlice>(&slice);
        }
        for controller in [replication_controller(), made_controller()] {
            is_valid::<api::ReplicationController>(&controller);
        }
    }
}

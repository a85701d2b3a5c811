//! Ingresses of `extensions/v1beta1` and `networking.k8s.io/v1beta1`.

use sprag_value::{Array, Value};

use super::{Conversion, Subject};
use crate::op::{Op, Path};

// As upstream's Convert_v1beta1_IngressBackend_To_networking_IngressBackend and SetDefaults_HTTPIngressPath.
pub(super) fn convert(subject: &Subject<'_>) -> Result<Conversion, String> {
    let spec = subject.at.key("spec");
    let mut phases = vec![Vec::new(), Vec::new(), Vec::new()];
    let mut notes = Vec::new();
    if let Some(backend) = subject.object.lookup(&["spec", "backend"]) {
        convert_backend(backend, &spec.key("backend"), &mut phases)?;
        phases[2].push(Op::Rename { parent: spec.clone(), key: "backend", name: "defaultBackend" });
    }
    for (number, rule) in elements(subject.object.lookup(&["spec", "rules"])).enumerate() {
        let http = spec.key("rules").index(number).key("http");
        for (number, path) in elements(rule.lookup(&["http", "paths"])).enumerate() {
            let at = http.key("paths").index(number);
            let Some(backend) = path.get("backend") else { return Err(format!("{} has no backend", at.text())) };
            convert_backend(backend, &at.key("backend"), &mut phases)?;
            if path.get("pathType").is_none() {
                let value = Value::from("ImplementationSpecific");
                phases[2].push(Op::Insert { parent: at, key: "pathType", value, above: "backend" });
                notes = vec!["pathType: ImplementationSpecific is what paths without one had".to_owned()];
            }
        }
    }
    Ok(Conversion { phases, notes })
}

fn convert_backend(backend: &Value, at: &Path, phases: &mut [Vec<Op>]) -> Result<(), String> {
    let port = match (backend.get("serviceName"), backend.get("servicePort")) {
        (Some(_), Some(port)) => port,
        // One of a resource, which is written the same way.
        (None, None) if backend.get("resource").is_some() => return Ok(()),
        _ => return Err(format!("{} does not name a service and its port", at.text())),
    };
    let name = if port.as_str().is_some() { "name" } else { "number" };
    let parent = at.clone();
    phases[0].push(Op::Wrap { parent: parent.clone(), keys: vec!["servicePort"], name: "port" });
    phases[1].push(Op::Rename { parent: at.key("port"), key: "servicePort", name });
    phases[1].push(Op::Wrap { parent, keys: vec!["serviceName", "port"], name: "service" });
    phases[2].push(Op::Rename { parent: at.key("service"), key: "serviceName", name: "name" });
    Ok(())
}

fn elements(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).map(Array::as_slice).unwrap_or_default().iter()
}

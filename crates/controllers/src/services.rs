//! The addresses of services, for webhooks that are behind one.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use sprag_registry::Follower;
use sprag_storage::Key;
use sprag_value::Value;
use sprag_webhook::ResolveService;

/// All services, by namespace and name.
#[derive(Default)]
pub struct Services(RwLock<HashMap<(String, String), Value>>);

impl Follower for Services {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[("", "services")]
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        let objects = objects.into_iter().map(|(key, object)| (place(&key), object)).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = objects;
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        let mut services = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match object {
            Some(object) => services.insert(place(key), object),
            None => services.remove(&place(key)),
        };
    }
}

impl ResolveService for Services {
    // As upstream's proxy.ResolveCluster.
    fn resolve(&self, namespace: &str, name: &str, port: i64) -> Result<String, String> {
        let services = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let service = services.get(&(namespace.to_owned(), name.to_owned()));
        let spec =
            service.and_then(|service| service.get("spec")).ok_or_else(|| format!("service {name:?} not found"))?;
        let text = |member: &str| spec.get(member).and_then(Value::as_str).unwrap_or_default();
        match (text("type"), text("clusterIP")) {
            ("ClusterIP", "None") => Err(r#"cannot route to service with ClusterIP "None""#.to_owned()),
            ("ClusterIP" | "LoadBalancer" | "NodePort", ip) => {
                let ports = spec.get("ports").and_then(Value::as_array).into_iter().flatten();
                let mut numbers = ports.filter_map(|port| port.get("port")).filter_map(Value::as_i64);
                if !numbers.any(|number| number == port) {
                    return Err(format!("no service port {port} found for service {name:?}"));
                }
                Ok(joined(ip, port))
            }
            ("ExternalName", _) => Ok(joined(text("externalName"), port)),
            (other, _) => Err(format!("unsupported service type {other:?}")),
        }
    }
}

fn place(key: &Key) -> (String, String) {
    (key.namespace().unwrap_or_default().to_owned(), key.name().to_owned())
}

fn joined(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(spec: &str, port: i64, expected: Result<&str, &str>) {
        let services = Services::default();
        let service = json::parse(format!(r#"{{"spec":{spec}}}"#).as_bytes()).unwrap();
        services.set(&Key::namespaced("", "services", "n", "s").unwrap(), Some(service));
        let found = services.resolve("n", "s", port);
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
        assert_eq!(services.resolve("n", "other", port), Err("service \"other\" not found".to_owned()));
    }

    #[test]
    fn services_have_addresses() {
        check(r#"{"type":"ClusterIP","clusterIP":"10.0.0.7","ports":[{"port":443}]}"#, 443, Ok("10.0.0.7:443"));
        check(r#"{"type":"NodePort","clusterIP":"fd00::7","ports":[{"port":443}]}"#, 443, Ok("[fd00::7]:443"));
        check(r#"{"type":"ExternalName","externalName":"h.example"}"#, 8443, Ok("h.example:8443"));
        let other_port = Err("no service port 444 found for service \"s\"");
        check(r#"{"type":"ClusterIP","clusterIP":"10.0.0.7","ports":[{"port":443}]}"#, 444, other_port);
        let headless = Err("cannot route to service with ClusterIP \"None\"");
        check(r#"{"type":"ClusterIP","clusterIP":"None","ports":[{"port":443}]}"#, 443, headless);
    }
}

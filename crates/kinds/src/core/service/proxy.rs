//! Connections to services, which a server without nodes cannot make.

use sprag_rest::{ApiError, Backend, ConnectSubresource, Cx, GroupVersionKind, Result};
use sprag_value::Value;

/// `services/proxy`.
pub(super) struct Proxy;

impl ConnectSubresource for Proxy {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "ServiceProxyOptions")
    }

    fn verbs(&self) -> &'static [&'static str] {
        &["create", "delete", "get", "patch", "update"]
    }

    /// As upstream's `net.SplitSchemeNamePort`: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`.
    fn parent<'n>(&self, name: &'n str) -> Result<&'n str> {
        let parts: Vec<&str> = name.split(':').collect();
        let found = match *parts.as_slice() {
            [name] | [name, _] | ["" | "http" | "https", name, _] => Some(name).filter(|name| !name.is_empty()),
            _ => None,
        };
        found.ok_or_else(|| ApiError::bad_request(format!("invalid service request {:?}", name)))
    }

    /// As upstream's `REST.ResourceLocation` of services where there are no endpoints.
    fn connect(&self, _: &Cx<'_>, parent: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        let name = parent.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
        let name = sprag_field::quote::go(name.unwrap_or_default());
        let message = format!("no endpoints available for service {name}");
        Err(ApiError::new(503, "ServiceUnavailable", message, None))
    }
}

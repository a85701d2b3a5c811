//! Connections to services.

use sprag_field::quote;
use sprag_rest::{ApiError, Backend, ConnectSubresource, Cx, GroupVersionKind, Result};
use sprag_value::Value;

use super::service;

/// `services/proxy`: the path names a service, and perhaps its port and a scheme.
pub(super) struct Proxy;

impl ConnectSubresource for Proxy {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "ServiceProxyOptions")
    }

    fn verbs(&self) -> &'static [&'static str] {
        &["create", "delete", "get", "patch", "update"]
    }

    fn parent<'n>(&self, name: &'n str) -> Result<&'n str> {
        split(name).map(|(name, _)| name)
    }

    /// As upstream's `storage.REST.ResourceLocation`, of a server that reaches no endpoints.
    fn connect(&self, cx: &Cx<'_>, parent: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        let (name, port) = split(cx.name)?;
        let shown = quote::go(name);
        let port = port.parse::<i64>().ok();
        let why = match port.filter(|port| service(parent).spec().ports().iter().all(|known| known.port() != *port)) {
            Some(port) => format!("no service port {port} found for service {shown}"),
            None => format!("no endpoints available for service {shown}"),
        };
        Err(ApiError::new(503, "ServiceUnavailable", why, None))
    }
}

/// Splits `name`, `name:port` and `scheme:name:port`, as upstream's `net.SplitSchemeNamePort`.
fn split(id: &str) -> Result<(&str, &str)> {
    let parts: Vec<&str> = id.split(':').collect();
    match *parts.as_slice() {
        [name] if !name.is_empty() => Ok((name, "")),
        [name, port] if !name.is_empty() => Ok((name, port)),
        ["" | "http" | "https", name, port] if !name.is_empty() => Ok((name, port)),
        _ => Err(ApiError::bad_request(format!("invalid service request {}", quote::go(id)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_names_a_service_and_perhaps_its_port_and_a_scheme() {
        let split = |id| split(id).map_err(|error| error.to_string());
        assert_eq!(split("web"), Ok(("web", "")));
        assert_eq!(split("web:80"), Ok(("web", "80")));
        assert_eq!(split("https:web:"), Ok(("web", "")));
        for id in ["", ":80", "ftp:web:80", "http:web:80:"] {
            assert_eq!(split(id), Err(format!("invalid service request {id:?}")));
        }
    }
}

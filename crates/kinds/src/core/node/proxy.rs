//! Connections to kubelets, which a server without nodes of its own cannot make.

use sprag_field::quote;
use sprag_rest::{ApiError, Backend, ConnectSubresource, Cx, GroupVersionKind, Result, meta};
use sprag_value::Value;

/// `nodes/proxy`.
pub(super) struct Proxy;

impl ConnectSubresource for Proxy {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "NodeProxyOptions")
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
        found.ok_or_else(|| ApiError::bad_request(format!("invalid node request {}", quote::go(name))))
    }

    /// As upstream's `node.ResourceLocation` of a node without an address.
    fn connect(&self, _: &Cx<'_>, parent: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        let name = meta::name(parent);
        Err(ApiError::new(503, "ServiceUnavailable", format!("no address known for node {}", quote::go(name)), None))
    }
}

//! Connections to kubelets.

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

    fn connect(&self, _: &Cx<'_>, parent: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        Ok(Backend::Node(meta::name(parent).to_owned()))
    }
}

//! Connections to services, which a server without nodes cannot make.

use sprag_rest::{Backend, ConnectSubresource, Cx, GroupVersionKind, Result};
use sprag_value::Value;

use crate::core::pod::{PROXY_VERBS, split_proxy_name};

/// `services/proxy`.
pub(super) struct Proxy;

impl ConnectSubresource for Proxy {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "ServiceProxyOptions")
    }

    fn verbs(&self) -> &'static [&'static str] {
        PROXY_VERBS
    }

    fn parent<'n>(&self, name: &'n str) -> Result<&'n str> {
        let (_, name, _) = split_proxy_name("service", name)?;
        Ok(name)
    }

    fn connect(&self, cx: &Cx<'_>, _: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        Ok(Backend::Address(cx.name.to_owned()))
    }
}

//! Connections to services.

use sprag_field::quote;
use sprag_rest::{ApiError, Backend, ConnectSubresource, Cx, GroupVersionKind, Result};
use sprag_value::Value;

use super::service;
use crate::core::pod::{PROXY_VERBS, split_proxy_name};

/// `services/proxy`: the path names a service, and perhaps its port and a scheme.
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

    /// As upstream's `storage.REST.ResourceLocation`, which reads the service only to find the name of a port.
    fn missing_parent(&self, name: &str) -> Option<ApiError> {
        let (_, name, port) = split_proxy_name("service", name).ok()?;
        port.parse::<i64>().is_err().then(|| no_endpoints(name))
    }

    /// As upstream's `storage.REST.ResourceLocation`, of a server that reaches no endpoints.
    fn connect(&self, cx: &Cx<'_>, parent: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        let (_, name, port) = split_proxy_name("service", cx.name)?;
        let port = port.parse::<i64>().ok();
        match port.filter(|port| service(parent).spec().ports().iter().all(|known| known.port() != *port)) {
            Some(port) => Err(unavailable(format!("no service port {port} found for service {}", quote::go(name)))),
            None => Err(no_endpoints(name)),
        }
    }
}

fn no_endpoints(service: &str) -> ApiError {
    unavailable(format!("no endpoints available for service {}", quote::go(service)))
}

fn unavailable(why: String) -> ApiError {
    ApiError::new(503, "ServiceUnavailable", why, None)
}

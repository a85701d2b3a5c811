//! Connections to services, which a server without nodes cannot make.

use sprag_field::Errors;
use sprag_rest::{Cx, GroupVersionKind, OptionsSubresource};
use sprag_value::Value;

/// The options of `services/proxy`.
pub(super) struct Proxy;

impl OptionsSubresource for Proxy {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "ServiceProxyOptions")
    }

    fn validate(&self, _: &Cx<'_>, _: &Value, _: &mut Errors) {}
}

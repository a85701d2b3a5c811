//! The group without a name.

mod component_status;
mod config_map;
mod endpoints;
pub(crate) mod event;
pub(crate) mod internal;
pub(crate) mod ip;
mod keys;
mod limit_range;
pub(crate) mod names;
mod namespace;
mod node;
pub(crate) mod persistent_volume;
pub(crate) mod persistent_volume_claim;
pub(crate) mod pod;
mod pod_template;
mod replication_controller;
mod resource_quota;
mod secret;
pub(crate) mod service;
mod service_account;
mod tls;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::Definition;

pub use self::component_status::component_status;
pub(crate) use self::component_status::component_statuses;
pub use self::namespace::namespaces;
pub use self::service::{ServiceCidrs, ServiceRanges, ServiceRangesError};
pub(crate) use self::service_account::issue_tokens;

/// The kinds of this group.
pub(crate) fn definitions(ranges: ServiceRanges, cidrs: ServiceCidrs) -> Vec<Definition> {
    vec![
        namespaces(),
        config_map::config_maps(),
        secret::secrets(),
        service_account::service_accounts(),
        event::events(),
        persistent_volume_claim::persistent_volume_claims(),
        pod::pods(),
        pod::bindings(),
        service::services(ranges, cidrs),
        endpoints::endpoints(),
        persistent_volume::persistent_volumes(),
        node::nodes(),
        limit_range::limit_ranges(),
        resource_quota::resource_quotas(),
        pod_template::pod_templates(),
        replication_controller::replication_controllers(),
    ]
}

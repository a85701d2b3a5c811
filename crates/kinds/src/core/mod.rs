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

use sprag_rest::{Definition, Release};

pub use self::component_status::component_status;
pub(crate) use self::component_status::component_statuses;
pub use self::namespace::namespaces;
pub use self::service::{ServiceCidrs, ServiceRanges, ServiceRangesError};
pub(crate) use self::service_account::issue_tokens;

/// The kinds of this group.
pub(crate) fn definitions(release: Release, ranges: ServiceRanges, cidrs: ServiceCidrs) -> Vec<Definition> {
    vec![
        namespaces(release),
        config_map::config_maps(release),
        secret::secrets(release),
        service_account::service_accounts(release),
        event::events(release),
        persistent_volume_claim::persistent_volume_claims(release),
        pod::pods(release),
        pod::bindings(release),
        service::services(release, ranges, cidrs),
        endpoints::endpoints(release),
        persistent_volume::persistent_volumes(release),
        node::nodes(release),
        limit_range::limit_ranges(release),
        resource_quota::resource_quotas(release),
        pod_template::pod_templates(release),
        replication_controller::replication_controllers(release),
    ]
}

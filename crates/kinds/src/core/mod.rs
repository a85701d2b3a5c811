//! The group without a name.

mod config_map;
pub(crate) mod event;
pub(crate) mod internal;
mod ip;
mod keys;
pub(crate) mod names;
mod namespace;
pub(crate) mod persistent_volume_claim;
#[expect(dead_code, unused_imports, reason = "pods are not served yet: the rules of updates and status are missing")]
pub(crate) mod pod;
mod pod_template;
mod replication_controller;
mod secret;
mod service_account;
mod tls;
pub mod v1;

use sprag_rest::Definition;

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![
        namespace::namespaces(),
        config_map::config_maps(),
        secret::secrets(),
        service_account::service_accounts(),
        event::events(),
        persistent_volume_claim::persistent_volume_claims(),
        pod_template::pod_templates(),
        replication_controller::replication_controllers(),
    ]
}

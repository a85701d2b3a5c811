//! The group without a name.

mod config_map;
pub(crate) mod event;
mod internal;
mod ip;
mod keys;
mod namespace;
mod pod;
mod secret;
mod service_account;
mod tls;
pub mod v1;

use sprag_rest::Definition;

/// The kinds of this group.
pub(crate) fn definitions() -> [Definition; 5] {
    [
        namespace::namespaces(),
        config_map::config_maps(),
        secret::secrets(),
        service_account::service_accounts(),
        event::events(),
    ]
}

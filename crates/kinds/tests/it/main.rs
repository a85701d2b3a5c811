//! All kinds through the whole pipeline, in process.

mod api;
mod bad_input;
mod config_maps;
mod declarations;
mod events;
mod jobs;
mod leases;
mod namespaces;
mod persistent_volume_claims;
mod protobuf;
mod rbac;
mod secrets;
mod service_accounts;
#[cfg(feature = "types")]
mod types;

//! All kinds through the whole pipeline, in process.

mod api;
mod config_maps;
mod declarations;
mod endpoints;
mod events;
mod jobs;
mod leases;
mod namespaces;
mod persistent_volume_claims;
mod protobuf;
mod rbac;
mod secrets;
mod service_accounts;
mod services;
#[cfg(feature = "types")]
mod types;
mod workloads;

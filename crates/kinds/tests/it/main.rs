//! All kinds through the whole pipeline, in process.

mod api;
mod bad_input;
mod config_maps;
mod declarations;
mod devices;
mod endpoints;
mod events;
mod jobs;
mod leases;
mod life_cycle;
mod limit_ranges;
mod namespaces;
mod nodes;
mod persistent_volume_claims;
mod persistent_volumes;
mod pods;
mod protobuf;
mod rbac;
mod resource_quotas;
mod secrets;
mod service_accounts;
mod services;
#[cfg(feature = "types")]
mod types;
mod workloads;

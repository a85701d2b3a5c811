//! All kinds through the whole pipeline, in process.

mod admission_policies;
mod api;
mod bad_input;
mod certificates;
mod config_maps;
mod declarations;
mod endpoints;
mod events;
mod flow_control;
mod jobs;
mod leases;
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

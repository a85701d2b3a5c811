//! All kinds through the whole pipeline, in process.

mod admission_policies;
mod api;
mod api_services;
mod autoscalers;
mod bad_input;
mod certificates;
mod config_maps;
mod declarations;
mod devices;
mod endpoints;
mod events;
mod flow_control;
mod jobs;
mod leases;
mod life_cycle;
mod limit_ranges;
mod migrations;
mod namespaces;
mod networking;
mod nodes;
mod persistent_volume_claims;
mod persistent_volumes;
mod pod_disruption_budgets;
mod pods;
mod priority_classes;
mod protobuf;
mod rbac;
mod resource_quotas;
mod runtime_classes;
mod secrets;
mod service_accounts;
mod services;
mod storage;
#[cfg(feature = "types")]
mod types;
mod workloads;

//! Pods: rules that pods and pod templates share, and what only pods have.

mod aggregate;
mod annotations;
mod binding;
mod conditions;
mod connect;
mod containers;
mod create;
mod defaults;
mod definition;
mod drop;
mod env;
mod ephemeral;
mod eviction;
mod image;
mod metadata;
mod network;
mod options;
mod prepare;
mod probes;
pub(crate) mod qos;
mod resize;
mod resources;
mod scheduling;
mod security;
mod seen;
mod spec;
mod status;
mod table;
mod template;
mod update;
mod visit;
pub(crate) mod volumes;
mod warnings;

pub(crate) use self::binding::bindings;
pub(crate) use self::connect::{PROXY_VERBS, split_proxy_name};
pub(crate) use self::defaults::{round, round_resources, set_pod_template_defaults};
pub(crate) use self::definition::pods;
pub(crate) use self::env::validate_qualified_name;
pub(crate) use self::metadata::validate_pod_annotations;
pub(crate) use self::options::PodOptions;
pub(crate) use self::probes::validate_port_number_or_name;
pub(crate) use self::resources::{
    is_native_resource, is_overcommit_allowed, is_standard_resource, validate_container_resource_name,
    validate_overhead, validate_resource_name, validate_resource_quantity,
};
pub(crate) use self::scheduling::{
    NODE_SELECTOR_TERM_FIELDS, has_bad_node_selector_values, validate_required_node_selector, validate_taints,
    validate_tolerations,
};
pub(crate) use self::seen::Seen;
pub(crate) use self::template::{drop_disabled_template_fields, template_warnings, validate_pod_template_spec};
pub(crate) use self::warnings::{deprecated_node_label, fraction_warning, node_selector_term_warnings};

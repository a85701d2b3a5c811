//! Pods: rules that pods and pod templates share, and what only pods have.

mod aggregate;
mod containers;
mod defaults;
mod drop;
mod env;
mod image;
mod metadata;
mod network;
mod options;
mod probes;
mod resources;
mod scheduling;
mod security;
mod seen;
mod spec;
mod template;
mod visit;
mod volumes;
mod warnings;

pub(crate) use self::defaults::{round, round_resources, set_pod_template_defaults};
pub(crate) use self::metadata::validate_pod_annotations;
pub(crate) use self::options::PodOptions;
pub(crate) use self::resources::is_native_resource;
pub(crate) use self::template::{drop_disabled_template_fields, template_warnings, validate_pod_template_spec};
pub(crate) use self::warnings::fraction_warning;

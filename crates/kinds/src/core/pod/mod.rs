//! Pods: rules that pods and pod templates share, and what only pods have.

mod aggregate;
mod containers;
mod defaults;
mod env;
mod image;
mod network;
mod options;
mod probes;
mod resources;
mod scheduling;
mod security;
mod seen;
mod visit;
mod volumes;
mod warnings;

pub(crate) use self::defaults::{round, round_resources};
pub(crate) use self::env::validate_qualified_name;
pub(crate) use self::options::PodOptions;
pub(crate) use self::probes::validate_port_number_or_name;
pub(crate) use self::resources::is_native_resource;
pub(crate) use self::seen::Seen;
pub(crate) use self::warnings::fraction_warning;

//! Pods: rules that pods and pod templates share, and what only pods have.

mod aggregate;
mod env;
mod options;
mod probes;
mod resources;

pub(crate) use self::options::PodOptions;

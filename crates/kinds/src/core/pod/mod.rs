//! Pods: rules that pods and pod templates share, and what only pods have.

mod network;
mod options;
mod scheduling;
mod security;
mod seen;
mod visit;
mod warnings;

pub(crate) use self::options::PodOptions;

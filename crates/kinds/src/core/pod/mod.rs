//! Pods: rules that pods and pod templates share, and what only pods have.

mod options;

pub(crate) use self::options::PodOptions;

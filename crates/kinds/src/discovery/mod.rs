//! The group `discovery.k8s.io`.

pub mod v1;

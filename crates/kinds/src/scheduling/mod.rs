//! The group `scheduling.k8s.io`.

pub mod v1alpha3;

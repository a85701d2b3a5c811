//! The group `authentication.k8s.io`.

pub mod v1;

//! The group `certificates.k8s.io`.

#[cfg(feature = "types")]
pub mod v1;

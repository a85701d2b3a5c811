//! Types of version `v1`, one file for each concept.
//!
//! +groupName=certificates.k8s.io

mod certificate_signing_request;
mod cluster_trust_bundle;
mod pod_certificate_request;

pub use certificate_signing_request::*;
pub use cluster_trust_bundle::*;
pub use pod_certificate_request::*;

//! The group `certificates.k8s.io`.

mod certificate_signing_request;
mod cluster_trust_bundle;
mod mail;
mod pod_certificate_request;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The name of the group.
const GROUP: &str = "certificates.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        certificate_signing_request::certificate_signing_requests(release),
        cluster_trust_bundle::cluster_trust_bundles(release),
        pod_certificate_request::pod_certificate_requests(release),
    ]
}

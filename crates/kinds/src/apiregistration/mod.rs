//! The group `apiregistration.k8s.io`.

mod api_service;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![api_service::api_services(release)]
}

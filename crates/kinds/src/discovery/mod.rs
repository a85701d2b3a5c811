//! The group `discovery.k8s.io`.

mod endpoint_slice;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![endpoint_slice::endpoint_slices(release)]
}

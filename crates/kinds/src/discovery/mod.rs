//! The group `discovery.k8s.io`.

mod endpoint_slice;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::Definition;

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![endpoint_slice::endpoint_slices()]
}

//! The group `node.k8s.io`.

mod runtime_class;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![runtime_class::runtime_classes(release)]
}

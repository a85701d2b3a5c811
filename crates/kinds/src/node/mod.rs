//! The group `node.k8s.io`.

mod runtime_class;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::Definition;

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![runtime_class::runtime_classes()]
}

//! The group `scheduling.k8s.io`.

mod priority_class;
#[cfg(feature = "types")]
pub mod v1;
#[cfg(feature = "types")]
pub mod v1alpha3;

use sprag_rest::{Definition, Release};

pub use self::priority_class::system_priority_classes;

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![priority_class::priority_classes(release)]
}

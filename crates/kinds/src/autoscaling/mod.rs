//! The group `autoscaling`.

mod horizontal_pod_autoscaler;
#[cfg(feature = "types")]
pub mod v1;
#[cfg(feature = "types")]
pub mod v2;

use sprag_rest::{Definition, Release};

/// The kinds of this group that are stored.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![horizontal_pod_autoscaler::horizontal_pod_autoscalers(release)]
}

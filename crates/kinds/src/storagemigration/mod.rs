//! The group `storagemigration.k8s.io`.

mod storage_version_migration;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![storage_version_migration::storage_version_migrations(release)]
}

//! The group `batch`.

mod cron_job;
mod job;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![job::jobs(release), cron_job::cron_jobs(release)]
}

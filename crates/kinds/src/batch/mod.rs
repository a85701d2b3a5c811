//! The group `batch`.

mod cron_job;
mod job;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::Definition;

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![job::jobs(), cron_job::cron_jobs()]
}

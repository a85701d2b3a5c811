//! The group `policy`.

mod eviction;
mod pod_disruption_budget;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

pub(crate) use self::eviction::ask_budgets;

/// The kinds of this group that are stored.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![pod_disruption_budget::pod_disruption_budgets(release)]
}

//! The group `policy`.

mod pod_disruption_budget;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::Definition;

/// The kinds of this group that are stored.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![pod_disruption_budget::pod_disruption_budgets()]
}

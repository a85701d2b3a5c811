//! Observers of policy evaluations, for metrics.

use std::time::Duration;

/// Receives the outcome and duration of every evaluation of a policy.
pub trait PolicyObserver: Send + Sync {
    /// A validation that did not simply pass, or a failure of one.
    fn validated(&self, check: &Check<'_>);

    /// A mutation that was made, or failed.
    fn mutated(&self, check: &Check<'_>);
}

/// One expression of a policy under a binding.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The policy.
    pub policy: &'a str,
    /// The binding.
    pub binding: &'a str,
    /// The number of the expression among those of the policy.
    pub index: usize,
    /// `no_error`, `compile_error`, `invalid_error` or `out_of_budget`.
    pub error_type: &'static str,
    /// `allow`, `deny`, `audit` or `warn`; empty for mutations.
    pub action: &'static str,
    /// The duration.
    pub elapsed: Duration,
}

/// Learns nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl PolicyObserver for Unobserved {
    fn validated(&self, _: &Check<'_>) {}

    fn mutated(&self, _: &Check<'_>) {}
}

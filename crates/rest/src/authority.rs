//! Which errors of an object count: those of hand-written code and those of rules, by policy.

use sprag_field::{Error, Errors, Matcher, Policy, Source};

use crate::strategy::Cx;

/// Marks errors as those of hand-written code.
pub(crate) fn mark_hand_written(errors: &mut Errors) {
    for error in errors.since_mut(0) {
        error.source = Source::HandWritten;
    }
}

/// Counts what only one of hand-written code and rules found, and keeps the errors that the policy enforces.
pub(crate) fn settle(cx: &Cx<'_>, policy: &Policy, errors: &mut Errors) {
    if !errors.is_empty() {
        cx.counters.count_mismatches(mismatches(errors.since(0), policy));
        errors.enforce(policy);
    }
}

/// How many errors only one side found: of hand-written errors, those that rules are meant to find too; of rules, all
/// while hand-written code has the authority.
fn mismatches(errors: &[Error], policy: &Policy) -> usize {
    let matcher =
        Matcher::new().by_kind().by_origin().require_origin_when_invalid().by_field_normalized(&policy.normalization);
    let (by_hand, declared): (Vec<&Error>, Vec<&Error>) =
        errors.iter().partition(|error| error.source == Source::HandWritten);
    let covered = by_hand.iter().filter(|error| error.covered_by_declarative);
    let missed = covered.filter(|error| !declared.iter().any(|rule| matcher.matches(error, rule))).count();
    if !policy.legacy_shadow {
        return missed;
    }
    missed + declared.iter().filter(|rule| !by_hand.iter().any(|error| matcher.matches(error, rule))).count()
}

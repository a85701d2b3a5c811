//! Which errors a user sees: the life cycle of rules applied to a finished list of errors.

use std::collections::BTreeSet;

use crate::{Error, ErrorKind, Matcher, NormalizationRule, Source, Stage};

/// The switches that decide which declarative errors count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each mirrors one independent switch of the server or resource")]
pub struct Policy {
    /// The `DeclarativeValidation` gate.
    pub declarative: bool,
    /// The `DeclarativeValidationBeta` gate.
    pub beta: bool,
    /// The resource keeps its hand-written validation authoritative; its declarative errors are only observed.
    pub legacy_shadow: bool,
    /// For tests: every declarative error counts and every covered hand-written one is dropped.
    pub enforce_all: bool,
    /// How declarative paths are rewritten before they are compared with hand-written ones.
    pub normalization: Vec<NormalizationRule>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { declarative: true, beta: true, legacy_shadow: false, enforce_all: false, normalization: Vec::new() }
    }
}

impl Policy {
    /// Whether declarative rules run at all: a resource that relies on them ignores the main gate.
    pub const fn runs(&self) -> bool {
        self.declarative || !self.legacy_shadow || self.enforce_all
    }

    /// Whether the user sees this error.
    ///
    /// Hand-written errors always count. Among declarative ones, those of stable rules and internal errors count,
    /// those of beta rules unless their gate is off, those of alpha rules never; none counts in legacy shadow.
    pub fn enforces(&self, error: &Error) -> bool {
        if error.source == Source::HandWritten || self.enforce_all {
            return true;
        }
        if self.legacy_shadow {
            return false;
        }
        error.kind == ErrorKind::Internal
            || match error.stage {
                Stage::Stable => true,
                // The beta gate has no effect unless the main gate is on.
                Stage::Beta => self.beta && self.declarative,
                Stage::Alpha => false,
            }
    }
}

/// Errors split by whether the user sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Enforced {
    /// What the user sees: hand-written errors first, then declarative ones.
    pub enforced: Vec<Error>,
    /// Declarative errors that are only observed.
    pub shadowed: Vec<Error>,
}

/// Splits errors by policy.
///
/// A hand-written error that is marked as covered is dropped when an enforced declarative error of the same kind,
/// field and origin says the same; so is a hand-written error whose message already occurred.
///
/// ```
/// use sprag_field::{Error, Path, Policy, Stage, enforce};
///
/// let alpha = Error::required(&Path::new("a"), "").with_stage(Stage::Alpha);
/// let outcome = enforce(vec![alpha], &Policy::default());
/// assert!(outcome.enforced.is_empty());
/// assert_eq!(outcome.shadowed.len(), 1);
/// ```
pub fn enforce(errors: Vec<Error>, policy: &Policy) -> Enforced {
    if errors.is_empty() {
        return Enforced::default();
    }
    let (handwritten, declarative): (Vec<_>, Vec<_>) =
        errors.into_iter().partition(|error| error.source == Source::HandWritten);
    let (declarative, shadowed): (Vec<_>, Vec<_>) = declarative.into_iter().partition(|error| policy.enforces(error));
    let mut enforced = uncovered(handwritten, &declarative, policy);
    enforced.extend(declarative);
    Enforced { enforced, shadowed }
}

fn uncovered(handwritten: Vec<Error>, declarative: &[Error], policy: &Policy) -> Vec<Error> {
    let matcher =
        Matcher::new().by_kind().by_origin().require_origin_when_invalid().by_field_normalized(&policy.normalization);
    let covered = |error: &Error| {
        error.covered_by_declarative
            && (policy.enforce_all || declarative.iter().any(|rule| matcher.matches(error, rule)))
    };
    let mut seen = BTreeSet::new();
    handwritten.into_iter().filter(|error| seen.insert(error.to_string()) && !covered(error)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Path;

    fn declarative(stage: Stage) -> Error {
        Error::invalid(&Path::new("f"), "v", "tag").with_origin("o").with_stage(stage)
    }

    fn handwritten() -> Error {
        Error::invalid(&Path::new("f"), "v", "code").with_origin("o").with_source(Source::HandWritten)
    }

    #[track_caller]
    fn check(policy: &Policy, error: Error, enforced: bool) {
        let outcome = enforce(vec![error], policy);
        assert_eq!((outcome.enforced.len(), outcome.shadowed.len()), if enforced { (1, 0) } else { (0, 1) });
    }

    #[test]
    fn stages_follow_their_gates() {
        let on = Policy::default();
        let beta_off = Policy { beta: false, ..Policy::default() };
        let main_off = Policy { declarative: false, ..Policy::default() };
        for (policy, stable, beta) in [(&on, true, true), (&beta_off, true, false), (&main_off, true, false)] {
            check(policy, declarative(Stage::Stable), stable);
            check(policy, declarative(Stage::Beta), beta);
            check(policy, declarative(Stage::Alpha), false);
        }
    }

    #[test]
    fn internal_errors_count_at_every_stage() {
        for stage in [Stage::Stable, Stage::Alpha, Stage::Beta] {
            check(&Policy::default(), Error::internal(&Path::ROOT, "x").with_stage(stage), true);
        }
    }

    #[test]
    fn legacy_shadow_leaves_authority_to_handwritten_code() {
        let policy = Policy { legacy_shadow: true, ..Policy::default() };
        check(&policy, declarative(Stage::Stable), false);
        check(&policy, Error::internal(&Path::ROOT, "x"), false);
        check(&policy, handwritten(), true);
    }

    #[test]
    fn only_a_legacy_resource_can_be_switched_off() {
        let off = Policy { declarative: false, ..Policy::default() };
        assert!(off.runs());
        assert!(!Policy { legacy_shadow: true, ..off }.runs());
        assert!(Policy { legacy_shadow: true, ..Policy::default() }.runs());
    }

    #[test]
    fn covered_handwritten_errors_yield_to_enforced_ones() {
        let covered = handwritten().with_covered_by_declarative();
        let rows = [
            (declarative(Stage::Stable), covered.clone(), vec!["tag"]),
            (declarative(Stage::Beta), covered.clone(), vec!["tag"]),
            (declarative(Stage::Alpha), covered.clone(), vec!["code"]),
            (declarative(Stage::Stable), handwritten(), vec!["code", "tag"]),
            (declarative(Stage::Stable).with_origin("other"), covered, vec!["code", "tag"]),
        ];
        for (rule, code, expected) in rows {
            let outcome = enforce(vec![rule, code], &Policy::default());
            let details: Vec<_> = outcome.enforced.iter().map(|error| error.detail.as_ref()).collect();
            assert_eq!(details, expected);
        }
    }

    #[test]
    fn covered_errors_match_across_versions() {
        let policy = Policy { normalization: vec![NormalizationRule::new("old", "f").unwrap()], ..Policy::default() };
        let rule = Error::invalid(&Path::new("old"), "v", "tag").with_origin("o");
        let outcome = enforce(vec![handwritten().with_covered_by_declarative(), rule], &policy);
        assert_eq!(outcome.enforced.len(), 1);
    }

    #[test]
    fn a_repeated_handwritten_message_is_said_once() {
        let outcome = enforce(vec![handwritten(), handwritten()], &Policy::default());
        assert_eq!(outcome.enforced.len(), 1);
    }

    #[test]
    fn tests_may_enforce_everything() {
        let policy = Policy { enforce_all: true, legacy_shadow: true, ..Policy::default() };
        check(&policy, declarative(Stage::Alpha), true);
        let outcome = enforce(vec![handwritten().with_covered_by_declarative()], &policy);
        assert!(outcome.enforced.is_empty());
    }
}

//! Selects the errors a user sees: the life cycle of rules applied to a finished list of errors.

use std::collections::BTreeSet;

use crate::{Error, ErrorKind, Matcher, NormalizationRule, Source, Stage};

/// The switches that decide which declarative errors are enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each mirrors one independent switch of the server or resource")]
pub struct Enforcement {
    /// The `DeclarativeValidation` gate.
    pub declarative: bool,
    /// The `DeclarativeValidationBeta` gate.
    pub beta: bool,
    /// The resource keeps its hand-written validation authoritative; its declarative errors are only observed.
    pub legacy_shadow: bool,
    /// Errors that read like an earlier one are kept.
    pub keeps_repeats: bool,
    /// For tests: every declarative error counts and every covered hand-written one is dropped.
    pub enforce_all: bool,
    /// The rewriting of declarative paths before they are compared with hand-written ones.
    pub normalization: Vec<NormalizationRule>,
}

impl Default for Enforcement {
    fn default() -> Self {
        Enforcement {
            declarative: true,
            beta: true,
            legacy_shadow: false,
            keeps_repeats: false,
            enforce_all: false,
            normalization: Vec::new(),
        }
    }
}

impl Enforcement {
    /// True if declarative rules run at all: a resource that relies on them ignores the main gate.
    pub const fn runs(&self) -> bool {
        self.declarative || !self.legacy_shadow || self.enforce_all
    }

    /// The policy of a server that has these gates on.
    #[must_use]
    pub fn with_gates(&self, declarative: bool, beta: bool) -> Enforcement {
        Enforcement { declarative: self.declarative && declarative, beta: self.beta && beta, ..self.clone() }
    }

    /// True if the user sees this error.
    ///
    /// Hand-written errors always count. Among declarative ones, those of stable rules and internal errors count,
    /// those of beta rules unless their gate is off, those of alpha rules never. In legacy shadow only those of rules count
    /// that never had a hand-written counterpart.
    pub fn enforces(&self, error: &Error) -> bool {
        if error.source != Source::Declarative || self.enforce_all {
            return true;
        }
        if self.legacy_shadow && !error.native {
            return false;
        }
        error.kind == ErrorKind::Internal
            || match error.stage {
                Stage::Stable => true,
                Stage::Beta => self.beta,
                Stage::Alpha => false,
            }
    }

    /// Compares errors as upstream's `gatherDeclarativeValidationMismatches` does.
    fn matcher(&self) -> Matcher {
        Matcher::new().by_kind().by_origin().require_origin_when_invalid().by_field_normalized(&self.normalization)
    }
}

/// An error that only one of hand-written code and rules found, though both are meant to.
#[derive(Clone, Debug, PartialEq)]
pub struct Discrepancy<'e> {
    /// The error.
    pub error: &'e Error,
    /// Its kind, field and origin. The value is not in it, so that it can be logged.
    pub text: String,
}

/// Returns the errors found by only one of hand-written code and rules, as upstream's
/// `gatherDeclarativeValidationMismatches`: hand-written errors covered by a rule that did not find them, and errors of
/// rules that hand-written code should have found. Those are alpha and beta ones, and in legacy shadow all but native
/// ones. Nothing is compared while declarative validation is off.
///
/// ```
/// use sprag_field::{Enforcement, Error, Path, Stage, discrepancies};
///
/// let alpha = Error::required(&Path::new("a"), "").with_stage(Stage::Alpha);
/// let errors = [alpha];
/// let found = discrepancies(&errors, &Enforcement::default());
/// assert_eq!((found.len(), found[0].error.field.as_str()), (1, "a"));
/// ```
pub fn discrepancies<'e>(errors: &'e [Error], policy: &Enforcement) -> Vec<Discrepancy<'e>> {
    if !policy.declarative {
        return Vec::new();
    }
    let matcher = policy.matcher();
    let (by_hand, declared): (Vec<&Error>, Vec<&Error>) =
        errors.iter().partition(|error| error.source != Source::Declarative);
    let mut covered: Vec<&Error> = Vec::new();
    for error in by_hand.into_iter().filter(|error| error.covered_by_declarative) {
        if !covered.iter().any(|known| matcher.matches(known, error)) {
            covered.push(error);
        }
    }
    let is_missed = |error: &&&Error| !declared.iter().any(|rule| matcher.matches(error, rule));
    let is_compared = |rule: &Error| rule.stage != Stage::Stable || (policy.legacy_shadow && !rule.native);
    let is_extra = |rule: &&&Error| is_compared(rule) && !covered.iter().any(|error| matcher.matches(error, rule));
    let found = covered.iter().filter(is_missed).chain(declared.iter().filter(is_extra));
    found.map(|error| Discrepancy { error, text: matcher.render(error) }).collect()
}

/// Errors split by whether the user sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Enforced {
    /// The errors a user sees: hand-written ones first, then declarative ones.
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
/// use sprag_field::{Enforcement, Error, Path, Stage, enforce};
///
/// let alpha = Error::required(&Path::new("a"), "").with_stage(Stage::Alpha);
/// let outcome = enforce(vec![alpha], &Enforcement::default());
/// assert!(outcome.enforced.is_empty());
/// assert_eq!(outcome.shadowed.len(), 1);
/// ```
pub fn enforce(errors: Vec<Error>, policy: &Enforcement) -> Enforced {
    if errors.is_empty() {
        return Enforced::default();
    }
    let (handwritten, declarative): (Vec<_>, Vec<_>) =
        errors.into_iter().partition(|error| error.source != Source::Declarative);
    let (declarative, shadowed): (Vec<_>, Vec<_>) = declarative.into_iter().partition(|error| policy.enforces(error));
    let mut enforced = uncovered(handwritten, &declarative, policy);
    enforced.extend(declarative);
    Enforced { enforced, shadowed }
}

fn uncovered(handwritten: Vec<Error>, declarative: &[Error], policy: &Enforcement) -> Vec<Error> {
    let matcher = policy.matcher();
    let covered = |error: &Error| {
        error.covered_by_declarative
            && (policy.enforce_all || declarative.iter().any(|rule| matcher.matches(error, rule)))
    };
    let mut seen = BTreeSet::new();
    let mut is_first = |error: &Error| policy.keeps_repeats || seen.insert(error.to_string());
    handwritten.into_iter().filter(|error| is_first(error) && !covered(error)).collect()
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
    fn check(policy: &Enforcement, error: Error, enforced: bool) {
        let outcome = enforce(vec![error], policy);
        assert_eq!((outcome.enforced.len(), outcome.shadowed.len()), if enforced { (1, 0) } else { (0, 1) });
    }

    /// Everything that decides about an error of a rule: the mode of the resource, both gates, the stage, whether the rule is
    /// native, and whether hand-written code found the same.
    #[test]
    fn the_whole_life_cycle_of_a_rule() {
        let all = [false, true];
        let mut enforced_count = 0;
        for (legacy_shadow, declarative_on, beta) in cross(all, all, all) {
            let policy = Enforcement { legacy_shadow, declarative: declarative_on, beta, ..Enforcement::default() };
            assert_eq!(policy.runs(), declarative_on || !legacy_shadow);
            for stage in [Stage::Stable, Stage::Beta, Stage::Alpha] {
                for (native, by_hand, by_rule) in cross(all, all, all) {
                    let rule = by_rule.then(|| Error { native, ..declarative(stage) });
                    let code = by_hand.then(|| handwritten().with_covered_by_declarative());
                    let errors: Vec<Error> = code.into_iter().chain(rule).collect();
                    let is_enforced = (!legacy_shadow || native)
                        && match stage {
                            Stage::Stable => true,
                            Stage::Beta => beta,
                            Stage::Alpha => false,
                        };
                    let row = format!("{policy:?} {stage:?} native {native} by hand {by_hand} by rule {by_rule}");
                    let found = discrepancies(&errors, &policy);
                    let is_compared = stage != Stage::Stable || (legacy_shadow && !native);
                    let differs = by_hand != by_rule && (by_hand || is_compared);
                    assert_eq!(found.len(), usize::from(declarative_on && differs), "{row}");
                    let outcome = enforce(errors, &policy);
                    let details: Vec<&str> = outcome.enforced.iter().map(|error| error.detail.as_ref()).collect();
                    let expected: &[&str] = match (by_rule && is_enforced, by_hand) {
                        (true, _) => &["tag"],
                        (false, true) => &["code"],
                        (false, false) => &[],
                    };
                    assert_eq!(details, expected, "{row}");
                    assert_eq!(outcome.shadowed.len(), usize::from(by_rule && !is_enforced), "{row}");
                    enforced_count += outcome.enforced.len();
                }
            }
        }
        assert!(enforced_count > 0);
    }

    fn cross(a: [bool; 2], b: [bool; 2], c: [bool; 2]) -> impl Iterator<Item = (bool, bool, bool)> {
        a.into_iter().flat_map(move |a| b.into_iter().flat_map(move |b| c.into_iter().map(move |c| (a, b, c))))
    }

    #[test]
    fn gates_of_the_server_narrow_a_policy() {
        let policy = Enforcement { beta: false, ..Enforcement::default() }.with_gates(false, true);
        assert!(!policy.declarative && !policy.beta);
        assert_eq!(Enforcement::default().with_gates(true, true), Enforcement::default());
    }

    #[test]
    fn a_discrepancy_never_shows_the_value() {
        let secret = Error::invalid(&Path::new("f"), "hunter2", "no hunter2 here").with_stage(Stage::Alpha);
        let errors = [secret.with_origin("o")];
        let found = discrepancies(&errors, &Enforcement::default());
        assert_eq!(found.len(), 1);
        assert!(!found[0].text.contains("hunter2"), "{}", found[0].text);
    }

    #[test]
    fn a_repeated_handwritten_error_is_one_discrepancy() {
        let errors = [handwritten().with_covered_by_declarative(), handwritten().with_covered_by_declarative()];
        assert_eq!(discrepancies(&errors, &Enforcement::default()).len(), 1);
    }

    #[test]
    fn called_rules_keep_their_place_among_hand_written_ones() {
        let called = Error::required(&Path::new("a"), "").with_source(Source::Called).with_stage(Stage::Alpha);
        let declared = Error::required(&Path::new("b"), "");
        let outcome = enforce(vec![declared.clone(), called.clone(), handwritten()], &Enforcement::default());
        assert_eq!(outcome.enforced, [called, handwritten(), declared]);
    }

    #[test]
    fn internal_errors_count_at_every_stage() {
        for stage in [Stage::Stable, Stage::Alpha, Stage::Beta] {
            check(&Enforcement::default(), Error::internal(&Path::ROOT, "x").with_stage(stage), true);
        }
    }

    #[test]
    fn legacy_shadow_leaves_authority_to_handwritten_code() {
        let policy = Enforcement { legacy_shadow: true, ..Enforcement::default() };
        check(&policy, declarative(Stage::Stable), false);
        check(&policy, Error::internal(&Path::ROOT, "x"), false);
        check(&policy, handwritten(), true);
    }

    #[test]
    fn only_a_legacy_resource_can_be_switched_off() {
        let off = Enforcement { declarative: false, ..Enforcement::default() };
        assert!(off.runs());
        assert!(!Enforcement { legacy_shadow: true, ..off }.runs());
        assert!(Enforcement { legacy_shadow: true, ..Enforcement::default() }.runs());
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
            let outcome = enforce(vec![rule, code], &Enforcement::default());
            let details: Vec<_> = outcome.enforced.iter().map(|error| error.detail.as_ref()).collect();
            assert_eq!(details, expected);
        }
    }

    #[test]
    fn covered_errors_match_across_versions() {
        let policy =
            Enforcement { normalization: vec![NormalizationRule::new("old", "f").unwrap()], ..Enforcement::default() };
        let rule = Error::invalid(&Path::new("old"), "v", "tag").with_origin("o");
        let outcome = enforce(vec![handwritten().with_covered_by_declarative(), rule], &policy);
        assert_eq!(outcome.enforced.len(), 1);
    }

    #[test]
    fn a_repeated_handwritten_message_is_said_once() {
        let outcome = enforce(vec![handwritten(), handwritten()], &Enforcement::default());
        assert_eq!(outcome.enforced.len(), 1);
    }

    #[test]
    fn tests_may_enforce_everything() {
        let policy = Enforcement { enforce_all: true, legacy_shadow: true, ..Enforcement::default() };
        check(&policy, declarative(Stage::Alpha), true);
        let outcome = enforce(vec![handwritten().with_covered_by_declarative()], &policy);
        assert!(outcome.enforced.is_empty());
    }
}

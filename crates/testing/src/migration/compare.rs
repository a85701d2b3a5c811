//! Compares what hand-written code found with what rules found.

use std::fmt;

use sprag_field::{Error, Matcher, NormalizationRule, Source};

use super::exceptions::Exceptions;

/// A difference between hand-written code and rules, or between two ways to run either.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// Hand-written code found it and marked it as covered by a rule; no rule found it.
    NotDeclared(Error),
    /// A rule found it, hand-written code did not, or did not mark it as covered.
    NotHandWritten(Error),
    /// Both found it in other words.
    Wording {
        /// The hand-written error.
        by_hand: Error,
        /// The rule's error.
        declared: Error,
    },
    /// Two ways to judge an object gave different answers.
    Answers {
        /// The first way: gates and version, or a backend.
        one: String,
        /// Its errors.
        one_says: Vec<String>,
        /// The second way.
        other: String,
        /// Its errors.
        other_says: Vec<String>,
    },
    /// Something panicked, or the object could not be judged.
    Failed(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::NotDeclared(error) => {
                write!(f, "no rule found what hand-written code found: {error} (origin {:?})", error.origin)
            }
            Difference::NotHandWritten(error) => {
                write!(f, "hand-written code did not find what a rule found: {error} (origin {:?})", error.origin)
            }
            Difference::Wording { by_hand, declared } => {
                write!(
                    f,
                    "other words: hand-written {by_hand:?}, declarative {declared:?}",
                    by_hand = by_hand.to_string(),
                    declared = declared.to_string()
                )
            }
            Difference::Answers { one, one_says, other, other_says } => {
                write!(f, "{one} says {one_says:?}, {other} says {other_says:?}")
            }
            Difference::Failed(reason) => f.write_str(reason),
        }
    }
}

/// Compares errors as a server counts mismatches, and their wording.
pub(crate) struct Comparison<'a> {
    matcher: Matcher,
    rules: &'a [NormalizationRule],
    exceptions: &'a Exceptions,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(rules: &'a [NormalizationRule], exceptions: &'a Exceptions) -> Comparison<'a> {
        let matcher = Matcher::new().by_kind().by_origin().require_origin_when_invalid().by_field_normalized(rules);
        Comparison { matcher, rules, exceptions }
    }

    /// The differences between hand-written errors that are marked as covered and errors of rules that are not native.
    pub(crate) fn differences<'e>(
        &self,
        by_hand: impl IntoIterator<Item = &'e Error>,
        declared: impl IntoIterator<Item = &'e Error>,
    ) -> Vec<Difference> {
        let by_hand: Vec<&Error> = by_hand.into_iter().filter(|error| error.covered_by_declarative).collect();
        let declared: Vec<&Error> = declared.into_iter().filter(|error| !error.native).collect();
        let mut matched = vec![false; declared.len()];
        let mut found = Vec::new();
        for error in &by_hand {
            let partners: Vec<usize> =
                (0..declared.len()).filter(|at| self.matcher.matches(error, declared[*at])).collect();
            let partners = if partners.is_empty() {
                let accepted = |at: &usize| {
                    self.is_same_field(error, declared[*at]) && self.exceptions.accepts(error, declared[*at])
                };
                let accepted: Vec<usize> = (0..declared.len()).filter(accepted).collect();
                if accepted.is_empty() {
                    found.push(Difference::NotDeclared((*error).clone()));
                }
                accepted
            } else {
                if !partners.iter().any(|at| self.says_the_same(error, declared[*at])) {
                    let declared = declared[partners[0]].clone();
                    found.push(Difference::Wording { by_hand: (*error).clone(), declared });
                }
                partners
            };
            for at in partners {
                matched[at] = true;
            }
        }
        let extra = declared.iter().zip(&matched).filter(|(_, matched)| !**matched);
        found.extend(extra.map(|(error, _)| Difference::NotHandWritten((*error).clone())));
        found
    }

    fn says_the_same(&self, by_hand: &Error, declared: &Error) -> bool {
        by_hand.body().to_string() == declared.body().to_string() || self.exceptions.accepts(by_hand, declared)
    }

    fn is_same_field(&self, by_hand: &Error, declared: &Error) -> bool {
        by_hand.field == self.normalized(&declared.field)
    }

    /// The path of a field in the version that hand-written code is written for.
    pub(crate) fn normalized(&self, field: &str) -> String {
        let rewritten = self.rules.iter().filter_map(|rule| rule.apply(field)).find(|rewritten| rewritten != field);
        rewritten.unwrap_or_else(|| field.to_owned())
    }
}

/// Tells if an error is one of a rule that the walk over the object ran.
pub(crate) fn is_declared(error: &Error) -> bool {
    error.source == Source::Declarative
}

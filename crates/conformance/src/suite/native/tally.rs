//! Outcomes of cases, by group and kind.

use std::collections::BTreeMap;

use super::answer::Verdict;
use super::rules::Rules;
use super::wire::Cause;

/// The group and kind of a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::suite) struct Place {
    pub(in crate::suite) group: &'static str,
    /// `v1/Pod`.
    pub(in crate::suite) kind: String,
}

impl Place {
    pub(in crate::suite) fn new(group: &'static str, api_version: &str, kind: &str) -> Place {
        Place { group, kind: format!("{api_version}/{kind}") }
    }
}

/// The outcome of one case, or of several that were not run.
#[derive(Debug)]
pub(in crate::suite) enum Outcome {
    Case { id: String, verdict: Verdict },
    Skipped { cases: usize, reason: String },
}

/// The results so far.
#[derive(Debug, Default)]
pub(in crate::suite) struct Tally {
    pub(in crate::suite) outcomes: Vec<(Place, Outcome)>,
    /// Rules by kind.
    pub(super) rules: BTreeMap<String, Rules>,
}

impl Tally {
    /// Notes a case: it passed if nothing differs.
    pub(in crate::suite) fn case(&mut self, place: &Place, id: &str, verdict: Verdict) {
        self.outcomes.push((place.clone(), Outcome::Case { id: id.to_owned(), verdict }));
    }

    /// Notes causes of a 422, and which of them ours has.
    pub(super) fn rules(&mut self, place: &Place, causes: &[Cause], verdict: &Verdict) {
        self.rules.entry(place.kind.clone()).or_default().add(causes, &verdict.causes);
    }

    /// Notes cases that are not run.
    pub(in crate::suite) fn skip(&mut self, place: &Place, cases: usize, reason: &str) {
        self.outcomes.push((place.clone(), Outcome::Skipped { cases, reason: reason.to_owned() }));
    }

    /// Notes cases of a kind that is not served.
    pub(in crate::suite) fn not_served(&mut self, place: &Place, cases: usize) {
        self.skip(place, cases, &format!("{} not served", place.kind));
    }
}

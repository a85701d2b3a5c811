//! What a release came to: shares, and the cells of kinds and classes that are too low.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sprag_rest::Release;

use crate::report::Report;
use crate::suite::native::{Edition, Outcome, Place, Tally, Verdict};

/// Minimum number of cases for a cell to be held to [`CELL_FLOOR`].
const CELL_CASES: usize = 5;
/// The least percentage of a cell.
const CELL_FLOOR: usize = 90;

/// Counts of cases.
#[derive(Clone, Copy, Default)]
struct Share {
    right: usize,
    all: usize,
}

/// The results of a release.
pub(super) struct Score {
    release: Release,
    /// Cases whose answer differs from the newest release, by kind and class.
    cells: BTreeMap<(String, String), Share>,
    differing: Share,
    /// The same if values printed in messages are left out.
    leniently: Share,
    /// All cases with an answer, those that differ included.
    all: Share,
    /// Discovery and schemas.
    facts: Share,
    gates: Share,
    /// All failures, in full.
    pub(super) failures: String,
    failed: Vec<(String, String)>,
}

impl Share {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    fn is_below(self, percent: usize) -> bool {
        self.right * 100 < self.all * percent
    }

    /// `12 of 13 (92.3 %)`; nothing is 100 that is not all.
    fn shown(self) -> String {
        let tenths = (self.right * 1000).checked_div(self.all).unwrap_or(1000);
        format!("{} of {} ({}.{} %)", self.right, self.all, tenths / 10, tenths % 10)
    }
}

impl Score {
    pub(super) fn new(release: Release) -> Score {
        Score {
            release,
            cells: BTreeMap::new(),
            differing: Share::default(),
            leniently: Share::default(),
            all: Share::default(),
            facts: Share::default(),
            gates: Share::default(),
            failures: String::new(),
            failed: Vec::new(),
        }
    }

    /// Adds a part of the replayed cases.
    pub(super) fn add(&mut self, edition: &Edition, tally: Tally) {
        for (place, outcome) in tally.outcomes {
            match outcome {
                Outcome::Case { id, verdict } => self.case(&place, &id, &verdict, edition.class(&place, &id)),
                Outcome::Skipped { cases, reason } if edition.serves(&place.kind) => {
                    self.all.all += cases;
                    self.fail(&format!("{} {}", place.group, place.kind), &format!("  {cases} cases: {reason}\n"));
                }
                Outcome::Skipped { .. } => {}
            }
        }
    }

    fn case(&mut self, place: &Place, id: &str, verdict: &Verdict, class: Option<&str>) {
        let right = verdict.differences.is_empty() || verdict.diverges.is_some();
        if ["facts", "schema-facts"].contains(&place.group) {
            self.facts.add(right);
        } else {
            self.all.add(right);
        }
        if let Some(class) = class {
            self.differing.add(right);
            self.leniently.add(right || verdict.beyond_values == 0);
            self.cells.entry((place.kind.clone(), class.to_owned())).or_default().add(right);
        }
        if !right {
            let name = format!("{} {} {} {id} [{}]", self.release, place.group, place.kind, class.unwrap_or("as 1.37"));
            self.fail(&name, &verdict.differences);
        }
    }

    /// Adds the gates that were compared, and what differs.
    pub(super) fn gates(&mut self, (compared, found): (usize, Vec<String>)) {
        self.gates = Share { right: compared.saturating_sub(found.len()), all: compared };
        for line in found {
            self.fail(&format!("{} gates", self.release), &format!("  {line}\n"));
        }
    }

    /// Adds kinds that are served although the release does not serve them.
    pub(super) fn served(&mut self, kinds: Vec<String>) {
        for kind in kinds {
            self.fail(&format!("{} served", self.release), &format!("  {kind} is served\n"));
        }
    }

    fn fail(&mut self, name: &str, differences: &str) {
        let _ = writeln!(self.failures, "FAIL {name}\n{differences}");
        self.failed.push((name.to_owned(), differences.to_owned()));
    }

    /// The shares, and the cells below the floor.
    pub(super) fn summary(&self) -> String {
        let mut text = format!(
            "{} ({}): of the answers that differ {} right, {} without values; of all answers {}; facts {}; gates {}",
            self.release,
            self.release.recorded(),
            self.differing.shown(),
            self.leniently.shown(),
            self.all.shown(),
            self.facts.shown(),
            self.gates.shown(),
        );
        let mut low: Vec<_> =
            self.cells.iter().filter(|(_, share)| share.all >= CELL_CASES && share.is_below(CELL_FLOOR)).collect();
        low.sort_by_key(|(_, share)| std::cmp::Reverse(share.all - share.right));
        for ((kind, class), share) in low {
            let _ = write!(text, "\n  {kind:<60} {class:<16} {}", share.shown());
        }
        text
    }

    /// Counts the cases; failures are shown as far as the report shows them.
    pub(super) fn report(self, report: &mut Report) {
        (0..self.all.right + self.facts.right + self.gates.right).for_each(|_| report.pass());
        self.failed.iter().for_each(|(name, differences)| report.fail(name, differences));
    }
}

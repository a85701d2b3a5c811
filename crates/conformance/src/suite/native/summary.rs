//! The counts of the suite, its failures, and those that are known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::answer::Verdict;
use super::rules::Rules;
use super::tally::{Outcome, Place, Tally};
use crate::report::{Report, read_known};

#[derive(Clone, Copy, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// The summary of the whole suite.
pub(super) struct Summary<'r> {
    report: &'r mut Report,
    counts: BTreeMap<Place, Counts>,
    rules: BTreeMap<String, Rules>,
    /// Cases that may fail.
    known: BTreeSet<String>,
    /// The file to which all failures are written.
    failures: Option<(PathBuf, String)>,
    other_order: usize,
}

impl<'r> Summary<'r> {
    /// A summary with a file of known failures, one name on a line, and a file for failures.
    pub(super) fn new(
        report: &'r mut Report,
        known: Option<&Path>,
        failures: Option<&Path>,
    ) -> Result<Summary<'r>, String> {
        Ok(Summary {
            report,
            counts: BTreeMap::new(),
            rules: BTreeMap::new(),
            known: read_known(known)?,
            failures: failures.map(|path| (path.to_owned(), String::new())),
            other_order: 0,
        })
    }

    /// Adds what a part of the suite came to.
    pub(super) fn add(&mut self, tally: Tally) {
        for (place, outcome) in tally.outcomes {
            match outcome {
                Outcome::Case { id, verdict } => self.case(&place, &id, &verdict),
                Outcome::Skipped { cases, reason } => {
                    self.counts.entry(place).or_default().skipped += cases;
                    (0..cases).for_each(|_| self.report.skip(reason.clone()));
                }
            }
        }
        for (kind, rules) in tally.rules {
            self.rules.entry(kind).or_default().merge(rules);
        }
    }

    fn case(&mut self, place: &Place, id: &str, verdict: &Verdict) {
        let name = format!("{} {} {id}", place.group, place.kind);
        if verdict.other_order {
            self.other_order += 1;
            self.write(&format!("ORDER {name}"));
        }
        let is_known = self.known.contains(&name);
        let counts = self.counts.entry(place.clone()).or_default();
        match (verdict.differences.is_empty(), verdict.diverges) {
            (true, _) if is_known => {
                counts.passed += 1;
                self.report.fail(&name, "  passes: take it off the list of known failures\n");
            }
            (true, _) => (counts.passed, ()) = (counts.passed + 1, self.report.pass()),
            (false, Some(reason)) => (counts.passed, ()) = (counts.passed + 1, self.report.diverge(reason)),
            (false, None) => {
                counts.failed += 1;
                self.write(&format!("FAIL {name}\n{}", verdict.differences));
                if is_known { self.report.known() } else { self.report.fail(&name, &verdict.differences) }
            }
        }
    }

    fn write(&mut self, text: &str) {
        if let Some((_, failures)) = &mut self.failures {
            let _ = writeln!(failures, "{text}");
        }
    }

    /// Prints the counts of groups and kinds, and writes the failures.
    pub(super) fn finish(self) -> Result<(), String> {
        let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
        for (place, counts) in &self.counts {
            if counts.passed + counts.failed > 0 {
                Report::note(&format!("{:<18} {:<52} {}", place.group, place.kind, counts.line()));
            }
            groups.entry(place.group).or_default().add(*counts);
        }
        for (group, counts) in groups {
            Report::note(&format!("{group:<18} {:<52} {}", "(all)", counts.line()));
        }
        let mut all = (0, 0);
        for (kind, rules) in &self.rules {
            let (passed, rules) = rules.count();
            all = (all.0 + passed, all.1 + rules);
            Report::note(&format!("{:<18} {kind:<52} {passed} of {rules} {}", "rules", percent(passed, rules)));
        }
        Report::note(&format!("{:<18} {:<52} {} of {} {}", "rules", "(all)", all.0, all.1, percent(all.0, all.1)));
        Report::note(&format!("{} cases pass with causes in another order", self.other_order));
        if let Some((path, text)) = self.failures {
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// `passed/failed/skipped` and the percentage that passed of those that ran.
    fn line(self) -> String {
        let Counts { passed, failed, skipped } = self;
        format!("{passed}/{failed}/{skipped} {}", percent(passed, passed + failed))
    }
}

/// `99.5 %`; nothing is 100 that is not all.
fn percent(part: usize, all: usize) -> String {
    if all == 0 {
        return "-".to_owned();
    }
    let tenths = part * 1000 / all;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(known: &str) -> crate::Totals {
        let mut report = Report::new(0);
        let mut summary = Summary::new(&mut report, None, None).expect("no files");
        summary.known = known.lines().map(str::to_owned).collect();
        let mut tally = Tally::default();
        let place = Place::new("mutation", "v1", "Pod");
        let differs = || Verdict { differences: "  code\n".to_owned(), ..Verdict::default() };
        tally.case(&place, "good", Verdict::default());
        tally.case(&place, "bad", differs());
        tally.case(&place, "listed", Verdict { diverges: Some("on purpose"), ..differs() });
        tally.not_served(&place, 2);
        summary.add(tally);
        summary.finish().expect("nothing is written");
        report.finish()
    }

    #[test]
    fn known_failures_are_counted_apart() {
        let count = |totals: crate::Totals| (totals.passed, totals.failed, totals.known, totals.skipped);
        assert_eq!(count(totals("")), (2, 1, 0, 2));
        assert_eq!(count(totals("mutation v1/Pod bad")), (2, 1, 1, 2));
        assert_eq!(count(totals("mutation v1/Pod bad\nmutation v1/Pod good")), (1, 2, 1, 2));
    }

    #[test]
    fn percents_are_rounded_down() {
        assert_eq!(percent(999, 1000), "99.9 %");
        assert_eq!(percent(9999, 10_000), "99.9 %");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(percent(3, 3), "100.0 %");
    }
}

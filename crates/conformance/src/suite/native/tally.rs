//! Counts of the suite by group and kind, its failures, and those that are known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::answer::Verdict;
use super::rules::Rules;
use super::wire::Cause;
use crate::report::Report;

/// Where a case stands: its group and kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) group: &'static str,
    /// `v1/Pod`.
    pub(super) kind: String,
}

impl Place {
    pub(super) fn new(group: &'static str, api_version: &str, kind: &str) -> Place {
        Place { group, kind: format!("{api_version}/{kind}") }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// What happened so far.
pub(super) struct Tally<'r> {
    report: &'r mut Report,
    counts: BTreeMap<Place, Counts>,
    rules: BTreeMap<String, Rules>,
    /// Cases that may fail.
    known: BTreeSet<String>,
    /// Where all failures are written.
    failures: Option<(PathBuf, String)>,
    other_order: usize,
}

impl<'r> Tally<'r> {
    /// A tally with a file of known failures, one name on a line, and a file for failures.
    pub(super) fn new(
        report: &'r mut Report,
        known: Option<&Path>,
        failures: Option<&Path>,
    ) -> Result<Tally<'r>, String> {
        let known = match known {
            Some(path) => std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?,
            None => String::new(),
        };
        let known = known.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(Tally {
            report,
            counts: BTreeMap::new(),
            rules: BTreeMap::new(),
            known: known.map(str::to_owned).collect(),
            failures: failures.map(|path| (path.to_owned(), String::new())),
            other_order: 0,
        })
    }

    /// Counts a case: it passed if nothing differs.
    pub(super) fn case(&mut self, place: &Place, id: &str, verdict: &Verdict) {
        let name = format!("{} {} {id}", place.group, place.kind);
        if verdict.other_order {
            self.other_order += 1;
            if let Some((_, text)) = &mut self.failures {
                let _ = writeln!(text, "ORDER {name}\n");
            }
        }
        let counts = self.counts.entry(place.clone()).or_default();
        let is_known = self.known.contains(&name);
        if verdict.differences.is_empty() {
            counts.passed += 1;
            if is_known {
                self.report.fail(&name, "  passes: take it off the list of known failures\n");
            } else {
                self.report.pass();
            }
            return;
        }
        if let Some(reason) = verdict.diverges {
            counts.passed += 1;
            return self.report.diverge(reason);
        }
        counts.failed += 1;
        if let Some((_, text)) = &mut self.failures {
            let _ = writeln!(text, "FAIL {name}\n{}", verdict.differences);
        }
        if is_known { self.report.known() } else { self.report.fail(&name, &verdict.differences) }
    }

    /// Counts a case whose outcome is only shown.
    pub(super) fn shown(&mut self, place: &Place, id: &str, verdict: &Verdict) {
        let counts = self.counts.entry(place.clone()).or_default();
        self.report.skip(format!("{}: only shown", place.group));
        if verdict.differences.is_empty() {
            counts.passed += 1;
            return;
        }
        counts.failed += 1;
        if let Some((_, text)) = &mut self.failures {
            let _ = writeln!(text, "SHOWN {} {} {id}\n{}", place.group, place.kind, verdict.differences);
        }
    }

    /// Notes causes of a 422, and which of them ours has.
    pub(super) fn rules(&mut self, place: &Place, causes: &[Cause], verdict: &Verdict) {
        self.rules.entry(place.kind.clone()).or_default().add(causes, &verdict.causes);
    }

    /// Counts cases that are not run.
    pub(super) fn skip(&mut self, place: &Place, cases: usize, reason: &str) {
        self.counts.entry(place.clone()).or_default().skipped += cases;
        for _ in 0..cases {
            self.report.skip(reason.to_owned());
        }
    }

    /// Counts cases of a kind that is not served.
    pub(super) fn not_served(&mut self, place: &Place, cases: usize) {
        self.skip(place, cases, &format!("{} not served", place.kind));
    }

    /// Prints the counts of groups and kinds, and writes the failures.
    pub(super) fn finish(self) -> Result<(), String> {
        for (place, counts) in &self.counts {
            if counts.passed + counts.failed > 0 {
                Report::note(&format!("{:<18} {:<52} {}", place.group, place.kind, counts.line()));
            }
        }
        let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
        for (place, counts) in &self.counts {
            let group = groups.entry(place.group).or_default();
            group.passed += counts.passed;
            group.failed += counts.failed;
            group.skipped += counts.skipped;
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

    #[test]
    fn percents_are_rounded_down() {
        assert_eq!(percent(999, 1000), "99.9 %");
        assert_eq!(percent(9999, 10_000), "99.9 %");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(percent(3, 3), "100.0 %");
    }
}

//! Counts and prints what passed and what did not.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The number of cases of a suite by outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Answered as recorded, or otherwise in a way that `DIVERGENCES.md` lists.
    pub passed: usize,
    /// Answered otherwise.
    pub failed: usize,
    /// The number of those failures that are listed as known.
    pub known: usize,
    /// Out of scope.
    pub skipped: usize,
}

/// The cases that a file of known failures lists, one on a line; lines that begin with `#` say why those below fail.
pub(crate) fn read_known(path: Option<&Path>) -> Result<BTreeSet<String>, String> {
    let Some(path) = path else { return Ok(BTreeSet::new()) };
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// The outcome of a run so far.
pub(crate) struct Report {
    passed: usize,
    failed: usize,
    /// Failures that are listed as known.
    known: usize,
    /// Cases that are out of scope, by reason.
    skipped: BTreeMap<Cow<'static, str>, usize>,
    /// Failures that are known and listed, by the name of their reason.
    divergences: BTreeMap<Cow<'static, str>, usize>,
    most_diffs: usize,
}

#[expect(clippy::print_stdout, reason = "a command speaks to its user")]
impl Report {
    pub(crate) fn new(most_diffs: usize) -> Report {
        Report { passed: 0, failed: 0, known: 0, skipped: BTreeMap::new(), divergences: BTreeMap::new(), most_diffs }
    }

    /// Prints what is not a case.
    pub(crate) fn print(text: &str) {
        print!("{text}");
    }

    pub(crate) fn pass(&mut self) {
        self.passed += 1;
    }

    /// A case that asks for what Sprag does not set out to do.
    pub(crate) fn skip(&mut self, reason: impl Into<Cow<'static, str>>) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    /// A difference that `DIVERGENCES.md` lists under this name.
    pub(crate) fn diverge(&mut self, reason: &'static str) {
        *self.divergences.entry(reason.into()).or_default() += 1;
    }

    pub(crate) fn fail(&mut self, case: &str, diff: &str) {
        self.failed += 1;
        if self.failed <= self.most_diffs {
            println!("FAIL {case}\n{diff}");
        }
    }

    /// A case that fails and is listed as one that may.
    pub(crate) fn known(&mut self) {
        self.known += 1;
    }

    pub(crate) fn note(text: &str) {
        println!("{text}");
    }

    /// Prints the totals.
    pub(crate) fn finish(self) -> Totals {
        if self.failed > self.most_diffs {
            println!("… and {} more failures (see --diffs)", self.failed - self.most_diffs);
        }
        let listed = print_reasons("listed divergences", &self.divergences);
        let skipped = print_reasons("out of scope", &self.skipped);
        if self.known > 0 {
            println!("{} known failures", self.known);
        }
        let totals =
            Totals { passed: self.passed + listed, failed: self.failed + self.known, known: self.known, skipped };
        println!("{} passed, {} failed, {skipped} skipped", totals.passed, totals.failed);
        totals
    }
}

#[expect(clippy::print_stdout, reason = "a command speaks to its user")]
fn print_reasons(what: &str, reasons: &BTreeMap<Cow<'static, str>, usize>) -> usize {
    let total = reasons.values().sum();
    println!("{total} {what}");
    for (reason, count) in reasons {
        println!("  {reason}: {count}");
    }
    total
}

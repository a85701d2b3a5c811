//! Counts and prints what passed and what did not.

use std::collections::BTreeMap;

/// The outcome of a run so far.
pub(crate) struct Report {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Failures that are known and listed, by the name of their reason.
    divergences: BTreeMap<&'static str, usize>,
    most_diffs: usize,
}

#[expect(clippy::print_stdout, reason = "a command speaks to its user")]
impl Report {
    pub(crate) fn new(most_diffs: usize) -> Report {
        Report { passed: 0, failed: 0, skipped: 0, divergences: BTreeMap::new(), most_diffs }
    }

    pub(crate) fn pass(&mut self) {
        self.passed += 1;
    }

    /// A difference that `DIVERGENCES.md` lists under this name.
    pub(crate) fn diverge(&mut self, reason: &'static str) {
        *self.divergences.entry(reason).or_default() += 1;
    }

    pub(crate) fn fail(&mut self, case: &str, diff: &str) {
        self.failed += 1;
        if self.failed <= self.most_diffs {
            println!("FAIL {case}\n{diff}");
        }
    }

    pub(crate) fn note(text: &str) {
        println!("{text}");
    }

    /// Prints the totals; returns whether everything is as it should be.
    pub(crate) fn finish(self) -> bool {
        if self.failed > self.most_diffs {
            println!("… and {} more failures (see --diffs)", self.failed - self.most_diffs);
        }
        let listed: usize = self.divergences.values().sum();
        println!("{listed} listed divergences");
        for (reason, count) in &self.divergences {
            println!("  {reason}: {count}");
        }
        println!("{} passed, {} failed, {} skipped", self.passed + listed, self.failed, self.skipped);
        self.failed == 0
    }
}

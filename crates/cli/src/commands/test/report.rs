//! Reports of test results, for people and for build servers.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::report::tap_escape;
use crate::report::visible::visible;
use crate::report::xml::attribute;

/// A test that was run.
pub(super) struct Case {
    pub(super) file: Arc<str>,
    pub(super) name: String,
    /// The reasons of a failure; empty if it passed.
    pub(super) problems: Vec<String>,
}

/// All tests that were run.
#[derive(Default)]
pub(super) struct Report {
    cases: Vec<Case>,
}

impl Report {
    pub(super) fn add(&mut self, cases: Vec<Case>) {
        self.cases.extend(cases);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed() > 0
    }

    fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.problems.is_empty()).count()
    }

    pub(super) fn print_text(&self, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
        for case in &self.cases {
            let file = visible(&case.file);
            let name = visible(&case.name);
            if !case.problems.is_empty() {
                writeln!(out, "FAIL {file}: {name}")?;
            } else if verbose {
                writeln!(out, "ok   {file}: {name}")?;
            }
            for problem in &case.problems {
                writeln!(out, "     {}", visible(problem))?;
            }
        }
        let failed = self.failed();
        writeln!(out, "{} passed, {failed} failed", self.cases.len() - failed)
    }

    pub(super) fn print_tap(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "TAP version 13\n1..{}", self.cases.len())?;
        for (index, case) in self.cases.iter().enumerate() {
            let word = if case.problems.is_empty() { "ok" } else { "not ok" };
            writeln!(out, "{word} {} - {}: {}", index + 1, tap_escape(&case.file), tap_escape(&case.name))?;
            for problem in &case.problems {
                writeln!(out, "# {}", visible(problem))?;
            }
        }
        Ok(())
    }

    pub(super) fn print_junit(&self, out: &mut dyn Write) -> io::Result<()> {
        let tests = self.cases.len();
        let failures = self.failed();
        writeln!(out, "<testsuites name=\"sprag test\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
        let mut suites: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
        for case in &self.cases {
            suites.entry(&case.file).or_default().push(case);
        }
        for (file, cases) in suites {
            let failures = cases.iter().filter(|case| !case.problems.is_empty()).count();
            let file = attribute(file);
            let tests = cases.len();
            writeln!(out, "  <testsuite name=\"{file}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
            for case in cases {
                write!(out, "    <testcase name=\"{}\" classname=\"{file}\" time=\"0\">", attribute(&case.name))?;
                for problem in &case.problems {
                    write!(out, "\n      <failure message=\"{}\"></failure>", attribute(problem))?;
                }
                writeln!(out, "{}</testcase>", if case.problems.is_empty() { "" } else { "\n    " })?;
            }
            writeln!(out, "  </testsuite>")?;
        }
        writeln!(out, "</testsuites>")
    }
}

//! The XML of `JUnit`: one suite per file, one test per object.

use std::fmt::Write as _;
use std::io::{self, Write};

use sprag_analysis::{FileReport, Resource, Severity, Status};

use super::xml::attribute;
use super::{Render, Totals};

#[derive(Default)]
pub(super) struct Junit {
    /// The suites so far; the element around them has their totals.
    suites: String,
    /// The tests of the file that is still going on.
    cases: String,
    totals: Totals,
    count: usize,
}

impl Junit {
    fn case(&mut self, resource: &Resource) {
        let identity = &resource.identity;
        let name = attribute(&identity.qualified_name());
        let class = attribute(&format!("{}@{}", identity.kind, identity.api_version));
        // Writing to a string does not fail.
        let _ = write!(self.cases, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\"");
        let inner = inner(resource);
        let _ = if inner.is_empty() {
            writeln!(self.cases, "></testcase>")
        } else {
            writeln!(self.cases, ">\n{inner}    </testcase>")
        };
    }

    fn end_suite(&mut self, file: &str) {
        self.count += 1;
        let Totals { invalid, errors, skipped, .. } = self.totals;
        let _ = writeln!(
            self.suites,
            "  <testsuite name=\"{}\" id=\"{}\" tests=\"{}\" failures=\"{invalid}\" errors=\"{errors}\" disabled=\"0\" skipped=\"{skipped}\">",
            attribute(file),
            self.count,
            self.totals.resources(),
        );
        self.suites.push_str(&std::mem::take(&mut self.cases));
        self.suites.push_str("  </testsuite>\n");
        self.totals = Totals::default();
    }
}

impl Render for Junit {
    fn file(&mut self, report: &FileReport, _: &mut dyn Write) -> io::Result<()> {
        self.totals += report;
        for resource in &report.resources {
            self.case(resource);
        }
        if report.last {
            self.end_suite(&report.file);
        }
        Ok(())
    }

    fn finish(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "<testsuites name=\"sprag\" tests=\"{}\" failures=\"{}\" disabled=\"{}\" errors=\"{}\">",
            totals.resources(),
            totals.invalid,
            totals.skipped,
            totals.errors,
        )?;
        out.write_all(self.suites.as_bytes())?;
        out.write_all(b"</testsuites>\n")
    }
}

fn inner(resource: &Resource) -> String {
    let mut inner = String::new();
    let element = if resource.status == Status::Invalid { "failure" } else { "error" };
    for finding in resource.of(Severity::Error) {
        let message = attribute(&finding.text());
        let kind = finding.origin.name();
        let _ = writeln!(inner, "      <{element} message=\"{message}\" type=\"{kind}\"></{element}>");
    }
    if resource.status == Status::Skipped {
        inner.push_str("      <skipped></skipped>\n");
    }
    let mut warnings = String::new();
    for severity in [Severity::Warning, Severity::Ratcheted, Severity::Note] {
        for finding in resource.of(severity) {
            let _ = writeln!(warnings, "{}: {}", severity.name(), attribute(&finding.text()));
        }
    }
    if !warnings.is_empty() {
        let _ = writeln!(inner, "      <system-out>{warnings}</system-out>");
    }
    inner
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::report::Format;
    use crate::report::format::tests::check;

    #[test]
    fn files_are_suites() {
        let text = check(
            Format::Junit,
            &expect![[r#"
            <testsuites name="sprag" tests="4" failures="1" disabled="1" errors="1">
              <testsuite name="a.yaml" id="1" tests="3" failures="1" errors="0" disabled="0" skipped="1">
                <testcase name="default/good" classname="Widget@example.com/v1" time="0"></testcase>
                <testcase name="default/bad" classname="Widget@example.com/v1" time="0">
                  <failure message="spec.size: Invalid value: -1: no" type="schema"></failure>
                  <failure message="spec.other: Required value" type="schema"></failure>
                  <system-out>warning: unknown field &quot;spec.x&quot;
            ratcheted: spec.old: Invalid value: 1: &lt;never&gt; &amp; &quot;ever&quot;
            </system-out>
                </testcase>
                <testcase name="default/left" classname="Widget@example.com/v1" time="0">
                  <skipped></skipped>
                </testcase>
              </testsuite>
              <testsuite name="a\u{1b}[31m&#13;&#10;::error file=x::pwned&#10;]]&gt;&lt;/testcase&gt; # skip %0A,:" id="2" tests="1" failures="0" errors="1" disabled="0" skipped="0">
                <testcase name="default/a\u{1b}[31m&#13;&#10;::error file=x::pwned&#10;]]&gt;&lt;/testcase&gt; # skip %0A,:" classname="Widget@example.com/v1" time="0">
                  <error message="a\u{1b}[31m&#13;&#10;::error file=x::pwned&#10;]]&gt;&lt;/testcase&gt; # skip %0A,:" type="decode"></error>
                </testcase>
              </testsuite>
            </testsuites>
        "#]],
        );
        assert_eq!(text.matches("</testcase>").count(), 4);
    }
}

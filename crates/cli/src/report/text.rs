//! For people: each finding with its place and the lines it is about, as rustc prints them.

use std::io::{self, Write};

use sprag_analysis::{FileReport, Resource, Status};

use super::format::{rules_line, summary_line};
use super::passed_over::passed_over;
use super::visible::visible;
use super::{Options, Render, Totals};
use crate::output::Diagnostics;

pub(super) struct Text {
    options: Options,
    diagnostics: Diagnostics,
}

impl Text {
    pub(super) fn new(options: Options) -> Text {
        Text { diagnostics: Diagnostics::new(options.colored), options }
    }

    fn resource(&self, file: &str, resource: &Resource, out: &mut dyn Write) -> io::Result<()> {
        let name = resource.name();
        for finding in &resource.findings {
            writeln!(out, "{}\n", self.diagnostics.object(file, &name, finding))?;
        }
        if self.options.verbose {
            let word = match resource.status {
                Status::Valid => "valid",
                Status::Invalid => "invalid",
                Status::Error => "not judged",
                Status::Skipped => "skipped",
            };
            writeln!(out, "{}: {}: {word}", visible(file), visible(&resource.identity.to_string()))?;
        }
        Ok(())
    }
}

impl Render for Text {
    fn file(&mut self, report: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        report.resources.iter().try_for_each(|resource| self.resource(&report.file, resource, out))
    }

    fn finish(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        let line = summary_line(totals, self.options.stdin);
        writeln!(out, "{line}, Warnings: {}, Ratcheted: {}", totals.warnings, totals.ratcheted)?;
        if let Some(line) = rules_line(totals, self.options.kubernetes) {
            writeln!(out, "{line}")?;
        }
        out.write_all(passed_over(totals, &self.options.advice).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::report::Format;
    use crate::report::format::tests::check;

    #[test]
    fn findings_are_shown_with_their_lines() {
        let text = check(
            Format::Text,
            &expect![[r#"
                a.yaml: Widget default/good (example.com/v1): valid
                error: spec.size: Invalid value: -1: no
                 --> a.yaml:7:9
                  |
                7 |   size: -1
                  |         ^^
                  |
                  = Widget default/bad (example.com/v1)

                error: spec.other: Required value
                 --> a.yaml:7:9
                  |
                7 |   size: -1
                  |         ^^
                  |
                  = Widget default/bad (example.com/v1)

                warning: unknown field "spec.x"
                 --> a.yaml:7:9
                  |
                7 |   size: -1
                  |         ^^
                  |
                  = Widget default/bad (example.com/v1)

                ratcheted: spec.old: Invalid value: 1: <never> & "ever"
                 --> a.yaml:7:9
                  |
                7 |   size: -1
                  |         ^^
                  |
                  = Widget default/bad (example.com/v1)

                a.yaml: Widget default/bad (example.com/v1): invalid
                a.yaml: Widget default/left (example.com/v1): skipped
                error: a\u{1b}[31m
                         | ::error file=x::pwned
                         | ]]></testcase> # skip %0A,:
                --> a\u{1b}[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:
                 = Widget default/a\u{1b}[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,: (example.com/v1)

                a\u{1b}[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:: Widget default/a\u{1b}[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,: (example.com/v1): not judged
                Summary: 4 resources found in 2 files - Valid: 1, Invalid: 1, Errors: 1, Skipped: 1, Warnings: 1, Ratcheted: 1
                Judged by the rules of custom resource definitions: 2
            "#]],
        );
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::")));
    }
}

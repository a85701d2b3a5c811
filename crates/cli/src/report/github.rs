//! GitHub's workflow commands: annotations beside the lines of a pull request.

use std::io::{self, Write};

use sprag_analysis::{FileReport, Finding, Resource, Severity};

use super::format::summary_line;
use super::position;
use super::visible::visible;
use super::{Options, Render, Totals};

pub(super) struct Github {
    options: Options,
}

impl Github {
    pub(super) fn new(options: Options) -> Github {
        Github { options }
    }
}

impl Render for Github {
    fn file(&mut self, report: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        for resource in &report.resources {
            for finding in &resource.findings {
                writeln!(out, "{}", command(&report.file, resource, finding))?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        if self.options.summary { writeln!(out, "{}", summary_line(totals, self.options.stdin)) } else { Ok(()) }
    }
}

/// The title of a finding about a text that is not an object.
const NO_OBJECT: &str = "not an object";

fn command(file: &str, resource: &Resource, finding: &Finding) -> String {
    let identity = &resource.identity;
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Ratcheted | Severity::Note => "notice",
    };
    let file = resource.source.as_deref().unwrap_or(file);
    // The lines of a template are others than those of what it was rendered to.
    let place = match finding.place.as_ref().filter(|_| resource.source.is_none()) {
        Some(place) => format!(",line={},col={}", place.line, place.column),
        None => String::new(),
    };
    let name = if identity.kind.is_empty() { NO_OBJECT.to_owned() } else { identity.to_string() };
    let title = if finding.severity == Severity::Ratcheted { format!("ratcheted: {name}") } else { name };
    let message = match &finding.rule {
        Some(rule) => format!("{} ({}:{})", position::message(finding), rule.file, rule.place.line),
        None => position::message(finding).into_owned(),
    };
    format!("::{level} file={}{place},title={}::{}", property(file), property(&title), data(&message))
}

/// Text after the second pair of colons.
pub(crate) fn data(text: &str) -> String {
    let text: Vec<_> = text.split('\n').map(visible).collect();
    text.join("\n").replace('%', "%25").replace('\n', "%0A")
}

/// The value of a property.
pub(crate) fn property(text: &str) -> String {
    visible(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::report::Format;
    use crate::report::format::tests::check;

    #[test]
    fn names_cannot_start_a_command() {
        let text = check(
            Format::Github,
            &expect![[r#"
                ::error file=a.yaml,line=7,col=9,title=Widget default/bad (example.com/v1)::spec.size: Invalid value: -1: no
                ::error file=a.yaml,line=7,col=9,title=Widget default/bad (example.com/v1)::spec.other: Required value
                ::warning file=a.yaml,line=7,col=9,title=Widget default/bad (example.com/v1)::unknown field "spec.x"
                ::notice file=a.yaml,line=7,col=9,title=ratcheted%3A Widget default/bad (example.com/v1)::spec.old: Invalid value: 1: <never> & "ever"
                ::error file=a\u{1b}[31m\r\n%3A%3Aerror file=x%3A%3Apwned\n]]></testcase> # skip %250A%2C%3A,title=Widget default/a\u{1b}[31m\r\n%3A%3Aerror file=x%3A%3Apwned\n]]></testcase> # skip %250A%2C%3A (example.com/v1)::a\u{1b}[31m\r%0A::error file=x::pwned%0A]]></testcase> # skip %250A,:
                Summary: 4 resources found in 2 files - Valid: 1, Invalid: 1, Errors: 1, Skipped: 1
            "#]],
        );
        assert_eq!(text.lines().filter(|line| line.starts_with("::")).count(), 5);
        assert_eq!(text.lines().count(), 6);
    }
}

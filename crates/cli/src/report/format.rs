//! Choosing a form to print in.

use std::io::{self, Write};

use clap::ValueEnum;
use sprag_analysis::FileReport;

use super::Totals;
use super::github::Github;
use super::json::Json;
use super::junit::Junit;
use super::sarif::Sarif;
use super::tap::Tap;
use super::text::Text;
use sprag_rest::{Release, Releases};

/// The forms a report can take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Findings with excerpts, for people
    #[default]
    Text,
    /// kubeconform's document, with the findings of each object
    Json,
    /// Test suites, one per file
    Junit,
    /// Test Anything Protocol, version 13
    Tap,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands that annotate a pull request
    Github,
}

/// Options of printing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct Options {
    /// Also name objects that nothing was found about.
    pub(crate) verbose: bool,
    /// Print how many there were of each sort.
    pub(crate) summary: bool,
    /// True if standard input was all that was read.
    pub(crate) stdin: bool,
    /// True for coloured output.
    pub(crate) colored: bool,
    /// The releases of Kubernetes that objects were judged by.
    pub(crate) kubernetes: Releases,
    /// What the table of what was passed over advises.
    pub(crate) advice: Advice,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            verbose: false,
            summary: false,
            stdin: false,
            colored: false,
            kubernetes: Releases::only(Release::NEWEST),
            advice: Advice::default(),
        }
    }
}

/// Folders to name in advice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Advice {
    /// A chart.
    pub(crate) chart: Option<String>,
    /// A kustomization that changes what it names.
    pub(crate) overlay: Option<String>,
}

/// Prints a report bit by bit.
pub(crate) trait Render {
    /// Prints what was found in a file or a part of it; parts of a file come one after the other.
    fn file(&mut self, report: &FileReport, out: &mut dyn Write) -> io::Result<()>;

    /// Prints what comes after all files.
    fn finish(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()>;
}

/// Prints in the given form.
pub(crate) fn renderer(format: Format, options: Options) -> Box<dyn Render> {
    match format {
        Format::Text => Box::new(Text::new(options)),
        Format::Json => Box::new(Json::new(options)),
        Format::Junit => Box::new(Junit::default()),
        Format::Tap => Box::new(Tap::default()),
        Format::Sarif => Box::new(Sarif::new(&options)),
        Format::Github => Box::new(Github::new(options)),
    }
}

/// kubeconform's line about the totals.
pub(super) fn summary_line(totals: &Totals, stdin: bool) -> String {
    let plural = |count: usize| if count > 1 { "s" } else { "" };
    let resources = totals.resources();
    let place =
        if stdin { "parsing stdin".to_owned() } else { format!("in {} file{}", totals.files, plural(totals.files)) };
    format!(
        "Summary: {resources} resource{} found {place} - Valid: {}, Invalid: {}, Errors: {}, Skipped: {}",
        plural(resources),
        totals.valid,
        totals.invalid,
        totals.errors,
        totals.skipped,
    )
}

/// Returns a line on the rules that objects were validated by, if any were.
pub(super) fn rules_line(totals: &Totals, kubernetes: Releases) -> Option<String> {
    let parts = [
        (format!("Kubernetes {}", answering(kubernetes)), totals.built_in),
        ("custom resource definitions".to_owned(), totals.by_definitions),
        ("declared types".to_owned(), totals.by_types),
        ("JSON schemas".to_owned(), totals.by_schemas),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(_, count)| *count > 0).map(|(rules, count)| format!("{rules}: {count}")).collect();
    (!parts.is_empty()).then(|| format!("Judged by the rules of {}", parts.join(", ")))
}

/// The releases that were asked, with the patch releases whose answers these are, if they were chosen.
fn answering(kubernetes: Releases) -> String {
    if kubernetes == Releases::only(Release::NEWEST) {
        return kubernetes.names();
    }
    let names: Vec<String> = kubernetes.iter().map(|release| format!("{release} ({})", release.recorded())).collect();
    names.join(", ")
}

#[cfg(test)]
pub(super) mod tests {
    use expect_test::Expect;
    use sprag_analysis::{Cause, Finding, Identity, Origin, Place, Resource, Rules, Severity, Status};

    use super::*;
    use sprag_analysis::Excerpt;

    /// A name that tries every trick on the formats at once.
    pub(crate) const HOSTILE: &str = "a\u{1b}[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:";

    pub(crate) fn resource(name: &str, status: Status, findings: Vec<Finding>) -> Resource {
        let identity = Identity {
            api_version: "example.com/v1".to_owned(),
            kind: "Widget".to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        };
        let rules = (status != Status::Skipped && status != Status::Error).then_some(Rules::Definition);
        Resource { identity, status, rules, findings, source: None, passed: None }
    }

    pub(crate) fn finding(severity: Severity, message: &str) -> Finding {
        Finding {
            message: message.to_owned(),
            cause: Some(Cause {
                kind: "FieldValueInvalid",
                field: "spec.size".to_owned(),
                value: Some("-1".to_owned()),
                detail: message.to_owned(),
            }),
            place: Some(Place {
                line: 7,
                column: 9,
                length: 2,
                excerpt: Some(Excerpt { text: "  size: -1".to_owned(), span: 8..10 }),
            }),
            ..Finding::new(severity, Origin::Schema, "")
        }
    }

    /// One object of each sort, in two files, one of them with a hostile name.
    fn reports() -> Vec<FileReport> {
        let first = vec![
            resource("good", Status::Valid, vec![]),
            resource(
                "bad",
                Status::Invalid,
                vec![
                    finding(Severity::Error, "spec.size: Invalid value: -1: no"),
                    finding(Severity::Error, "spec.other: Required value"),
                    finding(Severity::Warning, "unknown field \"spec.x\""),
                    finding(Severity::Ratcheted, "spec.old: Invalid value: 1: <never> & \"ever\""),
                ],
            ),
            resource("left", Status::Skipped, vec![]),
        ];
        let hostile = Finding::new(Severity::Error, Origin::Decode, HOSTILE);
        let second = vec![resource(HOSTILE, Status::Error, vec![hostile])];
        let report = |file: &str, resources| FileReport {
            file: file.into(),
            resources,
            last: true,
            unreadable: false,
            passed: Vec::new(),
        };
        vec![report("a.yaml", first), report(HOSTILE, second)]
    }

    /// Compares what a form makes of those files.
    #[track_caller]
    pub(crate) fn check(format: Format, expect: &Expect) -> String {
        let options = Options { verbose: true, summary: true, ..Options::default() };
        let mut render = renderer(format, options);
        let mut totals = Totals::default();
        let mut out = Vec::new();
        for report in reports() {
            totals += &report;
            render.file(&report, &mut out).unwrap();
        }
        render.finish(&totals, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        expect.assert_eq(&text);
        assert!(!text.contains('\u{1b}'), "an escape got through");
        text
    }
}

//! `bad-tags`: type definitions that misuse tags, and the generator's verdict.

use sprag_idl::model::TagLine;
use sprag_idl::{Finding, GoPackageInput, Severity, Sources, Span, read_go};
use sprag_tags::types::Universe;
use sprag_tags::{LowerOptions, Registry, lower};

use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::{self, BadTag};

pub(crate) const SUITE: Suite = Suite {
    name: "bad-tags",
    about: "misused tags and the generator's verdicts",
    recorded: "validation-gen-bad-tags.json",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let rows: Vec<BadTag> = wire::read(&args.path)?;
    let mut other_texts = 0;
    for row in &rows {
        let verdict = judge(row);
        let accepted = verdict.errors.is_empty();
        let lint_accepted = accepted && verdict.lint.is_empty();
        if (accepted, lint_accepted) == (row.accepted, row.lint.accepted) {
            report.pass();
            if let Some(diff) = text_diff(row, &verdict) {
                other_texts += 1;
                Report::note(&format!("text {}\n{diff}", row.name));
            }
            continue;
        }
        let want = (row.essential.as_deref(), row.lint.error.as_deref());
        report.fail(&row.name, &format!("  - {want:?}\n  + {:?} {:?}\n", verdict.errors, verdict.lint));
    }
    Report::note(&format!("{other_texts} verdicts with another text"));
    Ok(())
}

struct Verdict {
    errors: Vec<String>,
    lint: Vec<String>,
}

fn judge(row: &BadTag) -> Verdict {
    let mut sources = Sources::default();
    let file = sources.add("types.go", row.source.as_str());
    let path = format!("example.dev/bad/{}", row.api_version);
    let (mut package, mut findings) = read_go(GoPackageInput { path: &path, files: &[file] }, &sources);
    let tag = |text: &str| TagLine { text: text.to_owned(), span: Span::NONE };
    package.tags.push(tag("k8s:validation-gen=*"));
    package.tags.push(tag("k8s:validation-gen-scheme-registry=nil"));
    let registry = Registry::standard();
    let universe = Universe::new(vec![package], |_| true);
    let lowering = lower(&universe, &registry, LowerOptions::default());
    findings.extend(lowering.findings);
    let lint = sprag_lint::lint(&universe, &registry, &lowering.root_types);
    Verdict { errors: messages(findings), lint: messages(lint) }
}

fn messages(findings: Vec<Finding>) -> Vec<String> {
    findings.into_iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.message).collect()
}

/// Returns the difference between the text of a verdict and the recorded one; a crash of the reference has no text to
/// match.
fn text_diff(row: &BadTag, verdict: &Verdict) -> Option<String> {
    if row.crash {
        return None;
    }
    let (want, got) = match &row.essential {
        Some(essential) => (essential.clone(), verdict.errors.first().cloned().unwrap_or_default()),
        None => (lint_lines(row.lint.error.as_deref()?), verdict.lint.join("\n")),
    };
    (want.trim_end() != got.trim_end()).then(|| format!("  - {want}\n  + {got}"))
}

/// The recorded lint text, one line per finding.
fn lint_lines(text: &str) -> String {
    let mut lines = Vec::new();
    let mut ty = "";
    for line in text.lines().skip(1) {
        match line.strip_prefix("    ") {
            Some(finding) => lines.push(format!("{ty} {finding}")),
            None => ty = line.trim(),
        }
    }
    lines.join("\n")
}

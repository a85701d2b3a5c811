//! The findings of `sprag crd check` as findings about files, for formats that show them there.

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_analysis::files::Found;
use sprag_analysis::{Batches, Documents, FileReport, Finding, Identity, Object, Origin, Place, Resource, Severity};

use super::changes::Change;
use super::check::{Report, Tried, Verdict};
use super::objects::RATCHETED;
use crate::output::Terminal;
use crate::report::{Render, Totals};

/// Prints all findings: those about definitions at their lines in the new files, those about objects at the objects.
pub(super) fn print(
    report: &Report,
    files: &Vec<Found>,
    render: &mut dyn Render,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let mut left: Vec<&(Change, Verdict)> = report.changes.iter().collect();
    let mut totals = Totals::default();
    let mut reports: Vec<FileReport> = Batches::of(files)
        .map(|batch| {
            let mut resources = Vec::new();
            for document in Documents::new(batch.content.as_deref().unwrap_or_default(), batch.line) {
                // An unreadable file has ended the command before.
                let objects = document.objects().unwrap_or_default();
                resources.extend(objects.iter().filter_map(|object| definition(object, &batch.file, &mut left)));
            }
            FileReport { file: batch.file, resources, last: batch.last, unreadable: false, passed: Vec::new() }
        })
        .collect();
    reports.extend(gone(&left));
    reports.extend(objects(&report.objects));
    for report in &reports {
        totals += report;
        render.file(report, terminal.out())?;
    }
    render.finish(&totals, terminal.out())?;
    Ok(())
}

/// A definition of the new files with what is said of it, which is taken from what is left to say.
fn definition(object: &Object<'_, '_>, file: &str, left: &mut Vec<&(Change, Verdict)>) -> Option<Resource> {
    let text = |path: &[&str]| object.value.lookup(path).and_then(sprag_value::Value::as_str).unwrap_or_default();
    let identity = Identity::of(&object.value);
    if identity.kind != sprag_schema::crd::KIND {
        return None;
    }
    let kind = (text(&["spec", "group"]), text(&["spec", "names", "kind"]));
    let is_own = |change: &Change| *change.file == *file && (change.kind.0.as_str(), change.kind.1.as_str()) == kind;
    let own = left.extract_if(.., |(change, _)| is_own(change));
    let findings = own.map(|judged| finding(judged).at(object.name_place(&judged.0.field))).collect();
    Some(Resource::judged(identity, findings))
}

/// Returns findings about definitions that the new files do not have.
fn gone(left: &[&(Change, Verdict)]) -> Vec<FileReport> {
    let mut files: BTreeMap<Arc<str>, Vec<Finding>> = BTreeMap::new();
    for judged in left {
        files.entry(judged.0.file.clone()).or_default().push(finding(judged));
    }
    let report = |(file, findings)| FileReport {
        file,
        resources: vec![Resource::judged(Identity::default(), findings)],
        last: true,
        unreadable: false,
        passed: Vec::new(),
    };
    files.into_iter().map(report).collect()
}

fn finding((change, verdict): &(Change, Verdict)) -> Finding {
    let text = format!("{}: {}: {}", change.place, change.class.name(), change.text);
    with_verdict(text, *verdict == Verdict::Breaks, verdict.reason())
}

fn with_verdict(text: String, breaks: bool, reason: Option<&str>) -> Finding {
    let severity = if breaks { Severity::Error } else { Severity::Note };
    let because = reason.map(|reason| format!(" (allowed: {reason})")).unwrap_or_default();
    Finding::new(severity, Origin::Change, text + &because)
}

/// The objects that something happens to, file by file.
fn objects(tried: &[Tried]) -> Vec<FileReport> {
    let mut reports: Vec<FileReport> = Vec::new();
    for tried in tried {
        let place = tried.line.map(|line| Place { line, column: 1, length: 0, excerpt: None });
        let lines = tried.lines();
        let findings = lines.map(|(what, text, reason)| {
            let found = if what == RATCHETED {
                Finding::new(Severity::Ratcheted, Origin::Change, text.into_owned())
            } else {
                with_verdict(format!("{what}: {text}"), reason.is_none(), reason)
            };
            found.at(place.clone())
        });
        let resource = Resource::judged(tried.identity.clone(), findings.collect());
        match reports.last_mut().filter(|report| *report.file == *tried.file) {
            Some(report) => report.resources.push(resource),
            None => reports.push(FileReport {
                file: tried.file.as_str().into(),
                resources: vec![resource],
                last: true,
                unreadable: false,
                passed: Vec::new(),
            }),
        }
    }
    reports
}

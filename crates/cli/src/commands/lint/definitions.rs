//! Findings about definitions of custom resources.

use sprag_analysis::files::Found as File;
use sprag_analysis::workers;
use sprag_analysis::{Advice, Batch, Batches, BuiltIn, Severity, advise, is_allowed};
use sprag_lint::{Level, Profile};
use sprag_schema::crd::KIND;

use super::found::Found;
use super::settings::{Chosen, rule};
use crate::output::Progress;

/// Judges the definitions of files; other objects are passed over.
pub(super) fn find(files: &Vec<File>, chosen: &Chosen) -> anyhow::Result<Vec<Found>> {
    let mut all = Vec::new();
    let built_in = BuiltIn::default();
    let mut progress = Progress::new(files.len());
    workers::in_order(
        workers::all_cores(),
        Batches::of(files),
        |batch| in_batch(&batch, chosen, &built_in),
        |found: anyhow::Result<Vec<Found>>| {
            all.extend(found?);
            progress.advance();
            Ok::<(), anyhow::Error>(())
        },
    )?;
    progress.clear();
    Ok(all)
}

/// Reports whether any file names the kind of definitions.
pub(super) fn any(files: &Vec<File>) -> bool {
    let names =
        |batch: Batch| batch.content.is_ok_and(|bytes| bytes.windows(KIND.len()).any(|part| part == KIND.as_bytes()));
    Batches::of(files).any(names)
}

fn in_batch(batch: &Batch, chosen: &Chosen, built_in: &BuiltIn) -> anyhow::Result<Vec<Found>> {
    let profile = chosen.settings.profile.unwrap_or(Profile::Crd);
    let is_on = |rule: &sprag_lint::LintRule| chosen.level(rule, profile) != Level::Off;
    let text = match &batch.content {
        Ok(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Err(reason) => anyhow::bail!("{}: {reason}", batch.file),
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for Advice { rule: advised, finding, subject } in advise(batch, &is_on, built_in) {
        let rule = match advised {
            Some(rule) => rule,
            None => rule("definition-refused")?,
        };
        let level = match (advised, finding.severity) {
            (Some(_), _) | (None, Severity::Error) => chosen.level(rule, profile),
            _ => chosen.level(rule, profile).min(Level::Warning),
        };
        let line = finding.place.as_ref().map(|place| place.line.saturating_sub(batch.line));
        if level == Level::Off || line.is_some_and(|line| is_allowed(&lines, line, rule.name)) {
            continue;
        }
        all.push(Found {
            rule,
            level,
            file: batch.file.to_string(),
            place: finding.place,
            subject,
            message: finding.message,
            help: None,
            edits: Vec::new(),
        });
    }
    all.sort_by_key(|found| (found.place.as_ref().map(|place| (place.line, place.column)), found.rule.code));
    Ok(all)
}

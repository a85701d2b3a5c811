//! The form of `sprag crd check -o json`.

use std::borrow::Cow;

use serde::Serialize;

use super::changes::Change;
use super::check::{self, Tried, Verdict};
use super::objects::Ratcheted;

/// The findings.
#[derive(Debug, Serialize)]
pub(super) struct Report<'r> {
    changes: Vec<SchemaChange<'r>>,
    objects: Vec<StoredObject<'r>>,
    tried: usize,
}

/// A change of a definition.
#[derive(Debug, Serialize)]
struct SchemaChange<'r> {
    place: &'r str,
    class: &'static str,
    message: &'r str,
    breaks: bool,
    /// `breaks`, `allowed` or `safe`.
    verdict: &'static str,
    /// The reason of the waiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
}

/// An object that something happens to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StoredObject<'r> {
    filename: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    version: &'r str,
    kind: &'r str,
    namespace: &'r str,
    name: &'r str,
    /// The error of an object that could not be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'r str>,
    fails_on_create: &'r [String],
    fails_on_unchanged_update: &'r [String],
    ratcheted: Vec<&'r str>,
    /// For each ratcheted error, which edits of the object pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ratcheting: Vec<Ratcheting<'r>>,
    loses_fields: &'r [String],
    /// The waivers of its effects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<Waived<'r>>,
}

/// Something that happens to an object and is fine.
#[derive(Debug, Serialize)]
struct Waived<'r> {
    what: &'static str,
    message: Cow<'r, str>,
    reason: &'r str,
}

/// A ratcheted error with the part of the object that has to stay as it is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ratcheting<'r> {
    error: &'r str,
    /// Empty for the whole object.
    unchanged_part: &'r str,
    edits: String,
}

impl<'r> From<&'r Ratcheted> for Ratcheting<'r> {
    fn from(ratcheted: &'r Ratcheted) -> Self {
        Ratcheting { error: &ratcheted.error, unchanged_part: &ratcheted.part, edits: ratcheted.edits() }
    }
}

impl<'r> From<&'r check::Report> for Report<'r> {
    fn from(report: &'r check::Report) -> Self {
        Report {
            changes: report.changes.iter().map(SchemaChange::from).collect(),
            objects: report.objects.iter().map(StoredObject::from).collect(),
            tried: report.tried,
        }
    }
}

impl<'r> From<&'r (Change, Verdict)> for SchemaChange<'r> {
    fn from((change, verdict): &'r (Change, Verdict)) -> Self {
        SchemaChange {
            place: &change.place,
            class: change.class.name(),
            message: &change.text,
            breaks: *verdict == Verdict::Breaks,
            verdict: verdict.name(),
            reason: verdict.reason(),
        }
    }
}

impl<'r> From<&'r Tried> for StoredObject<'r> {
    fn from(tried: &'r Tried) -> Self {
        let effects = tried.effects.as_ref().ok();
        let ratcheted = effects.map_or(&[][..], |effects| &effects.ratcheted);
        StoredObject {
            filename: &tried.file,
            line: tried.line,
            version: &tried.identity.api_version,
            kind: &tried.identity.kind,
            namespace: &tried.identity.namespace,
            name: &tried.identity.name,
            problem: tried.effects.as_ref().err().map(String::as_str),
            fails_on_create: effects.map_or(&[], |effects| &effects.fails_on_create),
            fails_on_unchanged_update: effects.map_or(&[], |effects| &effects.fails_on_update),
            ratcheted: ratcheted.iter().map(|ratcheted| ratcheted.error.as_str()).collect(),
            ratcheting: ratcheted.iter().map(Ratcheting::from).collect(),
            loses_fields: effects.map_or(&[], |effects| &effects.loses),
            allowed: tried
                .lines()
                .filter_map(|(what, message, reason)| Some(Waived { what, message, reason: reason? }))
                .collect(),
        }
    }
}

//! The effects of an upgrade, counted and grouped for a ticket.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;
use sprag_analysis::{Effect, FileReport, Finding, Severity, Status};
use sprag_rest::{Release, Releases};

use crate::report::Totals;
use crate::report::visible::visible;

/// Maximum number of objects that are named for one message.
const MAX_NAMES: usize = 5;

/// Maximum number of messages that are listed of one effect.
const MAX_MESSAGES: usize = 50;

/// The effects on all objects.
#[derive(Default)]
pub(super) struct Summary {
    /// The objects by effect and message, each with its file.
    effects: BTreeMap<Effect, BTreeMap<String, Vec<String>>>,
    /// Number of objects by their worst effect.
    objects: BTreeMap<Effect, usize>,
    /// Number of objects that nothing happens to.
    unchanged: usize,
    /// Documents that could not be read.
    unread: Vec<String>,
}

impl Summary {
    pub(super) fn add(&mut self, report: &FileReport) {
        for resource in &report.resources {
            let name = format!("{} in {}", resource.name(), report.file);
            let worst = resource.findings.iter().filter_map(|finding| finding.effect).min();
            match worst {
                Some(effect) => *self.objects.entry(effect).or_default() += 1,
                None if resource.status == Status::Error => self.unread.push(report.file.to_string()),
                None if resource.status != Status::Skipped => self.unchanged += 1,
                None => {}
            }
            for (effect, finding) in resource.findings.iter().filter_map(|finding| Some((finding.effect?, finding))) {
                let names = self.effects.entry(effect).or_default().entry(message(finding)).or_default();
                if names.last() != Some(&name) {
                    names.push(name.clone());
                }
            }
        }
    }

    /// The summary as Markdown.
    pub(super) fn markdown(&self, asked: Releases, totals: &Totals) -> String {
        let (from, to) = ends(asked);
        let mut text = format!(
            "## Upgrade of Kubernetes from {from} to {to}: {} in {}\n",
            counted(totals.resources() - totals.skipped, "object"),
            counted(totals.files, "file")
        );
        for (effect, messages) in &self.effects {
            let objects = messages.values().flatten().collect::<std::collections::BTreeSet<_>>().len();
            // Writing to a string does not fail.
            let _ = writeln!(text, "\n### {}: {}\n\n{}\n", title(*effect), counted(objects, "object"), words(*effect));
            for (message, names) in messages.iter().take(MAX_MESSAGES) {
                let _ = writeln!(text, "- {}: {}", listed(names), visible(message));
            }
            if let Some(more) = messages.len().checked_sub(MAX_MESSAGES).filter(|more| *more > 0) {
                let _ = writeln!(text, "- {} more", counted(more, "message"));
            }
        }
        text.push('\n');
        if !self.unread.is_empty() {
            let _ = writeln!(text, "Could not be read: {}.", listed(&self.unread));
        }
        let unknown = totals.skipped;
        if unknown > 0 {
            let _ =
                writeln!(text, "Not looked at, as no definition is known (--crds): {}.", counted(unknown, "object"));
        }
        let _ = writeln!(text, "Nothing happens to {}.", counted(self.unchanged, "object"));
        let _ = writeln!(text, "Answers are those of {} and {}.", from.recorded(), to.recorded());
        text
    }

    /// The same for programs.
    pub(super) fn document(
        &self,
        asked: Releases,
        totals: &Totals,
        resources: &[serde_json::Value],
    ) -> serde_json::Value {
        let (from, to) = ends(asked);
        let mut summary: serde_json::Map<String, serde_json::Value> = Effect::ALL
            .iter()
            .map(|effect| (effect.name().to_owned(), self.objects.get(effect).copied().unwrap_or_default().into()))
            .collect();
        summary.insert("unchanged".to_owned(), self.unchanged.into());
        summary.insert("skipped".to_owned(), totals.skipped.into());
        summary.insert("errors".to_owned(), self.unread.len().into());
        json!({
            "from": {"version": from.to_string(), "recorded": from.recorded()},
            "to": {"version": to.to_string(), "recorded": to.recorded()},
            "resources": resources,
            "summary": summary,
        })
    }
}

fn ends(asked: Releases) -> (Release, Release) {
    (asked.oldest().unwrap_or_default(), asked.newest().unwrap_or_default())
}

/// The message of a finding; the releases are named where it is not the last one alone.
fn message(finding: &Finding) -> String {
    match finding.severity {
        Severity::Note => finding.message.clone(),
        _ => finding.text().into_owned(),
    }
}

const fn title(effect: Effect) -> &'static str {
    match effect {
        Effect::Removed => "Removed API versions",
        Effect::Rejected => "Rejected",
        Effect::Ratcheted => "Stricter for new objects",
        Effect::Warns => "New warnings",
        Effect::Changes => "Stored differently",
        Effect::Leaving => "Removed by a later release",
        Effect::Accepted => "No longer rejected",
        Effect::Already => "Rejected before",
    }
}

/// What an effect means, in a sentence.
const fn words(effect: Effect) -> &'static str {
    match effect {
        Effect::Removed => {
            "These have to be rewritten before the upgrade: nobody can read or write them in this version afterwards."
        }
        Effect::Rejected => "These cannot be applied after the upgrade, also where they are stored already.",
        Effect::Ratcheted => {
            "Rules that became stricter, and are ratcheted: stored objects are accepted as long as the field does not change, new ones are rejected."
        }
        Effect::Warns => "These are accepted with a warning that is new.",
        Effect::Changes => "Defaults that differ, and fields that are dropped or kept.",
        Effect::Leaving => "These are served after this upgrade, and a later one removes them.",
        Effect::Accepted => "These were rejected, and are accepted after the upgrade.",
        Effect::Already => "Both releases reject these: the upgrade changes nothing.",
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn listed(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(MAX_NAMES).map(|name| visible(name)).collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

//! The result of a check, for people and for programs.

use std::collections::BTreeSet;
use std::io;

use sprag_analysis::declared::Verdict;
use sprag_field::Error;
use sprag_idl::{Finding, Severity, Sources};

use crate::output::Terminal;
use crate::output::wire::{CheckReport, FieldError, FieldWarning, Hook, SourceFinding};
use crate::report::visible::visible;

/// The findings.
pub(super) struct Report {
    /// Full name of the type.
    pub(super) ty: String,
    is_update: bool,
    pub(super) subresource: String,
    pub(super) verdict: Verdict,
    pub(super) findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(ty: String, is_update: bool) -> Report {
        Report { ty, is_update, subresource: "/".to_owned(), verdict: Verdict::default(), findings: Vec::new() }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.verdict.errors.is_empty()
            && self.verdict.refusal.is_none()
            && self.findings.iter().all(|finding| finding.severity == Severity::Warning)
    }

    pub(super) fn print_text(&self, sources: &Sources, terminal: &mut Terminal) -> io::Result<()> {
        for finding in &self.findings {
            terminal.finding(finding, sources);
        }
        if let Some(refusal) = &self.verdict.refusal {
            terminal.line(visible(refusal))?;
        }
        // Kubernetes says the same thing only once.
        let mut said = BTreeSet::new();
        for line in self.verdict.errors.iter().map(Error::to_string) {
            if !said.contains(&line) {
                terminal.line(visible(&line))?;
                said.insert(line);
            }
        }
        for warning in &self.verdict.warnings {
            terminal.warning(&warning.message);
        }
        for error in &self.verdict.not_enforced {
            terminal.note(&format!("not enforced ({}): {error}", error.stage.name()));
        }
        for call in &self.verdict.hooks {
            let place = if call.field.is_empty() { String::new() } else { format!(" at {}", call.field) };
            terminal.note(&format!("not run: hand-written check {}{place}", call.name));
        }
        for note in &self.verdict.notes {
            terminal.note(note);
        }
        Ok(())
    }

    pub(super) fn print_json(&self, sources: &Sources, terminal: &mut Terminal) -> anyhow::Result<()> {
        let report = CheckReport {
            ty: self.ty.clone(),
            operation: if self.is_update { "update" } else { "create" },
            subresource: self.subresource.clone(),
            valid: self.is_valid(),
            errors: self
                .verdict
                .refusal
                .as_deref()
                .map(FieldError::refusal)
                .into_iter()
                .chain(self.verdict.errors.iter().map(FieldError::from))
                .collect(),
            not_enforced: self.verdict.not_enforced.iter().map(FieldError::from).collect(),
            warnings: self.verdict.warnings.iter().map(FieldWarning::from).collect(),
            hooks: self
                .verdict
                .hooks
                .iter()
                .map(|call| Hook { name: call.name.clone(), field: call.field.clone() })
                .collect(),
            findings: self.findings.iter().map(|finding| SourceFinding::new(finding, sources)).collect(),
            notes: self.verdict.notes.clone(),
        };
        terminal.line(serde_json::to_string_pretty(&report)?)?;
        Ok(())
    }
}

//! The findings and their report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::exceptions::{CUSTOM, Exception};
use super::practice::Practice;

/// A resource that does not follow a practice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The resource: `turbines.example.dev`; of the core group without a dot: `configmaps`; `*` for the server itself.
    pub resource: String,
    /// The practice.
    pub practice: Practice,
    /// The field it is about, if it is about one.
    pub field: Option<String>,
    /// The observation.
    pub message: String,
    /// True if a definition defines the resource.
    pub(super) is_custom: bool,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Findings that no exception covers.
    pub findings: Vec<Finding>,
    /// Findings that exceptions cover.
    pub excepted: Vec<Finding>,
    /// Exceptions that cover nothing, as texts.
    pub unneeded: Vec<String>,
    /// The resources that were looked at.
    pub resources: Vec<String>,
    /// The parts that could not be checked, with the reasons.
    pub skipped: Vec<String>,
    /// The number of fields that were seen to be kept.
    pub fields_kept: usize,
    /// The number of requests made.
    pub requests: usize,
}

impl Report {
    /// Reports whether every practice is followed or excepted, and every exception is needed.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.unneeded.is_empty()
    }

    /// The entries that a file of exceptions would need for the findings, but for reasons and approvers.
    pub fn exceptions(&self) -> String {
        let mut entries: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for finding in &self.findings {
            let fields = entries.entry((&finding.resource, finding.practice.name)).or_default();
            fields.extend(finding.field.as_deref());
        }
        let mut text = String::new();
        for ((resource, practice), fields) in entries {
            text.extend(["- resource: ", resource, "\n  practice: ", practice, "\n"]);
            let fields: Vec<&str> = fields.into_iter().collect();
            if !fields.is_empty() {
                text.extend(["  fields: [", &fields.join(", "), "]\n"]);
            }
            text.push_str("  reason:\n  approver:\n");
        }
        text
    }

    /// Sorts findings by whether an exception covers them.
    pub(super) fn settle(&mut self, findings: Vec<Finding>, own: &[Exception], built_in: &[Exception]) {
        for exception in own.iter().filter(|exception| !exception.practice.is_about_changes()) {
            let Exception { resource, practice, is_built_in, .. } = exception;
            let name = practice.name;
            let is_served = resource == "*" || resource == CUSTOM || self.resources.contains(resource);
            let unneeded = if !is_served {
                (!is_built_in).then(|| "no such resource is served".to_owned())
            } else if !findings.iter().any(|finding| exception.covers(finding)) {
                Some("the practice is followed".to_owned())
            } else {
                let fields = exception.unneeded_fields(&findings);
                fields.first().map(|field| format!("the practice is followed by {field}"))
            };
            self.unneeded.extend(unneeded.map(|unneeded| format!("{resource}: {name}: {unneeded}")));
        }
        let covered = |finding: &Finding| own.iter().chain(built_in).any(|exception| exception.covers(finding));
        let (excepted, findings) = findings.into_iter().partition(covered);
        self.excepted = excepted;
        self.findings = findings;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let findings = self.findings.len();
        let unneeded = self.unneeded.len();
        let resources = self.resources.len();
        writeln!(f, "resources: {resources}, findings: {findings}, exceptions that are not needed: {unneeded}")?;
        for Finding { resource, practice, field, message, .. } in &self.findings {
            let field = field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default();
            writeln!(f, "  {resource}: {}: {field}{message}", practice.name)?;
        }
        let practices: BTreeSet<(&str, &str)> =
            self.findings.iter().map(|finding| (finding.practice.name, finding.practice.summary)).collect();
        for (name, summary) in practices {
            writeln!(f, "{name}: {summary}")?;
        }
        for unneeded in &self.unneeded {
            writeln!(f, "  no longer needed: {unneeded}; remove the exception")?;
        }
        if findings > 0 {
            let entries = self.exceptions();
            write!(
                f,
                "What is meant to differ needs an entry in the file of exceptions, with reason and approver:\n{entries}"
            )?;
        }
        Ok(())
    }
}

//! The verdict over one object, and over all.

use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;

use sprag_field::status::MAX_LISTED;

use crate::commands::Outcome;

use super::{Finding, Origin, Severity};

/// The identity of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    /// Its name, or `generateName` followed by a placeholder.
    pub(crate) name: String,
}

impl Identity {
    /// The group of the API version; empty for the core group.
    pub(crate) fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The version without the group.
    pub(crate) fn version(&self) -> &str {
        self.api_version.rsplit('/').next().unwrap_or_default()
    }

    /// Namespace and name.
    pub(crate) fn qualified_name(&self) -> String {
        if self.namespace.is_empty() { self.name.clone() } else { format!("{}/{}", self.namespace, self.name) }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.qualified_name();
        let space = if name.is_empty() { "" } else { " " };
        write!(f, "{}{space}{name} ({})", self.kind, self.api_version)
    }
}

/// The status of an object, in kubeconform's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Valid,
    /// It breaks a rule.
    Invalid,
    /// It could not be judged.
    Error,
    /// It was not to be judged.
    Skipped,
}

/// The most bytes of findings that are shown of one object. They are as many as an answer of the server has.
const MAX_BYTES: usize = 1 << 20;

/// The findings that are shown; the last one says how many are left out, if any are.
fn bounded(mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut bytes = 0;
    let mut fits = |finding: &Finding| {
        bytes += finding.bytes();
        bytes <= MAX_BYTES
    };
    let shown = findings.iter().take(MAX_LISTED).take_while(|finding| fits(finding)).count().max(1);
    if shown >= findings.len() {
        return findings;
    }
    let rest = findings.split_off(shown);
    let severity =
        if rest.iter().any(|left| left.severity == Severity::Error) { Severity::Error } else { Severity::Warning };
    findings.push(Finding::new(severity, rest[0].origin, format!("{} more findings were left out", rest.len())));
    findings
}

/// The origin of the rules that an object was validated by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// The kinds of Kubernetes that Sprag has.
    BuiltIn,
    /// A `CustomResourceDefinition`.
    Definition,
    /// Types of `--types`.
    Types,
}

/// One object with all that was found about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resource {
    pub(crate) identity: Identity,
    pub(crate) status: Status,
    /// The rules that it was judged by; none where it was not judged.
    pub(crate) rules: Option<Rules>,
    pub(crate) findings: Vec<Finding>,
    /// The template that it was rendered from. Lines of findings are those of what was rendered.
    pub(crate) source: Option<String>,
}

impl Resource {
    /// An object with all that was found about it.
    pub(crate) fn judged(identity: Identity, findings: Vec<Finding>) -> Resource {
        let is_invalid = findings.iter().any(|finding| finding.severity == Severity::Error);
        let status = if is_invalid { Status::Invalid } else { Status::Valid };
        Resource { identity, status, rules: None, findings: bounded(findings), source: None }
    }

    /// A document that is no object.
    pub(crate) fn undecodable(finding: Finding) -> Resource {
        let (identity, findings) = (Identity::default(), vec![finding]);
        Resource { identity, status: Status::Error, rules: None, findings, source: None }
    }

    /// Stands for what could not be read.
    pub(crate) fn unreadable(reason: String) -> Resource {
        Resource::undecodable(Finding::new(Severity::Error, Origin::Read, reason))
    }

    /// Returns the object's name, and the template it was rendered from; empty for a document that is not an object.
    pub(crate) fn name(&self) -> String {
        let name = if self.identity.kind.is_empty() { String::new() } else { self.identity.to_string() };
        match &self.source {
            Some(source) if name.is_empty() => format!("from {source}"),
            Some(source) => format!("{name} from {source}"),
            None => name,
        }
    }

    /// The findings of one severity.
    pub(crate) fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// All errors in one line.
    pub(crate) fn message(&self) -> String {
        let messages: Vec<&str> = self.of(Severity::Error).map(|finding| finding.message.as_str()).collect();
        match messages.as_slice() {
            [] => String::new(),
            [only] => (*only).to_owned(),
            // As Kubernetes joins several errors.
            several => format!("[{}]", several.join(", ")),
        }
    }
}

/// The objects of a file, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileReport {
    pub(crate) file: Arc<str>,
    pub(crate) resources: Vec<Resource>,
    /// True if the file ends here.
    pub(crate) last: bool,
    /// True if the file could not be read.
    pub(crate) unreadable: bool,
}

/// The number of objects by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) files: usize,
    pub(crate) valid: usize,
    pub(crate) invalid: usize,
    pub(crate) errors: usize,
    pub(crate) skipped: usize,
    pub(crate) warnings: usize,
    /// Findings, not objects.
    pub(crate) ratcheted: usize,
    /// Files that could not be read.
    pub(crate) unreadable: usize,
    /// Objects that were judged as built-in kinds.
    pub(crate) built_in: usize,
    /// Objects that were judged by `CustomResourceDefinitions`.
    pub(crate) by_definitions: usize,
    /// Objects that were judged by types of `--types`.
    pub(crate) by_types: usize,
}

impl Totals {
    /// Returns the exit code of a command. What could not be read leaves the answer open.
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Totals { unreadable: 1.., .. } => Outcome::Incomplete,
            Totals { invalid: 0, errors: 0, .. } => Outcome::Clean,
            _ => Outcome::Findings,
        }
    }

    pub(crate) fn resources(&self) -> usize {
        self.valid + self.invalid + self.errors + self.skipped
    }
}

impl AddAssign<&FileReport> for Totals {
    fn add_assign(&mut self, report: &FileReport) {
        self.files += usize::from(report.last);
        self.unreadable += usize::from(report.unreadable);
        for resource in &report.resources {
            match resource.status {
                Status::Valid => self.valid += 1,
                Status::Invalid => self.invalid += 1,
                Status::Error => self.errors += 1,
                Status::Skipped => self.skipped += 1,
            }
            match resource.rules {
                Some(Rules::BuiltIn) => self.built_in += 1,
                Some(Rules::Definition) => self.by_definitions += 1,
                Some(Rules::Types) => self.by_types += 1,
                None => {}
            }
            self.warnings += resource.of(Severity::Warning).count();
            self.ratcheted += resource.of(Severity::Ratcheted).count();
        }
    }
}

//! The verdict on one object, and on those of a file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use sprag_field::status::MAX_LISTED;

use crate::finding::{Finding, Origin, Severity};
use crate::standing::Passed;

/// The identity of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The group and version.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty if it names none.
    pub namespace: String,
    /// Its name, or `generateName` followed by a placeholder.
    pub name: String,
}

impl Identity {
    /// The group of the API version; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The version without the group.
    pub fn version(&self) -> &str {
        self.api_version.rsplit('/').next().unwrap_or_default()
    }

    /// Namespace and name.
    pub fn qualified_name(&self) -> String {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It breaks no rule.
    #[default]
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
pub enum Rules {
    /// The kinds of Kubernetes that Sprag has.
    BuiltIn,
    /// A `CustomResourceDefinition`.
    Definition,
    /// Types of `--types`.
    Types,
    /// A JSON schema.
    Schema,
}

/// One object with all that was found about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// The identity; empty for what is not an object.
    pub identity: Identity,
    /// The status.
    pub status: Status,
    /// The rules that it was judged by; none where it was not judged.
    pub rules: Option<Rules>,
    /// The findings, errors first.
    pub findings: Vec<Finding>,
    /// The template that it was rendered from. Lines of findings are those of what was rendered.
    pub source: Option<String>,
    /// The reason why it was not validated, if it is not one of the user's.
    pub passed: Option<Passed>,
}

impl Resource {
    /// An object with all that was found about it.
    pub fn judged(identity: Identity, findings: Vec<Finding>) -> Resource {
        let is_invalid = findings.iter().any(|finding| finding.severity == Severity::Error);
        let status = if is_invalid { Status::Invalid } else { Status::Valid };
        Resource { identity, status, rules: None, findings: bounded(findings), source: None, passed: None }
    }

    /// A document that is no object.
    pub fn undecodable(finding: Finding) -> Resource {
        let identity = Identity::default();
        let findings = vec![finding];
        Resource { identity, status: Status::Error, rules: None, findings, source: None, passed: None }
    }

    /// Stands for what could not be read.
    pub fn unreadable(reason: String) -> Resource {
        Resource::undecodable(Finding::new(Severity::Error, Origin::Read, reason))
    }

    /// Returns the object's name, and the template it was rendered from; empty for a document that is not an object.
    pub fn name(&self) -> String {
        let name = if self.identity.kind.is_empty() { String::new() } else { self.identity.to_string() };
        match &self.source {
            Some(source) if name.is_empty() => format!("from {source}"),
            Some(source) => format!("{name} from {source}"),
            None => name,
        }
    }

    /// The findings of one severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// All errors in one line.
    pub fn message(&self) -> String {
        let messages: Vec<Cow<'_, str>> = self.of(Severity::Error).map(Finding::text).collect();
        match messages.as_slice() {
            [] => String::new(),
            [only] => only.to_string(),
            // As Kubernetes joins several errors.
            several => format!("[{}]", several.join(", ")),
        }
    }
}

/// The objects of a file, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileReport {
    /// The name of the file.
    pub file: Arc<str>,
    /// The objects.
    pub resources: Vec<Resource>,
    /// True if the file ends here.
    pub last: bool,
    /// True if the file could not be read.
    pub unreadable: bool,
    /// The reasons why documents of the file, or all of it, were passed over.
    pub passed: Vec<Passed>,
}

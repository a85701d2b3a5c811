//! The form of snapshots, and of what a comparison found.

use serde::{Deserialize, Serialize};

use super::diff::Change;

const API_VERSION: &str = "sprag.dev/v1alpha1";
const KIND: &str = "ApiSnapshot";

/// An API at one time.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Snapshot {
    api_version: String,
    kind: String,
    /// Sorted by name.
    pub(super) versions: Vec<Version>,
}

/// The types of one version of a group.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Version {
    /// `example.com/v1`, or the path of the package where it names no group.
    pub(super) name: String,
    /// Sorted by name.
    pub(super) types: Vec<Type>,
}

/// One type.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Type {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rules: Vec<Rule>,
    /// The values of an enumeration, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<String>,
    /// Sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) fields: Vec<Field>,
}

/// One field.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Field {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) gates: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rules: Vec<Rule>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Rule {
    /// The tag without its stage: `+k8s:minimum=1`.
    #[serde(rename = "rule")]
    pub(super) tag: String,
    pub(super) stage: Stage,
    /// The release in which it got the stage, if the tag says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
}

/// The stage of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    Alpha,
    Beta,
    Stable,
}

impl Stage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Stage::Alpha => "alpha",
            Stage::Beta => "beta",
            Stage::Stable => "stable",
        }
    }
}

impl Snapshot {
    pub(super) fn new(versions: Vec<Version>) -> Snapshot {
        Snapshot { api_version: API_VERSION.to_owned(), kind: KIND.to_owned(), versions }
    }

    /// Refuses other documents.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.api_version == API_VERSION && self.kind == KIND {
            return Ok(());
        }
        Err(format!("{} {} is not {API_VERSION} {KIND}: make one with sprag api snapshot", self.api_version, self.kind))
    }
}

/// The result of a comparison.
#[derive(Debug, Serialize)]
pub(super) struct DiffParts<'c> {
    pub(super) findings: Vec<ChangeParts<'c>>,
    pub(super) excepted: Vec<ChangeParts<'c>>,
    pub(super) unneeded: Vec<String>,
}

/// One change.
#[derive(Debug, Serialize)]
pub(super) struct ChangeParts<'c> {
    version: &'c str,
    place: &'c str,
    practice: &'c str,
    message: &'c str,
}

impl<'c> ChangeParts<'c> {
    pub(super) fn all(changes: &'c [Change]) -> Vec<ChangeParts<'c>> {
        let parts = changes.iter().map(|Change { version, place, practice, message }| ChangeParts {
            version,
            place,
            practice,
            message,
        });
        parts.collect()
    }
}

//! Choices of a validation that the API server does not have.

use std::collections::BTreeSet;

use crate::finding::Severity;
use crate::report::Identity;
use crate::skipped_path::SkippedPath;

/// Choices of a validation.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Unknown and duplicate fields are errors.
    pub strict: bool,
    /// Kinds without a definition are errors.
    pub require_schemas: bool,
    /// Nothing to judge, or nothing to judge by, is fine.
    pub allow_empty: bool,
    /// Kinds, or API versions with kinds, that are skipped.
    pub skip: BTreeSet<String>,
    /// Kinds, or API versions with kinds, that are refused.
    pub reject: BTreeSet<String>,
    /// Fields that are taken out of objects before they are judged.
    pub skipped_paths: Vec<SkippedPath>,
}

/// The ruling on an object: whether it is validated at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    Judge,
    Skip,
    Reject,
}

impl Choices {
    pub(crate) fn ruling(&self, identity: &Identity) -> Ruling {
        if self.skip.is_empty() && self.reject.is_empty() {
            return Ruling::Judge;
        }
        let full = format!("{}/{}", identity.api_version, identity.kind);
        let names = |kinds: &BTreeSet<String>| kinds.contains(&full) || kinds.contains(&identity.kind);
        match () {
            () if names(&self.skip) => Ruling::Skip,
            () if names(&self.reject) => Ruling::Reject,
            () => Ruling::Judge,
        }
    }

    /// Returns the severity of an unknown or duplicate field.
    pub(crate) fn field_severity(&self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_with_or_without_their_version() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let choices =
            Choices { skip: set(&["Secret", "apps/v1/Deployment"]), reject: set(&["Pod"]), ..Choices::default() };
        let ruling = |api_version: &str, kind: &str| {
            let identity = Identity { api_version: api_version.into(), kind: kind.into(), ..Identity::default() };
            choices.ruling(&identity)
        };
        assert_eq!(ruling("v1", "Secret"), Ruling::Skip);
        assert_eq!(ruling("apps/v1", "Deployment"), Ruling::Skip);
        assert_eq!(ruling("apps/v1beta1", "Deployment"), Ruling::Judge);
        assert_eq!(ruling("v1", "Pod"), Ruling::Reject);
    }
}

//! Options of validation that the API server does not have.

use std::collections::BTreeSet;

use crate::report::{Identity, Severity};

/// Choices of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    /// Unknown and duplicate fields are errors.
    pub(crate) strict: bool,
    /// Kinds without a schema are skipped.
    pub(crate) ignore_missing_schemas: bool,
    /// Nothing to judge, or nothing to judge by, is fine.
    pub(crate) allow_empty: bool,
    /// Kinds, or API versions with kinds, that are skipped.
    pub(crate) skip: BTreeSet<String>,
    /// Kinds, or API versions with kinds, that are refused.
    pub(crate) reject: BTreeSet<String>,
}

/// The ruling on an object: whether it is validated at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    Judge,
    Skip,
    Reject,
}

impl Policy {
    pub(super) fn ruling(&self, identity: &Identity) -> Ruling {
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
    pub(super) fn field_severity(&self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_with_or_without_their_version() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let policy =
            Policy { skip: set(&["Secret", "apps/v1/Deployment"]), reject: set(&["Pod"]), ..Policy::default() };
        let ruling = |api_version: &str, kind: &str| {
            let identity = Identity { api_version: api_version.into(), kind: kind.into(), ..Identity::default() };
            policy.ruling(&identity)
        };
        assert_eq!(ruling("v1", "Secret"), Ruling::Skip);
        assert_eq!(ruling("apps/v1", "Deployment"), Ruling::Skip);
        assert_eq!(ruling("apps/v1beta1", "Deployment"), Ruling::Judge);
        assert_eq!(ruling("v1", "Pod"), Ruling::Reject);
    }
}

//! The verdicts of a run, counted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use sprag_analysis::{FileReport, Identity, Passed, Rules, Severity, Status};

use crate::commands::Outcome;

/// The number of objects by status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Objects that were judged by JSON schemas.
    pub(crate) by_schemas: usize,
    /// Files and objects that were passed over, by reason.
    pub(crate) passed: BTreeMap<Passed, usize>,
    /// Objects without a definition, by API version and kind.
    pub(crate) missing: BTreeMap<(String, String), usize>,
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
        let is_read = report.passed.is_empty() || !report.resources.is_empty();
        self.files += usize::from(report.last && is_read);
        // A file counts once for each reason.
        for passed in report.passed.iter().collect::<BTreeSet<_>>() {
            *self.passed.entry(*passed).or_default() += 1;
        }
        self.unreadable += usize::from(report.unreadable);
        for resource in &report.resources {
            match resource.status {
                Status::Valid => self.valid += 1,
                Status::Invalid => self.invalid += 1,
                Status::Error => self.errors += 1,
                Status::Skipped => self.skipped += 1,
            }
            if let Some(passed) = resource.passed {
                *self.passed.entry(passed).or_default() += 1;
                if passed == Passed::Unknown {
                    let Identity { api_version, kind, .. } = &resource.identity;
                    *self.missing.entry((api_version.clone(), kind.clone())).or_default() += 1;
                }
            }
            match resource.rules {
                Some(Rules::BuiltIn) => self.built_in += 1,
                Some(Rules::Definition) => self.by_definitions += 1,
                Some(Rules::Types) => self.by_types += 1,
                Some(Rules::Schema) => self.by_schemas += 1,
                None => {}
            }
            self.warnings += resource.of(Severity::Warning).count();
            self.ratcheted += resource.of(Severity::Ratcheted).count();
        }
    }
}

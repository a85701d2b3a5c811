//! Declared types: objects judged by the tags of their Go or Rust source.

use std::path::PathBuf;

use anyhow::bail;
use sprag_field::Error;
use sprag_idl::Severity as SourceSeverity;
use sprag_validate::Options;
use sprag_value::Value;

use super::{Object, Policy};
use crate::commands::load_types;
use crate::declared::Kinds;
use crate::report::{Finding, Identity, Origin, Severity};

/// The declared kinds.
pub(crate) struct Native {
    kinds: Kinds,
    options: Options,
}

/// Reads declared types; no path, no types.
pub(crate) fn types(paths: &[PathBuf], recursive: bool, options: Options) -> anyhow::Result<Option<Native>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let loaded = load_types(paths, recursive)?;
    let mut findings = loaded.findings.clone();
    let kinds = Kinds::new(loaded, None);
    findings.extend(kinds.declared.findings.iter().cloned());
    if let Some(finding) = findings.iter().find(|finding| finding.severity == SourceSeverity::Error) {
        bail!("types: {} (sprag check shows where)", finding.message);
    }
    Ok(Some(Native { kinds, options }))
}

impl Native {
    /// What the rules of the object's type say, if its type is declared.
    pub(super) fn findings(
        &self,
        identity: &Identity,
        object: &Object<'_, '_>,
        old: Option<&Value>,
        policy: &Policy,
    ) -> Option<Vec<Finding>> {
        let def = self.kinds.find(identity.group(), identity.version(), &identity.kind)?;
        let verdict = self.kinds.declared.judge(def, &object.value, old, &self.options, "/");
        let of = |severity: Severity, error: &Error| {
            Finding::of_error(severity, Origin::Types, error).at(object.place(&error.field))
        };
        let mut findings: Vec<Finding> = verdict.errors.iter().map(|error| of(Severity::Error, error)).collect();
        // Every object has these, whether its type declares them or not.
        let is_own = |field: &str| !matches!(field, "apiVersion" | "kind");
        for warning in verdict.warnings.iter().filter(|warning| is_own(&warning.field)) {
            let is_field = warning.message.starts_with("unknown field ");
            let severity = if is_field { policy.field_severity() } else { Severity::Warning };
            let finding = Finding::new(severity, Origin::Types, warning.message.as_ref());
            findings.push(finding.at(object.name_place(&warning.field)));
        }
        Some(findings)
    }
}

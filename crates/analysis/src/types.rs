//! Declared types: objects judged by the tags of their Go or Rust source.

use std::path::PathBuf;

use anyhow::bail;
use sprag_build::Findings;
use sprag_tags::Registry;
use sprag_value::Value;

use super::{Known, Object, Policy};
use crate::commands::load_types;
use crate::declared::Kinds;
use crate::report::{Finding, Identity, Origin};
use crate::switches::Switches;

/// The declared kinds.
pub(crate) struct Native {
    kinds: Kinds,
    /// Warnings about their sources.
    warnings: Vec<String>,
}

/// Reads declared types; no path, no types.
pub(crate) fn types(
    paths: &[PathBuf],
    recursive: bool,
    follow_links: bool,
    registry: &Registry,
    switches: &Switches,
) -> anyhow::Result<Option<Native>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let loaded = load_types(paths, recursive, follow_links)?;
    let (mut findings, sources) = (loaded.findings.clone(), loaded.sources.clone());
    let kinds = Kinds::new(loaded, registry, None, switches)?;
    findings.extend(kinds.declared.findings.iter().cloned());
    let errors = Findings::errors(&findings, &sources);
    if !errors.0.is_empty() {
        bail!("the declared types have errors\n{errors}");
    }
    let warnings = findings.into_iter().map(|finding| finding.message).collect();
    Ok(Some(Native { kinds, warnings }))
}

impl Native {
    /// Returns notes on parts of the kinds that are not validated.
    pub(super) fn notes(&self) -> Vec<String> {
        self.kinds.notes()
    }

    /// Returns warnings about the sources of the types.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        self.warnings.iter().map(|warning| format!("types: {warning}"))
    }

    /// Returns the findings on the object, if its type is declared.
    pub(super) fn findings(
        &self,
        identity: &Identity,
        object: &Object<'_, '_>,
        old: Option<&Value>,
        policy: &Policy,
    ) -> Option<Vec<Finding>> {
        let version = identity.version();
        let resource = &self.kinds.find(identity.group(), version, &identity.kind)?;
        let known = Known { offline: self.kinds.offline(), resource, version, origin: Origin::Types };
        Some(known.findings(object, old, policy))
    }
}

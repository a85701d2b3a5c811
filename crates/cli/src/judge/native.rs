//! Declared types: objects judged by the tags of their Go or Rust source.

use std::path::PathBuf;

use anyhow::bail;
use sprag_build::Findings;
use sprag_rest::FeatureGates;
use sprag_rules::Registry;
use sprag_value::Value;

use super::{Known, Object, Policy};
use crate::commands::load_types;
use crate::declared::Kinds;
use crate::report::{Finding, Identity, Origin};

/// The declared kinds.
pub(crate) struct Native {
    kinds: Kinds,
}

/// Reads declared types; no path, no types.
pub(crate) fn types(
    paths: &[PathBuf],
    recursive: bool,
    registry: &Registry,
    gates: FeatureGates,
) -> anyhow::Result<Option<Native>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let loaded = load_types(paths, recursive)?;
    let (mut findings, sources) = (loaded.findings.clone(), loaded.sources.clone());
    let kinds = Kinds::new(loaded, registry, gates);
    findings.extend(kinds.declared.findings.iter().cloned());
    let errors = Findings::errors(&findings, &sources);
    if !errors.0.is_empty() {
        bail!("the declared types have errors\n{errors}");
    }
    Ok(Some(Native { kinds }))
}

impl Native {
    /// What the API server would say of the object, if its type is declared.
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

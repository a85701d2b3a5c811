//! Findings about types.

use std::path::PathBuf;

use sprag_lint::{Packages, lint_packages};

use super::found::Found;
use super::settings::Chosen;
use crate::commands::types::load_types;

/// Reads the types, lowers their tags, and runs the rules.
pub(super) fn find(paths: &[PathBuf], chosen: &Chosen) -> anyhow::Result<Vec<Found>> {
    let loaded = load_types(paths, true, false)?;
    let read = Packages {
        sources: &loaded.sources,
        packages: loaded.packages,
        given: &loaded.given,
        findings: loaded.findings,
    };
    let findings = lint_packages(read, chosen);
    Ok(findings.into_iter().map(|(finding, level)| Found::in_source(finding, level, &loaded.sources)).collect())
}

//! An API as a tree of fields with their rules, for people: read from types or from definitions.
//!
//! Does not know how it is printed.

pub(crate) mod built_in;
mod definition;
mod types;
mod words;

use std::path::{Path, PathBuf};

use anyhow::bail;

pub(crate) use sprag_analysis::apidoc::{Node, RuleNote};

/// The types, or kinds of definitions, at a path; those that are kinds come first.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Node>> {
    let is_manifest = path
        .extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| matches!(ending, "yaml" | "yml" | "json"));
    if !path.exists() {
        bail!("{}: no such file or directory", path.display());
    }
    if is_manifest { definition::read(path) } else { types::read(&[PathBuf::from(path)]) }
}

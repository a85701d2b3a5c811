//! An API as a tree of fields with their rules, for people: read from types or from definitions.
//!
//! Does not know how it is printed.

pub(crate) mod built_in;
mod definition;
mod program;
mod rule_words;
mod types;
mod words;

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::Serialize;
use sprag_rest::Releases;

/// A type or field.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    /// The name on the wire; of a type, its own.
    pub(crate) name: String,
    /// The type, in words of the API.
    #[serde(rename = "type")]
    pub(crate) ty: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) doc: String,
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<String>,
    /// The releases of Kubernetes that have it, if not all do: `since 1.35`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) releases: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<RuleNote>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<Node>,
}

/// A rule that holds for a value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RuleNote {
    /// The rule as written.
    pub(crate) rule: String,
    /// The same in plain words.
    pub(crate) words: String,
    /// `alpha`, `beta` or `stable`.
    pub(crate) stage: &'static str,
    /// Its origin: the field's own tag, its type, or an enclosing field.
    pub(crate) origin: String,
    /// Its position: file, line and column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// The releases of Kubernetes in which it holds, if not in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) releases: Option<String>,
}

/// A range of releases in words: `since 1.35`, `until 1.36`; nothing for all.
pub(crate) fn in_releases(releases: Releases) -> Option<String> {
    let (oldest, newest) = releases.oldest().zip(releases.newest())?;
    match () {
        () if releases.is_all() => None,
        () if releases == Releases::since(oldest) => Some(format!("since {oldest}")),
        () if releases == Releases::until(newest) => Some(format!("until {newest}")),
        () => Some(format!("in {}", releases.names())),
    }
}

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

impl Node {
    /// The node with this many levels of fields below it.
    pub(crate) fn cut(mut self, depth: usize) -> Node {
        self.fields = match depth.checked_sub(1) {
            None => Vec::new(),
            Some(depth) => self.fields.into_iter().map(|field| field.cut(depth)).collect(),
        };
        self
    }
}

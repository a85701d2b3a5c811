//! An API as a tree of fields with their rules in words, from declared kinds or from schemas.
//!
//! Does not know how it is printed.

mod program;
mod rule_words;
mod schema;

use serde::Serialize;
use sprag_rest::Releases;

pub use self::program::Reader;
pub use self::schema::{keyword, of_schema};

/// A type or field.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// The name on the wire; of a type, its own.
    pub name: String,
    /// The type, in words of the API.
    #[serde(rename = "type")]
    pub ty: String,
    /// The documentation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// True if it has to be set.
    pub required: bool,
    /// The value that it has where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The releases of Kubernetes that have it, if not all do: `since 1.35`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<String>,
    /// The values that it may have, where they are listed.
    #[serde(skip)]
    pub values: Vec<String>,
    /// The rules that hold for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleNote>,
    /// The fields in it, or in its elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Node>,
}

/// A rule that holds for a value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleNote {
    /// The rule as written.
    pub rule: String,
    /// The same in plain words.
    pub words: String,
    /// `alpha`, `beta` or `stable`.
    pub stage: &'static str,
    /// Its origin: the field's own tag, its type, or an enclosing field.
    pub origin: String,
    /// Its position: file, line and column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The releases of Kubernetes in which it holds, if not in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<String>,
}

/// A range of releases in words: `since 1.35`, `until 1.36`; nothing for all.
pub fn in_releases(releases: Releases) -> Option<String> {
    let (oldest, newest) = releases.oldest().zip(releases.newest())?;
    match () {
        () if releases.is_all() => None,
        () if releases == Releases::since(oldest) => Some(format!("since {oldest}")),
        () if releases == Releases::until(newest) => Some(format!("until {newest}")),
        () => Some(format!("in {}", releases.names())),
    }
}

impl Node {
    /// The node with this many levels of fields below it.
    #[must_use]
    pub fn cut(mut self, depth: usize) -> Node {
        self.fields = match depth.checked_sub(1) {
            None => Vec::new(),
            Some(depth) => self.fields.into_iter().map(|field| field.cut(depth)).collect(),
        };
        self
    }

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&Node> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// True if it is a list.
    pub fn is_list(&self) -> bool {
        self.ty.starts_with("[]")
    }

    /// True if it is a map with keys of its own.
    pub fn is_map(&self) -> bool {
        self.ty.starts_with("map[")
    }
}

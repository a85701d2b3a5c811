//! Tags: what a `+name(args)=value` line says, before anyone knows what it means.

mod cursor;
mod parse;
#[cfg(test)]
mod tests;

use crate::span::Span;

pub use self::parse::{MAX_LIST_DEPTH, MAX_TAG_CHAIN, TagError, parse_tag, raw_value, tag_name};

/// The syntax of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// The syntax of the reference tag parser, with its error texts.
    Kubernetes,
    /// Every spelling that KEP-5073 uses: a superset of `Kubernetes`.
    Kep,
}

/// One tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The full name, such as `k8s:minimum`.
    pub name: String,
    /// Arguments between parentheses, in order.
    pub args: Vec<Arg>,
    /// The value after `=`.
    pub value: TagValue,
    /// The whole tag in its source.
    pub span: Span,
}

/// One argument of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name; `None` when positional.
    pub name: Option<String>,
    /// Its value.
    pub value: Scalar,
}

/// A literal in a tag. Integers keep their spelling: some tags insist on plain decimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A quoted string or bare identifier.
    String(String),
    /// An integer as written.
    Int(String),
    /// `true` or `false`.
    Bool(bool),
    /// A list of literals; only in [`Syntax::Kep`].
    List(Vec<Scalar>),
}

/// The value after the `=` of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagValue {
    /// Nothing: there is no `=`.
    None,
    /// A literal.
    Scalar(Scalar),
    /// Another tag.
    Tag(Box<Tag>),
}

impl Tag {
    /// The first positional argument.
    pub fn positional(&self) -> Option<&Scalar> {
        self.args.iter().find(|arg| arg.name.is_none()).map(|arg| &arg.value)
    }

    /// The argument with this name.
    pub fn named(&self, name: &str) -> Option<&Scalar> {
        self.args.iter().find(|arg| arg.name.as_deref() == Some(name)).map(|arg| &arg.value)
    }

    /// The tag after `=`, if that is what follows.
    pub fn inner(&self) -> Option<&Tag> {
        match &self.value {
            TagValue::Tag(tag) => Some(tag),
            _ => None,
        }
    }
}

impl Scalar {
    /// The text as Go's tag parser keeps it: strings without quotes, integers as written.
    pub fn text(&self) -> String {
        match self {
            Scalar::String(text) | Scalar::Int(text) => text.clone(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::List(items) => {
                let items: Vec<String> = items.iter().map(Scalar::text).collect();
                format!("[{}]", items.join(","))
            }
        }
    }

    /// The kind's name in error texts.
    pub fn kind(&self) -> &'static str {
        match self {
            Scalar::String(_) => "string",
            Scalar::Int(_) => "int",
            Scalar::Bool(_) => "bool",
            Scalar::List(_) => "list",
        }
    }
}

//! Reads API types: tag grammar, type model, and a reader each for Go and Rust source.
//!
//! Does not know what any tag means. Bad input yields findings with positions beside whatever could be read.

pub mod model;
mod span;
mod tag;
mod unicode;

pub use crate::span::{FileId, Finding, Location, Severity, SourceFile, Sources, Span};
pub use crate::tag::{
    Arg, MAX_LIST_DEPTH, MAX_TAG_CHAIN, Scalar, Syntax, Tag, TagError, TagValue, parse_tag, raw_value, tag_name,
};

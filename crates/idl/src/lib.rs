//! Reads API types: tag grammar, type model, and a reader each for Go and Rust source.
//!
//! Does not know what any tag means. Bad input yields findings with positions beside whatever could be read.

#[cfg(any(feature = "go", feature = "rust"))]
mod comment;
#[doc(hidden)]
pub mod fuzz;
#[cfg(feature = "go")]
pub mod go;
pub mod model;
#[cfg(test)]
mod render;
mod span;
mod tag;
mod unicode;

#[cfg(feature = "go")]
pub use crate::go::{GoPackageInput, read_go};
pub use crate::span::{FileId, Finding, Location, Severity, SourceFile, Sources, Span};
pub use crate::tag::{
    Arg, MAX_LIST_DEPTH, MAX_TAG_CHAIN, Scalar, Syntax, Tag, TagError, TagValue, parse_tag, raw_value, tag_name,
};

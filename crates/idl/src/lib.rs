//! Reads API types: tag grammar, type model, and a reader each for Go and Rust source.
//!
//! Does not know what any tag means. Bad input yields findings with positions beside whatever could be read.

#[cfg(any(feature = "go", feature = "rust"))]
mod comment;
#[doc(hidden)]
pub mod fuzz;
#[cfg(feature = "go")]
pub mod go;
#[cfg(any(feature = "go", feature = "rust"))]
mod lex;
pub mod model;
#[cfg(any(feature = "go", feature = "rust"))]
mod reader;
#[cfg(test)]
#[cfg(any(feature = "go", feature = "rust"))]
mod render;
#[cfg(feature = "rust")]
pub mod rust;
mod span;
mod tag;
mod unicode;

#[cfg(feature = "go")]
pub use crate::go::{GoPackageInput, read_go};
#[cfg(any(feature = "go", feature = "rust"))]
pub use crate::lex::{MAX_ENTRIES, MAX_FILE_BYTES, MAX_TYPE_DEPTH};
#[cfg(feature = "rust")]
pub use crate::rust::{RustModuleInput, read_rust};
pub use crate::span::{FileId, Finding, Location, Severity, SourceFile, Sources, Span};
pub use crate::tag::{
    Arg, MAX_LIST_DEPTH, MAX_TAG_CHAIN, Scalar, Syntax, Tag, TagError, TagValue, parse_tag, raw_value, tag_name,
};

//! Reads API types: tag grammar, type model, and a reader each for Go and Rust source.
//!
//! Does not know what any tag means. Bad input yields findings with positions beside whatever could be read.
//!
//! ```
//! # #[cfg(feature = "rust")] {
//! use sprag_idl::model::TypeKind;
//! use sprag_idl::{RustModuleInput, Sources, read_rust};
//!
//! let mut sources = Sources::default();
//! let file = sources.add("v1.rs", "pub struct Spec {\n    /// +k8s:minimum=0\n    pub replicas: Option<i32>,\n}\n");
//! let (package, findings) = read_rust(RustModuleInput { path: "widgets::v1", files: &[file] }, &sources);
//! assert!(findings.is_empty());
//!
//! let TypeKind::Struct(fields) = &package.types[0].kind else { panic!("a struct was declared") };
//! assert_eq!(fields[0].tags[0].text, "k8s:minimum=0");
//! assert_eq!(sources.locate(fields[0].tags[0].span).unwrap().to_string(), "v1.rs:2:10");
//! # }
//! ```

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
pub use crate::go::{GoPackageInput, read_go, read_go_with};
#[cfg(any(feature = "go", feature = "rust"))]
pub use crate::lex::{MAX_ENTRIES, MAX_FILE_BYTES, MAX_TYPE_DEPTH};
#[cfg(feature = "rust")]
pub use crate::rust::{RustModuleInput, RustPart, read_rust, rust_parts};
pub use crate::span::{FileId, Finding, Location, Severity, SourceFile, Sources, Span};
pub use crate::tag::{
    Arg, MAX_LIST_DEPTH, MAX_TAG_CHAIN, Scalar, Syntax, Tag, TagError, TagValue, parse_tag, raw_value, tag_name,
};

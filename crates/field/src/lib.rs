//! Field paths and validation errors, rendered exactly like Kubernetes renders them.
//!
//! A [`Path`] says where, an [`Error`] says what, [`Errors`] collects. A [`Matcher`] compares expected with actual
//! errors, [`enforce`] decides which of them a user sees, [`status`] turns them into the parts of an API response.
//!
//! Does not know: any validation rule, any type, any source language.
//!
//! ```
//! use sprag_field::{Error, Path};
//!
//! let spec = Path::new("spec");
//! let ports = spec.child("ports");
//! let error = Error::invalid(&ports.index(2), "no", "must be a number");
//! assert_eq!(error.to_string(), r#"spec.ports[2]: Invalid value: "no": must be a number"#);
//! ```
mod authority;
mod bad_value;
mod error;
mod errors;
mod kind;
mod matcher;
mod normalize;
mod path;
mod printable;
pub mod quote;
pub mod status;

pub use crate::authority::{Discrepancy, Enforced, Enforcement, discrepancies, enforce};
pub use crate::bad_value::BadValue;
pub use crate::error::{Body, Error, MAX_TEXT, Source, Stage, UnchangedPart, cut};
pub use crate::errors::{Errors, MAX_BYTES, MAX_ERRORS, Tolerated, Warning};
pub use crate::kind::ErrorKind;
pub use crate::matcher::{Matcher, Mismatch};
pub use crate::normalize::{NormalizationRule, TemplateError};
pub use crate::path::Path;

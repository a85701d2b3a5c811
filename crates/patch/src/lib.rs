//! Patches: JSON Patch, merge patch, strategic merge, server-side apply.
//!
//! Texts and values in, values and findings out. Does not know: HTTP, storage, where a shape came from, the clock.
//!
//! - [`json_patch`] and [`merge_patch`] work on JSON text, as the reference does: which bytes of a patch survive into
//!   the patched object decides what is reported about it.
//! - [`strategic`] merges values by the merge keys of a shape.
//! - [`strict`] puts the three under field validation: findings about the patch and about what it makes.
//! - [`apply`] merges values by the list types of a shape and keeps track of which manager owns which field.
//!
//! ```
//! use sprag_patch::{json_patch, merge_patch};
//!
//! let object = r#"{"spec":{"replicas":3,"paused":true}}"#;
//! let merged = merge_patch::apply(object, br#"{"spec":{"replicas":4,"paused":null}}"#)?;
//! assert_eq!(merged, r#"{"spec":{"replicas":4}}"#);
//!
//! let patched = json_patch::apply(object, br#"[{"op":"remove","path":"/spec/paused"}]"#)?;
//! assert_eq!(patched, r#"{"spec":{"replicas":3}}"#);
//! # Ok::<(), sprag_patch::PatchError>(())
//! ```

pub mod apply;
mod error;
mod go;
pub mod json_patch;
mod list;
pub mod merge_patch;
mod raw;
pub mod strategic;
pub mod strict;

pub use crate::error::{Cause, Conflicts, PatchError};

//! Runs the generator from a build script.
//!
//! The side of the authoring path that touches files: [`load`] finds API types on disk and reads them, [`Config`]
//! turns them into validators below `OUT_DIR`.

mod config;
mod error;
pub mod load;

pub use crate::config::{Compiled, Config};
pub use crate::error::{CompileError, Findings};
pub use sprag_rules::{CustomTag, Dialect, Scope};

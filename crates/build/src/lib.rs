//! Runs the generator from a build script.
//!
//! The side of the authoring path that touches files: [`load`] finds API types on disk and reads them, [`Config`]
//! turns them into validators below `OUT_DIR`.
//!
//! ```
//! use sprag_build::Config;
//!
//! let folder = std::env::temp_dir().join(format!("sprag-build-{}", std::process::id()));
//! std::fs::create_dir_all(folder.join("src"))?;
//! std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"widgets\"\n")?;
//! std::fs::write(folder.join("src/v1.rs"), "pub struct Spec {\n    /// +k8s:minimum=0\n    pub replicas: i32,\n}\n")?;
//!
//! // A build script calls `compile()`, which takes the folder and the crate from cargo.
//! let compiled = Config::new().file(folder.join("src/v1.rs")).compile_to(&folder, "widgets")?;
//! let root = std::fs::read_to_string(compiled.root)?;
//! assert!(root.contains(r#"Entry::of::<crate::v1::Spec>("widgets::v1", "Spec")"#), "{root}");
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Does not know: what a tag means, what generated code looks like.

mod config;
mod error;
pub mod load;
mod tags;

pub use crate::config::{Compiled, Config};
pub use crate::error::{CompileError, Findings};
pub use crate::tags::{TagsFileError, read_tags, registry};
pub use sprag_tags::{ArgSpec, CustomTag, CustomTagError, Dialect, LiteralKind, PayloadSpec, Scope};

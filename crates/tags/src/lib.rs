//! The meaning of each tag: one file per tag family, lowered to a [`Plan`](sprag_program::Plan).
//!
//! Does not know printing or files. Only this crate interprets a tag; both backends see the plan alone.
//!
//! ```
//! use sprag_field::Errors;
//! use sprag_idl::{RustModuleInput, Sources, read_rust};
//! use sprag_program::NoHooks;
//! use sprag_tags::types::Universe;
//! use sprag_tags::{LowerOptions, Registry, Untagged, lower, program};
//! use sprag_checks::Request;
//! use sprag_value::json;
//!
//! let mut sources = Sources::default();
//! let file = sources.add("v1.rs", "pub struct Spec {\n    /// +k8s:minimum=0\n    pub replicas: i32,\n}\n");
//! let (package, _) = read_rust(RustModuleInput { path: "widgets::v1", files: &[file] }, &sources);
//! let universe = Universe::new(vec![package], |_| true);
//!
//! let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
//! let lowering = lower(&universe, &Registry::standard(), options);
//! assert!(lowering.findings.is_empty());
//!
//! let spec = universe.find("widgets::v1", "Spec").unwrap();
//! let mut errors = Errors::new();
//! let object = json::parse(br#"{"replicas": -1}"#)?;
//! program(&universe, &lowering).validate(&NoHooks, &Request::create(), spec, &object, None, &mut errors);
//! let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
//! assert_eq!(texts, ["replicas: Invalid value: -1: must be greater than or equal to 0"]);
//! # Ok::<(), json::JsonError>(())
//! ```

mod dialect;
pub mod kubebuilder;
mod lower;
mod markers;
mod program;
mod registry;
mod resource;
mod shapes;
mod tags;
pub mod types;

pub use crate::dialect::{DIALECT_TAG, Dialect, UnknownDialect};
pub use crate::lower::{Foreign, Hooks, LowerOptions, Lowering, Mistakes, Untagged, lower};
pub use crate::markers::{ALLOW, MARKERS, Marker};
pub use crate::program::{group_version, program, program_parts};
pub use crate::registry::{
    ArgSpec, CustomTag, CustomTagError, Known, LiteralKind, Payload, PayloadSpec, Registry, Scope, Stability, TagRule,
};
pub use crate::resource::{ResourceReader, is_resource};
pub use crate::shapes::ShapeTable;
pub use crate::tags::{FormatName, formats, releases_of};

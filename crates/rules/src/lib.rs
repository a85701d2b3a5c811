//! The meaning of each tag: one file per tag family, lowered to a [`Plan`](sprag_plan::Plan).
//!
//! Does not know printing or files. Only this crate interprets a tag; both backends see the plan alone.

mod dialect;
mod lower;
mod program;
mod registry;
mod resource;
mod shapes;
mod tags;
pub mod types;

pub use crate::dialect::{DIALECT_TAG, Dialect, UnknownDialect};
pub use crate::lower::{Foreign, Hooks, LowerOptions, Lowering, Untagged, lower};
pub use crate::program::program;
pub use crate::registry::{ArgSpec, CustomTag, Known, LiteralKind, Payload, Registry, Scope, Stability, TagRule};
pub use crate::resource::{ResourceReader, is_resource};
pub use crate::shapes::ShapeTable;

//! What each tag means: one file per tag family, lowered to a [`Plan`](sprag_plan::Plan).
//!
//! Does not know printing or files. Only this crate interprets a tag; both backends see the plan alone.

mod dialect;
mod facts;
mod interpret;
mod lower;
mod registry;
mod shapes;
mod tags;
pub mod types;

pub use crate::dialect::{DIALECT_TAG, Dialect, UnknownDialect};
pub use crate::facts::{ColumnFact, GatedField, ResourceFacts, Step, is_resource, resource_facts};
pub use crate::interpret::{HookTable, Interpreter, NoHooks};
pub use crate::lower::{Foreign, Hooks, LowerOptions, Lowering, Untagged, lower};
pub use crate::registry::{ArgSpec, CustomTag, Known, LiteralKind, Payload, Registry, Scope, Stability, TagRule};
pub use crate::shapes::ShapeTable;

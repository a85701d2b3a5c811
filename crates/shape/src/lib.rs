//! What a type looks like at run time: names, kinds, lists, patch rules, defaults, docs.
//!
//! Data only, the same whether it is `static` source printed by a generator or built from a schema while running.
//! [`Shapes`] is the table, [`TypeShape`] and [`Field`] its rows. Does not know: where a shape came from, any rule.

mod check;
mod default;
mod go_json;
pub mod meta;
mod model;
mod shapes;
mod zero;

pub use crate::check::{Fault, ShapeError};
pub use crate::default::{MAX_APPLIED, apply_defaults};
pub use crate::go_json::to_go_json;
pub use crate::model::{Field, Kind, ListType, Patch, Slot, Str, Strs, TypeId, TypeRef, TypeShape, UnknownFields};
pub use crate::shapes::Shapes;

#[cfg(test)]
mod sample;

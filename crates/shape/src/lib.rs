//! The shape of a type at run time: names, kinds, lists, patch rules, defaults, docs.
//!
//! Data only, the same whether it is `static` source printed by a generator or built from a schema while running.
//! [`Shapes`] is the table, [`TypeShape`] and [`Field`] its rows. Does not know: where a shape came from, any rule.
//!
//! ```
//! use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef, TypeShape, apply_defaults};
//! use sprag_value::json;
//!
//! let int = Kind::Int { bits: 32, signed: true };
//! let shapes = Shapes::new(vec![
//!     TypeShape::new("", int),
//!     TypeShape::new("v1.Spec", Kind::of_fields(vec![
//!         Field::new("replicas", "Replicas", TypeRef::pointer(TypeId(0))).default("1"),
//!     ].into())),
//! ]);
//! assert!(shapes.check().is_empty());
//!
//! let mut spec = json::parse(b"{}")?;
//! apply_defaults(&shapes, TypeId(1), &mut spec);
//! assert_eq!(json::to_string(&spec), r#"{"replicas":1}"#);
//! # Ok::<(), json::JsonError>(())
//! ```

mod change;
mod check;
mod default;
mod go_json;
mod joined;
pub mod messages;
pub mod meta;
mod model;
mod same;
mod shapes;
mod zero;

pub use crate::change::Change;
pub use crate::check::{Fault, ShapeError};
pub use crate::default::{MAX_APPLIED, apply_defaults};
pub use crate::go_json::{InternalField, InternalFields, to_go_json, to_internal_go_json};
pub use crate::joined::Joined;
pub use crate::model::{
    Field, Kind, ListType, MapType, Message, Patch, Slot, Str, Strs, TypeId, TypeRef, TypeShape, UnknownFields,
};
pub use crate::shapes::Shapes;

#[cfg(test)]
mod sample;

//! Server-side apply: merges an applied object into a stored one and maintains managed fields.
//!
//! The parts, from the bottom up: a [`PathElement`] names a child of a value, a [`FieldSet`] is a set of paths and is
//! stored as `fieldsV1`, a `Ty` is a shape as apply sees it. Walks over typed values check them, list their fields,
//! compare, merge and remove. [`Resource`] puts them together: what [`Resource::apply`] and [`Resource::update`] do to
//! an object and to its `metadata.managedFields`.

mod cap;
mod compare;
mod configuration;
mod conflict;
mod disown;
mod fields;
mod fields_v1;
mod first_fields;
mod last_applied;
mod managed;
mod merge;
mod named;
mod own_fields;
mod owned_set;
mod path;
mod prune;
mod reconcile;
mod remove;
mod resource;
mod scale;
mod set;
mod skipped;
mod sorted;
mod strip;
mod ty;
mod typed;
mod updater;
mod validate;

pub use self::configuration::merge_configuration;
pub use self::last_applied::last_applied;
pub use self::managed::check_managed_fields;
pub use self::path::PathElement;
pub use self::resource::{ConvertError, Resource, Versions};
pub use self::scale::ScaleFields;
pub use self::set::FieldSet;

use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

/// The part of a value that a set of paths names, as a manager would have applied it.
pub fn extract(shapes: &Shapes, ty: TypeId, value: &Value, set: &FieldSet) -> Value {
    remove::extract(ty::Ty::root(shapes, ty), value, &set.leaves())
}

#[cfg(test)]
mod tests;

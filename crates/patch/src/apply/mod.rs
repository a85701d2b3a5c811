//! Server-side apply: merges an applied object into a stored one and maintains managed fields.
//!
//! The steps of a write, each a folder:
//!
//! 1. `types`: the value is held against its shape, which says what of it is one value, a list or a map;
//! 2. `fields`: the fields that it has, or that differ from the old ones, are a [`FieldSet`] of paths of [`PathElement`]s;
//! 3. `owners`: others that own some of them are in conflict; managed fields say from then on who owns what;
//! 4. `merge`: an applied value goes into the live one, and what its manager applies no more goes out.
//!
//! [`Resource`] takes the steps: [`Resource::apply`] for applied objects, [`Resource::update`] for all other writes.

mod fields;
mod merge;
mod owners;
mod resource;
mod types;

pub use self::fields::path::PathElement;
pub use self::fields::set::FieldSet;
pub use self::merge::configuration::merge_configuration;
pub use self::owners::last_applied::last_applied;
pub use self::owners::managed::check_managed_fields;
pub use self::owners::scale::ScaleFields;
pub use self::resource::{ConvertError, Resource, Versions};

use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

/// The part of a value that a set of paths names, as a manager would have applied it.
pub fn extract(shapes: &Shapes, ty: TypeId, value: &Value, set: &FieldSet) -> Value {
    merge::remove::extract(types::ty::Ty::root(shapes, ty), value, &set.leaves())
}

#[cfg(test)]
mod tests;

//! Strategic merge patch: merges a patch into a value by the merge keys and directives of a shape.
//!
//! Directives are members of a patch whose names begin with `$`:
//! - `$patch: replace` or `delete` stands in an object and concerns that object;
//! - `$retainKeys: [..]` drops all members that it does not list;
//! - `$deleteFromPrimitiveList/<field>: [..]` removes elements of a list of scalars;
//! - `$setElementOrder/<field>: [..]` says in which order a merged list ends up.

mod directive;
mod element_order;
mod error;
mod list;
mod map;
mod positions;

use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use crate::PatchError;
use crate::go::no_map;

/// Merges the patch into a value of type `ty`.
///
/// As in the reference, the patch loses what the merge consumed: directives, nulls that removed nothing, ordered
/// lists. What is left of it is what an error about the merged value quotes; see [`quote`].
pub fn merge(shapes: &Shapes, ty: TypeId, value: &Value, patch: &mut Value) -> Result<Value, PatchError> {
    let Some(members) = patch.as_object_mut() else { return Err(PatchError::BadRequest(no_map(patch))) };
    let original = value.as_object().cloned().unwrap_or_default();
    map::merge(shapes, ty, original, members).map(Value::Object)
}

/// The patch as errors about the merged value quote it: `map[spec:map[replicas:1]]`.
pub fn quote(patch: &Value) -> String {
    crate::go::Plain(patch).to_string()
}

#[cfg(test)]
mod tests;

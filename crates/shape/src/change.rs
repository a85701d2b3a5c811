//! A field and what it was before an update.

use sprag_value::Value;

use crate::{Shapes, TypeRef};

/// The change of a field by an update, which rules about changes judge.
#[derive(Clone, Copy, Debug)]
pub struct Change<'v> {
    /// The type of the field.
    pub ty: TypeRef,
    /// The value, as far as there is one.
    pub new: Option<&'v Value>,
    /// The value before the update.
    pub old: Option<&'v Value>,
    /// The type has a name of its own, so that errors show its strings as JSON.
    pub is_named: bool,
    /// A declared rule that every write is judged by finds the same: errors are marked as covered by it.
    pub is_covered: bool,
}

impl Change<'_> {
    /// Tells if the values mean the same, see [`Shapes::same`].
    pub fn is_none(&self, shapes: &Shapes) -> bool {
        shapes.same(self.ty, self.old, self.new)
    }
}

//! Maps: made by the expression, or views of objects of the input.

use sprag_value::Object;

use super::Val;
use crate::decl::{DYN, DeclType};

/// A map value.
#[derive(Clone, Copy, Debug)]
pub enum Map<'a> {
    /// Entries the expression made, sorted by key.
    Made(&'a [(Val<'a>, Val<'a>)]),
    /// An object of the input with its declared type.
    Json(&'a Object, &'a DeclType),
}

impl<'a> Map<'a> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::Made(entries) => entries.len(),
            Self::Json(object, _) => object.len(),
        }
    }

    /// The entries in key order; of an object those that are declared and not null.
    pub fn iter(self) -> impl Iterator<Item = (Val<'a>, Val<'a>)> {
        (0..self.len()).filter_map(move |index| self.at(index))
    }

    fn at(&self, index: usize) -> Option<(Val<'a>, Val<'a>)> {
        match self {
            Self::Made(entries) => entries.get(index).copied(),
            Self::Json(object, decl) => {
                let entry = object.entries().get(index)?;
                let element = decl.element.as_deref().unwrap_or(&DYN);
                Some((Val::String(entry.key()), Val::declared(entry.value(), element)))
            }
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

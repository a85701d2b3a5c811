//! Lists: made by the expression, or views of the input.

use sprag_value::Array;

use super::Val;
use crate::decl::{DYN, DeclType};

/// A list value.
#[derive(Clone, Copy, Debug)]
pub enum List<'a> {
    /// Elements the expression made.
    Made(&'a [Val<'a>]),
    /// A list of the input with its declared type.
    Json(&'a Array, &'a DeclType),
    /// The sum of two lists.
    Sum(&'a Sum<'a>),
}

/// Two lists one after the other, so that adding long lists copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct Sum<'a> {
    left: List<'a>,
    right: List<'a>,
    len: usize,
}

impl Sum<'_> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a> List<'a> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Made(elements) => elements.len(),
            Self::Json(array, _) => array.len(),
            Self::Sum(sum) => sum.len,
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`.
    pub fn get(&self, mut index: usize) -> Option<Val<'a>> {
        let mut list = *self;
        loop {
            match list {
                Self::Made(elements) => return elements.get(index).copied(),
                Self::Json(array, decl) => {
                    let element = decl.element.as_deref().unwrap_or(&DYN);
                    return array.get(index).map(|value| Val::declared(value, element));
                }
                Self::Sum(sum) if index < sum.left.len() => list = sum.left,
                Self::Sum(sum) => {
                    index -= sum.left.len();
                    list = sum.right;
                }
            }
        }
    }

    /// The elements in order.
    pub fn iter(self) -> impl Iterator<Item = Val<'a>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

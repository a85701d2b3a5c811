//! A set that needs no memory of its own while it is small, for names that must be unique or known.

use std::collections::HashSet;
use std::hash::Hash;

/// The number of elements that fit without allocation.
const FEW: usize = 16;

/// Elements that were met before.
#[derive(Debug)]
pub(crate) struct Seen<T> {
    few: [Option<T>; FEW],
    len: usize,
    many: HashSet<T>,
}

impl<T: Copy + Eq + Hash> Seen<T> {
    pub(crate) fn new() -> Seen<T> {
        Seen { few: [None; FEW], len: 0, many: HashSet::new() }
    }

    /// Adds an element. Tells if it is new.
    pub(crate) fn insert(&mut self, element: T) -> bool {
        if self.contains(element) {
            return false;
        }
        match self.few.get_mut(self.len) {
            Some(place) => {
                *place = Some(element);
                self.len += 1;
            }
            None => {
                self.many.insert(element);
            }
        }
        true
    }

    pub(crate) fn contains(&self, element: T) -> bool {
        self.few[..self.len].contains(&Some(element)) || self.many.contains(&element)
    }

    /// The elements in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> {
        self.few[..self.len].iter().flatten().chain(&self.many).copied()
    }
}

impl<T: Copy + Eq + Hash> FromIterator<T> for Seen<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Seen<T> {
        let mut seen = Seen::new();
        for element in elements {
            seen.insert(element);
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_beyond_the_first_few() {
        let mut seen: Seen<usize> = (0..FEW).collect();
        assert!(!seen.insert(FEW - 1) && seen.insert(FEW) && !seen.insert(FEW));
        assert!(seen.contains(0) && seen.contains(FEW) && !seen.contains(FEW + 1));
        assert_eq!(seen.iter().count(), FEW + 1);
    }
}

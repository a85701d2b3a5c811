//! Positions of the elements of a list, by merge key or by the element itself.

use std::collections::HashMap;

use sprag_value::Value;

/// Lists up to this length are searched from the front.
const FEW: usize = 12;

/// The first position of each key in a list that may grow.
pub(super) struct Positions<'k> {
    key: &'k str,
    keys: Vec<Value>,
    /// Filled once there are more than a few.
    index: HashMap<Value, usize>,
}

impl<'k> Positions<'k> {
    /// Of elements that are objects with a merge key, or plain values when `key` is empty.
    pub(super) fn of(list: &[Value], key: &'k str) -> Self {
        let mut positions = Self { key, keys: Vec::with_capacity(list.len()), index: HashMap::new() };
        for element in list {
            positions.push(element);
        }
        positions
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Takes note of an element at the end of the list.
    pub(super) fn push(&mut self, element: &Value) {
        let key = self.key_of(element).clone();
        if self.keys.len() == FEW {
            for (at, key) in self.keys.iter().enumerate() {
                self.index.entry(key.clone()).or_insert(at);
            }
        }
        if self.keys.len() >= FEW {
            self.index.entry(key.clone()).or_insert(self.keys.len());
        }
        self.keys.push(key);
    }

    /// The first element with the same key as this one.
    pub(super) fn find(&self, element: &Value) -> Option<usize> {
        self.find_key(self.key_of(element))
    }

    /// The first element with this key.
    pub(super) fn find_key(&self, key: &Value) -> Option<usize> {
        if self.keys.len() > FEW {
            return self.index.get(key).copied();
        }
        self.keys.iter().position(|other| other == key)
    }

    fn key_of<'v>(&self, element: &'v Value) -> &'v Value {
        const ABSENT: &Value = &Value::Null;
        if self.key.is_empty() { element } else { element.get(self.key).unwrap_or(ABSENT) }
    }
}

//! Typed views over values: what generated getters return.
//!
//! A view borrows a value and reads it as a declared type without converting it. Nothing fails: what is absent, null or of
//! another kind reads as the zero value, as a field of a Go struct does.

use std::fmt;
use std::marker::PhantomData;

use crate::{Array, Entry, Object, Quantity, Value};

/// A type that a value can be read as.
///
/// ```
/// use sprag_value::view::{List, View};
/// use sprag_value::json;
///
/// let spec = json::parse(br#"{"ports":[80,443],"name":"web"}"#).unwrap();
/// let ports: List<'_, i64> = View::view(spec.get("ports"));
/// assert_eq!(ports.iter().sum::<i64>(), 523);
/// assert_eq!(<&str>::view(spec.get("name")), "web");
/// assert_eq!(Option::<bool>::view(spec.get("ready")), None);
/// ```
pub trait View<'v>: Sized {
    /// Reads a value; the zero value for what is absent or of another kind.
    fn view(value: Option<&'v Value>) -> Self;

    /// True if it is not the zero value; a struct that is held by value is always set.
    fn is_set(&self) -> bool;
}

impl<'v> View<'v> for &'v str {
    fn view(value: Option<&'v Value>) -> Self {
        value.and_then(Value::as_str).unwrap_or_default()
    }

    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}

impl View<'_> for bool {
    fn view(value: Option<&Value>) -> Self {
        value.and_then(Value::as_bool).unwrap_or_default()
    }

    fn is_set(&self) -> bool {
        *self
    }
}

impl View<'_> for i64 {
    fn view(value: Option<&Value>) -> Self {
        value.and_then(Value::as_i64).unwrap_or_default()
    }

    fn is_set(&self) -> bool {
        *self != 0
    }
}

impl View<'_> for f64 {
    fn view(value: Option<&Value>) -> Self {
        value.and_then(Value::as_f64).unwrap_or_default()
    }

    fn is_set(&self) -> bool {
        *self != 0.0
    }
}

impl View<'_> for Quantity {
    fn view(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    fn is_set(&self) -> bool {
        true
    }
}

impl<'v> View<'v> for &'v Value {
    fn view(value: Option<&'v Value>) -> Self {
        value.unwrap_or(&Value::Null)
    }

    fn is_set(&self) -> bool {
        !self.is_null()
    }
}

/// A pointer: `None` when it is not set.
impl<'v, T: View<'v>> View<'v> for Option<T> {
    fn view(value: Option<&'v Value>) -> Self {
        value.filter(|value| !value.is_null()).map(|value| T::view(Some(value)))
    }

    fn is_set(&self) -> bool {
        self.is_some()
    }
}

/// A number or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOrStr<'v> {
    /// A number.
    Int(i64),
    /// A text.
    Str(&'v str),
}

impl<'v> View<'v> for IntOrStr<'v> {
    fn view(value: Option<&'v Value>) -> Self {
        match value.and_then(Value::as_str) {
            Some(text) => IntOrStr::Str(text),
            None => IntOrStr::Int(View::view(value)),
        }
    }

    fn is_set(&self) -> bool {
        true
    }
}

impl fmt::Display for IntOrStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntOrStr::Int(number) => write!(f, "{number}"),
            IntOrStr::Str(text) => f.write_str(text),
        }
    }
}

/// A list of elements of one type.
pub struct List<'v, T> {
    items: &'v [Value],
    element: PhantomData<fn() -> T>,
}

impl<'v, T: View<'v>> List<'v, T> {
    /// The elements in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + Clone {
        self.items.iter().map(|item| T::view(Some(item)))
    }

    /// The element at a position.
    pub fn get(self, index: usize) -> Option<T> {
        self.items.get(index).map(|item| T::view(Some(item)))
    }

    /// The number of elements.
    pub fn len(self) -> usize {
        self.items.len()
    }

    /// Tells if there are no elements.
    pub fn is_empty(self) -> bool {
        self.items.is_empty()
    }

    /// The elements as values.
    pub fn values(self) -> &'v [Value] {
        self.items
    }
}

impl<'v, T> View<'v> for List<'v, T> {
    fn view(value: Option<&'v Value>) -> Self {
        List { items: value.and_then(Value::as_array).map_or(&[], Array::as_slice), element: PhantomData }
    }

    fn is_set(&self) -> bool {
        !self.items.is_empty()
    }
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

/// A map with values of one type.
pub struct Map<'v, T> {
    /// The map, if there is one.
    value: Option<&'v Value>,
    element: PhantomData<fn() -> T>,
}

impl<'v, T: View<'v>> Map<'v, T> {
    /// The entries, sorted by key.
    pub fn iter(self) -> impl Iterator<Item = (&'v str, T)> {
        let entries = self.object().map(Object::entries).unwrap_or_default();
        entries.iter().map(|entry| (entry.key().as_str(), T::view(Some(entry.value()))))
    }

    /// The keys in order.
    pub fn keys(self) -> impl Iterator<Item = &'v str> + Clone {
        self.object().map(Object::entries).unwrap_or_default().iter().map(|entry| entry.key().as_str())
    }

    /// The value of a key.
    pub fn get(self, key: &str) -> Option<T> {
        self.object().and_then(|object| object.get(key)).map(|value| T::view(Some(value)))
    }

    /// Tells if a key is there.
    pub fn contains_key(self, key: &str) -> bool {
        self.object().is_some_and(|object| object.contains_key(key))
    }

    /// The number of entries.
    pub fn len(self) -> usize {
        self.object().map_or(0, Object::len)
    }

    /// Tells if there are no entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Tells if two maps have the same entries; no map and an empty one do.
    pub fn same(self, other: Self) -> bool {
        let entries = |map: Self| map.object().map(Object::entries).unwrap_or_default();
        let equal = |(a, b): (&Entry, &Entry)| a.key() == b.key() && a.value().semantic_eq(b.value());
        self.len() == other.len() && entries(self).iter().zip(entries(other)).all(equal)
    }

    /// The entries as an object; `None` where there is no map.
    pub fn object(self) -> Option<&'v Object> {
        self.value.and_then(Value::as_object)
    }

    /// The map as a value, if there is one.
    pub fn value(self) -> Option<&'v Value> {
        self.value
    }
}

impl<'v, T> View<'v> for Map<'v, T> {
    fn view(value: Option<&'v Value>) -> Self {
        Map { value: value.filter(|value| value.as_object().is_some()), element: PhantomData }
    }

    fn is_set(&self) -> bool {
        self.value.and_then(Value::as_object).is_some_and(|object| !object.is_empty())
    }
}

impl<T> Clone for Map<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Map<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn what_is_absent_null_or_of_another_kind_is_zero() {
        let object = json::parse(br#"{"null":null,"text":"x","list":[null,1]}"#).unwrap();
        for name in ["missing", "null", "list"] {
            assert_eq!(<&str>::view(object.get(name)), "");
        }
        assert_eq!(i64::view(object.get("text")), 0);
        assert!(!bool::view(object.get("text")));
        assert!(Quantity::view(object.get("missing")).is_zero());
        assert_eq!(Option::<&str>::view(object.get("null")), None);
        assert_eq!(Option::<i64>::view(object.get("text")), Some(0));
        let list: List<'_, i64> = View::view(object.get("list"));
        assert_eq!(list.iter().collect::<Vec<_>>(), [0, 1]);
        assert!(<List<'_, i64>>::view(object.get("text")).is_empty());
        assert!(<Map<'_, &str>>::view(object.get("list")).is_empty());
        assert_eq!(IntOrStr::view(None), IntOrStr::Int(0));
    }

    #[test]
    fn maps_are_read_by_key_and_in_order() {
        let object = json::parse(br#"{"b":"2","a":"1"}"#).unwrap();
        let map: Map<'_, &str> = View::view(Some(&object));
        assert_eq!(map.iter().collect::<Vec<_>>(), [("a", "1"), ("b", "2")]);
        assert_eq!((map.get("a"), map.get("c"), map.len()), (Some("1"), None, 2));
    }
}

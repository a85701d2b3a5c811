//! The dynamic object itself.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{Array, Object, Text};

/// The deepest nesting that readers in this workspace accept.
///
/// Dropping, cloning, comparing and printing a [`Value`] recurse once per level. Readers refuse deeper input, which
/// is what keeps those walks within any thread's stack. Code that nests values by itself holds the same line.
pub const MAX_DEPTH: usize = 512;

/// A JSON-like value of 24 bytes. Cloning costs at most one reference count, whatever the size.
///
/// Integers and floats stay apart: `1` and `1.0` are different values. A number that fits 64 bits signed is an
/// integer, every other number is a float.
#[derive(Clone, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number written without fraction or exponent that fits 64 bits.
    Int(i64),
    /// Any other number; finite when it was read from JSON.
    Float(f64),
    /// A string.
    String(Text),
    /// A list.
    Array(Array),
    /// A map from names to values.
    Object(Object),
}

impl Value {
    /// An empty object.
    pub const fn object() -> Self {
        Self::Object(Object::new())
    }

    /// An empty list.
    pub const fn array() -> Self {
        Self::Array(Array::new())
    }

    /// The member `key`, when this is an object that has it.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// The member `key` for change in place, when this is an object that has it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.as_object_mut()?.get_mut(key)
    }

    /// The element at `index`, when this is a list that long.
    pub fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// Follows member names from here down: `value.lookup(&["metadata", "name"])`.
    pub fn lookup(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The string member `key`, or an empty string: the zero value of a field of Go.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The string at the end of a path, or an empty string.
    pub fn text_at(&self, path: &[&str]) -> &str {
        self.lookup(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// The elements of the list member `key`; none when there is no list.
    pub fn list(&self, key: &str) -> &[Value] {
        self.get(key).and_then(Value::as_array).map_or(&[], |list| list.as_slice())
    }

    /// The elements of the list at the end of a path; none when there is no list.
    pub fn list_at(&self, path: &[&str]) -> &[Value] {
        self.lookup(path).and_then(Value::as_array).map_or(&[], |list| list.as_slice())
    }

    /// Sets a member. A null becomes an object first; any other kind of value is left alone and `false` returned.
    pub fn insert(&mut self, key: impl Into<Text>, value: impl Into<Value>) -> bool {
        if self.is_null() {
            *self = Self::object();
        }
        let Self::Object(object) = self else { return false };
        object.insert(key, value);
        true
    }

    /// Removes the member `key` and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.as_object_mut()?.remove(key)
    }

    /// Appends an element. A null becomes a list first; any other kind of value is left alone and `false` returned.
    pub fn push(&mut self, value: impl Into<Value>) -> bool {
        if self.is_null() {
            *self = Self::array();
        }
        let Self::Array(array) = self else { return false };
        array.push(value);
        true
    }

    /// Takes the value, leaving null.
    #[must_use]
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }

    /// True if this is `null`.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The integer, if it is one; a float is never converted.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }

    /// The number as a float; an integer is converted to the nearest one.
    #[inline]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
            Self::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The text, if it is a string.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(value) = self { Some(value.as_str()) } else { None }
    }

    /// The elements, if it is a list.
    #[inline]
    pub fn as_array(&self) -> Option<&Array> {
        if let Self::Array(value) = self { Some(value) } else { None }
    }

    /// The list for change in place, if it is one.
    pub fn as_array_mut(&mut self) -> Option<&mut Array> {
        if let Self::Array(value) = self { Some(value) } else { None }
    }

    /// The object, if it is one.
    #[inline]
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(value) = self { Some(value) } else { None }
    }

    /// The object for change in place, if it is one.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(value) = self { Some(value) } else { None }
    }

    /// The JSON name of the kind: `null`, `boolean`, `integer`, `number`, `string`, `array` or `object`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Float(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The name of the Go type that JSON of this kind is decoded into, as Go's `%T` prints it.
    pub fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::Float(_) => "float64",
            Self::String(_) => "string",
            Self::Array(_) => "[]interface {}",
            Self::Object(_) => "map[string]interface {}",
        }
    }
}

/// Structural equality. Floats compare by number, and NaN equals itself so that equality is total.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => float_bits(*a) == float_bits(*b),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(other)
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Float(value) => float_bits(*value).hash(state),
            Self::String(value) => value.hash(state),
            Self::Array(value) => value.hash(state),
            Self::Object(value) => value.hash(state),
        }
    }
}

/// The bits of the one representative of all floats that are equal to this one.
pub(crate) fn float_bits(value: f64) -> u64 {
    if value == 0.0 {
        0
    } else if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        value.to_bits()
    }
}

/// Prints the value as compact JSON; floats keep a fraction so that they differ from integers.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(value) => write!(f, "{value:?}"),
            Self::Array(value) => value.fmt(f),
            Self::Object(value) => value.fmt(f),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

macro_rules! from_int {
    ($($int:ty)*) => {$(
        impl From<$int> for Value {
            fn from(value: $int) -> Self {
                Self::Int(i64::from(value))
            }
        }
    )*};
}

from_int!(i8 i16 i32 i64 u8 u16 u32);

/// Follows the number rule: a float when it does not fit 64 bits signed.
impl From<u64> for Value {
    fn from(value: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "the number rule asks for the nearest float")]
        i64::try_from(value).map_or(Self::Float(value as f64), Self::Int)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::String(value.into())
    }
}

impl From<&Text> for Value {
    fn from(value: &Text) -> Self {
        Self::String(value.clone())
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(value: Cow<'_, str>) -> Self {
        Self::String(value.into())
    }
}

impl From<Text> for Value {
    fn from(value: Text) -> Self {
        Self::String(value)
    }
}

impl From<Array> for Value {
    fn from(value: Array) -> Self {
        Self::Array(value)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(values: Vec<V>) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(values: [V; N]) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

impl From<Object> for Value {
    fn from(value: Object) -> Self {
        Self::Object(value)
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::Object(members.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;

//! Path elements.

use std::cmp::Ordering;
use std::fmt;

use ecow::EcoVec;
use sprag_field::{BadValue, quote};
use sprag_value::{Object, Text, Value};

/// One step from a value to a child.
///
/// Ordered by variant and then by content; integers and floats compare as numbers.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// The member of this name.
    Field(Text),
    /// The element of a keyed list with these keys, sorted by name.
    Key(EcoVec<(Text, Value)>),
    /// The element of a set that equals this scalar.
    Value(Value),
    /// The element at this position.
    Index(i64),
}

impl PathElement {
    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Key(a), Self::Key(b)) => {
                let pairs = a.iter().zip(b.iter());
                let first = pairs.map(|(a, b)| a.0.cmp(&b.0).then_with(|| compare_values(&a.1, &b.1)));
                first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Value(a), Self::Value(b)) => compare_values(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement {}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                let mut separator = '[';
                for (name, value) in keys {
                    write!(f, "{separator}{name}={}", Readable(value))?;
                    separator = ',';
                }
                f.write_str(if keys.is_empty() { "[]" } else { "]" })
            }
            Self::Value(value) => write!(f, "[={}]", Readable(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A value in a path that people read.
struct Readable<'a>(&'a Value);

impl fmt::Display for Readable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            Value::Float(value) => BadValue::from(*value).fmt(f),
            Value::String(text) => quote::go(text).fmt(f),
            Value::Array(elements) => {
                let mut separator = '[';
                for element in elements {
                    write!(f, "{separator}{}", Self(element))?;
                    separator = ',';
                }
                f.write_str(if elements.is_empty() { "[]" } else { "]" })
            }
            Value::Object(members) => members.iter().try_for_each(|(key, value)| write!(f, "{key}={}", Self(value))),
        }
    }
}

/// A total order over values of any kind: numbers, strings, booleans, lists, objects, null.
pub(in crate::apply) fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal)
        }
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            let first = a.iter().zip(b.iter()).map(|(a, b)| compare_values(a, b)).find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => compare_objects(a, b),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Int(_) | Value::Float(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

/// Of two objects with different names, the one that has the first of them comes first.
fn compare_objects(a: &Object, b: &Object) -> Ordering {
    let first = a.iter().zip(b).map(|((name_a, a), (name_b, b))| name_a.cmp(name_b).then_with(|| compare_values(a, b)));
    first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// Equality as apply sees it: integers and floats are the same when they are the same number.
pub(in crate::apply) fn equal_values(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len()
                && (std::ptr::eq(a.as_slice(), b.as_slice()) || a.iter().zip(b).all(|(a, b)| equal_values(a, b)))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && (std::ptr::eq(a.entries(), b.entries())
                    || a.iter().zip(b).all(|((key_a, a), (key_b, b))| key_a == key_b && equal_values(a, b)))
        }
        _ => compare_values(a, b).is_eq(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(pairs: &[(&str, Value)]) -> PathElement {
        PathElement::Key(pairs.iter().map(|(name, value)| (Text::from(*name), value.clone())).collect())
    }

    #[test]
    fn elements_are_ordered_by_kind_then_content() {
        let sorted = [
            PathElement::Field("a".into()),
            PathElement::Field("b".into()),
            key(&[("name", "z".into())]),
            key(&[("port", Value::Int(80))]),
            key(&[("port", Value::Float(80.5))]),
            key(&[("port", Value::Int(443))]),
            key(&[("port", Value::Int(443)), ("x", Value::Null)]),
            PathElement::Value(Value::Int(1)),
            PathElement::Value("a".into()),
            PathElement::Value(Value::Bool(false)),
            PathElement::Index(0),
        ];
        assert!(sorted.is_sorted_by(|a, b| a < b));
        assert_eq!(PathElement::Value(Value::Int(1)), PathElement::Value(Value::Float(1.0)));
    }

    #[test]
    fn elements_are_printed_for_people() {
        let text = [
            PathElement::Field("spec".into()),
            key(&[("name", "a\"".into()), ("port", Value::Int(80))]),
            PathElement::Value("x".into()),
            PathElement::Index(3),
        ];
        let text: String = text.iter().map(ToString::to_string).collect();
        assert_eq!(text, r#".spec[name="a\"",port=80][="x"][3]"#);
    }
}

//! The memory that work on objects takes, estimated by what they are made of and not by their bytes.
//!
//! An empty container is two bytes of protobuf. With its defaults, its errors and the paths of its managed fields it takes more
//! than a kilobyte while a request works on it.

use sprag_decode::protobuf::{self, ProtobufError};
use sprag_value::Value;

use crate::error::{ApiError, Result};

/// The most objects that one object may consist of. A store of Kubernetes takes objects of 1.5 MiB: that many would have to be
/// described in twelve bytes each.
pub const MAX_OBJECTS: usize = protobuf::MAX_OBJECTS;
/// The memory that work on one object within another takes: of containers, which have the most defaults, 1.4 KB were measured.
const OBJECT_BYTES: usize = 1536;
/// The memory that work on the largest object takes.
pub const MOST: usize = MAX_OBJECTS * OBJECT_BYTES;
/// The memory that work on any other value takes.
const VALUE_BYTES: usize = 64;
/// The memory that a byte of text takes: decoded, encoded for the store, and in the review of a webhook or the answer.
const PER_BYTE: usize = 3;
/// About as many bytes as a value has in a text beside its name and its own.
const VALUE_TEXT: usize = 6;

/// Counts values until there are too many.
#[derive(Default)]
struct Count {
    objects: usize,
    values: usize,
    /// The bytes of names and strings.
    text: usize,
}

impl Count {
    fn of(value: &Value) -> Count {
        let mut count = Count::default();
        count.add(value);
        count
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Array(elements) => {
                self.values += 1;
                elements.iter().for_each(|element| self.add(element));
            }
            Value::Object(members) => {
                self.objects += 1;
                if self.objects <= MAX_OBJECTS {
                    for (name, member) in members {
                        self.text += name.len();
                        self.add(member);
                    }
                }
            }
            Value::String(text) => {
                self.values += 1;
                self.text += text.len();
            }
            _ => self.values += 1,
        }
    }

    fn bytes(&self) -> usize {
        self.objects.min(MAX_OBJECTS) * OBJECT_BYTES + self.values * VALUE_BYTES + self.text * PER_BYTE
    }
}

/// The memory that work on an object takes, in bytes.
pub fn of(object: &Value) -> usize {
    Count::of(object).bytes()
}

/// The same for a text of JSON, or for a patch, as far as it can be seen without reading it.
pub fn of_text(text: &[u8]) -> usize {
    let objects = memchr::memchr_iter(b'{', text).count();
    let values = memchr::memchr_iter(b',', text).count();
    Count { objects, values, text: text.len() }.bytes()
}

/// About as many bytes as the text of an object has.
pub fn text_of(object: &Value) -> usize {
    let count = Count::of(object);
    count.text + (count.objects + count.values) * VALUE_TEXT
}

/// Rejects an object that consists of too many.
pub(crate) fn check(object: &Value) -> Result<()> {
    check_count(Count::of(object).objects)
}

/// Rejects an object that consists of so many, if they are too many.
pub(crate) fn check_count(objects: usize) -> Result<()> {
    if objects > MAX_OBJECTS {
        return Err(ApiError::too_large(ProtobufError::TooManyObjects));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(elements: usize) -> Value {
        let mut object = Value::object();
        object.insert("list", Value::from(vec![Value::object(); elements]));
        object
    }

    #[test]
    fn objects_within_one_are_limited() {
        assert!(check(&object(MAX_OBJECTS - 1)).is_ok());
        let error = check(&object(MAX_OBJECTS)).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            (413, "Request entity too large: limit is 131072 objects within one")
        );
    }

    #[test]
    fn objects_weigh_more_than_other_values() {
        let list = "list".len() * PER_BYTE;
        assert_eq!(of(&Value::from(1)), VALUE_BYTES);
        assert_eq!(of(&Value::from("text")), VALUE_BYTES + 4 * PER_BYTE);
        assert_eq!(of(&object(2)), 3 * OBJECT_BYTES + VALUE_BYTES + list);
        let text = br#"{"list":[{},{}]}"#;
        assert_eq!(of_text(text), 3 * OBJECT_BYTES + VALUE_BYTES + text.len() * PER_BYTE);
        let many = b"{".repeat(MAX_OBJECTS + 1);
        assert_eq!(of_text(&many), MAX_OBJECTS * OBJECT_BYTES + many.len() * PER_BYTE);
    }

    #[test]
    fn texts_are_estimated_by_what_is_in_them() {
        let mut object = object(100);
        object.insert("text", "x".repeat(1000));
        let text = sprag_value::json::to_string(&object).len();
        assert!((text / 2..text * 2).contains(&text_of(&object)), "{text} {}", text_of(&object));
    }
}

//! Serde functions that read and write structs as Go's `encoding/json` does; generated types name them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Key, Object, Value, from_value};

/// Reads a value; null is the type's default.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Spec {
///     #[serde(default, deserialize_with = "sprag_value::wire::null_default")]
///     replicas: i32,
/// }
/// let spec: Spec = serde_json::from_str(r#"{"replicas": null}"#).unwrap();
/// assert_eq!(spec.replicas, 0);
/// ```
pub fn null_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Writes an empty list, map or byte string as null, which is what Go makes of one that was never set.
pub fn null_if_empty<T: Serialize + Default + PartialEq, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if is_zero(value) { serializer.serialize_none() } else { value.serialize(serializer) }
}

/// True if a value is its type's default; what `omitempty` and `omitzero` leave out.
pub fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads an embedded struct that may be unset: it is there when any of its members is.
pub fn embedded<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
    members: &'static [&'static str],
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_map(Embedded { members, read: PhantomData })
}

struct Embedded<T> {
    members: &'static [&'static str],
    read: PhantomData<T>,
}

impl<'de, T: DeserializeOwned> Visitor<'de> for Embedded<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
        let mut found = Object::default();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if self.members.contains(&key.as_str()) {
                found.insert(Key::from(key), value);
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        from_value(&Value::Object(found)).map(Some).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Inner {
        a: i32,
        b: i32,
    }

    #[derive(Debug, Deserialize)]
    struct Outer {
        #[serde(flatten, deserialize_with = "inner")]
        inner: Option<Inner>,
    }

    fn inner<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Inner>, D::Error> {
        embedded(deserializer, &["a", "b"])
    }

    #[test]
    fn embedded_struct_is_unset_without_any_of_its_members() {
        let outer: Outer = serde_json::from_str(r#"{"c": 1}"#).unwrap();
        assert_eq!(outer.inner, None);
    }

    #[test]
    fn embedded_struct_is_set_with_one_of_its_members() {
        let outer: Outer = serde_json::from_str(r#"{"c": 1, "b": 2}"#).unwrap();
        assert_eq!(outer.inner, Some(Inner { a: 0, b: 2 }));
    }

    #[test]
    fn error_inside_an_embedded_struct_is_reported() {
        let error = serde_json::from_str::<Outer>(r#"{"a": "x"}"#).unwrap_err().to_string();
        assert!(error.contains("invalid type: string"), "{error}");
    }

    #[test]
    fn empty_list_is_written_as_null() {
        #[derive(Serialize)]
        struct Lists {
            #[serde(serialize_with = "null_if_empty")]
            a: Vec<i32>,
            #[serde(serialize_with = "null_if_empty")]
            b: Vec<i32>,
        }
        let text = serde_json::to_string(&Lists { a: Vec::new(), b: vec![1] }).unwrap();
        assert_eq!(text, r#"{"a":null,"b":[1]}"#);
    }
}

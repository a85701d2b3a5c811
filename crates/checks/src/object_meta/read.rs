//! Reading metadata in canonical form, where an absent member stands for its zero value.

use sprag_value::Value;

/// The elements of a list; none when there is no list.
pub(super) fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map(|array| &array[..]).unwrap_or_default()
}

/// The names and texts of a map of strings, sorted by name.
pub(super) fn string_map(map: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    map.and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

//! Members of objects, read as fields of a Go struct are: what is absent or of another kind is the zero value.

use sprag_value::Value;

/// Members of a map of texts.
pub(super) fn texts(map: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    let object = map.and_then(Value::as_object);
    object.into_iter().flatten().map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

/// An annotation, if there is one.
pub(super) fn annotation<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object.lookup(&["metadata", "annotations"])?.get(key)?.as_str()
}

/// The spec of an object; null when it has none.
pub(super) fn spec(object: &Value) -> &Value {
    static NOTHING: Value = Value::Null;
    object.get("spec").unwrap_or(&NOTHING)
}

/// The members of a list, for change in place.
pub(super) fn items_mut<'v>(value: &'v mut Value, key: &str) -> &'v mut [Value] {
    value.get_mut(key).and_then(Value::as_array_mut).map_or(&mut [], |list| list.as_mut_slice())
}

/// Appends to a list that may be absent.
pub(super) fn push(value: &mut Value, key: &str, item: impl Into<Value>) {
    let mut items = value.remove(key).unwrap_or_default();
    items.push(item);
    value.insert(key, items);
}

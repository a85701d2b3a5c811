//! Directives: finding them, and taking them out of values that are new.

use sprag_value::{Array, Object, Value};

use super::error::format_of;
use crate::PatchError;

pub(super) const PATCH: &str = "$patch";
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";
pub(super) const SET_ORDER: &str = "$setElementOrder";

/// The field that a parallel list such as `$setElementOrder/ports` is about; nothing when it is no such list.
pub(super) fn parallel<'k>(key: &'k str, prefix: &str, name: &str) -> Result<Option<&'k str>, PatchError> {
    match key.strip_prefix(prefix) {
        None => Ok(None),
        Some(rest) => rest.strip_prefix('/').map(Some).ok_or_else(|| format_of(name)),
    }
}

/// True if it is an object with this `$patch` directive.
pub(super) fn has(value: &Value, directive: &str) -> bool {
    value.get(PATCH).is_some_and(|found| *found == *directive)
}

/// The value to use for a patch of something that is not there yet: nulls and directives gone. Nothing when the
/// patch is itself a directive.
pub(super) fn new_value(patch: &mut Value) -> Option<Value> {
    if contains_null(patch) {
        discard_nulls(patch);
    }
    if contains_directive(patch) { remove_directives(patch) } else { Some(patch.clone()) }
}

fn contains_null(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(|value| value.is_null() || contains_null(value)),
        Value::Array(elements) => elements.iter().any(contains_null),
        _ => false,
    }
}

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.iter_mut().for_each(|(_, value)| discard_nulls(value));
        }
        Value::Array(elements) => elements.as_mut_slice().iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

fn contains_directive(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.contains_key(PATCH) || members.values().any(contains_directive),
        Value::Array(elements) => elements.iter().any(contains_directive),
        _ => false,
    }
}

/// Objects lose their directives in the patch too, lists keep them there.
pub(super) fn remove_directives(value: &mut Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(PATCH) => None,
        Value::Object(members) => {
            let kept: Object =
                members.iter_mut().filter_map(|(key, value)| Some((key.clone(), remove_directives(value)?))).collect();
            *members = kept.clone();
            Some(Value::Object(kept))
        }
        Value::Array(elements) => {
            let kept: Array = elements.as_mut_slice().iter_mut().filter_map(remove_directives).collect();
            Some(Value::Array(kept))
        }
        scalar => Some(scalar.clone()),
    }
}

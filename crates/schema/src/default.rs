//! Defaulting: members that are absent get the default of their schema, from the outside in.

use sprag_value::{Array, Object, Value};

use crate::node::{Default, Node};

/// Maximum number of values that defaults add to one object. Defaults are shared, not copied, so that this bounds what
/// an object costs once it is printed.
pub const MAX_DEFAULTED: usize = 4_000_000;

/// Defaults would add more than [`MAX_DEFAULTED`] values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("defaults add more than {MAX_DEFAULTED} values")]
pub struct TooManyDefaults;

/// Fills in the defaults of a schema.
pub(crate) fn default(node: &Node, value: &mut Value) -> Result<(), TooManyDefaults> {
    Defaulter { left: MAX_DEFAULTED }.part(node, value)
}

struct Defaulter {
    left: usize,
}

impl Defaulter {
    fn part(&mut self, node: &Node, value: &mut Value) -> Result<(), TooManyDefaults> {
        if !node.below.defaults {
            return Ok(());
        }
        match value {
            Value::Object(object) => self.members(node, object),
            Value::Array(array) => self.elements(node, array),
            _ => Ok(()),
        }
    }

    fn members(&mut self, node: &Node, object: &mut Object) -> Result<(), TooManyDefaults> {
        self.absent(node, object)?;
        if is_flat(object) {
            return Ok(());
        }
        for (name, value) in object.iter_mut() {
            if let Some(property) = node.properties.get(name) {
                self.part(property, value)?;
            } else if let Some(values) = node.additional.schema() {
                self.replace(values, value)?;
                self.part(values, value)?;
            }
        }
        Ok(())
    }

    /// Adds members that have a default and are absent or null.
    fn absent(&mut self, node: &Node, object: &mut Object) -> Result<(), TooManyDefaults> {
        let count = count_absent(node, object);
        if count == 0 {
            return Ok(());
        }
        object.reserve_exact(count);
        for (name, property) in node.properties.iter() {
            if let Some(default) = absent(object, name, property) {
                self.spend(default.size)?;
                object.insert(name.clone(), default.value.clone());
            }
        }
        Ok(())
    }

    fn elements(&mut self, node: &Node, array: &mut Array) -> Result<(), TooManyDefaults> {
        let Some(items) = node.items.as_deref() else { return Ok(()) };
        if array.iter().all(|element| is_complete(items, element)) {
            return Ok(());
        }
        for element in array.as_mut_slice() {
            self.replace(items, element)?;
            self.part(items, element)?;
        }
        Ok(())
    }

    /// Puts a default in the place of a null.
    fn replace(&mut self, node: &Node, value: &mut Value) -> Result<(), TooManyDefaults> {
        if is_replaced(node, value)
            && let Some(default) = &node.default
        {
            self.spend(default.size)?;
            *value = default.value.clone();
        }
        Ok(())
    }

    fn spend(&mut self, values: usize) -> Result<(), TooManyDefaults> {
        self.left = self.left.checked_sub(values).ok_or(TooManyDefaults)?;
        Ok(())
    }
}

/// Counts the members that are absent or null and have a default.
fn count_absent(node: &Node, object: &Object) -> usize {
    node.properties.iter().filter(|(name, property)| absent(object, name, property).is_some()).count()
}

/// The default of a member, if that is absent or null.
fn absent<'n>(object: &Object, name: &str, property: &'n Node) -> Option<&'n Default> {
    let default = property.default.as_deref()?;
    object.get(name).is_none_or(|value| is_replaced(property, value)).then_some(default)
}

/// True if no default can be missing in a value. It is looked at first, because a change in place copies what is
/// shared; what has parts with parts is not looked into.
fn is_complete(node: &Node, value: &Value) -> bool {
    match value {
        Value::Null | Value::Array(_) => false,
        Value::Object(object) => is_flat(object) && count_absent(node, object) == 0,
        _ => true,
    }
}

/// Reports whether no member has parts, or could be replaced.
fn is_flat(object: &Object) -> bool {
    !object.values().any(|value| matches!(value, Value::Object(_) | Value::Array(_) | Value::Null))
}

fn is_replaced(node: &Node, value: &Value) -> bool {
    value.is_null() && !node.nullable
}

#[cfg(test)]
mod tests {
    use sprag_release::Release;
    use sprag_value::Value;

    use super::{MAX_DEFAULTED, TooManyDefaults, default};
    use crate::node;
    use crate::props::Props;

    fn parse(text: &str) -> Value {
        sprag_value::json::parse(text.as_bytes()).unwrap()
    }

    #[track_caller]
    fn check(schema: &str, value: &str, expected: &str) {
        let node = node::compile(&Props::read(&parse(schema)).unwrap(), Release::NEWEST);
        let mut value = parse(value);
        default(&node, &mut value).unwrap();
        assert_eq!(value, parse(expected));
    }

    #[test]
    fn defaults_come_from_the_outside_in() {
        let schema = r#"{"properties": {"a": {"default": {}, "properties": {"b": {"default": 1}}},
            "c": {"properties": {"d": {"default": 1}}}}}"#;
        check(schema, "{}", r#"{"a": {"b": 1}}"#);
        check(schema, r#"{"a": {"b": 2}, "c": {}}"#, r#"{"a": {"b": 2}, "c": {"d": 1}}"#);
    }

    #[test]
    fn nulls_are_replaced_where_they_are_not_allowed() {
        check(
            r#"{"properties": {"a": {"default": 1}, "n": {"default": 1, "nullable": true}, "m": {"additionalProperties":
                {"default": 2}}, "l": {"items": {"default": 3}}, "p": {"items": {}}}}"#,
            r#"{"a": null, "n": null, "m": {"x": null, "y": 5}, "l": [null], "p": [null]}"#,
            r#"{"a": 1, "n": null, "m": {"x": 2, "y": 5}, "l": [3], "p": [null]}"#,
        );
    }

    #[test]
    fn what_is_shared_stays_shared_where_nothing_is_missing() {
        let node = node::compile(
            &Props::read(&parse(r#"{"properties": {"l": {"items": {"properties": {"a": {"default": 1}}}}}}"#)).unwrap(),
            Release::NEWEST,
        );
        let list = |object: &Value| object.get("l").and_then(Value::as_array).unwrap().as_ptr();
        for (text, stays) in [(r#"{"l": [{"a": 2}, "x"]}"#, true), (r#"{"l": [{"a": 2}, {}]}"#, false)] {
            let object = parse(text);
            let mut defaulted = object.clone();
            default(&node, &mut defaulted).unwrap();
            assert_eq!(list(&defaulted) == list(&object), stays, "{text}");
        }
    }

    #[test]
    fn defaults_in_lists_have_a_limit() {
        let default_value = Value::from(vec![Value::Null; 999]);
        let item = Value::from_iter([("default", default_value)]);
        let schema = Value::from_iter([("items", item)]);
        let node = node::compile(&Props::read(&schema).unwrap(), Release::NEWEST);
        let mut at_limit = Value::from(vec![Value::Null; MAX_DEFAULTED / 1000]);
        assert_eq!(default(&node, &mut at_limit), Ok(()));
        let mut past = Value::from(vec![Value::Null; MAX_DEFAULTED / 1000 + 1]);
        assert_eq!(default(&node, &mut past), Err(TooManyDefaults));
    }
}

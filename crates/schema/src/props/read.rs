//! Reading [`Props`] from a value.

use std::collections::BTreeMap;

use sprag_value::{Array, Object, Text, Value};

use super::{Dependency, ExternalDocs, Items, Props, PropsOrBool, Rule, TooDeep};

/// Reads a schema that may nest `depth` levels deep. Anything but an object is the schema without keywords.
pub(super) fn props(value: &Value, depth: usize) -> Result<Props, TooDeep> {
    let depth = depth.checked_sub(1).ok_or(TooDeep)?;
    let mut props = Props::default();
    if let Some(object) = value.as_object() {
        for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            if is_empty(value) {
                props.empty.mark(key);
            }
            if !scalar_keyword(&mut props, key, value) && !list_keyword(&mut props, key, value) {
                schema_keyword(&mut props, key, value, depth)?;
            }
        }
    }
    Ok(props)
}

/// Sets a keyword whose value is a scalar; tells whether it is one.
fn scalar_keyword(props: &mut Props, key: &str, value: &Value) -> bool {
    match key {
        "id" => props.id = text(value),
        "$schema" => props.schema = text(value),
        "$ref" => props.reference = Some(text(value)),
        "description" => props.description = text(value),
        "type" => props.ty = text(value),
        "format" => props.format = text(value),
        "title" => props.title = text(value),
        "default" => props.default = Some(value.clone()),
        "maximum" => props.maximum = value.as_f64(),
        "exclusiveMaximum" => props.exclusive_maximum = flag(value),
        "minimum" => props.minimum = value.as_f64(),
        "exclusiveMinimum" => props.exclusive_minimum = flag(value),
        "maxLength" => props.max_length = value.as_i64(),
        "minLength" => props.min_length = value.as_i64(),
        "pattern" => props.pattern = text(value),
        "maxItems" => props.max_items = value.as_i64(),
        "minItems" => props.min_items = value.as_i64(),
        "uniqueItems" => props.unique_items = flag(value),
        "multipleOf" => props.multiple_of = value.as_f64(),
        "maxProperties" => props.max_properties = value.as_i64(),
        "minProperties" => props.min_properties = value.as_i64(),
        "example" => props.example = Some(value.clone()),
        "nullable" => props.nullable = flag(value),
        "x-kubernetes-preserve-unknown-fields" => props.preserve_unknown_fields = value.as_bool(),
        "x-kubernetes-embedded-resource" => props.embedded_resource = flag(value),
        "x-kubernetes-int-or-string" => props.int_or_string = flag(value),
        "x-kubernetes-list-type" => props.list_type = Some(text(value)),
        "x-kubernetes-map-type" => props.map_type = Some(text(value)),
        _ => return false,
    }
    true
}

/// Sets a keyword whose value is a list or record without schemas; tells whether it is one.
fn list_keyword(props: &mut Props, key: &str, value: &Value) -> bool {
    match key {
        "enum" => props.enumeration = elements(value).to_vec(),
        "required" => props.required = texts(value),
        "x-kubernetes-list-map-keys" => props.list_map_keys = texts(value),
        "x-kubernetes-validations" => props.validations = elements(value).iter().map(rule).collect(),
        "externalDocs" => {
            let member = |key| value.get(key).map_or_else(Text::new, text);
            props.external_docs = Some(ExternalDocs { description: member("description"), url: member("url") });
        }
        _ => return false,
    }
    true
}

fn schema_keyword(props: &mut Props, key: &str, value: &Value, depth: usize) -> Result<(), TooDeep> {
    match key {
        "items" => props.items = Some(items(value, depth)?),
        "allOf" => props.all_of = list(value, depth)?,
        "oneOf" => props.one_of = list(value, depth)?,
        "anyOf" => props.any_of = list(value, depth)?,
        "not" => props.not = Some(Box::new(self::props(value, depth)?)),
        "properties" => props.properties = map(value, depth)?,
        "additionalProperties" => props.additional_properties = Some(props_or_bool(value, depth)?),
        "patternProperties" => props.pattern_properties = map(value, depth)?,
        "dependencies" => props.dependencies = dependencies(value, depth)?,
        "additionalItems" => props.additional_items = Some(props_or_bool(value, depth)?),
        "definitions" => props.definitions = map(value, depth)?,
        _ => {}
    }
    Ok(())
}

/// Like Go, which takes anything but a schema or a list for no schemas at all.
fn items(value: &Value, depth: usize) -> Result<Items, TooDeep> {
    Ok(match value {
        Value::Object(_) => Items::One(Box::new(props(value, depth)?)),
        _ => Items::Many(list(value, depth)?),
    })
}

fn props_or_bool(value: &Value, depth: usize) -> Result<PropsOrBool, TooDeep> {
    Ok(match value {
        Value::Object(_) => PropsOrBool::Props(Box::new(props(value, depth)?)),
        _ => PropsOrBool::Bool(flag(value)),
    })
}

fn dependencies(value: &Value, depth: usize) -> Result<BTreeMap<Text, Dependency>, TooDeep> {
    let dependency = |value: &Value| {
        Ok(match value {
            Value::Object(_) => Dependency::Props(Box::new(props(value, depth)?)),
            _ => Dependency::Names(texts(value)),
        })
    };
    members(value).map(|(key, value)| Ok((key.clone(), dependency(value)?))).collect()
}

fn map(value: &Value, depth: usize) -> Result<BTreeMap<Text, Props>, TooDeep> {
    members(value).map(|(key, value)| Ok((key.clone(), props(value, depth)?))).collect()
}

fn list(value: &Value, depth: usize) -> Result<Vec<Props>, TooDeep> {
    elements(value).iter().map(|value| props(value, depth)).collect()
}

fn rule(value: &Value) -> Rule {
    let member = |key| value.get(key).map_or_else(Text::new, text);
    Rule {
        rule: member("rule"),
        message: member("message"),
        message_expression: member("messageExpression"),
        reason: value.get("reason").filter(|reason| !reason.is_null()).map(text),
        field_path: member("fieldPath"),
        optional_old_self: value.get("optionalOldSelf").and_then(Value::as_bool),
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(|array| array.is_empty()) || value.as_object().is_some_and(Object::is_empty)
}

fn text(value: &Value) -> Text {
    if let Value::String(text) = value { text.clone() } else { Text::new() }
}

fn flag(value: &Value) -> bool {
    value.as_bool() == Some(true)
}

fn texts(value: &Value) -> Vec<Text> {
    elements(value).iter().map(text).collect()
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Array::as_slice)
}

fn members(value: &Value) -> sprag_value::Iter<'_> {
    value.as_object().map(Object::iter).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sprag_value::Value;

    use crate::props::{Items, MAX_SCHEMA_DEPTH, Props, PropsOrBool, TooDeep};

    fn read(text: &str) -> Props {
        Props::read(&sprag_value::json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn keywords_are_read_by_their_names() {
        let props = read(
            r#"{"type": "object", "maximum": 3, "required": ["a"], "properties": {"a": {"items": {"type": "string"}}},
                "additionalProperties": false, "x-kubernetes-validations": [{"rule": "true", "optionalOldSelf": true}],
                "default": null, "enum": [null, 1]}"#,
        );
        assert_eq!((props.ty.as_str(), props.maximum, props.default.as_ref()), ("object", Some(3.0), None));
        assert_eq!(props.additional_properties, Some(PropsOrBool::Bool(false)));
        assert_eq!(props.properties["a"].item_schema().unwrap().ty, "string");
        assert_eq!(props.validations[0].optional_old_self, Some(true));
        assert_eq!(props.enumeration, [Value::Null, Value::Int(1)]);
    }

    #[test]
    fn values_of_the_wrong_kind_are_absent() {
        let props = read(r#"{"type": 1, "maxLength": "x", "allOf": {}, "properties": [], "not": null}"#);
        assert_eq!(props, Props::default());
        assert_eq!(read(r#"{"items": [{}]}"#).items, Some(Items::Many(vec![Props::default()])));
        assert_eq!(read(r#"{"items": "x"}"#).items, Some(Items::Many(Vec::new())));
        assert_eq!(read("null"), Props::default());
    }

    #[test]
    fn empty_keywords_are_noted_and_equal_absent_ones() {
        let props = read(r#"{"required": [], "properties": {}, "enum": [1]}"#);
        assert!(props.empty.has("required") && props.empty.has("properties") && !props.empty.has("enum"));
        assert_eq!(read(r#"{"required": []}"#), Props::default());
    }

    fn nested(levels: usize) -> Value {
        (1..levels).fold(Value::object(), |inner, _| Value::from_iter([("not", inner)]))
    }

    #[test]
    fn depth_is_limited() {
        assert!(Props::read(&nested(MAX_SCHEMA_DEPTH)).is_ok());
        assert_eq!(Props::read(&nested(MAX_SCHEMA_DEPTH + 1)), Err(TooDeep));
    }
}

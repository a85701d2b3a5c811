//! A JSON schema of a kind, as catalogs for kubeconform keep it, as the definition that it was made of.
//!
//! What the tools that make such schemas add is taken back: `additionalProperties: false`, and `oneOf` for numbers and texts.

use sprag_schema::crd;
use sprag_value::{Array, Object, Value};

use crate::report::Identity;

/// Keywords that say nothing about values.
const WITHOUT_RULES: [&str; 11] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "definitions",
    "deprecated",
    "examples",
    "externalDocs",
    "id",
    "readOnly",
    "writeOnly",
];

/// Keywords of schemas of definitions, beside `x-kubernetes-…`.
const KNOWN: [&str; 29] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// Keywords that conditions cannot have.
const OF_STRUCTURES: [&str; 5] = ["additionalProperties", "default", "description", "example", "title"];

/// The ways in which numbers or texts are written.
const ALTERNATIVES: [&str; 2] = ["oneOf", "anyOf"];

const ANY: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const KINDS: &str = "x-kubernetes-group-version-kind";

/// The part that a schema plays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Names the type of a value.
    Structure,
    /// It is in `allOf`, `anyOf`, `oneOf` or `not`.
    Condition,
}

/// Makes the definition of an object's kind of its schema.
///
/// A schema does not say whether the kind has namespaces: objects with one and without pass. One with `status` is taken to have it as a
/// subresource.
pub(crate) fn definition(mut schema: Value, identity: &Identity) -> Result<Value, String> {
    check_kind(&schema, identity)?;
    convert(&mut schema, Part::Structure)?;
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        // As every definition: metadata has rules of its own.
        properties.insert("metadata", Value::from_iter([("type", "object")]));
    }
    let has_status = schema.lookup(&["properties", "status"]).is_some();
    let mut version = Value::from_iter([
        ("name", Value::from(identity.version())),
        ("served", true.into()),
        ("storage", true.into()),
    ]);
    version.insert("schema", Value::from_iter([("openAPIV3Schema", schema)]));
    if has_status {
        version.insert("subresources", Value::from_iter([("status", Value::object())]));
    }
    let plural = format!("{}s", identity.kind.to_lowercase());
    let name = format!("{plural}.{}", identity.group());
    let names = [("plural", plural.as_str()), ("kind", &identity.kind)];
    let spec = [
        ("group", identity.group().into()),
        ("scope", "Namespaced".into()),
        ("names", Value::from_iter(names)),
        ("versions", Value::from([version])),
    ];
    // What a cluster has accepted is judged as something that is there.
    let metadata = [("name", name.as_str()), ("uid", "schema")];
    Ok(Value::from_iter([
        ("apiVersion", Value::from(crd::API_VERSION)),
        ("kind", crd::KIND.into()),
        ("metadata", Value::from_iter(metadata)),
        ("spec", Value::from_iter(spec)),
    ]))
}

/// Refuses a schema that says it is of another kind: names of files have no capital letters.
fn check_kind(schema: &Value, identity: &Identity) -> Result<(), String> {
    let kinds = schema.list(KINDS).iter().map(|known| known.text("kind"));
    let named = schema.lookup(&["properties", "kind", "enum"]).and_then(Value::as_array).into_iter().flatten();
    let known: Vec<&str> = kinds.chain(named.filter_map(Value::as_str)).collect();
    match known.first() {
        Some(first) if !known.contains(&identity.kind.as_str()) => Err(format!("is the schema of {:?}", short(first))),
        _ => Ok(()),
    }
}

/// A text of a schema as far as a message shows it.
fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

fn convert(schema: &mut Value, part: Part) -> Result<(), String> {
    if let Some(is_any) = schema.as_bool() {
        *schema = Value::object();
        if !is_any {
            schema.insert("not", Value::object());
        }
    }
    let Some(members) = schema.as_object_mut() else { return Err("is not a schema".to_owned()) };
    members.retain(|key, _| !is_without_rules(key.as_str()));
    convert_const(members);
    if let Some(key) = members.keys().find(|key| !is_known(key.as_str())) {
        return Err(format!("has {:?}, which schemas of definitions cannot have", short(key.as_str())));
    }
    convert_bounds(members);
    convert_type(members);
    if part == Part::Structure {
        add_type(members);
    } else {
        members.retain(|key, _| !OF_STRUCTURES.contains(&key.as_str()));
    }
    if members.get("additionalProperties").is_some_and(|value| value.as_bool() == Some(false)) {
        // Fields without a schema are unknown anyway.
        members.remove("additionalProperties");
    }
    convert_below(members, part)
}

fn is_without_rules(key: &str) -> bool {
    WITHOUT_RULES.contains(&key) || key == KINDS || (key.starts_with("x-") && !key.starts_with("x-kubernetes-"))
}

fn is_known(key: &str) -> bool {
    KNOWN.contains(&key) || key.starts_with("x-kubernetes-")
}

fn convert_below(members: &mut Object, part: Part) -> Result<(), String> {
    for (name, schema) in
        members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Object::iter_mut)
    {
        convert(schema, part).map_err(|error| format!("{}: {error}", name.as_str()))?;
    }
    for key in ["items", "additionalProperties"] {
        let below = members.get_mut(key).filter(|value| value.as_bool() != Some(true));
        below.map_or(Ok(()), |schema| convert(schema, part))?;
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        let all = members.get_mut(key).and_then(Value::as_array_mut).map(Array::as_mut_slice);
        all.into_iter().flatten().try_for_each(|schema| convert(schema, Part::Condition))?;
    }
    members.get_mut("not").map_or(Ok(()), |schema| convert(schema, Part::Condition))
}

fn convert_const(members: &mut Object) {
    if let Some(value) = members.remove("const") {
        members.insert("enum", Value::from([value]));
    }
}

/// Bounds that are numbers of their own, as later drafts have them.
fn convert_bounds(members: &mut Object) {
    for (key, bound) in [("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")] {
        if let Some(value) = members.get(key).filter(|value| value.as_f64().is_some()).cloned() {
            members.insert(bound, value);
            members.insert(key, true);
        }
    }
}

/// Numbers or texts, and types with null.
fn convert_type(members: &mut Object) {
    let is_int_or_string = |types: &[&str]| types.len() == 2 && types.contains(&"integer") && types.contains(&"string");
    let alternatives: Vec<&str> = ALTERNATIVES
        .into_iter()
        .filter_map(|key| members.get(key).and_then(Value::as_array))
        .flat_map(|all| all.as_slice().iter().map(|schema| schema.text("type")))
        .collect();
    let is_format = members.get("format").is_some_and(|format| *format == "int-or-string");
    let is_one_of = !members.contains_key(INT_OR_STRING) && is_int_or_string(&alternatives);
    let types: Vec<String> = members
        .get("type")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect();
    let (null, others): (Vec<&str>, Vec<&str>) = types.iter().map(String::as_str).partition(|name| *name == "null");
    if is_one_of || is_format || is_int_or_string(&others) {
        members.retain(|key, _| !ALTERNATIVES.contains(&key.as_str()) && !matches!(key.as_str(), "format" | "type"));
        members.insert(INT_OR_STRING, true);
    } else if let [only] = others.as_slice() {
        members.insert("type", *only);
    }
    if !null.is_empty() {
        members.insert("nullable", true);
    }
}

/// The type of a value that has none, by what else is said of it.
fn add_type(members: &mut Object) {
    if members.get("type").is_some_and(|name| *name == "array") && !members.contains_key("items") {
        members.insert("items", Value::object());
    }
    let has = |key: &str| members.contains_key(key);
    if has("type") || has(INT_OR_STRING) || has(ANY) {
        return;
    }
    if has("properties") || has("additionalProperties") {
        members.insert("type", "object");
    } else if has("items") {
        members.insert("type", "array");
    } else {
        members.insert(ANY, true);
    }
}

#[cfg(test)]
mod tests {
    use sprag_decode::yaml;
    use sprag_value::json;

    use super::*;

    fn identity() -> Identity {
        Identity { api_version: "example.com/v1".to_owned(), kind: "Widget".to_owned(), ..Identity::default() }
    }

    #[track_caller]
    fn check(schema: &str, expected: &str) {
        let mut schema = yaml::decode(schema.as_bytes()).unwrap();
        convert(&mut schema, Part::Structure).unwrap();
        let expected = yaml::decode(expected.as_bytes()).unwrap();
        assert_eq!(json::to_string(&schema), json::to_string(&expected));
    }

    #[test]
    fn what_tools_add_is_taken_back() {
        check(
            "{type: object, additionalProperties: false, properties: {a: {type: string}}}",
            "{type: object, properties: {a: {type: string}}}",
        );
        check("{oneOf: [{type: string}, {type: integer}]}", "{x-kubernetes-int-or-string: true}");
        check("{anyOf: [{type: string}, {type: integer}]}", "{x-kubernetes-int-or-string: true}");
        check("{type: array}", "{type: array, items: {x-kubernetes-preserve-unknown-fields: true}}");
        check("{type: string, const: a}", "{type: string, enum: [a]}");
        check("{type: [string, integer]}", "{x-kubernetes-int-or-string: true}");
        check("{type: ['null', string], $schema: x, x-other: 1}", "{type: string, nullable: true}");
        check("{type: integer, exclusiveMinimum: 3}", "{type: integer, minimum: 3, exclusiveMinimum: true}");
        check(
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, additionalProperties: {type: string}}",
        );
        check(
            "{properties: {a: {}}, anyOf: [{required: [a], additionalProperties: false}]}",
            "{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}, anyOf: [{required: [a]}]}",
        );
        check(
            "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
            "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
        );
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        let refused = |text: &str| definition(yaml::decode(text.as_bytes()).unwrap(), &identity()).unwrap_err();
        assert_eq!(
            refused("{properties: {spec: {$ref: '#/x'}}}"),
            "spec: has \"$ref\", which schemas of definitions cannot have"
        );
        assert_eq!(refused("{type: object, if: {}}"), "has \"if\", which schemas of definitions cannot have");
        assert_eq!(refused("[]"), "is not a schema");
        assert_eq!(refused("{x-kubernetes-group-version-kind: [{kind: Gadget}]}"), "is the schema of \"Gadget\"");
    }
}

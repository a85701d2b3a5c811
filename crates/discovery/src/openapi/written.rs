//! Schemas that authors of definitions wrote, with what every object has.

use sprag_rest::{Definition, Version};
use sprag_value::{Array, MAX_DEPTH, Object, Value};

use super::closure::Schemas;
use super::names::META;
use super::route::definition_name;
use super::{Dialect, known};

const CONVENTIONS: &str = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// Keywords that are absent unless they say something.
const WITH_TEXT: [&str; 5] = ["type", "description", "title", "format", "pattern"];
const WITH_TRUTH: [&str; 7] =
    ["nullable", "exclusiveMaximum", "exclusiveMinimum", "uniqueItems", PRESERVE, EMBEDDED, INT_OR_STRING];
const WITH_ELEMENTS: [&str; 3] = ["enum", "required", "x-kubernetes-list-map-keys"];
const WITH_VALUE: [&str; 13] = [
    "default",
    "example",
    "maximum",
    "minimum",
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "multipleOf",
    "maxProperties",
    "minProperties",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];
/// Keywords that combine schemas.
const COMBINATORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Adds the definitions of a kind and of its lists, in terms of version 3 yet with what the dialect can express.
pub(super) fn add(schemas: &mut Schemas, definition: &Definition, version: &Version, dialect: Dialect) {
    let name = |kind: &str| definition_name(definition, version, kind);
    schemas.insert(name(&definition.kind), object_schema(definition, version, dialect));
    schemas.insert(name(&definition.list_kind), list_schema(definition, version, &name(&definition.kind)));
}

fn object_schema(definition: &Definition, version: &Version, dialect: Dialect) -> Value {
    let written = version.schema.as_deref();
    let opaque = |schema: &&Value| dialect == Dialect::V2 && is_true(schema, PRESERVE);
    let mut schema = match written.filter(|schema| !opaque(schema)) {
        None => object! { "type": "object" },
        Some(written) => {
            let mut schema = convert(written, dialect, MAX_DEPTH);
            let properties = properties_of(&mut schema);
            properties.insert("metadata", described(META_TEXT, "ObjectMeta"));
            for member in ["apiVersion", "kind"] {
                properties.insert(member, known::meta_property("Status", member));
            }
            schema
        }
    };
    add_extensions(&mut schema, definition, version, &definition.kind);
    schema
}

fn list_schema(definition: &Definition, version: &Version, item: &str) -> Value {
    let mut schema = object! {
        "type": "object",
        "description": format!("{} is a list of {}", definition.list_kind, definition.kind),
        "required": ["items"],
        "properties": object! {
            "apiVersion": known::meta_property("Status", "apiVersion"),
            "kind": known::meta_property("Status", "kind"),
            "items": object! {
                "type": "array",
                "description": format!("List of {}. More info: {CONVENTIONS}", definition.resource.resource),
                "items": Dialect::V3.reference(item),
            },
            "metadata": described(LIST_META_TEXT, "ListMeta"),
        },
    };
    add_extensions(&mut schema, definition, version, &definition.list_kind);
    schema
}

const META_TEXT: &str = "Standard object's metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
pub(super) const LIST_META_TEXT: &str = "Standard list metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/// A reference to a type of the machinery with a text of its own.
fn described(text: &str, ty: &str) -> Value {
    object! { "description": text, "allOf": [Dialect::V3.reference(&format!("{META}{ty}"))] }
}

fn add_extensions(schema: &mut Value, definition: &Definition, version: &Version, kind: &str) {
    let gvk = object! { "group": definition.group(), "version": &version.name, "kind": kind };
    schema.insert("x-kubernetes-group-version-kind", [gvk]);
    if !version.selectable.is_empty() {
        let fields = version.selectable.iter().map(|field| object! { "fieldPath": field.name.as_ref() });
        schema.insert("x-kubernetes-selectable-fields", fields.collect::<Value>());
    }
}

/// The keywords that documents have, as far as they say something.
fn convert(schema: &Value, dialect: Dialect, depth: usize) -> Value {
    let mut out = keywords(schema);
    let Some(depth) = depth.checked_sub(1) else { return Value::Object(out) };
    add_subschemas(&mut out, schema, dialect, depth);
    match dialect {
        Dialect::V2 => simplify(&mut out, schema),
        Dialect::V3 => add_combinators(&mut out, schema, depth),
    }
    let open = dialect == Dialect::V2 && out.contains_key(PRESERVE);
    let mut out = Value::Object(out);
    if is_true(&out, EMBEDDED) && !open {
        embed(&mut out);
    }
    out
}

fn keywords(schema: &Value) -> Object {
    let mut out = Object::new();
    for (key, value) in schema.as_object().into_iter().flatten() {
        let key = key.as_ref();
        let says_something = (WITH_TEXT.contains(&key) && value.as_str().is_some_and(|text| !text.is_empty()))
            || (WITH_TRUTH.contains(&key) && value.as_bool() == Some(true))
            || (WITH_ELEMENTS.contains(&key) && value.as_array().is_some_and(|elements| !elements.is_empty()))
            || (WITH_VALUE.contains(&key) && !value.is_null());
        if says_something {
            out.insert(key, value.clone());
        }
    }
    if let Some(docs) = schema.get("externalDocs").and_then(Value::as_object) {
        out.insert("externalDocs", with_texts(docs, &["description", "url"]));
    }
    if let Some(rules) = schema.get("x-kubernetes-validations").and_then(Value::as_array).filter(|all| !all.is_empty())
    {
        out.insert("x-kubernetes-validations", rules.iter().map(rule).collect::<Array>());
    }
    out
}

fn rule(rule: &Value) -> Value {
    let Some(members) = rule.as_object() else { return Value::object() };
    let mut out = with_texts(members, &["message", "messageExpression", "reason", "fieldPath"]);
    out.insert("rule", members.get("rule").cloned().unwrap_or_else(|| "".into()));
    if let Some(optional) = members.get("optionalOldSelf").and_then(Value::as_bool) {
        out.insert("optionalOldSelf", optional);
    }
    Value::Object(out)
}

/// The members of these names that are text and not empty.
fn with_texts(members: &Object, names: &[&str]) -> Object {
    let text = |name: &&str| members.get(name).filter(|value| value.as_str().is_some_and(|text| !text.is_empty()));
    names.iter().filter_map(|name| Some((*name, text(name)?.clone()))).collect()
}

fn add_subschemas(out: &mut Object, schema: &Value, dialect: Dialect, depth: usize) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty()) {
        let properties = properties.iter().map(|(name, property)| (name.clone(), convert(property, dialect, depth)));
        out.insert("properties", properties.collect::<Object>());
    }
    if let Some(items @ Value::Object(_)) = schema.get("items") {
        out.insert("items", convert(items, dialect, depth));
    }
    match schema.get("additionalProperties") {
        Some(values @ Value::Object(_)) => {
            out.insert("additionalProperties", convert(values, dialect, depth));
        }
        Some(Value::Bool(allowed)) => {
            out.insert("additionalProperties", *allowed);
        }
        _ => {}
    }
}

fn add_combinators(out: &mut Object, schema: &Value, depth: usize) {
    for combinator in COMBINATORS {
        if let Some(parts) = schema.get(combinator).and_then(Value::as_array).filter(|parts| !parts.is_empty()) {
            out.insert(combinator, parts.iter().map(|part| convert(part, Dialect::V3, depth)).collect::<Array>());
        }
    }
    if let Some(not @ Value::Object(_)) = schema.get("not") {
        out.insert("not", convert(not, Dialect::V3, depth));
    }
    if out.contains_key(INT_OR_STRING) {
        unfold(out);
    }
}

/// Says in other words that an integer or text is asked for.
fn unfold(out: &mut Object) {
    let alternatives = Value::from(["integer", "string"].map(|ty| object! { "type": ty }));
    let is_listed = |any_of: Option<&Value>| any_of == Some(&alternatives);
    let in_all_of = out.get("allOf").and_then(|all_of| all_of.at(0)).and_then(|first| first.get("anyOf"));
    if is_listed(out.get("anyOf")) || is_listed(in_all_of) {
        return;
    }
    if out.contains_key("anyOf") {
        let others = out.get("allOf").and_then(Value::as_array).cloned().unwrap_or_default();
        let all_of = std::iter::once(object! { "anyOf": alternatives }).chain(others.iter().cloned());
        out.insert("allOf", all_of.collect::<Array>());
    } else {
        out.insert("anyOf", alternatives);
    }
}

/// Drops what version 2 cannot say, or what makes its clients refuse objects.
fn simplify(out: &mut Object, schema: &Value) {
    let nullable = out.remove("nullable").is_some();
    if nullable {
        out.remove("type");
    }
    let open = out.contains_key(PRESERVE);
    if nullable || open {
        out.remove("items");
        out.remove("properties");
    }
    let is = |out: &Object, ty: &str| out.get("type").is_some_and(|have| *have == ty);
    if (is(out, "array") && !out.contains_key("items")) || (is(out, "object") && open) {
        out.remove("type");
    }
    let is_nullable =
        |name: &str| schema.lookup(&["properties", name]).is_some_and(|property| is_true(property, "nullable"));
    if out.contains_key("properties") {
        let required = out.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let required: Vec<Value> =
            required.iter().filter(|name| !name.as_str().is_some_and(is_nullable)).cloned().collect();
        set_required(out, required);
    }
    if schema.get("additionalProperties").is_some_and(|values| is_true(values, "nullable")) {
        out.remove("required");
    }
}

fn set_required(out: &mut Object, required: Vec<Value>) {
    if required.is_empty() {
        out.remove("required");
    } else {
        out.insert("required", required);
    }
}

/// Makes the members known that every object has.
fn embed(schema: &mut Value) {
    let of = |member: &str, text: String| {
        let mut property = known::meta_property("Status", member);
        property.insert("description", text);
        property
    };
    let api_version = format!(
        "apiVersion defines the versioned schema of this representation of an object. More info: {CONVENTIONS}#resources"
    );
    let kind = format!(
        "kind is a string value representing the type of this object. In CamelCase. More info: {CONVENTIONS}#types-kinds"
    );
    let properties = properties_of(schema);
    properties.insert("apiVersion", of("apiVersion", api_version));
    properties.insert("kind", of("kind", kind));
    properties.insert("metadata", described(META_TEXT, "ObjectMeta"));
    let mut required: Vec<Value> =
        schema.get("required").and_then(Value::as_array).map(|all| all.to_vec()).unwrap_or_default();
    for member in ["kind", "apiVersion"] {
        if !required.iter().any(|name| *name == member) {
            required.push(member.into());
        }
    }
    schema.insert("required", required);
}

fn properties_of(schema: &mut Value) -> &mut Value {
    if schema.get("properties").is_none() {
        schema.insert("properties", Value::object());
    }
    schema.get_mut("properties").expect("it was just added")
}

fn is_true(schema: &Value, keyword: &str) -> bool {
    schema.get(keyword).and_then(Value::as_bool) == Some(true)
}

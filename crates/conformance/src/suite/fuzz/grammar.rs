//! The generated requests: objects that mostly fit their type or schema, definitions, and patches of stored objects.

use sprag_rest::Definition;
use sprag_shape::{Kind, Shapes, TypeId};
use sprag_value::{Object, Value};

use super::source::Source;

/// Maximum depth of values that a type or schema does not bound.
const MAX_DEPTH: usize = 6;
const RULES: [&str; 8] = [
    "true",
    "self == oldSelf",
    "has(self.a) || !has(self.a)",
    "!has(self.size) || self.size >= 0",
    "self.matches('^a+$')",
    "self.all(x, x != 'b')",
    "self.size() < 100",
    "self.",
];

/// Any value.
pub(super) fn value(source: &mut Source, depth: usize) -> Value {
    let kinds = if depth == 0 { 5 } else { 7 };
    match source.below(kinds) {
        0 => Value::Null,
        1 => Value::from(source.chance(50)),
        2 => Value::Int(i64::try_from(source.below(2000)).unwrap_or(0) - 1000),
        3 => Value::from(*source.pick(&[0.5, -1e300, 1e-7, 3.0])),
        4 => Value::from(source.word()),
        5 => (0..source.below(4)).map(|_| value(source, depth - 1)).collect(),
        _ => Value::Object(members(source, depth)),
    }
}

fn members(source: &mut Source, depth: usize) -> Object {
    (0..source.below(4)).map(|_| (source.word(), value(source, depth - 1))).collect()
}

/// The metadata of an object of a name.
pub(super) fn metadata(source: &mut Source, name: &str) -> Value {
    let mut metadata = Value::Object(Object::from([("name", name)]));
    for member in ["labels", "annotations"] {
        if source.chance(30) {
            let texts: Object = (0..source.below(3)).map(|_| (source.word(), Value::from(source.word()))).collect();
            metadata.insert(member, Value::Object(texts));
        }
    }
    if source.chance(10) {
        metadata.insert("finalizers", [Value::from("example.com/wait")].into_iter().collect::<Value>());
    }
    metadata
}

/// An object of a kind that the server has types of.
pub(super) fn object(source: &mut Source, definition: &Definition, version: &str, name: &str) -> Value {
    let shape = definition.scheme.shape(version);
    let mut object = match shape {
        Some((shapes, root)) => of_type(source, shapes, root, MAX_DEPTH),
        None => Value::object(),
    };
    object.insert("apiVersion", definition.api_version(version));
    object.insert("kind", definition.kind.as_str());
    let metadata = metadata(source, name);
    object.insert("metadata", metadata);
    object
}

/// A value of a type.
fn of_type(source: &mut Source, shapes: &Shapes, id: TypeId, depth: usize) -> Value {
    if depth == 0 || source.chance(1) {
        return value(source, 1);
    }
    let ty = shapes.get(id);
    match &ty.kind {
        Kind::String if !ty.enum_values.is_empty() => Value::from(&**source.pick(&ty.enum_values)),
        Kind::String | Kind::Any | Kind::Scalar => Value::from(source.word()),
        Kind::Bool => Value::from(source.chance(50)),
        Kind::Int { .. } => Value::Int(i64::try_from(source.below(100)).unwrap_or(0)),
        Kind::Float { .. } => Value::from(0.5),
        Kind::Bytes => Value::from(*source.pick(&["YQ==", "", "aGFsbG8="])),
        Kind::List { elem, .. } => {
            (0..source.below(3)).map(|_| of_type(source, shapes, elem.id, depth - 1)).collect()
        }
        Kind::Map { value: elements, .. } => {
            let members = (0..source.below(3)).map(|_| (source.word(), of_type(source, shapes, elements.id, depth - 1)));
            Value::Object(members.collect())
        }
        Kind::Struct { fields, .. } => {
            let mut object = Object::new();
            for field in fields.iter() {
                if field.json.is_empty() {
                    let embedded = of_type(source, shapes, field.ty.id, depth);
                    for (name, member) in embedded.as_object().into_iter().flatten() {
                        object.insert(name.clone(), member.clone());
                    }
                } else if source.chance(if field.required { 95 } else { 30 }) {
                    let value = of_type(source, shapes, field.ty.id, depth - 1);
                    object.insert(&*field.json, value);
                }
            }
            Value::Object(object)
        }
        Kind::RawExtension => Value::object(),
        Kind::IntOrString => if source.chance(50) { Value::Int(80) } else { Value::from("25%") },
        Kind::Quantity => Value::from(*source.pick(&["1", "100m", "1Gi", "0.5", "1e3"])),
        Kind::Time => Value::from("2026-01-02T03:04:05Z"),
        Kind::MicroTime => Value::from("2026-01-02T03:04:05.000006Z"),
        Kind::Duration => Value::from("1h2m3s"),
    }
}

/// A structural schema, mostly.
pub(super) fn schema(source: &mut Source, depth: usize) -> Value {
    let types = if depth == 0 { 4 } else { 6 };
    let mut schema = Value::object();
    match source.below(types) {
        0 => {
            schema.insert("type", "string");
            match source.below(6) {
                0 => drop(schema.insert("maxLength", Value::Int(5))),
                1 => drop(schema.insert("pattern", *source.pick(&["^[a-z0-9-]*$", "^(a|b)*c?", "["]))),
                2 => drop(schema.insert("enum", ["a", "b", "web"].into_iter().map(Value::from).collect::<Value>())),
                3 => drop(schema.insert("format", *source.pick(&["date-time", "byte", "ipv4", "odd"]))),
                4 => drop(schema.insert("default", "web")),
                _ => {}
            }
        }
        1 => {
            schema.insert("type", "integer");
            if source.chance(30) {
                schema.insert("maximum", Value::Int(50));
            }
        }
        2 => drop(schema.insert("type", "boolean")),
        3 => {
            schema.insert("x-kubernetes-int-or-string", true);
        }
        4 => {
            schema.insert("type", "array");
            schema.insert("items", self::schema(source, depth - 1));
            if source.chance(50) {
                schema.insert("maxItems", Value::Int(3));
            }
        }
        _ => {
            schema.insert("type", "object");
            let properties: Object = ["a", "b", "size", "item"]
                .into_iter()
                .filter(|_| source.chance(50))
                .collect::<Vec<_>>()
                .into_iter()
                .map(|name| (name, self::schema(source, depth - 1)))
                .collect();
            schema.insert("properties", Value::Object(properties));
            if source.chance(10) {
                schema.insert("x-kubernetes-preserve-unknown-fields", true);
            }
        }
    }
    if source.chance(15) {
        let rule = Value::Object(Object::from([("rule", *source.pick(&RULES))]));
        schema.insert("x-kubernetes-validations", [rule].into_iter().collect::<Value>());
    }
    if source.chance(3) {
        schema.insert("nullable", true);
    }
    schema
}

/// A value that a schema takes, mostly.
pub(super) fn instance(source: &mut Source, schema: &Value, depth: usize) -> Value {
    if depth == 0 || source.chance(2) {
        return value(source, 1);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return source.pick(values).clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => match schema.get("format").and_then(Value::as_str) {
            Some("date-time") => Value::from("2026-01-02T03:04:05Z"),
            Some("byte") => Value::from("YQ=="),
            Some("ipv4") => Value::from("10.0.0.1"),
            _ => Value::from(*source.pick(&["a", "web", "abc"])),
        },
        Some("integer") => Value::Int(i64::try_from(source.below(50)).unwrap_or(0)),
        Some("boolean") => Value::from(true),
        Some("array") => {
            let items = schema.get("items").cloned().unwrap_or_default();
            (0..source.below(3)).map(|_| instance(source, &items, depth - 1)).collect()
        }
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            let mut members = Object::new();
            for (name, schema) in &properties {
                if source.chance(70) {
                    let member = instance(source, schema, depth - 1);
                    members.insert(name.clone(), member);
                }
            }
            Value::Object(members)
        }
        _ => Value::Int(7),
    }
}

/// A definition whose objects have this schema below `spec`.
pub(super) fn definition(source: &mut Source, number: usize, spec: &Value) -> Value {
    let object = |members: &[(&str, Value)]| Value::Object(members.iter().cloned().collect());
    let schema = object(&[("type", "object".into()), ("properties", object(&[("spec", spec.clone())]))]);
    let mut version = object(&[
        ("name", "v1".into()),
        ("served", true.into()),
        ("storage", true.into()),
        ("schema", object(&[("openAPIV3Schema", schema)])),
    ]);
    if source.chance(30) {
        version.insert("subresources", object(&[("status", Value::object())]));
    }
    let names = object(&[("plural", format!("kind{number}s").into()), ("kind", format!("Kind{number}").into())]);
    object(&[
        ("apiVersion", "apiextensions.k8s.io/v1".into()),
        ("kind", "CustomResourceDefinition".into()),
        ("metadata", object(&[("name", format!("kind{number}s.example.com").into())])),
        (
            "spec",
            object(&[
                ("group", "example.com".into()),
                ("scope", "Namespaced".into()),
                ("names", names),
                ("versions", [version].into_iter().collect()),
            ]),
        ),
    ])
}

/// The path of a random place in a value, as a JSON pointer.
fn pointer(source: &mut Source, value: &Value) -> String {
    let mut path = String::new();
    let mut at = value;
    while !source.chance(30) {
        if let Some(members) = at.as_object().filter(|members| !members.is_empty()) {
            let (name, member) = members.iter().nth(source.below(members.len())).map_or(("", at), |(n, m)| (&**n, m));
            path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            at = member;
        } else if let Some(elements) = at.as_array().filter(|elements| !elements.is_empty()) {
            let index = source.below(elements.len());
            path = format!("{path}/{index}");
            at = &elements[index];
        } else {
            break;
        }
    }
    if source.chance(10) { format!("{path}/-") } else { path }
}

/// A JSON Patch of an object.
pub(super) fn json_patch(source: &mut Source, object: &Value) -> Value {
    let operation = |source: &mut Source| {
        let op = *source.pick(&["add", "replace", "remove", "test", "copy", "move"]);
        let members = [
            ("op", Value::from(op)),
            ("path", pointer(source, object).into()),
            ("from", pointer(source, object).into()),
            ("value", value(source, 2)),
        ];
        Value::Object(members.into_iter().collect())
    };
    (0..source.below(4)).map(|_| operation(source)).collect()
}

/// A part of an object with changes, as merge patches and apply take it.
pub(super) fn part(source: &mut Source, object: &Value) -> Value {
    let Some(members) = object.as_object() else { return value(source, 2) };
    let mut out = Object::new();
    for (name, member) in members {
        if matches!(&**name, "apiVersion" | "kind") {
            out.insert(name.clone(), member.clone());
        } else if source.chance(50) {
            let changed = if source.chance(20) { value(source, 2) } else { part(source, member) };
            out.insert(name.clone(), changed);
        }
    }
    Value::Object(out)
}

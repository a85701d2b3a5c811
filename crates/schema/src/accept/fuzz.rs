//! A body for fuzzers: bytes become a definition, and what must hold of every definition is checked.

use sprag_release::Release;
use sprag_value::Value;

use super::{create, rule_costs, update};
use crate::crd::{Crd, prepare, shapes};

/// The deepest schema that bytes make.
const MAX_DEPTH: usize = 6;

/// Takes a definition made of the bytes through everything that looks at definitions; whether it was accepted.
///
/// # Panics
/// When an accepted definition is refused as its own successor, or anything else panics.
pub fn definition(bytes: &[u8]) -> bool {
    let mut source = Source { bytes };
    let mut manifest = source.manifest();
    if shapes::check(&manifest).is_err() {
        return false;
    }
    prepare::set_defaults(&mut manifest);
    prepare::for_create(&mut manifest);
    let Ok(crd) = Crd::read(&manifest) else { return false };
    let verdict = create(&crd, Release::NEWEST);
    for version in &crd.versions {
        version.props().map(|props| rule_costs(props, Release::NEWEST));
    }
    let mut stored = manifest;
    stored.get_mut("metadata").map(|metadata| metadata.insert("resourceVersion", "1"));
    let Ok(stored) = Crd::read(&stored) else { return false };
    let again = update(&stored, &stored, Release::NEWEST);
    let is_accepted = verdict.errors.is_empty();
    assert!(!is_accepted || again.errors.is_empty(), "accepted, but not again: {:?}", again.errors);
    is_accepted
}

/// Draws from bytes; zeros when they run out.
struct Source<'b> {
    bytes: &'b [u8],
}

const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "odd"];
const NAMES: [&str; 6] = ["a", "b-c", "metadata", "kind", "namespace", "9"];
const RULES: [&str; 10] = [
    "self == oldSelf",
    "self.all(x, x.size() > 1)",
    "has(self.a)",
    "self.a.b",
    "self > 1",
    "self.matches('^a+$')",
    "self.map(x, [x, x]).size() > 3",
    "oldSelf.hasValue()",
    "self.",
    "true",
];

impl Source<'_> {
    fn draw(&mut self, below: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        usize::from(*first) % below.max(1)
    }

    fn manifest(&mut self) -> Value {
        let versions: Vec<Value> = (0..=self.draw(2)).map(|index| self.version(index)).collect();
        let names = Value::from_iter([("plural", "as"), ("kind", "A")]);
        let spec = Value::from_iter([
            ("group", Value::from("example.com")),
            ("scope", Value::from("Cluster")),
            ("names", names),
            ("versions", Value::from(versions)),
        ]);
        Value::from_iter([
            ("apiVersion", Value::from(crate::crd::API_VERSION)),
            ("kind", Value::from(crate::crd::KIND)),
            ("metadata", Value::from_iter([("name", "as.example.com")])),
            ("spec", spec),
        ])
    }

    fn version(&mut self, index: usize) -> Value {
        let mut schema = self.schema(0);
        schema.insert("type", "object");
        Value::from_iter([
            ("name", Value::from(format!("v{}", index + 1))),
            ("served", Value::Bool(true)),
            ("storage", Value::Bool(index == 0)),
            ("schema", Value::from_iter([("openAPIV3Schema", schema)])),
        ])
    }

    fn schema(&mut self, depth: usize) -> Value {
        let mut schema = Value::object();
        if self.bytes.is_empty() || depth > MAX_DEPTH {
            schema.insert("type", "string");
            return schema;
        }
        schema.insert("type", TYPES[self.draw(TYPES.len())]);
        for _ in 0..self.draw(5) {
            self.keyword(&mut schema, depth);
        }
        schema
    }

    fn keyword(&mut self, schema: &mut Value, depth: usize) {
        let name = NAMES[self.draw(NAMES.len())];
        match self.draw(20) {
            0..=3 => {
                let property = self.schema(depth + 1);
                let mut properties = schema.remove("properties").unwrap_or_default();
                properties.insert(name, property);
                schema.insert("properties", properties);
            }
            4 | 5 => _ = schema.insert("items", self.schema(depth + 1)),
            6 => _ = schema.insert("additionalProperties", self.schema(depth + 1)),
            7 => _ = schema.insert("maxItems", self.draw(255)),
            8 => _ = schema.insert("maxLength", self.draw(255)),
            9 => _ = schema.insert("maxProperties", self.draw(255)),
            10 => _ = schema.insert("required", [name]),
            11 => _ = schema.insert("default", self.value(0)),
            12 => {
                let keyword = ["allOf", "anyOf", "oneOf"][self.draw(3)];
                let branch = self.schema(depth + 1);
                schema.insert(keyword, [branch]);
            }
            13 => _ = schema.insert("x-kubernetes-int-or-string", true),
            14 => _ = schema.insert("x-kubernetes-preserve-unknown-fields", true),
            15 => _ = schema.insert("x-kubernetes-embedded-resource", true),
            16 => {
                schema.insert("x-kubernetes-list-type", ["map", "set", "atomic"][self.draw(3)]);
                schema.insert("x-kubernetes-list-map-keys", [name]);
            }
            17 => _ = schema.insert("nullable", true),
            _ => {
                let rule = RULES[self.draw(RULES.len())];
                schema.insert("x-kubernetes-validations", [Value::from_iter([("rule", rule)])]);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.draw(if depth > 2 { 4 } else { 6 }) {
            0 => Value::from(1),
            1 => Value::from("a"),
            2 => Value::Null,
            3 => Value::Bool(true),
            4 => Value::from([self.value(depth + 1)]),
            _ => Value::from_iter([(NAMES[self.draw(NAMES.len())], self.value(depth + 1))]),
        }
    }
}

//! The schemas of objects, from the `OpenAPI` documents of a server.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use sprag_value::{Object, Value};

use super::discover::Resource;
use super::session::Session;

const REF: &str = "#/components/schemas/";
/// Types may contain themselves; nothing of interest is deeper.
const MAX_DEPTH: usize = 12;

/// The documents of a server, read when they are needed.
pub(super) struct Documents<'s> {
    session: &'s Session<'s>,
    read: RefCell<BTreeMap<String, Option<Rc<Value>>>>,
}

/// The schema of a value.
#[derive(Clone)]
pub(super) struct Schema {
    document: Rc<Value>,
    /// The schema itself, with references followed.
    node: Value,
    /// The last part of the name of its type: `PodSpec`; empty for a type without a name.
    pub(super) name: String,
}

/// A step on the way to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(String),
    /// The first element of a list.
    Item,
    /// The first value of a map.
    Key,
}

impl<'s> Documents<'s> {
    pub(super) fn new(session: &'s Session<'s>) -> Documents<'s> {
        Documents { session, read: RefCell::default() }
    }

    /// The schema of the objects of a resource.
    pub(super) fn schema(&self, resource: &Resource, version: &str) -> Option<Schema> {
        let place = resource.document(version);
        let known = self.read.borrow().get(&place).cloned();
        let document = known.unwrap_or_else(|| {
            let document = self.session.read(&format!("/openapi/v3/{place}")).ok().map(Rc::new);
            self.read.borrow_mut().insert(place, document.clone());
            document
        })?;
        let is_kind = |schema: &Value| {
            let kinds = schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array);
            kinds.is_some_and(|kinds| {
                let [first] = kinds.as_slice() else { return false };
                let part = |name| first.get(name).and_then(Value::as_str).unwrap_or_default();
                (part("group"), part("version"), part("kind")) == (&resource.group, version, &resource.kind)
            })
        };
        let schemas = document.lookup(&["components", "schemas"])?.as_object()?;
        let (name, node) = schemas.iter().find(|(_, schema)| is_kind(schema))?;
        let name = last_part(name);
        let node = node.clone();
        Some(Schema { document, node, name })
    }
}

fn last_part(name: &str) -> String {
    name.rsplit('.').next().unwrap_or_default().to_owned()
}

impl Schema {
    /// The schema of a value below this one, references followed.
    fn below(&self, node: &Value) -> Schema {
        let mut node = node.clone();
        let mut name = String::new();
        for _ in 0..MAX_DEPTH {
            let inner = node.get("allOf").and_then(|all| all.at(0));
            let Some(target) = node.get("$ref").or_else(|| inner?.get("$ref")).and_then(Value::as_str) else { break };
            let target = target.trim_start_matches(REF);
            name = last_part(target);
            node = self.document.lookup(&["components", "schemas", target]).cloned().unwrap_or_default();
        }
        Schema { document: self.document.clone(), node, name }
    }

    pub(super) fn property(&self, name: &str) -> Option<Schema> {
        Some(self.below(self.node.get("properties")?.get(name)?))
    }

    pub(super) fn properties(&self) -> Vec<(String, Schema)> {
        let properties = self.node.get("properties").and_then(Value::as_object).map(Object::iter);
        properties.into_iter().flatten().map(|(name, node)| (name.to_string(), self.below(node))).collect()
    }

    pub(super) fn items(&self) -> Option<Schema> {
        Some(self.below(self.node.get("items")?))
    }

    /// The schema of the values of a map.
    pub(super) fn values(&self) -> Option<Schema> {
        let values = self.node.get("additionalProperties")?;
        values.as_object().map(|_| self.below(values))
    }

    pub(super) fn required(&self) -> Vec<String> {
        let names = self.node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The schema at the end of a path.
    pub(super) fn at(&self, path: &[Step]) -> Option<Schema> {
        path.iter().try_fold(self.clone(), |schema, step| match step {
            Step::Field(name) => schema.property(name).or_else(|| schema.values()),
            Step::Item => schema.items(),
            Step::Key => schema.values(),
        })
    }

    /// The paths of all fields below that hold a value of their own.
    pub(super) fn leaves(&self) -> Vec<Vec<Step>> {
        let mut leaves = Vec::new();
        self.collect(&mut Vec::new(), &mut Vec::new(), &mut leaves);
        leaves
    }

    fn collect(&self, path: &mut Vec<Step>, within: &mut Vec<String>, leaves: &mut Vec<Vec<Step>>) {
        let repeats = !self.name.is_empty() && within.contains(&self.name);
        if repeats || path.len() > MAX_DEPTH {
            return;
        }
        within.push(self.name.clone());
        let below: Vec<(Step, Schema)> = match (self.properties(), self.items(), self.values()) {
            (fields, _, _) if !fields.is_empty() => {
                fields.into_iter().map(|(name, schema)| (Step::Field(name), schema)).collect()
            }
            (_, Some(items), _) => vec![(Step::Item, items)],
            (_, _, Some(values)) => vec![(Step::Key, values)],
            _ => Vec::new(),
        };
        if below.is_empty() && !path.is_empty() {
            leaves.push(path.clone());
        }
        for (step, schema) in below {
            path.push(step);
            schema.collect(path, within, leaves);
            path.pop();
        }
        within.pop();
    }

    /// A value that the schema allows: of objects only what is required.
    pub(super) fn sample(&self) -> Value {
        self.sample_at(0)
    }

    fn sample_at(&self, depth: usize) -> Value {
        let known = match self.name.as_str() {
            "Quantity" => Some(Value::from("1")),
            "IntOrString" => Some(Value::Int(1)),
            "MicroTime" => Some(Value::from("2020-01-02T03:04:05.000000Z")),
            "Duration" => Some(Value::from("1s")),
            _ => None,
        };
        if let Some(known) = known {
            return known;
        }
        if let Some(first) = self.choices().into_iter().next() {
            return first;
        }
        let int = |name: &str| self.node.get(name).and_then(Value::as_i64);
        match self.node.get("type").and_then(Value::as_str).unwrap_or_default() {
            "string" => self.text(),
            "integer" => Value::Int(int("minimum").unwrap_or(1).max(1).min(int("maximum").unwrap_or(i64::MAX))),
            "number" => int("minimum").map_or(Value::Float(1.5), Value::Int),
            "boolean" => Value::Bool(true),
            "array" => match self.items() {
                Some(items) if depth < MAX_DEPTH => [items.sample_at(depth + 1)].into_iter().collect(),
                _ => Value::array(),
            },
            "object" => self.members(depth),
            _ if self.node.get("x-kubernetes-int-or-string").is_some() => Value::Int(1),
            // Anything goes, but not every type whose schema says nothing takes a bare number.
            _ => Value::object(),
        }
    }

    /// The values of an enumeration.
    pub(super) fn choices(&self) -> Vec<Value> {
        let values = self.node.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
        values.iter().filter(|value| value.as_str() != Some("")).cloned().collect()
    }

    fn text(&self) -> Value {
        let min = self.node.get("minLength").and_then(Value::as_i64).and_then(|min| usize::try_from(min).ok());
        match self.node.get("format").and_then(Value::as_str).unwrap_or_default() {
            "date-time" => "2020-01-02T03:04:05Z".into(),
            "date" => "2020-01-02".into(),
            "byte" => "YQ==".into(),
            "int-or-string" => Value::Int(1),
            _ => "a".repeat(min.unwrap_or(1).clamp(1, 1024)).into(),
        }
    }

    fn members(&self, depth: usize) -> Value {
        let mut members = Value::object();
        if depth >= MAX_DEPTH {
            return members;
        }
        for name in self.required() {
            if let Some(schema) = self.property(&name) {
                members.insert(name, schema.sample_at(depth + 1));
            }
        }
        if let Some(values) = self.values() {
            members.insert("a", values.sample_at(depth + 1));
        }
        members
    }
}

//! A schema under construction: a structural schema as a dynamic value, with the few edits that rules need.

use sprag_value::{Array, Value};

/// The keyword of CEL rules.
pub(crate) const VALIDATIONS: &str = "x-kubernetes-validations";

/// A structural schema.
#[derive(Clone, Debug)]
pub(crate) struct Schema(pub(crate) Value);

impl Schema {
    /// A schema of one type.
    pub(crate) fn of(ty: &str) -> Schema {
        let mut schema = Schema(Value::object());
        schema.set("type", ty);
        schema
    }

    /// A schema that takes anything.
    pub(crate) fn anything() -> Schema {
        let mut schema = Schema(Value::object());
        schema.set("x-kubernetes-preserve-unknown-fields", true);
        schema
    }

    pub(crate) fn set(&mut self, keyword: &str, value: impl Into<Value>) {
        self.0.insert(keyword, value);
    }

    pub(crate) fn get(&self, keyword: &str) -> Option<&Value> {
        self.0.get(keyword)
    }

    /// Runs an edit on a schema below: a property, `items` or `additionalProperties`.
    pub(crate) fn edit(&mut self, below: &Below<'_>, edit: impl FnOnce(&mut Schema)) -> bool {
        let found = match below {
            Below::Property(name) => self.0.get_mut("properties").and_then(|properties| properties.get_mut(name)),
            Below::Elements => {
                let keyword = if self.0.get("items").is_some() { "items" } else { "additionalProperties" };
                self.0.get_mut(keyword)
            }
        };
        let Some(slot) = found else { return false };
        let mut schema = Schema(slot.take());
        edit(&mut schema);
        *slot = schema.0;
        true
    }

    /// Adds a property.
    pub(crate) fn property(&mut self, name: &str, schema: Schema) {
        self.list_or_object("properties", Value::object()).insert(name, schema.0);
    }

    /// Demands a property.
    pub(crate) fn require(&mut self, name: &str) {
        if !self.requires(name) {
            self.list_or_object("required", Value::Array(Array::default())).push(name);
        }
    }

    /// True if a property is demanded.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let required = self.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
    }

    /// Adds a CEL rule.
    pub(crate) fn rule(&mut self, rule: &str, message: &str) {
        let mut declared = Value::object();
        declared.insert("rule", rule);
        declared.insert("message", message);
        self.declared_rule(declared);
    }

    /// Adds a CEL rule as it is declared.
    pub(crate) fn declared_rule(&mut self, declared: Value) {
        let rules = self.list_or_object(VALIDATIONS, Value::Array(Array::default()));
        if !rules.as_array().is_some_and(|rules| rules.contains(&declared)) {
            rules.push(declared);
        }
    }

    /// Keeps the CEL rules for which this holds, by the path of the value and the rule, here and below.
    pub(crate) fn retain_rules(&mut self, keep: &dyn Fn(&str, &str) -> bool) {
        retain_rules(&mut self.0, "", keep);
    }

    fn list_or_object(&mut self, keyword: &str, empty: Value) -> &mut Value {
        if self.0.get(keyword).is_none() {
            self.0.insert(keyword, empty);
        }
        // It was just put there.
        self.0.get_mut(keyword).unwrap_or_else(|| unreachable!("{keyword} was inserted"))
    }
}

/// A schema below another one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Below<'a> {
    /// A property of an object.
    Property(&'a str),
    /// The elements of a list, or the values of a map.
    Elements,
}

fn retain_rules(schema: &mut Value, path: &str, keep: &dyn Fn(&str, &str) -> bool) {
    if let Some(rules) = schema.get_mut(VALIDATIONS).and_then(Value::as_array_mut) {
        let is_kept = |rule: &&Value| rule.get("rule").and_then(Value::as_str).is_none_or(|rule| keep(path, rule));
        let kept: Array = rules.iter().filter(is_kept).cloned().collect();
        *rules = kept;
        if rules.is_empty() {
            schema.remove(VALIDATIONS);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(below) = schema.get_mut(keyword) {
            retain_rules(below, &format!("{path}[*]"), keep);
        }
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, below) in properties.iter_mut() {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            retain_rules(below, &path, keep);
        }
    }
}

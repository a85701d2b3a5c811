//! Schemas of types without their rules: what values look like.

use sprag_program::{DefId, Form, ProgramParts, TypeId};
use sprag_shape::{Field, Kind, ListType, MapType, TypeShape};
use sprag_value::{Value, json};

use crate::kubebuilder::{Marked, Marks, merge};
use crate::schema::{Schema, VALIDATIONS};

/// Maximum nesting of types. The API server takes no deeper schemas.
const MAX_DEPTH: usize = 64;

/// Reads the structure of types off their layouts and shapes.
pub(crate) struct Structure<'p> {
    parts: &'p ProgramParts,
    marked: &'p Marked,
    /// The structs around.
    open: Vec<DefId>,
    /// The names of types that contain themselves.
    pub(crate) recursive: Vec<String>,
}

impl<'p> Structure<'p> {
    pub(crate) fn new(parts: &'p ProgramParts, marked: &'p Marked) -> Structure<'p> {
        Structure { parts, marked, open: Vec::new(), recursive: Vec::new() }
    }

    /// The schema of an object of a resource.
    pub(crate) fn object(&mut self, def: DefId) -> Schema {
        let mut schema = self.structure(def);
        for (name, ty) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
            schema.property(name, Schema::of(ty));
        }
        schema
    }

    fn of_type(&mut self, ty: TypeId) -> Schema {
        let layout = self.parts.types[ty.index()];
        let shape = self.parts.shapes.get(layout.shape);
        let mut schema = match (&shape.kind, layout.form) {
            (Kind::Struct { .. }, Form::Struct(def)) => return self.structure(def),
            (Kind::List { list, .. }, Form::List(elem)) => {
                let mut schema = Schema::of("array");
                schema.set("items", self.of_type(elem).0);
                set_list_type(&mut schema, list);
                schema
            }
            (Kind::Map { .. }, Form::Map(_, value)) => {
                let mut schema = Schema::of("object");
                schema.set("additionalProperties", self.of_type(value).0);
                schema
            }
            (kind, _) => scalar(kind),
        };
        describe(&mut schema, shape);
        if !self.marked.is_empty() {
            as_controller_gen(&mut schema, &shape.kind);
            if let (Kind::Int { .. }, Some((format, signed))) = (&shape.kind, self.marked.integers.get(&ty)) {
                let mut integer = Schema::of("integer");
                if let Some(format) = format {
                    integer.set("format", *format);
                }
                if !signed {
                    integer.set("minimum", 0);
                }
                describe(&mut integer, shape);
                schema = integer;
            }
        }
        if let Some(marks) = self.marked.named.get(&ty).and_then(|def| self.marked.types.get(def)) {
            apply(&mut schema, marks);
        }
        schema
    }

    /// The schema of a struct.
    pub(crate) fn structure(&mut self, def: DefId) -> Schema {
        let layout = &self.parts.defs[def.index()];
        let shape = self.parts.shapes.get(self.parts.types[layout.ty.index()].shape);
        if self.open.contains(&def) || self.open.len() >= MAX_DEPTH {
            self.recursive.push(shape.name.clone().into_owned());
            let mut schema = Schema::of("object");
            schema.set("x-kubernetes-preserve-unknown-fields", true);
            return schema;
        }
        if self.marked.metadata.contains(&def) {
            // As controller-gen has it, unless it is asked to describe embedded metadata.
            let mut schema = Schema::of("object");
            describe(&mut schema, shape);
            return schema;
        }
        self.open.push(def);
        let mut schema = Schema::of("object");
        describe(&mut schema, shape);
        if shape.atomic {
            schema.set("x-kubernetes-map-type", "atomic");
        }
        let mut inlined = Vec::new();
        for (at, member) in layout.members.iter().enumerate() {
            let marks = self.marked.fields.get(&(def, at));
            let Some(json) = &member.json else {
                inlined.extend(self.inline(&mut schema, member.ty));
                continue;
            };
            // A field that is not part of the wire form has no shape.
            let Some(field) = shape.fields().iter().find(|field| field.json == json.as_str()) else { continue };
            let is_schemaless = marks.is_some_and(|marks| marks.schemaless);
            let mut property = if is_schemaless { Schema(Value::object()) } else { self.of_type(member.ty) };
            refine(&mut property, field);
            if let Some(marks) = marks {
                apply(&mut property, marks);
            }
            let is_required = field.required && field.default.is_empty();
            if marks.and_then(|marks| marks.required).unwrap_or(is_required) {
                schema.require(json);
            }
            schema.property(json, property);
        }
        self.open.pop();
        if let Some(marks) = self.marked.types.get(&def) {
            apply(&mut schema, marks);
        }
        for rule in inlined {
            schema.declared_rule(rule);
        }
        schema
    }

    /// Adds the properties of an embedded struct; its rules come after those of the struct around it.
    fn inline(&mut self, schema: &mut Schema, ty: TypeId) -> Vec<Value> {
        let embedded = self.of_type(ty);
        for (name, property) in
            embedded.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.iter())
        {
            schema.property(name, Schema(property.clone()));
        }
        for name in embedded.get("required").and_then(Value::as_array).into_iter().flat_map(|all| all.iter()) {
            schema.require(name.as_str().unwrap_or_default());
        }
        if let Some(map_type) = embedded.get("x-kubernetes-map-type").filter(|_| !self.marked.is_empty()) {
            schema.set("x-kubernetes-map-type", map_type.clone());
        }
        let rules = embedded.get(VALIDATIONS).and_then(Value::as_array).filter(|_| !self.marked.is_empty());
        rules.into_iter().flat_map(|all| all.iter()).cloned().collect()
    }
}

/// Applies the markers beside the type.
fn apply(schema: &mut Schema, marks: &Marks) {
    for (keyword, value) in &marks.keywords {
        let value = merge(schema.get(keyword), keyword, value.clone());
        schema.set(keyword, value);
        if *keyword == "x-kubernetes-int-or-string" {
            schema.0.remove("type");
            schema.0.remove("format");
            schema.set("anyOf", int_or_string().0.get("anyOf").cloned().unwrap_or_default());
        }
    }
    marks.rules.iter().for_each(|rule| schema.declared_rule(rule.clone()));
    if !marks.items.is_empty() || !marks.item_rules.is_empty() {
        schema.edit(&crate::schema::Below::Elements, |items| {
            for (keyword, value) in &marks.items {
                let value = merge(items.get(keyword), keyword, value.clone());
                items.set(keyword, value);
            }
            marks.item_rules.iter().for_each(|rule| items.declared_rule(rule.clone()));
        });
    }
}

/// Adjusts the schema where controller-gen describes a type differently.
fn as_controller_gen(schema: &mut Schema, kind: &Kind) {
    match kind {
        Kind::RawExtension => {
            schema.0.remove("x-kubernetes-preserve-unknown-fields");
        }
        Kind::Float { .. } => {
            schema.0.remove("format");
        }
        _ => {}
    }
}

/// Adds the field's own tags and markers to the schema of its type.
fn refine(schema: &mut Schema, field: &Field) {
    if !field.doc.is_empty() {
        schema.set("description", field.doc.as_ref());
    }
    if let Ok(default) = json::parse(field.default.as_bytes())
        && !field.default.is_empty()
    {
        schema.set("default", default);
    }
    set_list_type(schema, &field.list);
    match field.map {
        MapType::Atomic => schema.set("x-kubernetes-map-type", "atomic"),
        MapType::Granular => schema.set("x-kubernetes-map-type", "granular"),
        MapType::Unset => {}
    }
}

fn describe(schema: &mut Schema, shape: &TypeShape) {
    if !shape.doc.is_empty() {
        schema.set("description", shape.doc.as_ref());
    }
}

fn set_list_type(schema: &mut Schema, list: &ListType) {
    match list {
        ListType::Unset => {}
        ListType::Atomic => schema.set("x-kubernetes-list-type", "atomic"),
        ListType::Set => schema.set("x-kubernetes-list-type", "set"),
        ListType::Map(keys) => {
            schema.set("x-kubernetes-list-type", "map");
            let keys: Value = keys.iter().map(|key| Value::from(key.as_ref())).collect();
            schema.set("x-kubernetes-list-map-keys", keys.clone());
            let Some(keys) = keys.as_array() else { return };
            // As upstream's structural schemas demand: keys are required or have a default.
            schema.edit(&crate::schema::Below::Elements, |items| {
                for key in keys.iter().filter_map(Value::as_str) {
                    let has_default = items.get("properties").and_then(|all| all.lookup(&[key, "default"])).is_some();
                    if !has_default {
                        items.require(key);
                    }
                }
            });
        }
    }
}

fn scalar(kind: &Kind) -> Schema {
    let formatted = |ty: &str, format: &str| {
        let mut schema = Schema::of(ty);
        schema.set("format", format);
        schema
    };
    match kind {
        Kind::String | Kind::Duration => Schema::of("string"),
        Kind::Bool => Schema::of("boolean"),
        Kind::Int { bits: 64, signed: true } => formatted("integer", "int64"),
        Kind::Int { bits: 32, signed: true } => formatted("integer", "int32"),
        Kind::Int { bits, signed } => {
            let (least, most) = range(*bits, *signed);
            let mut schema = Schema::of("integer");
            schema.set("minimum", least);
            if let Some(most) = most {
                schema.set("maximum", most);
            }
            schema
        }
        Kind::Float { bits: 32 } => formatted("number", "float"),
        Kind::Float { .. } => formatted("number", "double"),
        Kind::Bytes => formatted("string", "byte"),
        Kind::Time | Kind::MicroTime => formatted("string", "date-time"),
        Kind::IntOrString => int_or_string(),
        Kind::Quantity => {
            let mut schema = int_or_string();
            schema.set("pattern", QUANTITY);
            schema
        }
        Kind::RawExtension => {
            let mut schema = Schema::of("object");
            schema.set("x-kubernetes-preserve-unknown-fields", true);
            schema
        }
        Kind::Any | Kind::Scalar | Kind::List { .. } | Kind::Map { .. } | Kind::Struct { .. } => Schema::anything(),
    }
}

/// As controller-gen writes quantities.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

fn int_or_string() -> Schema {
    let alternatives: Value = [Schema::of("integer").0, Schema::of("string").0].into_iter().collect();
    let mut schema = Schema(Value::object());
    schema.set("anyOf", alternatives);
    schema.set("x-kubernetes-int-or-string", true);
    schema
}

/// The bounds of integers that schemas have no format for; those of 64 bits without a sign have no upper one.
fn range(bits: u8, signed: bool) -> (i64, Option<i64>) {
    match (bits, signed) {
        (bits, true) => (-(1 << (bits - 1)), Some((1 << (bits - 1)) - 1)),
        (64, false) => (0, None),
        (bits, false) => (0, Some((1 << bits) - 1)),
    }
}

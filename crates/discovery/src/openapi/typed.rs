//! Schemas of compiled kinds, from what their types look like.

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_export::published;
use sprag_rest::{Definition, Version};
use sprag_shape::{Field, Kind, ListType, MapType, Shapes, TypeId, TypeShape};
use sprag_value::{MAX_DEPTH, Object, Value, json};

use super::closure::Schemas;
use super::names::{self, META};
use super::written::LIST_META_TEXT;
use super::{Dialect, Options, known, ruled};
use crate::groups::of_group;
use crate::object::texts;

const LIST_META: &str = "ListMeta";
const GVK: &str = "x-kubernetes-group-version-kind";

/// Adds the definitions of a kind, of its lists and of all types it is made of.
pub(super) fn add(
    schemas: &mut Schemas,
    core: &CoreTypes<'_>,
    definition: &Definition,
    version: &Version,
    options: &Options,
) {
    let name = |kind: &str| names::by_package(definition.group(), &version.name, kind);
    let kind = name(&definition.kind);
    let list_kind = name(&definition.list_kind);
    let mut schema = match definition.scheme.shape(&version.name) {
        Some((shapes, root)) => {
            let rules = definition.scheme.rules(&version.name);
            let rules = rules.map(|(program, def)| published(&program, def)).unwrap_or_default();
            let mut cx = Cx { shapes, root, core, definition, version, rules, options, schemas };
            cx.structure(root, MAX_DEPTH)
        }
        None => object! { "type": "object" },
    };
    add_gvk(&mut schema, definition, version, &definition.kind);
    schemas.insert(list_kind, list_schema(definition, version, &kind));
    schemas.insert(kind, schema);
}

fn list_schema(definition: &Definition, version: &Version, item: &str) -> Value {
    let metadata = object! {
        "description": LIST_META_TEXT,
        "allOf": [Dialect::V3.reference(&format!("{META}{LIST_META}"))],
        "default": Value::object(),
    };
    let items = object! {
        "description": format!("List of {}", definition.resource.resource),
        "type": "array",
        "items": Dialect::V3.reference(item),
    };
    let mut schema = object! {
        "type": "object",
        "description": format!("{} is a list of {}", definition.list_kind, definition.kind),
        "required": ["items"],
        "properties": object! {
            "apiVersion": known::meta_property("Status", "apiVersion"),
            "kind": known::meta_property("Status", "kind"),
            "items": items,
            "metadata": metadata,
        },
    };
    add_gvk(&mut schema, definition, version, &definition.list_kind);
    schema
}

fn add_gvk(schema: &mut Value, definition: &Definition, version: &Version, kind: &str) {
    schema.insert(GVK, [gvk(definition, version, kind)]);
}

fn gvk(definition: &Definition, version: &Version, kind: &str) -> Value {
    object! { "group": definition.group(), "version": &version.name, "kind": kind }
}

/// The types that kinds of the core group are made of: other groups use them under the same names.
#[derive(Default)]
pub(super) struct CoreTypes<'a> {
    types: BTreeMap<&'a str, &'a TypeShape>,
    /// Those that are kinds, which other kinds may be made of.
    kinds: BTreeMap<&'a str, Value>,
}

impl<'a> CoreTypes<'a> {
    pub(super) fn of(definitions: &'a [Arc<Definition>]) -> CoreTypes<'a> {
        let mut types = CoreTypes::default();
        for definition in of_group(definitions, "") {
            for version in &definition.versions {
                if let Some((shapes, root)) = definition.scheme.shape(&version.name) {
                    types.visit(shapes, root, MAX_DEPTH);
                    types.kinds.insert(&shapes.get(root).name, gvk(definition, version, &definition.kind));
                }
            }
        }
        types
    }

    fn visit(&mut self, shapes: &'a Shapes, id: TypeId, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let ty = shapes.get(id);
        match &ty.kind {
            Kind::Struct { fields, .. } if ty.name.is_empty() || self.types.insert(&ty.name, ty).is_none() => {
                fields.iter().for_each(|field| self.visit(shapes, field.ty.id, depth));
            }
            Kind::List { elem, .. } => self.visit(shapes, elem.id, depth),
            Kind::Map { value, .. } => self.visit(shapes, value.id, depth),
            _ => {}
        }
    }

    /// True if a type of another table is one of these. Types of other groups may have the same name.
    fn contain(&self, ty: &TypeShape) -> bool {
        let described = |field: &Field| (field.json.clone(), field.doc.clone(), field.required, field.omit_empty);
        self.types.get(ty.name.as_ref()).is_some_and(|core| {
            core.doc == ty.doc && core.fields().iter().map(described).eq(ty.fields().iter().map(described))
        })
    }
}

struct Cx<'a> {
    shapes: &'a Shapes,
    root: TypeId,
    core: &'a CoreTypes<'a>,
    definition: &'a Definition,
    version: &'a Version,
    /// The additions of rules to the schemas of types, by type name.
    rules: BTreeMap<String, Value>,
    options: &'a Options,
    schemas: &'a mut Schemas,
}

impl Cx<'_> {
    /// The schema of a struct with its fields.
    fn structure(&mut self, id: TypeId, depth: usize) -> Value {
        let shapes = self.shapes;
        let ty = shapes.get(id);
        let mut schema = object! { "type": "object" };
        let fields: Vec<&Field> = shapes.sorted_fields(id).collect();
        let properties: Object =
            fields.iter().map(|field| (field.json.as_ref(), self.property(field, depth))).collect();
        let mut required = Vec::new();
        add_required(shapes, id, &mut required, depth);
        describe(&mut schema, &ty.doc);
        if !properties.is_empty() {
            schema.insert("properties", properties);
        }
        if !required.is_empty() {
            schema.insert("required", required);
        }
        if ty.atomic {
            schema.insert("x-kubernetes-map-type", "atomic");
        }
        let mut unions = Vec::new();
        add_unions(shapes, id, &mut unions, depth);
        if !unions.is_empty() {
            schema.insert("x-kubernetes-unions", unions);
        }
        if let Some(rules) = self.rules.get(ty.name.as_ref()) {
            ruled::add(&mut schema, rules);
        }
        schema
    }

    fn property(&mut self, field: &Field, depth: usize) -> Value {
        let mut schema = self.schema(field.ty.id, depth);
        if let Some(reference) = schema.remove("$ref") {
            schema = object! { "allOf": [object! { "$ref": reference }] };
        }
        describe(&mut schema, &field.doc);
        let is_published = !field.default.is_empty() && !field.hides_default;
        let default = if is_published { json::parse(field.default.as_bytes()).ok() } else { self.zero(field) };
        if let Some(default) = default {
            schema.insert("default", default);
        }
        match field.map {
            MapType::Unset => {}
            MapType::Atomic => drop(schema.insert("x-kubernetes-map-type", "atomic")),
            MapType::Granular => drop(schema.insert("x-kubernetes-map-type", "granular")),
        }
        add_list_type(&mut schema, self.shapes.list_type(field));
        add_patch_strategy(&mut schema, field);
        schema
    }

    /// Returns the value of a field that is always present; `None` if it may be missing.
    fn zero(&self, field: &Field) -> Option<Value> {
        if field.ty.nullable {
            return None;
        }
        let always = !field.omit_empty && !field.omit_zero;
        match &self.shapes.get(field.ty.id).kind {
            Kind::Struct { .. } => Some(Value::object()),
            Kind::String if always => Some("".into()),
            Kind::Bool if always => Some(false.into()),
            Kind::Int { .. } | Kind::Float { .. } if always => Some(0.into()),
            _ => None,
        }
    }

    fn schema(&mut self, id: TypeId, depth: usize) -> Value {
        let shapes = self.shapes;
        let ty = shapes.get(id);
        let Some(depth) = depth.checked_sub(1) else { return Value::object() };
        let mut schema = match &ty.kind {
            Kind::List { elem, .. } => object! { "type": "array", "items": self.schema(elem.id, depth) },
            Kind::Map { value, .. } => {
                object! { "type": "object", "additionalProperties": self.schema(value.id, depth) }
            }
            Kind::Struct { .. } => return self.reference(id, ty, depth),
            Kind::IntOrString | Kind::Quantity | Kind::Time | Kind::MicroTime | Kind::Duration | Kind::RawExtension => {
                return self.scalar_reference(id, ty);
            }
            Kind::Any if !ty.name.is_empty() => return self.open_reference(id, ty),
            kind => scalar(kind),
        };
        if !ty.enum_values.is_empty() && self.options.enums {
            schema.insert("enum", texts(ty.enum_values.iter()));
        }
        schema
    }

    /// A reference to the definition of a struct, which is added; the schema itself when the struct has no name.
    fn reference(&mut self, id: TypeId, ty: &TypeShape, depth: usize) -> Value {
        if ty.name.is_empty() {
            return self.structure(id, depth);
        }
        let name = self.name(id, &ty.name);
        if known::schema(&name).is_none() && !self.schemas.contains_key(&name) {
            // Types may hold themselves.
            self.schemas.insert(name.clone(), Value::Null);
            let mut schema = self.structure(id, depth);
            if let Some(gvk) = self.core.kinds.get(ty.name.as_ref()).filter(|_| self.core.contain(ty)) {
                schema.insert(GVK, [gvk.clone()]);
            }
            self.schemas.insert(name.clone(), schema);
        }
        Dialect::V3.reference(&name)
    }

    /// A reference to the definition of a named type that may be anything, which is added.
    fn open_reference(&mut self, id: TypeId, ty: &TypeShape) -> Value {
        let name = self.name(id, &ty.name);
        if known::schema(&name).is_none() && !self.schemas.contains_key(&name) {
            let mut schema = scalar(&ty.kind);
            describe(&mut schema, &ty.doc);
            self.schemas.insert(name.clone(), schema);
        }
        Dialect::V3.reference(&name)
    }

    fn scalar_reference(&mut self, id: TypeId, ty: &TypeShape) -> Value {
        let name = names::machinery(&ty.name).or_else(|| names::machinery(&self.shapes.go_type(id)));
        let Some(name) = name else { return scalar(&ty.kind) };
        if known::schema(&name).is_none() && !self.schemas.contains_key(&name) {
            let mut schema = scalar(&ty.kind);
            describe(&mut schema, &ty.doc);
            self.schemas.insert(name.clone(), schema);
        }
        Dialect::V3.reference(&name)
    }

    fn name(&self, id: TypeId, go_name: &str) -> String {
        let ty = go_name.rsplit_once('.').map_or(go_name, |(_, ty)| ty);
        if id == self.root {
            return names::by_package(self.definition.group(), &self.version.name, ty);
        }
        if let Some(name) = names::machinery(go_name) {
            return name;
        }
        if let Some(name) = names::of_other_group(go_name) {
            return name;
        }
        if self.core.contain(self.shapes.get(id)) {
            return names::by_package("", "v1", ty);
        }
        names::by_package(self.definition.group(), &self.version.name, ty)
    }
}

/// The names of required fields in the order of their declaration.
fn add_required<'a>(shapes: &'a Shapes, id: TypeId, names: &mut Vec<&'a str>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for field in shapes.get(id).fields() {
        if field.inline {
            add_required(shapes, field.ty.id, names, depth);
        } else if field.required {
            names.push(&field.json);
        }
    }
}

/// Adds what a struct and those embedded in it are unions of.
// As upstream's generators.parseUnions.
fn add_unions(shapes: &Shapes, id: TypeId, unions: &mut Vec<Value>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let ty = shapes.get(id);
    if let Some(discriminator) = ty.union.as_deref() {
        let members = ty.fields().iter().filter(|field| !field.inline && field.json != discriminator);
        let members: Object = members.map(|field| (field.json.as_ref(), Value::from(shapes.go_name(field)))).collect();
        let mut union = object! { "fields-to-discriminateBy": members };
        if !discriminator.is_empty() {
            union.insert("discriminator", discriminator);
        }
        unions.push(union);
    }
    for field in ty.fields().iter().filter(|field| field.inline) {
        add_unions(shapes, field.ty.id, unions, depth);
    }
}

/// The schema of a type without fields or elements.
fn scalar(kind: &Kind) -> Value {
    match kind {
        Kind::String | Kind::Duration => object! { "type": "string" },
        Kind::Bool => object! { "type": "boolean" },
        Kind::Int { bits: 64, .. } => object! { "type": "integer", "format": "int64" },
        Kind::Int { .. } => object! { "type": "integer", "format": "int32" },
        Kind::Float { bits: 32 } => object! { "type": "number", "format": "float" },
        Kind::Float { .. } => object! { "type": "number", "format": "double" },
        Kind::Bytes => object! { "type": "string", "format": "byte" },
        Kind::Time | Kind::MicroTime => object! { "type": "string", "format": "date-time" },
        Kind::IntOrString => object! {
            "format": "int-or-string",
            "oneOf": ["integer", "string"].map(|ty| object! { "type": ty }),
        },
        Kind::Quantity => object! { "oneOf": ["string", "number"].map(|ty| object! { "type": ty }) },
        Kind::RawExtension => object! { "type": "object" },
        Kind::Any | Kind::Scalar | Kind::List { .. } | Kind::Map { .. } | Kind::Struct { .. } => Value::object(),
    }
}

fn describe(schema: &mut Value, doc: &str) {
    if !doc.is_empty() {
        schema.insert("description", doc);
    }
}

fn add_list_type(schema: &mut Value, list: &ListType) {
    let name = match list {
        ListType::Unset => return,
        ListType::Atomic => "atomic",
        ListType::Set => "set",
        ListType::Map(keys) => {
            schema.insert("x-kubernetes-list-map-keys", texts(keys.iter()));
            "map"
        }
    };
    schema.insert("x-kubernetes-list-type", name);
}

fn add_patch_strategy(schema: &mut Value, field: &Field) {
    let strategy = match (field.patch.merge, field.patch.retain_keys) {
        (true, true) => "merge,retainKeys",
        (true, false) => "merge",
        (false, true) => "retainKeys",
        (false, false) if field.patch.replaces_object => "replace",
        (false, false) => return,
    };
    schema.insert("x-kubernetes-patch-strategy", strategy);
    if !field.patch.merge_key.is_empty() {
        schema.insert("x-kubernetes-patch-merge-key", field.patch.merge_key.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use sprag_shape::{TypeRef, TypeShape};

    use super::*;

    #[test]
    fn unions_name_their_members_as_go_does() {
        let text = TypeRef::value(TypeId(0));
        let profile = vec![Field::new("type", "kind", text), Field::new("localhostProfile", "localhost_profile", text)];
        let around = vec![Field::embedded("Profile", TypeRef::value(TypeId(1))), Field::new("other", "Other", text)];
        let shapes = Shapes::new(vec![
            TypeShape::new("", Kind::String),
            TypeShape::new("v1.Profile", Kind::of_fields(Cow::Owned(profile))).union("type"),
            TypeShape::new("v1.Around", Kind::of_fields(Cow::Owned(around))).union(""),
        ]);
        let unions = |id: u32| {
            let mut unions = Vec::new();
            add_unions(&shapes, TypeId(id), &mut unions, 8);
            json::to_string(&Value::from(unions))
        };
        let profile = r#"{"discriminator":"type","fields-to-discriminateBy":{"localhostProfile":"LocalhostProfile"}}"#;
        assert_eq!(unions(1), format!("[{profile}]"));
        assert_eq!(unions(2), format!(r#"[{{"fields-to-discriminateBy":{{"other":"Other"}}}},{profile}]"#));
    }
}

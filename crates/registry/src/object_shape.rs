//! What `metadata` looks like, for types that leave that to the registry.

use std::borrow::Cow;

use sprag_shape::{Field, Kind, ListType, Patch, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::{MAX_DEPTH, Value};

/// The shapes with the root's metadata as Kubernetes declares it, and the root's `apiVersion` and `kind`.
pub(crate) fn with_object_meta(shapes: &Shapes, root: &str) -> (Shapes, TypeId) {
    let mut types = shapes.types().to_vec();
    let added = types.len();
    let text = TypeRef::value(id(added));
    let meta = TypeRef::value(id(added + OBJECT_META));
    types.extend(metadata_types(added));
    let Some(at) = types.iter().position(|ty| ty.name == root) else {
        return (Shapes::new(types), id(added + OBJECT_META));
    };
    if let Kind::Struct { fields, .. } = &mut types[at].kind {
        let mut all: Vec<Field> = ["apiVersion", "kind"]
            .into_iter()
            .filter(|name| !fields.iter().any(|field| field.json == *name))
            .map(|name| Field::new(name, name, text).omit_empty())
            .collect();
        for field in fields.iter() {
            let mut field = field.clone();
            if field.json == "metadata" {
                field.ty = meta;
            }
            all.push(field);
        }
        *fields = Cow::Owned(all);
    }
    (Shapes::new(types), id(at))
}

/// Fills in the structs that a type holds by value: it has them whether they were sent or not.
pub(crate) fn fill_in(shapes: &Shapes, id: TypeId, value: &mut Value) {
    if is_incomplete(shapes, id, value, MAX_DEPTH) {
        fill_in_within(shapes, id, value, MAX_DEPTH);
    }
}

/// An object of a type with nothing set.
pub(crate) fn empty(shapes: &Shapes, id: TypeId) -> Value {
    let mut value = Value::object();
    fill_in(shapes, id, &mut value);
    value
}

fn is_incomplete(shapes: &Shapes, id: TypeId, value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    shapes.get(id).fields().iter().filter(|field| is_always_there(shapes, field)).any(|field| {
        let member = if field.inline { Some(value) } else { value.get(&field.json).filter(|member| !member.is_null()) };
        member.is_none_or(|member| is_incomplete(shapes, field.ty.id, member, depth))
    })
}

fn fill_in_within(shapes: &Shapes, id: TypeId, value: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for field in shapes.get(id).fields().iter().filter(|field| is_always_there(shapes, field)) {
        if field.inline {
            fill_in_within(shapes, field.ty.id, value, depth);
        } else if let Value::Object(members) = value {
            let member = members.get_or_insert(&field.json);
            if member.is_null() {
                *member = Value::object();
            }
            fill_in_within(shapes, field.ty.id, member, depth);
        }
    }
}

fn is_always_there(shapes: &Shapes, field: &Field) -> bool {
    let is_struct = matches!(shapes.get(field.ty.id).kind, Kind::Struct { .. });
    is_struct && !field.ty.nullable && !field.omit_zero && field.json != "metadata"
}

fn id(at: usize) -> TypeId {
    TypeId(u32::try_from(at).unwrap_or(u32::MAX))
}

const OBJECT_META: usize = 11;

/// The types of metadata, numbered from a position on.
fn metadata_types(from: usize) -> Vec<TypeShape> {
    let value = |at: usize| TypeRef::value(id(from + at));
    let pointer = |at: usize| TypeRef::pointer(id(from + at));
    let [text, int, bool, time, map, any] = [0, 1, 2, 3, 4, 5];
    let [owner, owners, texts, entry, entries] = [6, 7, 8, 9, 10];
    let list = |elem| Kind::List { elem: value(elem), list: ListType::Unset };
    let uid: ListType = ListType::Map(Cow::Borrowed(&[Cow::Borrowed("uid")]));
    vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 64, signed: true }),
        TypeShape::new("", Kind::Bool),
        TypeShape::new("", Kind::Time),
        TypeShape::new("", Kind::Map { key: value(text), value: value(text) }),
        TypeShape::new("", Kind::Any),
        TypeShape::new(
            "v1.OwnerReference",
            Kind::of_fields(Cow::Owned(vec![
                Field::new("apiVersion", "APIVersion", value(text)),
                Field::new("kind", "Kind", value(text)),
                Field::new("name", "Name", value(text)),
                Field::new("uid", "UID", value(text)),
                Field::new("controller", "Controller", pointer(bool)).omit_empty(),
                Field::new("blockOwnerDeletion", "BlockOwnerDeletion", pointer(bool)).omit_empty(),
            ])),
        )
        .atomic(),
        TypeShape::new("", list(owner)),
        TypeShape::new("", list(text)),
        TypeShape::new(
            "v1.ManagedFieldsEntry",
            Kind::of_fields(Cow::Owned(vec![
                Field::new("manager", "Manager", value(text)).omit_empty(),
                Field::new("operation", "Operation", value(text)).omit_empty(),
                Field::new("apiVersion", "APIVersion", value(text)).omit_empty(),
                Field::new("time", "Time", pointer(time)).omit_empty(),
                Field::new("fieldsType", "FieldsType", value(text)).omit_empty(),
                Field::new("fieldsV1", "FieldsV1", pointer(any)).omit_empty(),
                Field::new("subresource", "Subresource", value(text)).omit_empty(),
            ])),
        ),
        TypeShape::new("", list(entry)),
        TypeShape::new(
            "v1.ObjectMeta",
            Kind::of_fields(Cow::Owned(vec![
                Field::new("name", "Name", value(text)).omit_empty(),
                Field::new("generateName", "GenerateName", value(text)).omit_empty(),
                Field::new("namespace", "Namespace", value(text)).omit_empty(),
                Field::new("selfLink", "SelfLink", value(text)).omit_empty(),
                Field::new("uid", "UID", value(text)).omit_empty(),
                Field::new("resourceVersion", "ResourceVersion", value(text)).omit_empty(),
                Field::new("generation", "Generation", value(int)).omit_empty(),
                Field::new("creationTimestamp", "CreationTimestamp", value(time)).omit_zero(),
                Field::new("deletionTimestamp", "DeletionTimestamp", pointer(time)).omit_empty(),
                Field::new("deletionGracePeriodSeconds", "DeletionGracePeriodSeconds", pointer(int)).omit_empty(),
                Field::new("labels", "Labels", value(map)).omit_empty(),
                Field::new("annotations", "Annotations", value(map)).omit_empty(),
                Field::new("ownerReferences", "OwnerReferences", value(owners))
                    .omit_empty()
                    .list(uid)
                    .patch(Patch::merge("uid")),
                Field::new("finalizers", "Finalizers", value(texts))
                    .omit_empty()
                    .list(ListType::Set)
                    .patch(Patch::merge("")),
                Field::new("managedFields", "ManagedFields", value(entries)).omit_empty().list(ListType::Atomic),
            ])),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_gets_what_every_object_has() {
        let opaque = TypeShape::new("", Kind::Any);
        let root = Kind::of_fields(vec![Field::new("metadata", "metadata", TypeRef::value(TypeId(0)))].into());
        let shapes = Shapes::new(vec![opaque, TypeShape::new("Widget", root)]);
        let (shapes, widget) = with_object_meta(&shapes, "Widget");
        assert!(shapes.check().is_empty());
        let names: Vec<_> = shapes.sorted_fields(widget).map(|field| field.json.to_string()).collect();
        assert_eq!(names, ["apiVersion", "kind", "metadata"]);
        let meta = shapes.field(widget, "metadata").unwrap().ty.id;
        assert_eq!(shapes.get(meta).name, "v1.ObjectMeta");
        let owners = shapes.field(meta, "ownerReferences").unwrap();
        assert_eq!(shapes.go_type(owners.ty.id), "[]v1.OwnerReference");
    }
}

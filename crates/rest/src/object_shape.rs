//! The shape of `metadata`, for types that leave it to the registry.

use std::borrow::Cow;

use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef, TypeShape, meta};
use sprag_value::{MAX_DEPTH, Value};

/// The shapes with what every object has at its root: `apiVersion`, `kind`, and metadata as Kubernetes declares it.
pub fn with_object_meta(shapes: &Shapes, root: TypeId) -> (Shapes, TypeId) {
    (with_object_meta_at(shapes.clone(), [root]), root)
}

/// The same for several roots at once.
pub(crate) fn with_object_meta_at(shapes: Shapes, roots: impl IntoIterator<Item = TypeId>) -> Shapes {
    let mut types = shapes.into_types();
    let added = types.len();
    types.reserve_exact(meta::shapes().types().len());
    types.extend(meta::shapes().types().iter().cloned().map(|ty| moved(ty, added)));
    for root in roots {
        let found = usize::try_from(root.0).ok().and_then(|at| types.get_mut(at));
        let Some(TypeShape { kind: Kind::Struct { fields, .. }, .. }) = found else { continue };
        let type_meta = meta::shapes().sorted_fields(meta::TYPE_META).cloned().map(|field| moved_field(field, added));
        let mut all: Vec<Field> =
            type_meta.filter(|known| !fields.iter().any(|field| field.json == known.json)).collect();
        for field in fields.iter() {
            let mut field = field.clone();
            if field.json == "metadata" {
                field.ty = TypeRef::value(moved_id(meta::OBJECT_META, added));
            }
            all.push(field);
        }
        if all.iter().all(|field| field.json != "metadata") {
            let metadata = TypeRef::value(moved_id(meta::OBJECT_META, added));
            all.push(Field::new("metadata", "ObjectMeta", metadata).omit_empty());
        }
        all.shrink_to_fit();
        *fields = Cow::Owned(all);
    }
    Shapes::new(types)
}

/// A type of a table that was put behind another.
fn moved(mut ty: TypeShape, by: usize) -> TypeShape {
    let moved_ref = |reference: TypeRef| TypeRef { id: moved_id(reference.id, by), ..reference };
    match &mut ty.kind {
        Kind::List { elem, .. } => *elem = moved_ref(*elem),
        Kind::Map { key, value } => (*key, *value) = (moved_ref(*key), moved_ref(*value)),
        Kind::Struct { fields, .. } => {
            *fields = fields.iter().cloned().map(|field| moved_field(field, by)).collect();
        }
        _ => {}
    }
    ty
}

fn moved_field(mut field: Field, by: usize) -> Field {
    field.ty.id = moved_id(field.ty.id, by);
    field
}

fn moved_id(id: TypeId, by: usize) -> TypeId {
    TypeId(id.0.saturating_add(u32::try_from(by).unwrap_or(u32::MAX)))
}

/// Fills in the structs that a type holds by value: it has them whether they were sent or not.
pub(crate) fn fill_in(shapes: &Shapes, id: TypeId, value: &mut Value) {
    if is_incomplete(shapes, id, value, MAX_DEPTH) {
        fill_in_within(shapes, id, value, MAX_DEPTH);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_gets_what_every_object_has() {
        let opaque = TypeShape::new("", Kind::Any);
        let root = Kind::of_fields(vec![Field::new("metadata", "metadata", TypeRef::value(TypeId(0)))].into());
        let shapes = Shapes::new(vec![opaque, TypeShape::new("Widget", root)]);
        let (shapes, widget) = with_object_meta(&shapes, TypeId(1));
        assert!(shapes.check().is_empty());
        let names: Vec<_> = shapes.sorted_fields(widget).map(|field| field.json.to_string()).collect();
        assert_eq!(names, ["apiVersion", "kind", "metadata"]);
        let metadata = shapes.field(widget, "metadata").unwrap().ty.id;
        assert_eq!(shapes.get(metadata).name, "v1.ObjectMeta");
        let owners = shapes.field(metadata, "ownerReferences").unwrap();
        assert_eq!(shapes.go_type(owners.ty.id), "[]v1.OwnerReference");
    }
}

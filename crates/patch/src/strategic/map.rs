//! Objects: member by member, after the directives that concern the object as a whole.

use sprag_shape::{Field, Kind, Shapes, TypeId};
use sprag_value::{Object, Value};

use super::directive::{self, DELETE_FROM_LIST, PATCH, RETAIN_KEYS, SET_ORDER};
use super::error::{bad, format_of, unknown_directive};
use super::{element_order, list};
use crate::PatchError;

/// Merges `patch` into `original`. Recurses once per level of the patch, whose depth readers limit.
pub(super) fn merge(
    shapes: &Shapes,
    ty: TypeId,
    mut original: Object,
    patch: &mut Object,
) -> Result<Object, PatchError> {
    if let Some(directive) = patch.get(PATCH) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(PATCH);
                Ok(patch.clone())
            }
            Some("delete") => Ok(Object::new()),
            _ => Err(unknown_directive(directive, patch)),
        };
    }
    if let Some(keys) = patch.remove(RETAIN_KEYS) {
        retain_keys(&mut original, patch, &keys)?;
    }
    element_order::apply(shapes, ty, &mut original, patch)?;
    for (key, value) in patch.iter_mut() {
        merge_member(shapes, ty, &mut original, key, value)?;
    }
    Ok(original)
}

fn merge_member(
    shapes: &Shapes,
    ty: TypeId,
    original: &mut Object,
    key: &str,
    patch: &mut Value,
) -> Result<(), PatchError> {
    let deleted = directive::parallel(key, DELETE_FROM_LIST, "primitive list")?;
    let key = deleted.unwrap_or(key);
    if patch.is_null() {
        original.remove(key);
        return Ok(());
    }
    let merged = match (original.get(key), patch) {
        (Some(Value::Object(current)), Value::Object(patch)) => {
            let field = field(shapes, ty, key)?;
            // As upstream's strategicpatch.mergeMapHandler: what is replaced is taken as it is.
            Value::Object(if field.patch.replaces_object {
                patch.clone()
            } else {
                merge(shapes, field.ty.id, current.clone(), patch)?
            })
        }
        (Some(Value::Array(current)), Value::Array(patch)) => {
            let (field, elem) = list_field(shapes, ty, key)?;
            let merged = match deleted {
                None if !field.patch.merge => patch.clone(),
                _ => list::merge(shapes, elem, &field.patch.merge_key, current.clone(), patch, deleted.is_some())?,
            };
            Value::Array(merged)
        }
        (current, patch) => {
            if deleted.is_some() && !current.is_some_and(|current| same_scalar_type(current, patch)) {
                return Ok(());
            }
            let Some(value) = directive::new_value(patch) else {
                original.remove(key);
                return Ok(());
            };
            value
        }
    };
    original.insert(key, merged);
    Ok(())
}

fn same_scalar_type(a: &Value, b: &Value) -> bool {
    a.kind() == b.kind()
}

/// Drops the members of `original` that the directive does not list; the patch may not have any of them.
fn retain_keys(original: &mut Object, patch: &Object, keys: &Value) -> Result<(), PatchError> {
    let keys = keys.as_array().ok_or_else(|| format_of("retainKeys"))?;
    let listed = |name: &str| keys.iter().any(|key| *key == *name);
    let stray = patch.iter().any(|(key, value)| {
        !value.is_null() && !key.starts_with(DELETE_FROM_LIST) && !key.starts_with(SET_ORDER) && !listed(key)
    });
    if stray {
        return Err(format_of("retainKeys"));
    }
    original.retain(|key, _| listed(key));
    Ok(())
}

/// The declaration of a member that both sides have.
pub(super) fn field<'s>(shapes: &'s Shapes, ty: TypeId, key: &str) -> Result<&'s Field, PatchError> {
    let shape = shapes.get(ty);
    if !matches!(shape.kind, Kind::Struct { .. }) {
        let kind = go_kind(&shape.kind);
        return Err(bad(format!("merging an object in json but data type is not struct, instead is: {kind}")));
    }
    shapes.field(ty, key).ok_or_else(|| {
        let name = shape.name.rsplit('.').next().unwrap_or("");
        bad(format!("unable to find api field in struct {name} for the json field \"{key}\""))
    })
}

/// The declaration of a list that both sides have, and the type of its elements.
pub(super) fn list_field<'s>(shapes: &'s Shapes, ty: TypeId, key: &str) -> Result<(&'s Field, TypeId), PatchError> {
    let field = field(shapes, ty, key)?;
    let Kind::List { elem, .. } = &shapes.get(field.ty.id).kind else {
        return Err(bad("expected slice or array type, but got: struct"));
    };
    if matches!(shapes.get(elem.id).kind, Kind::List { .. } | Kind::Bytes) {
        return Err(bad("unexpected slice of slice"));
    }
    Ok((field, elem.id))
}

/// Go's word for the kind of a type.
pub(super) fn go_kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Bool => "bool",
        Kind::Int { bits: 64, .. } => "int64",
        Kind::Int { .. } => "int32",
        Kind::Float { .. } => "float64",
        Kind::Bytes | Kind::List { .. } => "slice",
        Kind::Map { .. } => "map",
        Kind::Any => "interface",
        _ => "struct",
    }
}

//! The fields of structs.

use sprag_idl::model::Builtin;
use sprag_program::DefId;
use sprag_tags::types::{DefKind, Type};

use crate::model::{Model, Spot};

/// Maximum depth of structs inside of structs that are searched.
const MAX_DEPTH: usize = 32;

/// Reports whether a struct has a required field, its own or one of an embedded struct.
pub(crate) fn has_required(model: &Model<'_>, def: DefId) -> bool {
    let mut work = vec![(def, 0)];
    while let Some((def, depth)) = work.pop() {
        for spot in model.field_spots(def) {
            if spot.is_required() {
                return true;
            }
            let embedded = spot.source().is_some_and(|field| field.inline);
            if let Some(inner) = model.universe.struct_of(spot.ty).filter(|_| embedded && depth < MAX_DEPTH) {
                work.push((inner, depth + 1));
            }
        }
        let least =
            model.type_spot(def).and_then(|ty| Some(ty.marker("kubebuilder:validation:MinProperties")?.value()));
        if least.flatten().and_then(|least| least.as_i64()).is_some_and(|least| least > 0) {
            return true;
        }
    }
    false
}

/// The scalar types that a field holds: its own, or those of its elements; bytes are none.
pub(crate) fn scalars(spot: &Spot<'_>) -> Vec<Builtin> {
    let universe = spot.universe();
    let mut types = vec![spot.ty];
    let mut scalars = Vec::new();
    while let Some(ty) = types.pop() {
        match universe.ty(ty) {
            Type::Builtin(builtin) => scalars.push(*builtin),
            Type::List(inner) | Type::Array(_, inner) if universe.builtin(*inner) == Some(Builtin::Uint8) => {}
            Type::Pointer(inner)
            | Type::Boxed(inner)
            | Type::Nullable(inner)
            | Type::List(inner)
            | Type::Array(_, inner) => types.push(*inner),
            Type::Map(_, _, value) => types.push(*value),
            // Declarations of another package cannot be changed here.
            Type::Def(def) if (spot.model.is_given)(&universe.package_of(*def).path) => {
                if let DefKind::Typedef(target) = universe.def(*def).kind {
                    types.push(target);
                }
            }
            _ => {}
        }
    }
    scalars
}

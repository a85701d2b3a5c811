//! Finds the fields that need a box because their types would contain themselves.

use std::collections::{BTreeMap, BTreeSet};

use sprag_program::{DefId, FieldRef, TypeId};
use sprag_tags::types::{DefKind, Type, Universe};

/// The fields of these structs that lie on a cycle of types; lists and maps end cycles by themselves.
pub(crate) fn boxed_fields(universe: &Universe, defs: &BTreeSet<DefId>) -> BTreeSet<FieldRef> {
    let reach: BTreeMap<DefId, BTreeSet<DefId>> = defs.iter().map(|def| (*def, reachable(universe, *def))).collect();
    let mut boxed = BTreeSet::new();
    for &def in defs {
        for (index, field) in universe.fields(def).iter().enumerate() {
            let Some(target) = held(universe, field.ty) else { continue };
            if target == def || reach.get(&target).is_some_and(|reach| reach.contains(&def)) {
                boxed.insert(FieldRef { def, index });
            }
        }
    }
    boxed
}

/// All types that a type holds by value or behind pointers, at any depth.
fn reachable(universe: &Universe, def: DefId) -> BTreeSet<DefId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![def];
    while let Some(def) = work.pop() {
        let types: Vec<TypeId> = match &universe.def(def).kind {
            DefKind::Struct(fields) => fields.iter().map(|field| field.ty).collect(),
            DefKind::Typedef(target) => vec![*target],
            _ => Vec::new(),
        };
        work.extend(types.into_iter().filter_map(|ty| held(universe, ty)).filter(|target| seen.insert(*target)));
    }
    seen
}

fn held(universe: &Universe, mut ty: TypeId) -> Option<DefId> {
    loop {
        match universe.ty(ty) {
            Type::Pointer(inner) | Type::Boxed(inner) => ty = *inner,
            Type::Def(def) => return Some(*def),
            _ => return None,
        }
    }
}

//! Adapts a set to a type that has become one value since the set was stored.

use ecow::EcoVec;
use sprag_value::Object;

use crate::apply::fields::path::PathElement;
use crate::apply::fields::set::{FieldSet, Node};
use crate::apply::types::ty::{Form, Keys, Ty};

/// The set with members below an atomic field replaced by that field; nothing when there are none.
pub(in crate::apply) fn reconcile(ty: Ty<'_>, set: &FieldSet) -> Option<FieldSet> {
    let mut changed = false;
    let set = walk(ty, set, &mut changed);
    changed.then_some(set)
}

fn walk(ty: Ty<'_>, set: &FieldSet, changed: &mut bool) -> FieldSet {
    let form = ty.form(None);
    if set.is_empty() || is_one_or_any(form) {
        return set.clone();
    }
    let mut nodes: Option<EcoVec<Node>> = None;
    for (at, node) in set.nodes().iter().enumerate() {
        if node.children.is_empty() {
            continue;
        }
        let field = if let PathElement::Field(name) = &node.element { Some(name.as_str()) } else { None };
        let Some(below) = type_below(form, field) else { continue };
        let mut here = false;
        let replacement = if is_atomic(below) {
            here = true;
            Node { element: node.element.clone(), member: true, children: FieldSet::new() }
        } else {
            Node { children: walk(below, &node.children, &mut here), ..node.clone() }
        };
        if here {
            *changed = true;
            nodes.get_or_insert_with(|| set.nodes().into()).make_mut()[at] = replacement;
        }
    }
    nodes.map_or_else(|| set.clone(), FieldSet::from_nodes)
}

/// True if stored fields name members below an atomic field.
pub(in crate::apply) fn has_parts_of_atomics(ty: Ty<'_>, fields: &Object) -> bool {
    let form = ty.form(None);
    !is_one_or_any(form)
        && fields.iter().any(|(key, below)| {
            let Some(below) = below.as_object().filter(|below| !below.is_empty()) else { return false };
            let Some(ty) = type_below(form, key.strip_prefix("f:")) else { return false };
            is_atomic(ty) || has_parts_of_atomics(ty, below)
        })
}

/// Reports whether it is a scalar, or nothing is known about what is below.
fn is_one_or_any(form: Form<'_>) -> bool {
    match form {
        Form::Scalar(_) => true,
        Form::Map(map) => map.is_deduced(),
        Form::List(_) => false,
    }
}

/// The type of a child; of the field of this name, if it is one.
fn type_below<'s>(form: Form<'s>, field: Option<&str>) -> Option<Ty<'s>> {
    match form {
        Form::Map(map) => field.map_or(map.element, |name| map.member(name)),
        Form::List(list) => Some(list.elem),
        Form::Scalar(_) => None,
    }
}

fn is_atomic(ty: Ty<'_>) -> bool {
    match ty.form(None) {
        Form::Map(map) => map.atomic && !map.is_deduced(),
        Form::List(list) => matches!(list.keys, Keys::Atomic),
        Form::Scalar(_) => false,
    }
}

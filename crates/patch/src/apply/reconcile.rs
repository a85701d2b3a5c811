//! Adapts a set to a type that has become one value since the set was stored.

use ecow::EcoVec;

use super::path::PathElement;
use super::set::{FieldSet, Node};
use super::ty::{Form, Keys, Ty};

/// The set with members below an atomic field replaced by that field; nothing when there are none.
pub(super) fn reconcile(ty: Ty<'_>, set: &FieldSet) -> Option<FieldSet> {
    let mut changed = false;
    let set = walk(ty, set, &mut changed);
    changed.then_some(set)
}

fn walk(ty: Ty<'_>, set: &FieldSet, changed: &mut bool) -> FieldSet {
    let form = ty.form(None);
    let is_open = matches!(form, Form::Map(map) if map.is_deduced());
    if set.is_empty() || is_open || matches!(form, Form::Scalar(_)) {
        return set.clone();
    }
    let mut nodes: Option<EcoVec<Node>> = None;
    for (at, node) in set.nodes().iter().enumerate() {
        if node.children.is_empty() {
            continue;
        }
        let Some(below) = type_below(form, &node.element) else { continue };
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

fn type_below<'s>(form: Form<'s>, element: &PathElement) -> Option<Ty<'s>> {
    match form {
        Form::Map(map) => match element {
            PathElement::Field(name) => map.member(name),
            _ => map.element,
        },
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

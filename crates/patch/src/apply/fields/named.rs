//! Declared fields that have members below are members too, wherever fields are removed.

use crate::apply::fields::path::PathElement;
use crate::apply::fields::set::{FieldSet, Node};
use crate::apply::types::ty::{Form, Ty};

/// The set with every declared field that has members below it. Keys of maps are not declared.
pub(in crate::apply) fn with_declared(ty: Ty<'_>, set: &FieldSet) -> FieldSet {
    add(Some(ty), set)
}

fn add(ty: Option<Ty<'_>>, set: &FieldSet) -> FieldSet {
    let Some(ty) = ty else { return set.clone() };
    if set.nodes().iter().all(|node| node.children.is_empty()) {
        return set.clone();
    }
    let nodes = set.nodes().iter().map(|node| {
        if node.children.is_empty() {
            return node.clone();
        }
        let (declared, below) = below(ty, &node.element);
        Node { element: node.element.clone(), member: node.member || declared, children: add(below, &node.children) }
    });
    FieldSet::from_nodes(nodes.collect())
}

/// Reports whether the element is a declared field, and returns its type.
fn below<'s>(ty: Ty<'s>, element: &PathElement) -> (bool, Option<Ty<'s>>) {
    match (element, ty.form(None)) {
        (PathElement::Field(name), Form::Map(map)) => {
            let declared = map.declared_member(name);
            (declared.is_some(), declared.or(map.element))
        }
        (PathElement::Key(_), Form::List(list)) => (false, Some(list.elem)),
        _ => (false, None),
    }
}

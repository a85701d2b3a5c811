//! The fields of a value: what a manager that applies it owns.

use ecow::EcoVec;
use sprag_value::{Object, Value};

use crate::apply::fields::path::PathElement;
use crate::apply::fields::set::{FieldSet, Node};
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::{ElementIndex, element_path};

/// All leaf fields and named list elements of a value.
pub(in crate::apply) fn fields(ty: Ty<'_>, value: &Value) -> FieldSet {
    collect(ty, value).below
}

/// Ownership at a node.
struct Owned {
    itself: bool,
    below: FieldSet,
}

impl Owned {
    const LEAF: Self = Self { itself: true, below: FieldSet::new() };
    const NOTHING: Self = Self { itself: false, below: FieldSet::new() };
}

fn collect(ty: Ty<'_>, value: &Value) -> Owned {
    match (ty.form(Some(value)), value) {
        (Form::Scalar(_) | Form::List(ListForm { keys: Keys::Atomic, .. }), _) => Owned::LEAF,
        (Form::Map(map), _) if map.atomic => Owned::LEAF,
        (Form::Map(map), Value::Object(members)) => Owned { itself: false, below: members_of(map, members) },
        (Form::List(list), Value::Array(elements)) => {
            let below = elements_of(list, elements, |element| collect(list.elem, element).below);
            Owned { itself: false, below }
        }
        _ => Owned::NOTHING,
    }
}

fn members_of(map: MapForm<'_>, members: &Object) -> FieldSet {
    let mut nodes = EcoVec::with_capacity(members.len());
    for (name, value, ty, is_declared) in map.typed_members(members) {
        let owned = ty.map_or(Owned::NOTHING, |ty| collect(ty, value));
        let empty = value.is_null() || value.as_object().is_some_and(Object::is_empty);
        let member = owned.itself || empty || !is_declared;
        nodes.push(Node { element: PathElement::Field(name.clone()), member, children: owned.below });
    }
    FieldSet::from_nodes(nodes)
}

/// The named elements of a list, each with what is below it.
pub(in crate::apply) fn elements_of(
    list: ListForm<'_>,
    elements: &[Value],
    below: impl Fn(&Value) -> FieldSet,
) -> FieldSet {
    let mut nodes = EcoVec::with_capacity(elements.len());
    for element in elements {
        let Ok(name) = element_path(list, element) else { return repeated_elements_of(list, elements, below) };
        nodes.push(Node { element: name, member: true, children: below(element) });
    }
    let set = FieldSet::from_nodes(nodes);
    if set.nodes().len() == elements.len() { set } else { repeated_elements_of(list, elements, below) }
}

/// Of elements with the same name only the name is owned.
fn repeated_elements_of(list: ListForm<'_>, elements: &[Value], below: impl Fn(&Value) -> FieldSet) -> FieldSet {
    let index = ElementIndex::new(list, elements);
    let mut nodes = EcoVec::with_capacity(elements.len());
    for run in index.runs() {
        let children = match run {
            [at] => below(&elements[*at]),
            _ => FieldSet::new(),
        };
        nodes.push(Node { element: index.paths[run[0]].clone(), member: true, children });
    }
    FieldSet::from_nodes(nodes)
}

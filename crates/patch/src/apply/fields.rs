//! The fields of a value: what a manager that applies it owns.

use ecow::EcoVec;
use sprag_value::{Object, Value};

use super::path::PathElement;
use super::set::{FieldSet, Node};
use super::ty::{Form, Keys, ListForm, MapForm, Ty};
use super::typed::ElementIndex;

/// All leaf fields and named list elements of a value.
pub(super) fn fields(ty: Ty<'_>, value: &Value) -> FieldSet {
    collect(ty, value).below
}

/// What is owned at a node.
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
        (Form::List(list), Value::Array(elements)) => Owned { itself: false, below: elements_of(list, elements) },
        _ => Owned::NOTHING,
    }
}

fn members_of(map: MapForm<'_>, members: &Object) -> FieldSet {
    let mut nodes = EcoVec::with_capacity(members.len());
    for (name, value) in members {
        let declared = map.declared_member(name);
        let owned = declared.or(map.element).map_or(Owned::NOTHING, |ty| collect(ty, value));
        let empty = value.is_null() || value.as_object().is_some_and(Object::is_empty);
        let member = owned.itself || empty || declared.is_none();
        nodes.push(Node { element: PathElement::Field(name.clone()), member, children: owned.below });
    }
    FieldSet::from_nodes(nodes)
}

/// Of elements with the same name only the name is owned.
fn elements_of(list: ListForm<'_>, elements: &[Value]) -> FieldSet {
    let index = ElementIndex::new(list, elements);
    let mut nodes = EcoVec::with_capacity(elements.len());
    for run in index.runs() {
        let children = match run {
            [at] => collect(list.elem, &elements[*at]).below,
            _ => FieldSet::new(),
        };
        nodes.push(Node { element: index.paths[run[0]].clone(), member: true, children });
    }
    FieldSet::from_nodes(nodes)
}

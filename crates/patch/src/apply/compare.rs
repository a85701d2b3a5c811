//! Which fields differ between two values.

use ecow::EcoVec;
use sprag_value::{Object, Value};

use super::path::{PathElement, equal_values};
use super::set::{FieldSet, Node};
use super::ty::{Form, Keys, ListForm, MapForm, Ty};
use super::typed::ElementIndex;

/// The fields that differ between two values.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub(super) removed: FieldSet,
    pub(super) modified: FieldSet,
    pub(super) added: FieldSet,
}

impl Comparison {
    /// Without the fields that are below these paths.
    pub(super) fn without(self, fields: Option<&FieldSet>) -> Self {
        let Some(fields) = fields else { return self };
        Self {
            removed: self.removed.recursive_difference(fields),
            modified: self.modified.recursive_difference(fields),
            added: self.added.recursive_difference(fields),
        }
    }
}

/// What changes from `old` to `new`.
pub(super) fn compare(ty: Ty<'_>, old: &Value, new: &Value) -> Comparison {
    let mut delta = Delta::default();
    walk(ty, Some(old), Some(new), &mut delta);
    let set = |change: Change| FieldSet::from_nodes(change.nodes);
    Comparison { removed: set(delta.removed), modified: set(delta.modified), added: set(delta.added) }
}

/// What changes at a node and below.
#[derive(Default)]
struct Delta {
    removed: Change,
    modified: Change,
    added: Change,
}

/// One kind of change at a node and below.
#[derive(Default)]
struct Change {
    itself: bool,
    nodes: EcoVec<Node>,
}

impl Change {
    fn put(&mut self, element: &PathElement, below: Change) {
        if below.itself || !below.nodes.is_empty() {
            let children = FieldSet::from_nodes(below.nodes);
            self.nodes.push(Node { element: element.clone(), member: below.itself, children });
        }
    }
}

impl Delta {
    fn put(&mut self, element: &PathElement, below: Delta) {
        self.removed.put(element, below.removed);
        self.modified.put(element, below.modified);
        self.added.put(element, below.added);
    }

    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (None, _) => self.added.itself = true,
            (_, None) => self.removed.itself = true,
            (Some(old), Some(new)) => self.modified.itself |= !equal_values(old, new),
        }
    }
}

fn walk(ty: Ty<'_>, old: Option<&Value>, new: Option<&Value>, delta: &mut Delta) {
    let (form, other) = match (old, new) {
        (Some(old), Some(new)) if is_shared(old, new) => return,
        (Some(old), Some(new)) if !ty.same_form(old, new) => (ty.form(Some(new)), Some(ty.form(Some(old)))),
        (_, Some(new)) => (ty.form(Some(new)), None),
        (old, None) => (ty.form(old), None),
    };
    if let Some(other) = other {
        by_form(other, old, new, delta);
    }
    if by_form(form, old, new, delta) == Leaf::No {
        match (old, new) {
            (None, _) => delta.added.itself = true,
            (_, None) => delta.removed.itself = true,
            _ => {}
        }
    }
}

/// Containers that share their content cannot differ.
fn is_shared(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => std::ptr::eq(a.entries(), b.entries()),
        (Value::Array(a), Value::Array(b)) => std::ptr::eq(a.as_slice(), b.as_slice()),
        _ => false,
    }
}

/// Most members do not change; those that are scalars need no look at their type.
fn is_same_scalar(a: &Value, b: &Value) -> bool {
    !matches!(a, Value::Object(_) | Value::Array(_)) && a == b
}

#[derive(PartialEq, Eq)]
enum Leaf {
    Yes,
    No,
}

fn by_form(form: Form<'_>, old: Option<&Value>, new: Option<&Value>, delta: &mut Delta) -> Leaf {
    match form {
        Form::List(list) if !matches!(list.keys, Keys::Atomic) => {
            let (old, new) = (elements(old), elements(new));
            if !old.is_empty() || !new.is_empty() {
                compare_elements(list, old, new, delta);
                return Leaf::No;
            }
        }
        Form::Map(map) if !map.atomic => {
            let (old, new) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
            if old.is_some_and(|old| !old.is_empty()) || new.is_some_and(|new| !new.is_empty()) {
                compare_members(map, old, new, delta);
                return Leaf::No;
            }
        }
        _ => {}
    }
    delta.leaf(old, new);
    Leaf::Yes
}

fn elements(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], |list| list)
}

fn compare_members(map: MapForm<'_>, old: Option<&Object>, new: Option<&Object>, delta: &mut Delta) {
    let empty = Object::new();
    let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&empty));
    let (mut a, mut b) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.as_bytes().cmp(b.as_bytes()),
        };
        let before = if order.is_le() { a.next() } else { None };
        let after = if order.is_ge() { b.next() } else { None };
        let Some((name, _)) = before.or(after) else { return };
        if let (Some((_, before)), Some((_, after))) = (before, after)
            && is_same_scalar(before, after)
        {
            continue;
        }
        if let Some(ty) = map.member(name) {
            let mut below = Delta::default();
            walk(ty, before.map(|(_, value)| value), after.map(|(_, value)| value), &mut below);
            delta.put(&PathElement::Field(name.clone()), below);
        }
    }
}

fn compare_elements(list: ListForm<'_>, old: &[Value], new: &[Value], delta: &mut Delta) {
    let (old_index, new_index) = (ElementIndex::new(list, old), ElementIndex::new(list, new));
    for run in old_index.runs() {
        let path = &old_index.paths[run[0]];
        compare_named(list, path, &pick(old, run), &pick(new, new_index.find(path)), delta);
    }
    for run in new_index.runs() {
        let path = &new_index.paths[run[0]];
        if old_index.find(path).is_empty() {
            compare_named(list, path, &[], &pick(new, run), delta);
        }
    }
}

fn pick<'v>(elements: &'v [Value], positions: &[usize]) -> Vec<&'v Value> {
    positions.iter().filter_map(|at| elements.get(*at)).collect()
}

/// Compares all elements of one name. Where there are several they are one value, which is the name itself.
fn compare_named(list: ListForm<'_>, path: &PathElement, old: &[&Value], new: &[&Value], delta: &mut Delta) {
    let mut below = Delta::default();
    match (old, new) {
        ([] | [_], [] | [_]) => walk(list.elem, old.first().copied(), new.first().copied(), &mut below),
        ([_, _, ..], [_, _, ..]) => {
            let same = old.len() == new.len() && old.iter().zip(new).all(|(a, b)| equal_values(a, b));
            below.modified.itself = !same;
        }
        ([_, _, ..], _) => {
            if let Some(new) = new.first() {
                walk(list.elem, None, Some(new), &mut below);
            }
            below.removed.itself = true;
        }
        (_, _) => {
            if let Some(old) = old.first() {
                walk(list.elem, Some(old), None, &mut below);
            }
            below.added.itself = true;
        }
    }
    delta.put(path, below);
}

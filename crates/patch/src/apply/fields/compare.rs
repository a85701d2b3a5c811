//! Compares the fields of two values.

use std::cmp::Ordering;

use ecow::EcoVec;
use sprag_value::{Array, Entry, Key, Object, Value};

use crate::apply::fields::of_value::elements_of;
use crate::apply::fields::path::{PathElement, equal_values};
use crate::apply::fields::set::{FieldSet, Node};
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::{ElementIndex, are_distinct, element_path, have_same_name};

/// The fields that differ between two values.
#[derive(Clone, Debug, Default)]
pub(in crate::apply) struct Comparison {
    pub(in crate::apply) removed: FieldSet,
    pub(in crate::apply) modified: FieldSet,
    pub(in crate::apply) added: FieldSet,
}

impl Comparison {
    /// Without the fields that are below these paths.
    pub(in crate::apply) fn without(self, fields: Option<&FieldSet>) -> Self {
        let Some(fields) = fields else { return self };
        Self {
            removed: self.removed.recursive_difference(fields),
            modified: self.modified.recursive_difference(fields),
            added: self.added.recursive_difference(fields),
        }
    }
}

/// The difference between `old` and `new`.
pub(in crate::apply) fn compare(ty: Ty<'_>, old: &Value, new: &Value) -> Comparison {
    let mut delta = Delta::default();
    walk(ty, Some(old), Some(new), &mut delta);
    let set = |change: Change| FieldSet::from_nodes(change.nodes);
    Comparison { removed: set(delta.removed), modified: set(delta.modified), added: set(delta.added) }
}

/// The difference at a node and below.
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
    fn is_none(&self) -> bool {
        !self.itself && self.nodes.is_empty()
    }

    #[inline]
    fn put(&mut self, element: &PathElement, below: Change) {
        if !below.is_none() {
            let children = FieldSet::from_nodes(below.nodes);
            self.nodes.push(Node { element: element.clone(), member: below.itself, children });
        }
    }
}

impl Delta {
    fn is_none(&self) -> bool {
        self.removed.is_none() && self.modified.is_none() && self.added.is_none()
    }

    fn put(&mut self, element: &PathElement, below: Delta) {
        self.removed.put(element, below.removed);
        self.modified.put(element, below.modified);
        self.added.put(element, below.added);
    }
}

fn walk(ty: Ty<'_>, old: Option<&Value>, new: Option<&Value>, delta: &mut Delta) {
    match (old, new) {
        (Some(old), Some(new)) if is_shared(old, new) => {}
        (Some(old), Some(new)) => {
            if !ty.same_form(old, new) {
                by_form(ty.form(Some(old)), old, new, delta);
            }
            by_form(ty.form(Some(new)), old, new, delta);
        }
        (None, Some(new)) => delta.added = Change { itself: true, nodes: all_below(ty, new).into_nodes() },
        (Some(old), None) => delta.removed = Change { itself: true, nodes: all_below(ty, old).into_nodes() },
        (None, None) => {}
    }
}

/// Containers that share their content cannot differ.
pub(in crate::apply) fn is_shared(a: &Value, b: &Value) -> bool {
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

/// Types with more than one form have but one that is not a leaf, so that no change is noted twice.
fn by_form(form: Form<'_>, old: &Value, new: &Value, delta: &mut Delta) {
    match form {
        Form::List(list) if !matches!(list.keys, Keys::Atomic) => {
            let old = elements(old);
            let new = elements(new);
            match (old, new) {
                (Some(old), Some(new)) => return compare_elements(list, old, new, delta),
                (None, Some(new)) => return delta.added.nodes = all_elements(list, new).into_nodes(),
                (Some(old), None) => return delta.removed.nodes = all_elements(list, old).into_nodes(),
                (None, None) => {}
            }
        }
        Form::Map(map) if !map.atomic => {
            let old = members(old);
            let new = members(new);
            match (old, new) {
                (Some(old), Some(new)) => return compare_members(map, old, new, delta),
                (None, Some(new)) => return delta.added.nodes = all_members(map, new).into_nodes(),
                (Some(old), None) => return delta.removed.nodes = all_members(map, old).into_nodes(),
                (None, None) => {}
            }
        }
        _ => {}
    }
    delta.modified.itself |= !equal_values(old, new);
}

/// The elements of a list that has any.
fn elements(value: &Value) -> Option<&[Value]> {
    value.as_array().map(Array::as_slice).filter(|elements| !elements.is_empty())
}

/// The members of an object that has any.
fn members(value: &Value) -> Option<&Object> {
    value.as_object().filter(|members| !members.is_empty())
}

/// Everything below a value that is there on one side only.
fn all_below(ty: Ty<'_>, value: &Value) -> FieldSet {
    match (ty.form(Some(value)), value) {
        (Form::Map(map), Value::Object(members)) if !map.atomic => all_members(map, members),
        (Form::List(list), Value::Array(elements)) if !matches!(list.keys, Keys::Atomic) => {
            all_elements(list, elements)
        }
        _ => FieldSet::new(),
    }
}

fn all_members(map: MapForm<'_>, members: &Object) -> FieldSet {
    let mut nodes = EcoVec::with_capacity(members.len());
    for (name, value, ty, _) in map.typed_members(members) {
        let Some(ty) = ty else { continue };
        nodes.push(Node { element: PathElement::Field(name.clone()), member: true, children: all_below(ty, value) });
    }
    FieldSet::from_nodes(nodes)
}

fn all_elements(list: ListForm<'_>, elements: &[Value]) -> FieldSet {
    elements_of(list, elements, |element| all_below(list.elem, element))
}

/// The members of two objects side by side, in the order of their names.
pub(in crate::apply) fn pairs<'o>(
    old: &'o Object,
    new: &'o Object,
) -> impl Iterator<Item = (&'o Key, Option<&'o Value>, Option<&'o Value>)> {
    let mut old = old.entries();
    let mut new = new.entries();
    std::iter::from_fn(move || {
        let order = match (old.first(), new.first()) {
            (Some(a), Some(b)) if a.key() == b.key() => Ordering::Equal,
            (Some(a), Some(b)) => a.key().as_bytes().cmp(b.key().as_bytes()),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let before = if order.is_le() { old.split_off_first() } else { None };
        let after = if order.is_ge() { new.split_off_first() } else { None };
        let name = before.or(after)?.key();
        Some((name, before.map(Entry::value), after.map(Entry::value)))
    })
}

fn compare_members(map: MapForm<'_>, old: &Object, new: &Object, delta: &mut Delta) {
    let mut type_of = map.types_in_order();
    for (name, old, new) in pairs(old, new) {
        if let (Some(old), Some(new)) = (old, new)
            && is_same_scalar(old, new)
        {
            continue;
        }
        if let (Some(ty), _) = type_of(name) {
            let mut below = Delta::default();
            walk(ty, old, new, &mut below);
            if !below.is_none() {
                delta.put(&PathElement::Field(name.clone()), below);
            }
        }
    }
}

fn compare_elements(list: ListForm<'_>, old: &[Value], new: &[Value], delta: &mut Delta) {
    if are_pairs(list, old, new) {
        return compare_pairs(list, old, new, delta);
    }
    let old_index = ElementIndex::new(list, old);
    let new_index = ElementIndex::new(list, new);
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

/// True if the elements of both lists surely have the same names in the same order, each once; or are the same anyway.
pub(in crate::apply) fn are_pairs(list: ListForm<'_>, old: &[Value], new: &[Value]) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| have_same_name(list, old, new))
        && (matches!(list.keys, Keys::Set) || are_distinct(list, new))
}

fn compare_pairs(list: ListForm<'_>, old: &[Value], new: &[Value], delta: &mut Delta) {
    // Elements of a set are their own names.
    if matches!(list.keys, Keys::Set) {
        return;
    }
    for (old, new) in old.iter().zip(new) {
        let mut below = Delta::default();
        walk(list.elem, Some(old), Some(new), &mut below);
        if !below.is_none()
            && let Ok(path) = element_path(list, new)
        {
            delta.put(&path, below);
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

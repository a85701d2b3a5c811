//! Merges an applied value into a live one. Nothing is removed, and what does not change is shared with the live one.

use sprag_value::{Array, Object, Value};

use crate::apply::fields::path::PathElement;
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::{ElementIndex, have_same_name};

/// The live value with everything that is applied.
pub(in crate::apply) fn merge(ty: Ty<'_>, live: &Value, applied: &Value) -> Value {
    changed(ty, live, applied).unwrap_or_else(|| live.clone())
}

/// The merged value; nothing when it is the live one.
fn changed(ty: Ty<'_>, live: &Value, applied: &Value) -> Option<Value> {
    match (ty.form(Some(applied)), live, applied) {
        (Form::Map(map), Value::Object(live), Value::Object(applied))
            if !map.atomic && !live.is_empty() && !applied.is_empty() =>
        {
            changed_members(map, live, applied).map(Value::Object)
        }
        (Form::List(list), Value::Array(live), Value::Array(applied))
            if !is_atomic(list) && !live.is_empty() && !applied.is_empty() =>
        {
            changed_elements(list, live, applied).map(Value::Array)
        }
        (Form::Map(map), Value::Object(live), _) if !map.atomic && !live.is_empty() && is_empty(applied) => None,
        (Form::List(list), Value::Array(live), _) if !is_atomic(list) && !live.is_empty() && is_empty(applied) => None,
        _ => (live != applied).then(|| applied.clone()),
    }
}

fn is_atomic(list: ListForm<'_>) -> bool {
    matches!(list.keys, Keys::Atomic)
}

/// True if there is nothing in it that could be merged.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => false,
    }
}

fn changed_members(map: MapForm<'_>, live: &Object, applied: &Object) -> Option<Object> {
    let mut merged: Option<Object> = None;
    for (name, applied, ty, _) in map.typed_members(applied) {
        let value = match (live.get(name), ty) {
            (Some(live), Some(ty)) => changed(ty, live, applied),
            _ => Some(applied.clone()),
        };
        if let Some(value) = value {
            merged.get_or_insert_with(|| live.clone()).insert(name.clone(), value);
        }
    }
    merged
}

/// Elements keep the live order where the applied list allows it.
fn changed_elements(list: ListForm<'_>, live: &Array, applied: &Array) -> Option<Array> {
    if live.len() == applied.len() && live.iter().zip(applied).all(|(a, b)| have_same_name(list, a, b)) {
        return changed_in_place(list, live, applied);
    }
    let live_index = ElementIndex::new(list, live);
    let applied_index = ElementIndex::new(list, applied);
    let shared: Vec<_> = applied_index.paths.iter().filter(|path| !live_index.find(path).is_empty()).collect();
    let mut walk = Walk {
        list,
        live,
        applied,
        live_index: &live_index,
        applied_index: &applied_index,
        shared: shared.into_iter(),
        next_shared: None,
        taken: vec![false; applied.len()],
        out: Vec::with_capacity(live.len().max(applied.len())),
        changed: false,
    };
    walk.advance();
    walk.run();
    (walk.changed || walk.out.len() != live.len()).then(|| Array::from(walk.out))
}

/// The most common change of a list: its elements are the same, what is in them is not.
fn changed_in_place(list: ListForm<'_>, live: &Array, applied: &Array) -> Option<Array> {
    let mut merged: Option<Array> = None;
    for (at, (live_element, applied)) in live.iter().zip(applied).enumerate() {
        if let Some(element) = changed(list.elem, live_element, applied) {
            merged.get_or_insert_with(|| live.clone()).as_mut_slice()[at] = element;
        }
    }
    merged
}

struct Walk<'a> {
    list: ListForm<'a>,
    live: &'a Array,
    applied: &'a Array,
    live_index: &'a ElementIndex,
    applied_index: &'a ElementIndex,
    /// Names that both lists have, in applied order, from the next one that is due.
    shared: std::vec::IntoIter<&'a PathElement>,
    next_shared: Option<&'a PathElement>,
    /// The applied elements that are in the result already.
    taken: Vec<bool>,
    out: Vec<Value>,
    /// True if the result differs from the live list, apart from its length.
    changed: bool,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut left = 0;
        let mut right = 0;
        let live = &self.live_index.paths;
        let applied = &self.applied_index.paths;
        while left < live.len() || right < applied.len() {
            if let (Some(path), Some(next)) = (live.get(left), applied.get(right)) {
                if path == next {
                    self.take(right);
                    self.advance();
                    left += 1;
                    right += 1;
                    continue;
                }
                let due = self.next_shared.is_none_or(|shared| shared == path);
                if !due && self.applied_at(path).is_some() {
                    left += 1;
                    continue;
                }
            }
            if let Some(path) = live.get(left) {
                match self.applied_at(path) {
                    None => {
                        self.keep(left);
                        left += 1;
                        continue;
                    }
                    Some(at) if self.taken[at] => left += 1,
                    Some(_) => {}
                }
            }
            if let Some(path) = applied.get(right) {
                self.take(right);
                if self.next_shared == Some(path) {
                    self.advance();
                }
                right += 1;
            }
        }
    }

    fn applied_at(&self, path: &PathElement) -> Option<usize> {
        self.applied_index.find(path).first().copied()
    }

    fn advance(&mut self) {
        self.next_shared = self.shared.next();
    }

    /// Takes a live element.
    fn keep(&mut self, at: usize) {
        self.changed |= at != self.out.len();
        self.out.push(self.live[at].clone());
    }

    /// Takes an applied element, merged with the live one of its name unless there are several of those.
    fn take(&mut self, at: usize) {
        self.taken[at] = true;
        let applied = &self.applied[at];
        if let [live] = self.live_index.find(&self.applied_index.paths[at]) {
            match changed(self.list.elem, &self.live[*live], applied) {
                None => return self.keep(*live),
                Some(merged) => self.out.push(merged),
            }
        } else {
            self.out.push(applied.clone());
        }
        self.changed = true;
    }
}

//! Values with a type, and how the elements of their lists are named.

use std::fmt::Write as _;

use ecow::EcoVec;
use sprag_field::quote;
use sprag_value::{Text, Value};

use crate::apply::fields::fields_v1::{write_element, write_keys};
use crate::apply::fields::path::{PathElement, equal_values};
use crate::apply::types::ty::{Form, Keys, ListForm};

/// Names an element of a list that is not atomic.
pub(in crate::apply) fn element_path(list: ListForm<'_>, element: &Value) -> Result<PathElement, String> {
    match list.keys {
        Keys::Fields(keys) => keyed_path(list, keys, element),
        Keys::Set => set_path(element).map_err(Into::into),
        Keys::Atomic => Err("invalid indexing of non-associative list".into()),
    }
}

/// Writes the key of an element; nothing when it has none. Most have one name, which need not be put into a path first.
pub(in crate::apply) fn write_name(key: &mut String, list: ListForm<'_>, element: &Value) -> Option<()> {
    if let Keys::Fields([name]) = list.keys
        && let Some(value) = element.get(name)
    {
        write_keys(key, [(name.as_ref(), value)]);
    } else {
        write_element(key, &element_path(list, element).ok()?);
    }
    Some(())
}

fn set_path(element: &Value) -> Result<PathElement, &'static str> {
    match element {
        Value::Object(_) => Err("associative list without keys has an element that's a map type"),
        Value::Array(_) => Err("not supported: associative list with lists as elements"),
        Value::Null => Err("associative list without keys has an element that's an explicit null"),
        scalar => Ok(PathElement::Value(scalar.clone())),
    }
}

fn keyed_path(list: ListForm<'_>, names: &[sprag_shape::Str], element: &Value) -> Result<PathElement, String> {
    let members = match element {
        Value::Object(members) => members,
        Value::Null => return Err("associative list with keys may not have a null element".into()),
        _ => return Err("associative list with keys may not have non-map elements".into()),
    };
    let mut keys = EcoVec::with_capacity(names.len());
    for name in names {
        let value = match members.get(name) {
            Some(value) => Some(value.clone()),
            None => default_key(list, name)?,
        };
        keys.extend(value.map(|value| (Text::from(name.as_ref()), value)));
    }
    if keys.is_empty() && !names.is_empty() {
        let mut quoted = String::new();
        for name in names {
            let separator = if quoted.is_empty() { "" } else { " " };
            let written = write!(quoted, "{separator}{}", quote::go(name));
            debug_assert!(written.is_ok(), "writing to a string does not fail");
        }
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{quoted}] (and doesn't have default values for any key fields)"
        ));
    }
    if !keys.is_sorted_by(|a, b| a.0 <= b.0) {
        keys.make_mut().sort_by(|a, b| a.0.cmp(&b.0));
    }
    Ok(PathElement::Key(keys))
}

fn default_key(list: ListForm<'_>, name: &str) -> Result<Option<Value>, String> {
    match list.elem.form(None) {
        Form::Map(map) => Ok(map.default_of(name)),
        _ => Err(format!("couldn't find default value for {name}: associative list may not have non-map types")),
    }
}

/// True if two elements surely have the same name; defaults of keys are not looked at.
pub(in crate::apply) fn have_same_name(list: ListForm<'_>, a: &Value, b: &Value) -> bool {
    match list.keys {
        Keys::Fields(keys) => {
            keys.iter().all(|key| a.get(key).zip(b.get(key)).is_some_and(|(a, b)| equal_values(a, b)))
        }
        Keys::Set => equal_values(a, b),
        Keys::Atomic => false,
    }
}

/// The longest list whose names are compared with each other.
const FEW: usize = 32;

/// True if no two elements of a list surely have the same name; `false` when that would take long to say.
pub(in crate::apply) fn are_distinct(list: ListForm<'_>, elements: &[Value]) -> bool {
    let repeats = |(at, a)| elements[..at].iter().any(|b| have_same_name(list, a, b));
    are_in_order(list, elements)
        || have_own_texts(list, elements)
        || (elements.len() <= FEW && !elements.iter().enumerate().any(repeats))
}

/// The name of an element, or the first of its keys.
fn first_key<'v>(list: ListForm<'_>, element: &'v Value) -> Option<&'v Value> {
    match list.keys {
        Keys::Fields([key, ..]) => element.get(key),
        Keys::Set => Some(element),
        _ => None,
    }
}

/// True if the names of elements, or the first of their keys, are texts, no two of which are the same.
fn have_own_texts(list: ListForm<'_>, elements: &[Value]) -> bool {
    let texts = elements.iter().map(|element| first_key(list, element).and_then(Value::as_str));
    let Some(mut texts) = texts.collect::<Option<Vec<&str>>>() else { return false };
    texts.sort_unstable();
    texts.is_sorted_by(|a, b| a < b)
}

/// Reports whether elements are in the order of their names, or of the first of their keys, no two of which are the
/// same.
fn are_in_order(list: ListForm<'_>, elements: &[Value]) -> bool {
    let names = elements.iter().map(|element| first_key(list, element).and_then(Value::as_str));
    names.is_sorted_by(|a, b| a < b)
}

/// The elements of a list by their names, for lookup.
pub(in crate::apply) struct ElementIndex {
    /// Names in the order of the list.
    pub(in crate::apply) paths: Vec<PathElement>,
    /// Positions sorted by name, then by position.
    sorted: Vec<usize>,
}

impl ElementIndex {
    /// Elements without a name are left out; typed values have none.
    pub(in crate::apply) fn new(list: ListForm<'_>, elements: &[Value]) -> Self {
        let paths: Vec<_> = elements.iter().filter_map(|element| element_path(list, element).ok()).collect();
        let mut sorted: Vec<_> = (0..paths.len()).collect();
        sorted.sort_by(|a, b| paths[*a].cmp(&paths[*b]));
        Self { paths, sorted }
    }

    /// The positions of all elements with this name.
    pub(in crate::apply) fn find(&self, path: &PathElement) -> &[usize] {
        let start = self.sorted.partition_point(|at| self.paths[*at] < *path);
        let found = self.sorted.get(start).is_some_and(|at| self.paths[*at] == *path);
        if found { self.run(start) } else { &[] }
    }

    /// The positions of elements with the same name, name by name in order.
    pub(in crate::apply) fn runs(&self) -> impl Iterator<Item = &[usize]> {
        let mut start = 0;
        std::iter::from_fn(move || {
            self.sorted.get(start)?;
            let run = self.run(start);
            start += run.len();
            Some(run)
        })
    }

    fn run(&self, start: usize) -> &[usize] {
        let rest = &self.sorted[start..];
        let Some(first) = rest.first() else { return rest };
        let len = rest.iter().take_while(|at| self.paths[**at] == self.paths[*first]).count();
        &rest[..len]
    }
}

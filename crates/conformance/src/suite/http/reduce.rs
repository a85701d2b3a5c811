//! Large answers are recorded in part; the note of a test says which. The same part is taken of ours.

use std::collections::BTreeSet;

use sprag_value::{Array, Object, Value};

use super::metrics;
use super::wire::{Recorded, Test};
use crate::volatile::VOLATILE;

/// The demands of a note that the comparison itself has to know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The whole answer counts.
    All,
    /// Only the code counts.
    Code,
    /// Any state that is not older is right: one list may go on where the other ends.
    NotOlder,
}

impl Ask {
    pub(super) fn of(note: &str) -> Ask {
        if note.contains("compare the code only") {
            Ask::Code
        } else if note.contains("any state not older") {
            Ask::NotOlder
        } else {
            Ask::All
        }
    }
}

/// True if a test is bound to the machine it was recorded on.
pub(super) fn is_environment(note: &str) -> bool {
    note.starts_with("environment-specific") || note.ends_with("Skip.")
}

/// The parsed body of an answer, reduced as the note of the test says.
pub(super) fn body(test: &Test, recorded: &Recorded, text: &str, parsed: Option<Value>) -> Value {
    if test.note.contains("text exposition") {
        return metrics::families(text);
    }
    let Some(mut body) = parsed else { return text.into() };
    if test.note.contains("only the keys count") {
        hide_values(&mut body);
    }
    let words = ["filtered to", "only"];
    if words.iter().any(|word| test.note.contains(word)) && (200..300).contains(&recorded.code) {
        reduce(test, &recorded.body, &mut body);
    }
    body
}

/// The recorded body, in the order that ours is brought into.
pub(super) fn in_order(note: &str, body: &Value) -> Value {
    let mut body = body.clone();
    if is_set(note) {
        sort_resources(&mut body);
    }
    body
}

fn is_set(note: &str) -> bool {
    note.contains("as a set by name")
}

fn reduce(test: &Test, recorded: &Value, body: &mut Value) {
    let note = test.note.as_str();
    let kept = Kept::of(test);
    keep_items(body, "groups", |group| kept.mentions(text_at(group, &["name"])));
    keep_items(body, "items", |item| kept.mentions(text_at(item, &["metadata", "name"])));
    if let Some(names) = listed_resources(note) {
        keep_items(body, "resources", |resource| {
            let name = text_at(resource, &["name"]);
            names.contains(name.split('/').next().unwrap_or_default())
        });
    }
    if note.contains("single-segment") {
        keep_items(body, "paths", |path| {
            let path = path.as_str().unwrap_or_default();
            kept.mentions(path) || path.matches('/').count() == 1 && path.len() > 1
        });
    }
    if note.contains("only") {
        keep_members(recorded, body, &[], |_| false);
        for path in [&["paths"][..], &["definitions"], &["components", "schemas"]] {
            keep_members(recorded, body, path, |key| match path {
                ["paths"] => kept.mentions(key),
                _ => kept.defines(key),
            });
        }
    }
    if is_set(note) {
        sort_resources(body);
    }
}

/// The parts that a note keeps.
struct Kept<'a> {
    /// Groups, forwards as in paths and backwards as in definitions.
    groups: Vec<&'a str>,
    /// Kinds that the test defines.
    kinds: BTreeSet<String>,
}

impl<'a> Kept<'a> {
    fn of(test: &'a Test) -> Kept<'a> {
        let words = test.note.split(|c: char| !c.is_alphanumeric() && c != '.');
        let groups = words.map(|word| word.trim_matches('.')).filter(|word| word.contains("example")).collect();
        let kinds = test.setup.iter().filter_map(|step| defined_kind(step.body.as_deref()?)).collect();
        Kept { groups, kinds }
    }

    fn mentions(&self, name: &str) -> bool {
        self.groups.iter().any(|group| name.contains(group))
    }

    fn defines(&self, name: &str) -> bool {
        let kind = name.rsplit('.').next().unwrap_or_default();
        let of_list = kind.strip_suffix("List").unwrap_or(kind);
        self.mentions(name) && (self.kinds.contains(kind) || self.kinds.contains(of_list))
    }
}

fn defined_kind(body: &str) -> Option<String> {
    let body = sprag_value::json::parse(body.as_bytes()).ok()?;
    Some(body.lookup(&["spec", "names", "kind"])?.as_str()?.to_owned())
}

/// `a, b and c` of `body.resources filtered to a, b, c and their subresources; …`.
fn listed_resources(note: &str) -> Option<BTreeSet<&str>> {
    let (_, list) = note.split_once("resources filtered to ")?;
    let list = list.split([';', ':']).next()?;
    let words = list.split([',', ' ']).filter(|word| !matches!(*word, "" | "and" | "their" | "subresources"));
    Some(words.collect())
}

fn hide_values(body: &mut Value) {
    for (_, value) in body.as_object_mut().into_iter().flat_map(Object::iter_mut) {
        *value = VOLATILE.into();
    }
}

fn text_at<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

fn keep_items(body: &mut Value, name: &str, keep: impl FnMut(&Value) -> bool) {
    if let Some(items) = body.get_mut(name).and_then(Value::as_array_mut) {
        items.retain(keep);
    }
}

/// Keeps the members that were recorded, and those that should have been.
fn keep_members(recorded: &Value, body: &mut Value, path: &[&str], keep: impl Fn(&str) -> bool) {
    let mut members = body;
    for name in path {
        let Some(inner) = members.get_mut(name) else { return };
        members = inner;
    }
    let recorded = recorded.lookup(path).and_then(Value::as_object);
    if let (Some(members), Some(recorded)) = (members.as_object_mut(), recorded) {
        members.retain(|key, _| recorded.contains_key(key) || keep(key));
    }
}

fn sort_resources(body: &mut Value) {
    let Some(resources) = body.get_mut("resources") else { return };
    let mut sorted: Vec<Value> = resources.as_array().into_iter().flatten().cloned().collect();
    sorted.sort_by(|a, b| text_at(a, &["name"]).cmp(text_at(b, &["name"])));
    *resources = Value::Array(Array::from(sorted));
}

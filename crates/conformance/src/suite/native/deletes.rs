//! Deletes: propagation, preconditions, grace periods, collections, namespaces: `patch/deletes.json`.

use serde_json::value::RawValue;
use sprag_value::{Array, Object, Value};

use super::Native;
use super::answer::{Verdict, compare, message_of, parse};
use super::tally::Place;
use super::wire::{Answer, Sequence, Step};
use super::world::{Asked, Reply, World, meta};
use crate::suite::http::resource_of;

const JSON: &str = "application/json";

/// Runs the file: every step is a case.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let sequences: Vec<Sequence<'_>> = document.read_json()?;
    for sequence in sequences.iter().step_by(native.every) {
        let mut world = native.world()?;
        let place = Place { group, kind: kind_of(sequence)? };
        let (api_version, kind) = place.kind.rsplit_once('/').unwrap_or_default();
        if !native.kinds.wants(api_version, kind) {
            continue;
        }
        let created = match set_up(&mut world, &sequence.stored)? {
            SetUp::Done(created) => created,
            SetUp::NotServed => {
                native.tally.not_served(&place, sequence.steps.len());
                continue;
            }
            SetUp::Refused(why) => {
                for at in 0..sequence.steps.len() {
                    native.tally.case(&place, &format!("{}/{at}", sequence.id), Verdict::cannot_run(&why));
                }
                continue;
            }
        };
        for (at, step) in sequence.steps.iter().enumerate() {
            let want = step.answer.as_ref().ok_or_else(|| format!("{}: no answer", sequence.id))?;
            let (api_version, plural) = resource_of(&step.path).unwrap_or_default();
            let plural = plural.unwrap_or_default();
            if world.kind_of(api_version, plural).is_none() {
                native.tally.skip(&place, 1, &format!("{api_version}/{plural} not served"));
                continue;
            }
            let reply = send(&world, step, &created)?;
            let verdict = verdict(want, &reply)?;
            if want.code == 422 {
                native.tally.rules(&place, &want.causes, &verdict);
            }
            native.tally.case(&place, &format!("{}/{at}", sequence.id), verdict);
        }
    }
    Ok(())
}

/// The kind of the first stored object.
fn kind_of(sequence: &Sequence<'_>) -> Result<String, String> {
    let Some(first) = sequence.stored.first() else { return Ok("v1/Namespace".to_owned()) };
    let object = parse(first.get())?;
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    Ok(format!("{}/{}", text("apiVersion"), text("kind")))
}

/// The outcome of creating objects.
pub(super) enum SetUp {
    /// The first of them as it was returned.
    Done(Value),
    NotServed,
    /// The server does not take one of them.
    Refused(String),
}

/// Creates objects by requests, with their status where they have one.
pub(super) fn set_up(world: &mut World<'_>, objects: &[&RawValue]) -> Result<SetUp, String> {
    let mut first = None;
    for text in objects {
        let object = parse(text.get())?;
        let member = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(served) = world.served(member("apiVersion"), member("kind")) else { return Ok(SetUp::NotServed) };
        let namespace = meta(&object, "namespace");
        let name = meta(&object, "name");
        world.ensure_namespace(namespace);
        let asked = Asked {
            method: "POST".to_owned(),
            path: served.path(namespace, "", ""),
            content_type: Some(JSON.to_owned()),
            accept: None,
            body: text.get().to_owned(),
        };
        let reply = world.send(&asked)?;
        if reply.code != 201 {
            return Ok(SetUp::Refused(format!("{name}: {} {}", reply.code, message_of(&reply.json()))));
        }
        let mut created = reply.json();
        let has_status = served.definition.version(&served.version).is_some_and(|it| it.subresource("status").is_some());
        if let Some(status) = object.get("status").filter(|_| has_status) {
            created.insert("status", status.clone());
            let asked = Asked {
                method: "PUT".to_owned(),
                path: served.path(namespace, name, "status"),
                body: sprag_value::json::to_string_plain(&created),
                ..asked
            };
            created = world.send(&asked)?.json();
        }
        first.get_or_insert(created);
    }
    Ok(SetUp::Done(first.unwrap_or_default()))
}

fn send(world: &World<'_>, step: &Step<'_>, created: &Value) -> Result<Reply, String> {
    let body = step.body.map(|body| body.get().to_owned()).or_else(|| step.body_text.clone()).unwrap_or_default();
    let fill = |text: &str| {
        text.replace("${rv}", meta(created, "resourceVersion")).replace("${uid}", meta(created, "uid"))
    };
    world.send(&Asked {
        method: step.method.clone(),
        path: fill(&step.path),
        content_type: step.content_type.clone().or_else(|| step.body.map(|_| JSON.to_owned())),
        accept: step.accept.clone(),
        body: fill(&body),
    })
}

/// Compares an answer that is an object or a list of names.
pub(super) fn verdict(want: &Answer<'_>, reply: &Reply) -> Result<Verdict, String> {
    let mut verdict = compare(want, reply);
    if reply.code != want.code {
        return Ok(verdict);
    }
    if let Some(object) = want.object {
        verdict.values("object", &without_prose(parse(object.get())?), &without_prose(without_owners(reply.json())));
    }
    if let Some(list) = &want.list {
        verdict.values("list", list, &names(&reply.json(), list.get("deleting").is_some()));
    }
    Ok(verdict)
}

/// A list as it is recorded: kind, metadata, names, and the names of what is being deleted.
fn names(list: &Value, with_deleting: bool) -> Value {
    let member = |name: &str| list.get(name).cloned().unwrap_or_default();
    let items: Vec<&Value> = list.get("items").and_then(Value::as_array).into_iter().flatten().collect();
    let full = |item: &&Value| match meta(item, "namespace") {
        "" => Value::from(meta(item, "name")),
        namespace => Value::from(format!("{namespace}/{}", meta(item, "name"))),
    };
    let mut shown = Object::from([
        ("kind", member("kind")),
        ("apiVersion", member("apiVersion")),
        ("metadata", member("metadata")),
        ("items", Value::Array(Array::from(items.iter().map(full).collect::<Vec<_>>()))),
    ]);
    let deleting = items.iter().filter(|item| !meta(item, "deletionTimestamp").is_empty());
    let deleting: Vec<Value> = deleting.map(|item| Value::from(meta(item, "name"))).collect();
    if with_deleting || !deleting.is_empty() {
        shown.insert("deleting", Value::Array(deleting.into()));
    }
    Value::Object(shown)
}

/// A table without the descriptions of its columns, which are the reference's prose (see DIVERGENCES.md).
pub(super) fn without_prose(mut value: Value) -> Value {
    for column in value.get_mut("columnDefinitions").and_then(Value::as_array_mut).into_iter().flat_map(Array::as_mut_slice)
    {
        column.remove("description");
    }
    value
}

/// The value without managed fields, wherever they are.
pub(super) fn without_owners(mut value: Value) -> Value {
    remove_owners(&mut value);
    value
}

fn remove_owners(value: &mut Value) {
    match value {
        Value::Array(items) => items.as_mut_slice().iter_mut().for_each(remove_owners),
        Value::Object(members) => {
            if let Some(metadata) = members.get_mut("metadata") {
                metadata.remove("managedFields");
            }
            members.iter_mut().for_each(|(_, member)| remove_owners(member));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_reduced_to_names() {
        let list = parse(
            r#"{"kind":"L","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[
                {"metadata":{"name":"a","namespace":"n","deletionTimestamp":"t"}},{"metadata":{"name":"b"}}]}"#,
        );
        let shown = r#"{"kind":"L","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":["n/a","b"],"deleting":["a"]}"#;
        assert_eq!(names(&list.expect("valid JSON"), false), parse(shown).expect("valid JSON"));
    }

    #[test]
    fn owners_and_prose_are_left_out() {
        let value = parse(r#"{"columnDefinitions":[{"name":"a","description":"d"}],"rows":[{"object":{"metadata":{"managedFields":[]}}}]}"#);
        let shown = without_prose(without_owners(value.expect("valid JSON")));
        let want = r#"{"columnDefinitions":[{"name":"a"}],"rows":[{"object":{"metadata":{}}}]}"#;
        assert_eq!(shown, parse(want).expect("valid JSON"));
    }
}

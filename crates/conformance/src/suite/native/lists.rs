//! Lists and watches against objects that are set up once: `patch/lists.json`.

use sprag_value::{Object, Value, json};

use super::Native;
use super::answer::Verdict;
use super::messages;
use super::deletes::{self, SetUp, without_owners};
use super::tally::Place;
use super::wire::{ListCase, ListFile};
use super::world::{Asked, Reply, World};
use crate::suite::http::resource_of;

const MERGE_PATCH: &str = "application/merge-patch+json";
const CONFIG_MAPS: &str = "/api/v1/namespaces/ls/configmaps";

/// Runs the file. The cases of a group do not depend on each other, so they are sent side by side.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let file: ListFile<'_> = document.read_json()?;
    let mut world = native.world()?;
    for object in &file.setup {
        // Groups about kinds that are not served are skipped below.
        if let SetUp::Refused(why) = deletes::set_up(&mut world, &[*object])? {
            native.tally.case(&Place::new(group, "v1", "(setup)"), &why, Verdict::cannot_run(&why));
        }
    }
    let (changes, others): (Vec<&ListCase<'_>>, Vec<_>) =
        file.cases.iter().partition(|case| case.group.starts_with("watch-changes/"));
    run_cases(native, &world, group, &others, &version(&world, CONFIG_MAPS)?)?;
    for changed in changes.chunk_by(|a, b| a.group == b.group) {
        let form = changed.first().map(|case| case.group.as_str()).unwrap_or_default();
        let form = form.trim_start_matches("watch-changes/");
        let before = version(&world, CONFIG_MAPS)?;
        if form != "pods" {
            change(&world, &format!("w-{form}"))?;
        }
        run_cases(native, &world, group, changed, &before)?;
    }
    Ok(())
}

fn run_cases(
    native: &mut Native<'_>,
    world: &World<'_>,
    group: &'static str,
    cases: &[&ListCase<'_>],
    version: &str,
) -> Result<(), String> {
    let token = first_token(world, cases)?;
    let mut run = Vec::new();
    let mut asked = Vec::new();
    for case in cases {
        let Some(place) = place(native, world, group, case) else { continue };
        asked.push(Asked {
            method: case.request.method.clone(),
            path: case.request.path.replace("${rv}", version).replace("${continue}", &token),
            accept: case.request.accept.clone(),
            ..Asked::default()
        });
        run.push((place, case));
    }
    for ((place, case), reply) in run.into_iter().zip(world.send_all(asked)) {
        let verdict = verdict(case, &reply?)?;
        native.tally.case(&place, &case.id, verdict);
    }
    Ok(())
}

/// The kind that a case is about, unless it is not asked for or not served.
fn place(native: &mut Native<'_>, world: &World<'_>, group: &'static str, case: &ListCase<'_>) -> Option<Place> {
    let path = case.request.path.replace("/watch/", "/");
    let (api_version, plural) = resource_of(&path).unwrap_or_default();
    let plural = plural.unwrap_or_default();
    match world.kind_of(api_version, plural) {
        Some(kind) => native.kinds.wants(api_version, &kind).then(|| Place::new(group, api_version, &kind)),
        // A resource that nobody has is asked for on purpose.
        None if case.answer.code == 404 && case.group == "list/other" => Some(Place::new(group, api_version, "(none)")),
        None => {
            if native.kinds.0.is_empty() {
                native.tally.not_served(&Place::new(group, api_version, plural), 1);
            }
            None
        }
    }
}

/// The token that the case `first` of a group yields; `limit=1` is such a case.
fn first_token(world: &World<'_>, cases: &[&ListCase<'_>]) -> Result<String, String> {
    if !cases.iter().any(|case| case.request.path.contains("${continue}")) {
        return Ok(String::new());
    }
    let list = get(world, &format!("{CONFIG_MAPS}?limit=1"))?;
    let token = list.lookup(&["metadata", "continue"]).and_then(Value::as_str).unwrap_or_default();
    Ok(super::world::escaped(token))
}

fn get(world: &World<'_>, path: &str) -> Result<Value, String> {
    Ok(world.send(&Asked { method: "GET".to_owned(), path: path.to_owned(), ..Asked::default() })?.json())
}

fn version(world: &World<'_>, path: &str) -> Result<String, String> {
    let list = get(world, path)?;
    Ok(list.lookup(&["metadata", "resourceVersion"]).and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// Makes the changes that precede the watches of `watch-changes`: the README of the recordings lists them.
fn change(world: &World<'_>, name: &str) -> Result<(), String> {
    let send = |method: &str, path: String, content_type: &str, body: String| {
        let asked = Asked {
            method: method.to_owned(),
            path,
            content_type: Some(content_type.to_owned()),
            accept: None,
            body,
        };
        world.send(&asked).and_then(|reply| match reply.code {
            200 | 201 => Ok(()),
            code => Err(format!("{method} {name}: {code}")),
        })
    };
    let object = format!("{CONFIG_MAPS}/{name}");
    let new = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","labels":{{"app":"x"}}}},"data":{{"k":"{name}"}}}}"#
    );
    send("POST", CONFIG_MAPS.to_owned(), "application/json", new)?;
    for patch in [
        r#"{"data":{"k":"2"}}"#,
        r#"{"data":{"k":"2"}}"#,
        r#"{"metadata":{"labels":{"app":"z"}}}"#,
        r#"{"metadata":{"labels":{"app":"x"},"finalizers":["example.com/f"]}}"#,
    ] {
        send("PATCH", object.clone(), MERGE_PATCH, patch.to_owned())?;
    }
    send("DELETE", object.clone(), "application/json", String::new())?;
    send("PATCH", object, MERGE_PATCH, r#"{"metadata":{"finalizers":null}}"#.to_owned())
}

fn verdict(case: &ListCase<'_>, reply: &Reply) -> Result<Verdict, String> {
    if case.answer.magic.is_some() || case.answer.all_bytes_framed {
        return Ok(messages::verdict(&case.answer, reply));
    }
    let mut verdict = deletes::verdict(&case.answer, reply)?;
    if let Some(content_type) = &case.answer.content_type {
        verdict.texts("contentType", content_type, &reply.content_type);
    }
    if let Some(events) = case.answer.events.as_ref().filter(|_| reply.code == case.answer.code) {
        let ours = ours(&reply.body, events);
        let recorded: Vec<Value> = events.iter().cloned().map(event_without_prose).collect();
        verdict.values("events", &Value::Array(recorded.into()), &Value::Array(ours.into()));
    }
    Ok(verdict)
}

/// The events of a watch, each in the form that the recorded one beside it has.
fn ours(body: &[u8], recorded: &[Value]) -> Vec<Value> {
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(at, line)| {
            let event = without_owners(json::parse(line).unwrap_or_default());
            let is_short = recorded.get(at).is_some_and(|event| event.lookup(&["object", "metadata"]).is_none());
            let is_status = event.lookup(&["object", "kind"]).and_then(Value::as_str) == Some("Status");
            if is_short && !is_status { short(&event) } else { event_without_prose(event) }
        })
        .collect()
}

/// An event whose table, if it is one, has no descriptions.
fn event_without_prose(mut event: Value) -> Value {
    if let Some(object) = event.get_mut("object") {
        *object = deletes::without_prose(object.take());
    }
    event
}

/// An event as kind and name of its object; a bookmark, which has no name, with its annotations.
fn short(event: &Value) -> Value {
    let member = |path: &[&str]| event.lookup(path).cloned();
    let name = member(&["object", "metadata", "name"]).unwrap_or_default();
    let mut object = Object::from([("kind", member(&["object", "kind"]).unwrap_or_default()), ("name", name)]);
    if let Some(annotations) = member(&["object", "metadata", "annotations"]) {
        object.insert("annotations", annotations);
    }
    Value::Object(Object::from([("type", member(&["type"]).unwrap_or_default()), ("object", Value::Object(object))]))
}

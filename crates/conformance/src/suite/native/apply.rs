//! Server-side apply: sequences of requests on one object: `patch/apply`.

use std::time::Duration;

use sprag_value::{Value, json};

use super::Native;
use super::answer::{Verdict, compare, parse, patched, without_versions};
use super::patches::{expanded, managed_fields};
use super::tally::Place;
use super::wire::{Answer, ApplyFile, Step};
use super::world::{Asked, Reply, World};

/// Between two steps; entries of managed fields have seconds.
const PAUSE: Duration = Duration::from_millis(1500);

/// The object of a sequence.
#[derive(Default)]
struct Object {
    /// As it was recorded last, without its managed fields.
    recorded: Option<Value>,
    /// The managed fields that were recorded last.
    owners: Vec<Value>,
    /// Our last one.
    ours: Value,
}

/// Runs the files: every step is a case.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.kind_document()?;
    let file: ApplyFile<'_> = document.read_json()?;
    if !native.kinds.wants(&file.api_version, &file.kind) {
        return Ok(());
    }
    let place = Place::new(group, &file.api_version, &file.kind);
    let world = native.world()?;
    let steps = file.sequences.iter().map(|sequence| sequence.steps.len()).sum();
    if world.served(&file.api_version, &file.kind).is_none() {
        native.tally.not_served(&place, steps);
        return Ok(());
    }
    for sequence in file.sequences.iter().step_by(native.every) {
        let mut object = Object::default();
        for (at, step) in sequence.steps.iter().enumerate() {
            let id = format!("{}/{at}", sequence.id);
            let failed = |error| format!("{}: {id}: {error}", document.name);
            let want = step.answer.as_ref().ok_or_else(|| failed("no answer".to_owned()))?;
            let reply = send(&world, step, &object).map_err(failed)?;
            let verdict = object.compare(&file.kind, want, &reply).map_err(failed)?;
            if want.code == 422 {
                native.tally.rules(&place, &want.causes, &verdict);
            }
            native.tally.case(&place, &id, verdict);
        }
    }
    Ok(())
}

fn send(world: &World<'_>, step: &Step<'_>, object: &Object) -> Result<Reply, String> {
    world.advance(PAUSE);
    let body = match (step.body_from_live, step.body) {
        (Some(patch), _) => {
            let path = step.path.split('?').next().unwrap_or_default().to_owned();
            let live = world.send(&Asked { method: "GET".to_owned(), path, ..Asked::default() })?;
            patched(&String::from_utf8_lossy(&live.body), patch.get())?
        }
        (None, Some(body)) => body.get().to_owned(),
        (None, None) => step.body_text.clone().unwrap_or_default(),
    };
    let text = |name: &str| object.ours.lookup(&["metadata", name]).and_then(Value::as_str).unwrap_or_default();
    let body = body.replace("${rv}", text("resourceVersion")).replace("${uid}", text("uid"));
    world.send(&Asked {
        method: step.method.clone(),
        path: step.path.clone(),
        content_type: step.content_type.clone(),
        accept: step.accept.clone(),
        body,
    })
}

impl Object {
    fn compare(&mut self, kind: &str, want: &Answer<'_>, reply: &Reply) -> Result<Verdict, String> {
        let mut verdict = compare(want, reply);
        let ours = reply.json();
        let is_ours = |object: &Value| object.get("kind").and_then(Value::as_str) == Some(kind);
        if reply.code < 300 && is_ours(&ours) {
            self.ours = ours.clone();
        }
        let recorded = match (want.result, want.object) {
            (Some(patch), _) => {
                let before = self.recorded.as_ref().ok_or("a result without an object before")?;
                parse(&patched(&json::to_string_plain(before), patch.get())?)?
            }
            (None, Some(object)) => without_versions(parse(object.get())?),
            (None, None) => return Ok(verdict),
        };
        if is_ours(&recorded) {
            self.recorded = Some(recorded.clone());
            self.owners = expanded(want.managed_fields.as_deref().unwrap_or_default(), "prev", &self.owners)?;
            if reply.code == want.code {
                let owners = Value::Array(self.owners.clone().into());
                verdict.values("managedFields", &owners, &Value::Array(managed_fields(&ours).into()));
            }
        }
        if reply.code == want.code {
            verdict.values("object", &recorded, &without_versions(ours));
        }
        Ok(verdict)
    }
}

//! Requests to scale, eviction, binding, token and the like: `subresources.json`.

use serde_json::value::RawValue;

use super::Native;
use super::answer::{Verdict, compare, parse, without_versions};
use super::tally::Place;
use super::wire::SubresourceCase;
use super::world::{Asked, Served, World};

/// Runs the file.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let cases: Vec<SubresourceCase<'_>> = document.read_json()?;
    let mut world = native.world()?;
    for case in cases.iter().step_by(native.every) {
        let mut stored = Vec::new();
        let mut missing = None;
        for text in &case.stored {
            match served(&world, text)? {
                (_, Some(served)) => stored.push((served, text.get())),
                (name, None) => missing = Some(name),
            }
        }
        let place = place(&world, group, case)?;
        let (api_version, kind) = place.kind.rsplit_once('/').unwrap_or_default();
        if !native.kinds.wants(api_version, kind) {
            continue;
        }
        if missing.is_some() || world.served(api_version, kind).is_none() {
            native.tally.not_served(&place, 1);
            continue;
        }
        let held: Vec<(&Served, &str)> = stored.iter().map(|(served, text)| (served, *text)).collect();
        world.hold(&held)?;
        let verdict = verdict(&world, case)?;
        if case.answer.code == 422 {
            native.tally.rules(&place, &case.answer.causes, &verdict);
        }
        native.tally.case(&place, &case.name, verdict);
    }
    Ok(())
}

fn verdict(world: &World<'_>, case: &SubresourceCase<'_>) -> Result<Verdict, String> {
    let reply = world.send(&Asked {
        method: case.request.method.clone(),
        path: case.request.path.clone(),
        content_type: case.request.content_type.clone(),
        accept: None,
        body: case.request.body.map(RawValue::get).unwrap_or_default().to_owned(),
    })?;
    let mut verdict = compare(&case.answer, &reply);
    if let Some(object) = case.answer.object.filter(|_| reply.code == case.answer.code) {
        verdict.values("object", &without_versions(parse(object.get())?), &without_versions(reply.json()));
    }
    Ok(verdict)
}

/// The kind of an object, if it is served.
fn served(world: &World<'_>, text: &RawValue) -> Result<(String, Option<Served>), String> {
    let object = parse(text.get())?;
    let text = |name: &str| object.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let api_version = text("apiVersion");
    let kind = text("kind");
    let served = world.served(&api_version, &kind);
    Ok((format!("{api_version}/{kind}"), served))
}

/// The case is about the kind that is stored, or that the path names.
fn place(world: &World<'_>, group: &'static str, case: &SubresourceCase<'_>) -> Result<Place, String> {
    if let Some(text) = case.stored.first() {
        return Ok(Place { group, kind: served(world, text)?.0 });
    }
    let path = case.request.path.split('?').next().unwrap_or_default();
    let (api_version, plural) = crate::suite::http::resource_of(path).unwrap_or_default();
    let plural = plural.unwrap_or_default();
    let kind = world.kind_of(api_version, plural).unwrap_or_else(|| plural.to_owned());
    Ok(Place::new(group, api_version, &kind))
}

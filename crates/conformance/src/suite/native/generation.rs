//! Increments of `metadata.generation`: `generation.json`, seen on the recorded changes of `mutation`.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sprag_value::Value;

use super::Native;
use super::answer::{Verdict, parse, patched, with_version};
use super::objects::hold;
use super::tally::Place;
use super::wire::{Base, Case, Generation, KindFile};
use super::world::{Asked, Served, World};
use crate::recorded::Document;

/// Runs the file: for each kind one case for creates, and one for each member whose changes all do the same.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let kinds: BTreeMap<String, Generation> = document.read_json()?;
    for (name, generation) in &kinds {
        let Some((api_version, kind)) = name.rsplit_once('/') else { continue };
        if !native.kinds.wants(api_version, kind) {
            continue;
        }
        let place = Place::new(group, api_version, kind);
        let mut world = native.world()?;
        let members = generation.accepted_changes_that_bumped.len() + generation.accepted_changes_that_did_not.len();
        let Some(served) = world.served(api_version, kind) else {
            native.tally.not_served(&place, 1 + members);
            continue;
        };
        let document = Document::open(&native.bases(api_version, kind))?;
        let file: KindFile<'_> = document.read_json()?;
        native.tally.case(&place, "create", created(&world, &served, &file, generation)?);
        let Generation { accepted_changes_that_bumped: up, accepted_changes_that_did_not: same, .. } = generation;
        let changes = up.keys().map(|member| (member, true)).chain(same.keys().map(|member| (member, false)));
        for (member, bumps) in changes {
            if up.contains_key(member) && same.contains_key(member) {
                native.tally.skip(&place, 1, "it depends on the change: see mutation");
                continue;
            }
            let (verdict, seen) = changed(&mut world, &served, &file, member, bumps)?;
            match seen {
                0 => native.tally.skip(&place, 1, "no recorded change of the member is accepted"),
                _ => native.tally.case(&place, member, verdict),
            }
        }
    }
    Ok(())
}

fn send(world: &World<'_>, method: &str, path: &str, body: String) -> Result<Value, String> {
    let asked = Asked {
        method: method.to_owned(),
        path: format!("{path}?dryRun=All"),
        content_type: Some("application/json".to_owned()),
        accept: None,
        body,
    };
    Ok(world.send(&asked)?.json())
}

fn generation_of(object: &Value) -> Option<i64> {
    object.lookup(&["metadata", "generation"]).and_then(Value::as_i64)
}

fn created(
    world: &World<'_>,
    served: &Served,
    file: &KindFile<'_>,
    recorded: &Generation,
) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    for (name, base) in &file.bases {
        let object = send(world, "POST", &served.path("default", "", ""), base.object.get().to_owned())?;
        let generation = generation_of(&object);
        if generation != recorded.on_create {
            verdict.add(name, format!("{:?}", recorded.on_create), format!("{generation:?}"));
        }
    }
    Ok(verdict)
}

/// Sends all recorded changes of one member; returns how many there are beside the verdict.
fn changed(
    world: &mut World<'_>,
    served: &Served,
    file: &KindFile<'_>,
    member: &str,
    bumps: bool,
) -> Result<(Verdict, usize), String> {
    let (op, member) = member.split_once(": ").unwrap_or(("update", member));
    let mut verdict = Verdict::default();
    let mut seen = 0;
    for case in file.cases.iter().filter(|case| case.op == op && case.answer.code == 200) {
        let Some(base) = file.bases.get(&case.base) else { continue };
        if members(case)? != [member] || case.answer.result_from_base.is_none_or(|patch| patch.get() == "[]") {
            continue;
        }
        let (before, after) = change(world, served, base, case, op)?;
        seen += 1;
        if (before != after) != bumps {
            let want = if bumps { "another generation" } else { "the same generation" };
            verdict.add(&case.id, want, format!("{before:?}, then {after:?}"));
        }
    }
    Ok((verdict, seen))
}

fn change(
    world: &mut World<'_>,
    served: &Served,
    base: &Base<'_>,
    case: &Case<'_>,
    op: &str,
) -> Result<(Option<i64>, Option<i64>), String> {
    let stored = base.stored.ok_or("no stored object")?.get();
    let path = hold(world, served, stored, op)?;
    let changed = patched(stored, case.patch.map_or("[]", RawValue::get))?;
    let object = send(world, "PUT", &path, with_version(&changed, &world.live_version()))?;
    let value = parse(stored)?;
    Ok((generation_of(&value), generation_of(&object)))
}

/// The top-level members that a patch changes.
fn members(case: &Case<'_>) -> Result<Vec<String>, String> {
    let patch = parse(case.patch.map_or("[]", RawValue::get))?;
    let paths = patch.as_array().into_iter().flatten().filter_map(|operation| operation.get("path")?.as_str());
    let mut members: Vec<String> = paths.filter_map(|path| Some(path.split('/').nth(1)?.to_owned())).collect();
    members.sort();
    members.dedup();
    Ok(members)
}

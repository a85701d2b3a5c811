//! Creates, updates and writes of subresources: `mutation`, `upstream`, `targeted`, `minimal`, `duplicate-keys`, `default-admission`.

use serde_json::value::RawValue;

use super::{Native, deletes};
use super::answer::{self, Verdict, compare, parse, patched, with_version, without_versions};
use super::tally::Place;
use super::wire::{AdmissionCase, Answer, Case, DuplicateCase, KindFile};
use super::world::{Asked, Served, World, meta};

const JSON: &str = "application/json";
const DEFAULT_NAMESPACE: &str = "default";
const DRY_RUN: &str = "dryRun=All";
const STRICT: &str = "dryRun=All&fieldValidation=Strict";

/// A write, and what its result is recorded as a patch of.
struct Written {
    method: &'static str,
    path: String,
    body: String,
    origin: String,
}

/// Runs the files of a group that has one for each kind.
pub(super) fn kind_files(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.kind_document()?;
    let file: KindFile<'_> = document.read_json()?;
    let place = Place::new(group, &file.api_version, &file.kind);
    if !native.kinds.wants(&file.api_version, &file.kind) {
        return Ok(());
    }
    let mut world = native.world()?;
    let Some(served) = world.served(&file.api_version, &file.kind) else {
        native.tally.not_served(&place, file.cases.len());
        return Ok(());
    };
    for case in file.cases.iter().step_by(native.every) {
        let verdict = run_case(&mut world, &served, &file, case, native, &place)
            .unwrap_or_else(|error| Verdict::cannot_run(&error));
        native.tally.case(&place, &case.id, verdict);
    }
    Ok(())
}

/// Runs `minimal.json`.
pub(super) fn minimal(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let cases: Vec<Case<'_>> = document.read_json()?;
    let mut world = native.world()?;
    for case in &cases {
        let Some((place, served)) = find(native, &world, group, &case.id) else { continue };
        let object = case.object.ok_or_else(|| format!("{}: no object", case.id))?;
        let written = create(&mut world, &served, object.get(), None)?;
        let verdict = send(&world, &written, STRICT, &case.answer, native, &place)?;
        native.tally.case(&place, &case.id, verdict);
    }
    Ok(())
}

/// Runs `default-admission.json` on a server with the default admission plug-ins.
pub(super) fn default_admission(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let cases: Vec<AdmissionCase<'_>> = document.read_json()?;
    let setup = native.file("default-admission-setup")?;
    let setup: Vec<&RawValue> = setup.read_json()?;
    let mut world = World::with_plugins(native.runtime, native.edition.release)?;
    for object in setup {
        deletes::set_up(&mut world, &[object])?;
    }
    for case in &cases {
        let Some((place, served)) = find(native, &world, group, &case.name) else { continue };
        let path = served.path(&namespace_of(case.object.get())?, "", "");
        let object = case.object.get().to_owned();
        let written = Written { method: "POST", path, body: object.clone(), origin: object };
        let reply = world.send(&written.asked(STRICT))?;
        let mut verdict = compare(&case.answer, &reply);
        written.compare_result(&case.answer, &reply, &mut verdict)?;
        native.tally.case(&place, &case.name, verdict);
    }
    Ok(())
}

/// Runs `duplicate-keys.json`.
pub(super) fn duplicate_keys(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let cases: Vec<DuplicateCase<'_>> = document.read_json()?;
    let mut world = native.world()?;
    for case in &cases {
        if !native.kinds.wants(&case.api_version, &case.kind) {
            continue;
        }
        let place = Place::new(group, &case.api_version, &case.kind);
        let Some(served) = world.served(&case.api_version, &case.kind) else {
            native.tally.not_served(&place, 1);
            continue;
        };
        let mut written = create(&mut world, &served, &case.body, None)?;
        // The last of members that are repeated wins.
        written.origin = sprag_value::json::to_string_plain(&parse(&case.body)?);
        let mut verdict = send(&world, &written, STRICT, &case.answer, native, &place)?;
        let default = send(&world, &written, DRY_RUN, &case.answer_default, native, &place)?;
        verdict.differences.push_str(&default.differences);
        native.tally.case(&place, &case.id, verdict);
    }
    Ok(())
}

/// The place and the kind of an id like `apps/v1/Deployment/0`, unless it is not asked for or not served.
fn find(native: &mut Native<'_>, world: &World<'_>, group: &'static str, id: &str) -> Option<(Place, Served)> {
    let mut parts = id.rsplitn(3, '/').skip(1);
    let kind = parts.next()?;
    let api_version = parts.next()?;
    if !native.kinds.wants(api_version, kind) {
        return None;
    }
    let place = Place::new(group, api_version, kind);
    let Some(served) = world.served(api_version, kind) else {
        native.tally.not_served(&place, 1);
        return None;
    };
    Some((place, served))
}

fn run_case(
    world: &mut World<'_>,
    served: &Served,
    file: &KindFile<'_>,
    case: &Case<'_>,
    native: &mut Native<'_>,
    place: &Place,
) -> Result<Verdict, String> {
    let written = written(world, served, file, case)?;
    let mut verdict = send(world, &written, STRICT, &case.answer, native, place)?;
    if let Some(answer) = &case.answer_default {
        let default = send(world, &written, DRY_RUN, answer, native, place)?;
        verdict.differences.push_str(&default.differences);
    }
    verdict.other_order &= !case.causes_unordered;
    Ok(verdict)
}

/// Returns the request of a case, after the store was given the objects that it needs.
fn written(
    world: &mut World<'_>,
    served: &Served,
    file: &KindFile<'_>,
    case: &Case<'_>,
) -> Result<Written, String> {
    let base = file.bases.get(&case.base);
    let patch = case.patch.map_or("[]", RawValue::get);
    match (case.op.as_str(), base) {
        ("create", Some(base)) => {
            let object = patched(case.input.unwrap_or(base.object).get(), patch)?;
            let written = create(world, served, &object, Some(DEFAULT_NAMESPACE))?;
            Ok(Written { origin: base.answer.object.map_or("{}", RawValue::get).to_owned(), ..written })
        }
        ("create", None) => create(world, served, case.object.map_or("{}", RawValue::get), None),
        (op, Some(base)) => {
            let stored = base.stored.ok_or("no stored object")?.get();
            let path = hold(world, served, stored, op)?;
            let body = with_version(&patched(case.input.map_or(stored, RawValue::get), patch)?, &world.live_version());
            Ok(Written { method: "PUT", path, body, origin: stored.to_owned() })
        }
        (op, None) => {
            let stored = case.old.ok_or("no old object")?.get();
            let object = case.object.ok_or("no object")?.get();
            let path = hold(world, served, stored, op)?;
            let body = with_version(object, &world.live_version());
            Ok(Written { method: "PUT", path, body, origin: object.to_owned() })
        }
    }
}

/// A create in a namespace, which is that of the object if none is named.
fn create(world: &mut World<'_>, served: &Served, object: &str, namespace: Option<&str>) -> Result<Written, String> {
    let own = namespace_of(object)?;
    let namespace = namespace.unwrap_or(&own);
    world.hold(&[])?;
    if served.definition.namespaced() {
        world.ensure_namespace(namespace);
    }
    let path = served.path(namespace, "", "");
    Ok(Written { method: "POST", path, body: object.to_owned(), origin: object.to_owned() })
}

/// The namespace of an object, or the default one.
fn namespace_of(object: &str) -> Result<String, String> {
    let object = parse(object)?;
    let own = Some(meta(&object, "namespace")).filter(|namespace| !namespace.is_empty());
    Ok(own.unwrap_or(DEFAULT_NAMESPACE).to_owned())
}

/// Stores an object; returns its path, or that of a subresource.
pub(super) fn hold(world: &mut World<'_>, served: &Served, stored: &str, op: &str) -> Result<String, String> {
    world.hold(&[(served, stored)])?;
    let value = parse(stored)?;
    let subresource = if op == "update" { "" } else { op };
    Ok(served.path(meta(&value, "namespace"), meta(&value, "name"), subresource))
}

fn send(
    world: &World<'_>,
    written: &Written,
    query: &str,
    want: &Answer<'_>,
    native: &mut Native<'_>,
    place: &Place,
) -> Result<Verdict, String> {
    let reply = world.send(&written.asked(query))?;
    let mut verdict = compare(want, &reply);
    written.compare_result(want, &reply, &mut verdict)?;
    if want.code == 422 {
        native.tally.rules(place, &want.causes, &verdict);
    }
    Ok(verdict)
}

impl Written {
    fn asked(&self, query: &str) -> Asked {
        Asked {
            method: self.method.to_owned(),
            path: format!("{}?{query}", self.path),
            content_type: Some(JSON.to_owned()),
            accept: None,
            body: self.body.clone(),
        }
    }

    /// Compares the object of a success.
    fn compare_result(
        &self,
        want: &Answer<'_>,
        reply: &super::world::Reply,
        verdict: &mut Verdict,
    ) -> Result<(), String> {
        if want.code >= 300 || reply.code >= 300 {
            return Ok(());
        }
        let object = match (want.object, want.result_from_base.or(want.result_from_sent)) {
            (Some(object), _) => object.get().to_owned(),
            (None, Some(patch)) => answer::patched(&self.origin, patch.get())?,
            (None, None) => return Ok(()),
        };
        let want = without_versions(parse(&object)?);
        let got = without_versions(reply.json());
        verdict.values("object", &want, &got);
        Ok(())
    }
}

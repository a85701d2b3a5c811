//! Objects stored in one version and read in another: `conversions.json`.

use super::Native;
use super::answer::{Verdict, parse, without_versions};
use super::tally::Place;
use super::wire::Conversion;
use super::world::{Asked, Served, World, meta};
use sprag_value::Value;

/// Runs the file.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let cases: Vec<Conversion<'_>> = document.read_json()?;
    let mut world = native.world()?;
    for case in &cases {
        let stored = parse(case.stored.get())?;
        let own = stored.text("apiVersion");
        let kind = stored.text("kind");
        if !native.kinds.wants(own, kind) {
            continue;
        }
        let place = Place::new(group, own, kind);
        let other = world.served(case.other.text("apiVersion"), kind);
        let (Some(own), Some(other)) = (world.served(own, kind), other) else {
            native.tally.not_served(&place, 1);
            continue;
        };
        world.hold(&[(&own, case.stored.get())])?;
        let mut verdict = Verdict::default();
        read(&world, &other, &case.other, "other", &mut verdict)?;
        read(&world, &own, case.same.as_ref().unwrap_or(&stored), "same", &mut verdict)?;
        native.tally.case(&place, &case.id, verdict);
    }
    Ok(())
}

fn read(
    world: &World<'_>,
    served: &Served,
    want: &Value,
    what: &str,
    verdict: &mut Verdict,
) -> Result<(), String> {
    let path = served.path(meta(want, "namespace"), meta(want, "name"), "");
    let reply = world.send(&Asked { method: "GET".to_owned(), path, ..Asked::default() })?;
    verdict.values(what, &without_versions(want.clone()), &without_versions(reply.json()));
    Ok(())
}


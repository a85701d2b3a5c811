//! Ownership of the fields of a new object: `managedfields.json`.

use sprag_value::Value;

use super::Native;
use super::answer::Verdict;
use super::tally::Place;
use super::wire::{KindFile, Owners};
use super::world::Asked;
use crate::recorded::Document;

/// Runs the file.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let cases: Vec<Owners> = document.read_json()?;
    let world = native.world()?;
    for case in cases.iter().step_by(native.every) {
        if !native.kinds.wants(&case.api_version, &case.kind) {
            continue;
        }
        let place = Place::new(group, &case.api_version, &case.kind);
        let Some(served) = world.served(&case.api_version, &case.kind) else {
            native.tally.not_served(&place, 1);
            continue;
        };
        let document = Document::open(&native.bases(&case.api_version, &case.kind))?;
        let file: KindFile<'_> = document.read_json()?;
        let base = file.bases.get(&case.base).ok_or_else(|| format!("{}: no base {}", document.name, case.base))?;
        let asked = Asked {
            method: "POST".to_owned(),
            path: format!("{}?dryRun=All", served.path("default", "", "")),
            content_type: Some("application/json".to_owned()),
            accept: None,
            body: base.object.get().to_owned(),
        };
        let object = world.send(&asked)?.json();
        let owners = object.lookup(&["metadata", "managedFields"]).unwrap_or(&Value::Null);
        let mut verdict = Verdict::default();
        verdict.values("managedFields", &case.managed_fields, owners);
        native.tally.case(&place, &case.base, verdict);
    }
    Ok(())
}

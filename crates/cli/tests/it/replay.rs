//! Recorded writes of objects, offline and through a server: one verdict, one text.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprag_conformance::{OfflineAnswer, OfflineCase, replay_offline};
use sprag_value::{Value, json};

use crate::run::sprag_in;
use crate::scratch::Scratch;

/// As many recorded writes are about nothing but an object and what it replaces.
const CASES: usize = 681;
/// One of so many is replayed, unless `SPRAG_FULL` is set.
const EVERY: usize = 4;

#[test]
fn a_dry_run_of_a_server_says_what_validate_says() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/recorded/http.json.gz");
    let scratch = Scratch::new("replay");
    let count = AtomicUsize::new(0);
    let validate = |case: &OfflineCase| validate(case, &scratch, count.fetch_add(1, Ordering::Relaxed));
    let every = if std::env::var_os("SPRAG_FULL").is_some() { 1 } else { EVERY };
    let totals = replay_offline(Path::new(recorded), every, &validate).unwrap();
    assert_eq!(totals.failed, 0);
    assert!(totals.passed >= CASES / every - EVERY, "{} passed", totals.passed);
}

/// Returns the answer of `sprag validate` about an object.
fn validate(case: &OfflineCase, scratch: &Scratch, number: usize) -> OfflineAnswer {
    let folder = format!("{number}");
    scratch.write(&format!("{folder}/crds.yaml"), &case.definitions.join("\n---\n"));
    scratch.write(&format!("{folder}/object.yaml"), &case.object);
    let mut args = vec!["validate", "-f", "object.yaml", "-o", "json", "--crds", "crds.yaml", "--allow-empty"];
    if let Some(old) = &case.old {
        scratch.write(&format!("{folder}/old.yaml"), old);
        args.extend(["--old", "old.yaml"]);
    }
    if case.strict {
        args.push("--strict");
    }
    let run = sprag_in(&scratch.join(&folder), &args, "");
    let report = json::parse(run.stdout.as_bytes()).unwrap_or_else(|_| panic!("{}: {}", case.name, run.stderr));
    let mut answer = OfflineAnswer::default();
    let resources = report.get("resources").and_then(Value::as_array);
    for finding in resources.into_iter().flatten().flat_map(findings) {
        let text = |key: &str| finding.get(key).and_then(Value::as_str).unwrap_or_default();
        let list = match text("severity") {
            "error" => &mut answer.errors,
            "warning" => &mut answer.warnings,
            _ => &mut answer.ratcheted,
        };
        list.push(text("message").to_owned());
    }
    answer
}

fn findings(resource: &Value) -> impl Iterator<Item = &Value> {
    resource.get("findings").and_then(Value::as_array).into_iter().flatten()
}

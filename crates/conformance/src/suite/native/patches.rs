//! Strategic merge, merge and JSON patches of one stored object: `patch/requests`.

use serde_json::value::RawValue;
use sprag_value::Value;

use super::Native;
use super::answer::{Verdict, compare, parse, patched, without_versions};
use super::tally::Place;
use super::wire::{Answer, PatchCase, PatchFile};
use super::world::{Asked, Reply, Served, meta};

/// Runs the files.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.kind_document()?;
    let file: PatchFile<'_> = document.read_json()?;
    if !native.kinds.wants(&file.api_version, &file.kind) {
        return Ok(());
    }
    let place = Place::new(group, &file.api_version, &file.kind);
    let mut world = native.world()?;
    let Some(served) = world.served(&file.api_version, &file.kind) else {
        native.tally.not_served(&place, file.cases.len());
        return Ok(());
    };
    world.hold(&[(&served, file.stored.get())])?;
    let stored = parse(file.stored.get())?;
    for case in file.cases.iter().step_by(native.every) {
        let reply = world.send(&asked(&served, &stored, case))?;
        let verdict = verdict(&stored, &case.answer, &reply)?;
        if case.answer.code == 422 {
            native.tally.rules(&place, &case.answer.causes, &verdict);
        }
        native.tally.case(&place, &case.id, verdict);
    }
    Ok(())
}

fn asked(served: &Served, stored: &Value, case: &PatchCase<'_>) -> Asked {
    let path = served.path(meta(stored, "namespace"), meta(stored, "name"), &case.subresource);
    let query = match case.query.as_str() {
        "" => "dryRun=All".to_owned(),
        query if query.contains("dryRun=") => query.to_owned(),
        query => format!("dryRun=All&{query}"),
    };
    let content_type = match case.ty.as_str() {
        "smp" => "application/strategic-merge-patch+json",
        "merge" => "application/merge-patch+json",
        _ => "application/json-patch+json",
    };
    let body = case.body.map(|body| body.get().to_owned()).or_else(|| case.body_text.clone());
    Asked {
        method: "PATCH".to_owned(),
        path: format!("{path}?{query}"),
        content_type: Some(case.content_type.clone().unwrap_or_else(|| content_type.to_owned())),
        accept: None,
        body: body.unwrap_or_default(),
    }
}

fn verdict(stored: &Value, want: &Answer<'_>, reply: &Reply) -> Result<Verdict, String> {
    let mut verdict = compare(want, reply);
    if want.code != 200 || reply.code != 200 {
        return Ok(verdict);
    }
    let ours = reply.json();
    if let Some(object) = want.object {
        verdict.values("object", &without_versions(parse(object.get())?), &without_versions(ours));
        return Ok(verdict);
    }
    let owners = managed_fields(stored);
    let base = sprag_value::json::to_string_plain(&without_versions(stored.clone()));
    let want_object = parse(&patched(&base, want.result.map_or("[]", RawValue::get))?)?;
    let want_owners = match &want.managed_fields {
        Some(entries) => expanded(entries, "stored", &owners)?,
        None => owners,
    };
    verdict.values("managedFields", &Value::Array(want_owners.into()), &Value::Array(managed_fields(&ours).into()));
    verdict.values("object", &want_object, &without_versions(ours));
    Ok(verdict)
}

/// The entries of an object.
pub(super) fn managed_fields(object: &Value) -> Vec<Value> {
    object.lookup(&["metadata", "managedFields"]).and_then(Value::as_array).map_or_else(Vec::new, |entries| entries.to_vec())
}

/// Recorded entries, where `{"stored": n}` or `{"prev": n}` stand for an entry of before.
pub(super) fn expanded(entries: &[Value], reference: &str, before: &[Value]) -> Result<Vec<Value>, String> {
    let entry = |entry: &Value| match entry.get(reference).and_then(Value::as_i64) {
        Some(at) => {
            let found = usize::try_from(at).ok().and_then(|at| before.get(at));
            found.cloned().ok_or_else(|| format!("managedFields: no entry {at} before"))
        }
        None => Ok(entry.clone()),
    };
    entries.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_before_are_filled_in() {
        let entries = |text: &str| parse(text).expect("valid JSON").as_array().expect("a list").to_vec();
        let before = entries(r#"[{"manager":"a"},{"manager":"b"}]"#);
        let found = expanded(&entries(r#"[{"prev":1},{"manager":"c"}]"#), "prev", &before).expect("it is there");
        assert_eq!(found, entries(r#"[{"manager":"b"},{"manager":"c"}]"#));
        assert!(expanded(&entries(r#"[{"prev":2}]"#), "prev", &before).is_err());
    }
}

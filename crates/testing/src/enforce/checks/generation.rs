//! `metadata.generation` counts changes of the spec.

use sprag_value::Value;

use super::super::case::Case;
use super::{Problem, add_entry, meta, set_meta};

const FIELD: &str = "metadata.generation";

fn generation(object: &Value) -> i64 {
    meta(object, "generation").and_then(Value::as_i64).unwrap_or_default()
}

/// A new object has generation 1.
pub(super) fn starts_at_one(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if case.schema.property("spec").is_none() {
        return Ok(Vec::new());
    }
    let mut object = case.base.clone();
    set_meta(&mut object, "generation", 77);
    let created = generation(&case.create_as(&object)?);
    let wrong = (created != 1).then(|| Problem::of(FIELD, format!("a new object that says 77 has {created}")));
    Ok(wrong.into_iter().collect())
}

/// The generation increases by one when the spec changes, and not otherwise.
pub(super) fn counts_spec(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if case.schema.property("spec").is_none() {
        return Ok(Vec::new());
    }
    let mut stored = case.create()?;
    let mut problems = Vec::new();
    let mut expect = |what: &str, answer: super::super::session::Response, by: i64| {
        if !answer.is_ok() {
            return Err(format!("{what} is refused: {}", answer.said()));
        }
        let change = generation(&answer.body) - generation(&stored);
        if change != by {
            problems.push(Problem::of(FIELD, format!("{what} changes it by {change}")));
        }
        stored = answer.body;
        Ok(stored.clone())
    };
    let mut labelled = case.get()?;
    add_entry(&mut labelled, "labels", "example.dev/enforce");
    let mut object = expect("a change of labels", case.update(&labelled)?, 0)?;
    if case.resource.has_status()
        && let Some(status) = case.status(&object)
    {
        object.insert("status", status.clone());
        object = expect("a change of the status", case.update_status(&object)?, 0)?;
    }
    if let Some(change) = case.change(&object) {
        change.apply(&case.schema, &mut object);
        expect("a change of the spec", case.update(&object)?, 1)?;
    }
    Ok(problems)
}

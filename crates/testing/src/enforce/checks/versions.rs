//! Every version shows the whole object.

use sprag_value::Value;

use super::super::case::Case;
use super::super::edit::difference;
use super::Problem;

/// An object that is read in any version and written back as it is stays the same.
pub(super) fn round_trip(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    let mut object = case.create()?;
    if let Some(change) = case.change(&object) {
        change.apply(&case.schema, &mut object);
        let updated = case.update(&object)?;
        if !updated.is_ok() {
            return Err(format!("a change is refused: {}", updated.said()));
        }
    }
    let mut problems = Vec::new();
    for version in &case.resource.versions {
        let before = case.get()?;
        let path = case.path_in(&version.name);
        let written = case.session.put(&path, &case.session.read(&path)?)?;
        if !written.is_ok() {
            problems.push(Problem::new(format!("what is read in {} is refused: {}", version.name, written.said())));
            continue;
        }
        if let Some(field) = difference(&content(before), &content(case.get()?)) {
            problems.push(Problem::of(field, format!("a round trip through {} changes it", version.name)));
        }
    }
    Ok(problems)
}

/// An object without what every write changes.
fn content(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata") {
        metadata.remove("managedFields");
        metadata.remove("resourceVersion");
    }
    object
}

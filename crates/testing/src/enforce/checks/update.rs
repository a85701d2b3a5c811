//! Updates of objects that do not exist, and updates without a resource version.

use super::super::case::Case;
use super::Problem;

/// An update does not create.
pub(super) fn create_on_update(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    case.remove()?;
    let answer = case.update(&case.base)?;
    let seen = match answer.code {
        404 => return Ok(Vec::new()),
        201 => "an update of an object that does not exist creates it".to_owned(),
        _ => format!("an update of an object that does not exist is {}", answer.said()),
    };
    Ok(vec![Problem::new(seen)])
}

/// An update without a resource version replaces what is there.
pub(super) fn unconditional(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    let mut object = case.create()?;
    if let Some(metadata) = object.get_mut("metadata") {
        metadata.remove("resourceVersion");
    }
    let answer = case.update(&object)?;
    let refused = (!answer.is_ok()).then(|| {
        Problem::of("metadata.resourceVersion", format!("an update without it is refused: {}", answer.said()))
    });
    Ok(refused.into_iter().collect())
}

//! Names that the server makes up.

use sprag_value::Value;

use super::super::case::Case;
use super::{Problem, meta, set_meta};

const PREFIX: &str = "enforce-";

/// `generateName` yields a name.
pub(super) fn generate_name(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    let mut object = case.base.clone();
    if let Some(metadata) = object.get_mut("metadata") {
        metadata.remove("name");
    }
    set_meta(&mut object, "generateName", PREFIX);
    let answer = case.dry_create(&object)?;
    if !answer.is_ok() {
        return Ok(vec![Problem::new(format!("an object with generateName is refused: {}", answer.said()))]);
    }
    let name = meta(&answer.body, "name").and_then(Value::as_str).unwrap_or_default();
    let is_good = name.strip_prefix(PREFIX).is_some_and(|rest| !rest.is_empty());
    Ok((!is_good)
        .then(|| Problem::new(format!("generateName {PREFIX:?} yields the name {name:?}")))
        .into_iter()
        .collect())
}

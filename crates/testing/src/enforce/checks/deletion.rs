//! Default deletion propagation.

use sprag_value::Value;

use super::super::case::Case;
use super::{Problem, meta, parsed, set_meta};

/// A delete without options does not orphan dependents. The finalizer `orphan` is how a server that does so begins.
pub(super) fn delete_dependents(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    let mut object = case.base.clone();
    set_meta(&mut object, "finalizers", parsed(r#"["example.dev/enforce"]"#));
    case.create_as(&object)?;
    let deleted = case.session.delete(&case.path())?;
    if !deleted.is_ok() {
        return Ok(vec![Problem::new(format!("a delete is refused: {}", deleted.said()))]);
    }
    let left = case.session.get(&case.path())?;
    case.remove()?;
    if left.code == 404 {
        return Ok(vec![Problem::of("metadata.finalizers", "a delete does not wait for finalizers")]);
    }
    let finalizers = meta(&left.body, "finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    let orphans = finalizers.iter().any(|finalizer| finalizer.as_str() == Some("orphan"));
    Ok(orphans.then(|| Problem::new("a delete that does not say otherwise orphans dependents")).into_iter().collect())
}

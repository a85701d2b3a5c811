//! From client-side to server-side apply: `kubectl` may take over what its last client-side apply had set, and keeps
//! the annotation that says so up to date.

use sprag_value::{Value, json};

use crate::apply::fields::compare::compare;
use crate::apply::fields::of_value::fields;
use crate::apply::fields::set::FieldSet;
use crate::apply::owners::conflict::Owners;
use crate::apply::resource::Resource;
use crate::apply::types::validate::Duplicates;

/// The only manager that this is for.
pub(in crate::apply) const MANAGER: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The most bytes that all annotations of an object may have.
const MAX_ANNOTATION_BYTES: usize = 256 << 10;

/// The manifest that `kubectl apply` applied last to an object, as its annotation says.
pub fn last_applied(object: &Value) -> Option<Value> {
    json::parse(annotation(object)?.as_bytes()).ok()
}

/// The conflicts that are left when fields of the last client-side apply may be taken over.
pub(in crate::apply) fn remaining(resource: &Resource<'_>, live: &Value, owners: Owners) -> Owners {
    let Some(allowed) = allowed(resource, live) else { return owners };
    let left = owners.into_iter().map(|(id, set)| (id, set.difference(&allowed)));
    left.filter(|(_, set)| !set.is_empty()).collect()
}

/// The fields that were applied last and still have the value they were given.
fn allowed(resource: &Resource<'_>, live: &Value) -> Option<FieldSet> {
    let applied = last_applied(live)?;
    let live = resource.typed(live, Duplicates::Refused).ok()?;
    if applied.get("apiVersion")?.as_str()? != resource.api_version || applied.get("kind").is_none() {
        return None;
    }
    let applied = resource.typed(&applied, Duplicates::Refused).ok()?;
    let compared = compare(applied.ty, &applied.value, &live.value);
    let set = fields(applied.ty, &applied.value);
    Some(set.difference(&compared.modified).difference(&compared.added).difference(&compared.removed))
}

/// Puts what was applied into the annotation, if there is one.
pub(in crate::apply) fn refresh(object: &mut Value, applied: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut applied = applied.clone();
    if applied.lookup(&["metadata", "annotations", ANNOTATION]).is_some() {
        let annotations = applied.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
        annotations.and_then(|annotations| annotations.remove(ANNOTATION));
    }
    let text = json::to_string(&applied) + "\n";
    let annotations = object.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
    let Some(Value::Object(annotations)) = annotations else { return };
    annotations.insert(ANNOTATION, text);
    let size = |(key, value): (&sprag_value::Key, &Value)| key.len() + value.as_str().map_or(0, str::len);
    if annotations.iter().map(size).sum::<usize>() > MAX_ANNOTATION_BYTES {
        annotations.remove(ANNOTATION);
    }
}

fn annotation(object: &Value) -> Option<&str> {
    let text = object.lookup(&["metadata", "annotations", ANNOTATION])?.as_str()?;
    (!text.is_empty()).then_some(text)
}

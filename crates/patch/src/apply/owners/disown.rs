//! Fields that the server drops from a written object are not owned by the writer.

use sprag_value::{MAX_DEPTH, Value};

use crate::apply::fields::compare::compare;
use crate::apply::owners::managed::Managed;
use crate::apply::resource::Resource;
use crate::apply::types::ty::Ty;

impl Resource<'_> {
    /// Takes from all managers of `object` the fields that `before` has and `after` has not, or has as zero; both are in the
    /// version of the request.
    pub fn disown_removed(&self, before: &Value, after: &Value, object: &mut Value) {
        let Some((shapes, id)) = self.versions.shape(self.api_version) else { return };
        let Ok(mut managed) = Managed::of(object) else { return };
        let removed = compare(Ty::root(shapes, id), before, &without_zeroed(before, after, MAX_DEPTH)).removed;
        managed.0.retain(|_, owned| {
            if owned.api_version == self.api_version {
                owned.set.subtract(&removed);
            }
            !owned.set.is_empty()
        });
        managed.put(object);
    }
}

/// The value without members that became zero: a type that always has a member cannot leave it out.
fn without_zeroed(before: &Value, after: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1).filter(|_| before != after) else { return after.clone() };
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let kept = after.iter().filter_map(|(name, value)| match before.get(name) {
                Some(before) if before != value && is_zero(value) => None,
                Some(before) => Some((name, without_zeroed(before, value, depth))),
                None => Some((name, value.clone())),
            });
            Value::Object(kept.collect())
        }
        (Value::Array(before), Value::Array(after)) if before.as_slice().len() == after.as_slice().len() => {
            before.iter().zip(after.iter()).map(|(before, after)| without_zeroed(before, after, depth)).collect()
        }
        _ => after.clone(),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) => true,
        Value::Float(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.as_slice().is_empty(),
        Value::Bool(true) | Value::Int(_) | Value::Object(_) => false,
    }
}

//! Fields of features that are off: dropped, unless the old object uses the feature.

use sprag_rest::FeatureGates;
use sprag_value::Value;

/// A step of a path that leads to every item of a list.
pub(super) const EACH: &str = "[]";
/// A step of a path that leads to every value of a map.
pub(super) const VALUES: &str = "{}";

/// A path to fields: names, [`EACH`] and [`VALUES`].
pub(super) type FieldPath = &'static [&'static str];

/// A feature that has fields.
pub(super) struct Feature {
    /// The gates that all must be on.
    pub(super) gates: &'static [&'static str],
    /// Fields that use the feature if they are set.
    pub(super) set: &'static [FieldPath],
    /// Lists and maps that use the feature if they are not empty.
    pub(super) filled: &'static [FieldPath],
    /// Fields that are dropped.
    pub(super) drops: &'static [FieldPath],
}

impl Feature {
    fn is_on(&self, gates: &FeatureGates) -> bool {
        self.gates.iter().all(|gate| gates.enabled(gate))
    }

    fn is_used(&self, object: &Value) -> bool {
        let is_filled = |value: &Value| match value {
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
            _ => false,
        };
        self.set.iter().any(|path| any(object, path, &|value| !value.is_null()))
            || self.filled.iter().any(|path| any(object, path, &is_filled))
    }
}

/// Drops fields of features that are off, unless the old object uses them.
pub(super) fn drop_disabled(features: &[Feature], gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    for feature in features.iter().filter(|feature| !feature.is_on(gates)) {
        if old.is_none_or(|old| !feature.is_used(old)) {
            feature.drops.iter().for_each(|path| remove(new, path));
        }
    }
}

fn any(value: &Value, path: &[&str], test: &dyn Fn(&Value) -> bool) -> bool {
    let Some((step, rest)) = path.split_first() else { return test(value) };
    match (*step, value) {
        (EACH, Value::Array(items)) => items.iter().any(|item| any(item, rest, test)),
        (VALUES, Value::Object(members)) => members.iter().any(|(_, member)| any(member, rest, test)),
        (name, value) => value.get(name).is_some_and(|member| any(member, rest, test)),
    }
}

fn remove(value: &mut Value, path: &[&str]) {
    let Some((step, rest)) = path.split_first() else { return };
    match (*step, value) {
        (name, value) if rest.is_empty() => {
            // Values are shared until changed.
            if value.get(name).is_some() {
                value.remove(name);
            }
        }
        (EACH, Value::Array(items)) => items.as_mut_slice().iter_mut().for_each(|item| remove(item, rest)),
        (VALUES, value) => {
            let names: Vec<_> = value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            for name in &names {
                if let Some(member) = value.get_mut(name.as_str()) {
                    remove(member, rest);
                }
            }
        }
        (name, value) => {
            if let Some(member) = value.get_mut(name) {
                remove(member, rest);
            }
        }
    }
}

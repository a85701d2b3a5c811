//! The usual behaviour of a kind with a spec and a status: which parts of an object which endpoint writes.

use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use crate::gates::FeatureGates;
use crate::meta;
use crate::object_shape::empty;
use crate::resource::Gated;

/// The members of metadata that a write of the status does not reset: they say which object is meant and who writes.
const KEPT_METADATA: [&str; 5] = ["name", "namespace", "uid", "resourceVersion", "managedFields"];

/// The parts of a kind's objects, and what writes do with them.
pub(crate) struct Usual {
    /// Whether `metadata.generation` counts changes of the spec.
    pub(crate) has_generation: bool,
    pub(crate) has_status: bool,
    /// The status of a new object; nothing when it is not there until somebody sets it.
    empty_status: Option<Value>,
    gated: Vec<Gated>,
}

impl Usual {
    pub(crate) fn new(shapes: &Shapes, shape: TypeId, has_spec: bool, has_status: bool, gated: Vec<Gated>) -> Usual {
        let empty_status = empty(shapes, shape).remove("status");
        Usual { has_generation: has_spec, has_status, empty_status, gated }
    }

    /// Gives a new object the status that it has before somebody sets one, and drops fields of features that are off.
    pub(crate) fn start(&self, gates: &FeatureGates, new: &mut Value) {
        match &self.empty_status {
            Some(status) => drop(new.insert("status", status.clone())),
            None if self.has_status => drop(new.remove("status")),
            None => {}
        }
        self.drop_disabled(gates, new, None);
    }

    /// Keeps the status of an object that is written as a whole, and drops fields of features that are off.
    pub(crate) fn keep_status(&self, gates: &FeatureGates, new: &mut Value, old: &Value) {
        if self.has_status {
            copy_member(new, old, "status");
        }
        self.drop_disabled(gates, new, Some(old));
    }

    /// Counts another generation if the spec changed.
    pub(crate) fn count_generation(&self, new: &mut Value, old: &Value) {
        if self.has_generation {
            let changed = !same(new.get("spec"), old.get("spec"));
            meta::set(new, "generation", meta::generation(old).saturating_add(i64::from(changed)));
        }
    }

    /// Drops fields of features that are off, unless the old object uses them.
    fn drop_disabled(&self, gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
        for gated in &self.gated {
            if !gates.enabled(&gated.gate) && !old.is_some_and(|old| gated.in_use(old)) {
                gated.drop_from(new);
            }
        }
    }
}

/// The members that a write of the status resets.
pub(crate) fn all_but_status(shapes: &Shapes, shape: TypeId) -> Vec<String> {
    let other = |json: &&str| !["status", "apiVersion", "kind"].contains(json);
    let others = shapes.sorted_fields(shape).map(|field| field.json.as_ref()).filter(other);
    others.map(str::to_owned).collect()
}

/// Makes an object the old one in all but one member, and in what says which object is meant.
pub fn reset_all_but(new: &mut Value, old: &Value, member: &str) {
    let sent = std::mem::replace(new, old.clone());
    copy_member(new, &sent, member);
    for member in KEPT_METADATA {
        meta::copy(new, &sent, member);
    }
}

fn copy_member(to: &mut Value, from: &Value, member: &str) {
    match from.get(member) {
        Some(value) => drop(to.insert(member, value.clone())),
        None => drop(to.remove(member)),
    }
}

fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    let null = Value::Null;
    a.unwrap_or(&null).semantic_eq(b.unwrap_or(&null))
}

//! The usual behaviour of a kind with a spec and a status: which parts of an object which endpoint writes.

use std::sync::Arc;

use sprag_decode::typed;
use sprag_shape::{Kind, Shapes, TypeId, TypeRef};
use sprag_value::Value;

use crate::config::SubresourceConfig;
use crate::gated::{Gated, GatedFields};
use crate::gates::FeatureGates;
use crate::meta;
use crate::strategy::ResetFields;

/// The members of metadata that a write of a part does not reset, as upstream's `metav1.ResetObjectMetaForStatus`; changes of most of
/// them are refused.
const KEPT_METADATA: [&str; 8] = [
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
];

/// The parts of a kind's objects, and what writes do with them.
pub(crate) struct Usual {
    /// The fields whose changes increment `metadata.generation`; `None` without a generation.
    counted: Option<Counted>,
    pub(crate) has_status: bool,
    /// The initial status of a new object, if any.
    empty_status: Option<Value>,
    gated: GatedFields,
}

/// A member whose changes `metadata.generation` counts.
struct Counted {
    member: &'static str,
    shapes: Arc<Shapes>,
    ty: TypeRef,
}

impl Usual {
    /// The usual behaviour, where `metadata.generation` counts changes of a member, if there is one.
    pub(crate) fn new(
        shapes: &Arc<Shapes>,
        shape: TypeId,
        counted: Option<&'static str>,
        has_status: bool,
        gated: &[Gated],
    ) -> Usual {
        let empty_status = typed::round_trip(shapes, shape, &Value::object()).remove("status");
        let gated = GatedFields::new(shapes, shape, gated);
        let counted = counted
            .and_then(|member| Some(Counted { member, ty: shapes.field(shape, member)?.ty, shapes: shapes.clone() }));
        Usual { counted, has_status, empty_status, gated }
    }

    /// Sets the initial status of a new object.
    pub(crate) fn start(&self, new: &mut Value) {
        match &self.empty_status {
            Some(status) => drop(new.insert("status", status.clone())),
            None if self.has_status => drop(new.remove("status")),
            None => {}
        }
    }

    /// Gives a new object its first generation. One without a spec has none, unless the kind leaves it to clients.
    pub(crate) fn start_generation(&self, new: &mut Value, is_managed: bool) {
        if self.counted.is_some() {
            meta::set(new, "generation", 1);
        } else if is_managed {
            meta::remove(new, "generation");
        }
    }

    /// Keeps the status of an object that is written as a whole.
    pub(crate) fn keep_status(&self, new: &mut Value, old: &Value) {
        if self.has_status {
            copy_member(new, old, "status");
        }
    }

    /// Counts another generation if the spec changed.
    pub(crate) fn count_generation(&self, new: &mut Value, old: &Value) {
        if let Some(Counted { member, shapes, ty }) = &self.counted {
            let changed = !shapes.same(*ty, new.get(member), old.get(member));
            match meta::generation(old).saturating_add(i64::from(changed)) {
                0 => meta::remove(new, "generation"),
                generation => meta::set(new, "generation", generation),
            }
        }
    }

    /// Drops fields of features that are off, unless the old object uses them; returns whether there were any.
    pub(crate) fn drop_disabled(&self, gates: &FeatureGates, new: &mut Value, old: Option<&Value>) -> bool {
        self.gated.drop_disabled(gates, new, old)
    }

    /// The fields that a write of the whole object does not change: the given ones, or the status.
    pub(crate) fn reset_fields(&self, resets: Option<&Vec<Vec<String>>>) -> ResetFields {
        resets.map_or_else(
            || ResetFields::top_level(self.has_status.then_some("status")),
            |resets| ResetFields(resets.clone()),
        )
    }
}

/// A subresource that writes some fields of the object.
pub(crate) struct Part {
    pub(crate) usual: Arc<Usual>,
    /// The fields that it writes.
    writes: Vec<Vec<String>>,
    resets: ResetFields,
    /// True if a hook resets what it does not write.
    resets_by_hook: bool,
}

impl Part {
    /// A part that writes these fields. Without any, `/status` writes the status, and another part everything but status and
    /// metadata.
    pub(crate) fn new<T>(
        usual: Arc<Usual>,
        (shapes, shape): (&Shapes, TypeId),
        name: &str,
        config: &SubresourceConfig<T>,
    ) -> Part {
        let resets_by_hook = config.resets_by_hook;
        let writes = match (config.writes.as_slice(), name) {
            ([], "status") => vec![vec!["status".to_owned()]],
            ([], _) => {
                let other = |json: &&str| !["apiVersion", "kind", "metadata", "status"].contains(json);
                let members = shapes.sorted_fields(shape).map(|field| field.json.as_ref()).filter(other);
                members.map(|json| vec![json.to_owned()]).collect()
            }
            (writes, _) => writes.to_vec(),
        };
        let mut resets = Vec::new();
        if !resets_by_hook {
            let paths: Vec<&[String]> = writes.iter().map(Vec::as_slice).collect();
            all_but(shapes, shape, &paths, &mut Vec::new(), &mut resets);
            resets.retain(|path| *path != ["apiVersion"] && *path != ["kind"]);
        }
        let resets = ResetFields(config.resets.clone().unwrap_or(resets));
        Part { usual, writes, resets, resets_by_hook }
    }

    /// Makes an object the old one in all fields that the part does not write, unless a hook does that.
    pub(crate) fn reset_others(&self, new: &mut Value, old: &Value) {
        if !self.resets_by_hook {
            reset_all_but_paths(new, old, &self.writes);
        }
    }

    /// Counts another generation if the part writes the spec and changed it.
    pub(crate) fn count_generation(&self, new: &mut Value, old: &Value) {
        let Some(counted) = &self.usual.counted else { return };
        if self.writes.iter().any(|path| path.first().is_some_and(|member| member == counted.member)) {
            self.usual.count_generation(new, old);
        }
    }

    /// The fields that a write of the part does not change.
    pub(crate) fn reset_fields(&self) -> ResetFields {
        self.resets.clone()
    }
}

/// Lists the fields of a type beside the paths that are kept, each as the shortest path. Paths are part of the program.
fn all_but(shapes: &Shapes, id: TypeId, kept: &[&[String]], at: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    for field in shapes.sorted_fields(id) {
        let below: Vec<&[String]> = kept
            .iter()
            .filter_map(|path| path.split_first().filter(|(first, _)| **first == field.json))
            .map(|(_, rest)| rest)
            .collect();
        at.push(field.json.to_string());
        if below.is_empty() {
            out.push(at.clone());
        } else if below.iter().all(|rest| !rest.is_empty())
            && matches!(shapes.get(field.ty.id).kind, Kind::Struct { .. })
        {
            all_but(shapes, field.ty.id, &below, at, out);
        }
        at.pop();
    }
}

/// Makes an object the old one in all but one field, by dotted path, and in what says which object is meant.
pub fn reset_all_but(new: &mut Value, old: &Value, path: &str) {
    reset_all_but_paths(new, old, &[path.split('.').map(str::to_owned).collect()]);
}

fn reset_all_but_paths(new: &mut Value, old: &Value, paths: &[Vec<String>]) {
    let sent = std::mem::replace(new, old.clone());
    for path in paths {
        copy_path(new, &sent, path);
    }
    for member in KEPT_METADATA {
        meta::copy(new, &sent, member);
    }
}

/// Copies the field at a path. Objects around it are made where they are missing.
fn copy_path(to: &mut Value, from: &Value, path: &[String]) {
    match path {
        [] => {}
        [member] => copy_member(to, from, member),
        [member, rest @ ..] => {
            let from = from.get(member).unwrap_or(&Value::Null);
            if to.get(member).and_then(Value::as_object).is_none() {
                if from.lookup(&rest.iter().map(String::as_str).collect::<Vec<_>>()).is_none() {
                    return;
                }
                to.insert(member.as_str(), Value::object());
            }
            if let Some(to) = to.get_mut(member) {
                copy_path(to, from, rest);
            }
        }
    }
}

fn copy_member(to: &mut Value, from: &Value, member: &str) {
    match from.get(member) {
        Some(value) => drop(to.insert(member, value.clone())),
        None => drop(to.remove(member)),
    }
}

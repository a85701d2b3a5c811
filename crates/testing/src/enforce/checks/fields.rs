//! Fields that belong to features, and fields that do not.

use std::collections::BTreeMap;

use sprag_rest::{Gated, Step as GatedStep};
use sprag_value::Value;

use super::super::case::{Case, ENVELOPE};
use super::super::edit::{dotted, is_set, set};
use super::super::repair::send_repaired;
use super::super::schema::Step;
use super::{Problem, add_entry};

/// One resource while features are on and while they are off, over the same objects.
pub(in super::super) struct Features<'c, 's> {
    pub(in super::super) on: &'c Case<'s>,
    /// Nothing where features cannot be switched.
    pub(in super::super) off: Option<&'c Case<'s>>,
    /// The fields that say that they belong to a feature.
    pub(in super::super) declared: &'c [Gated],
}

/// Observations about the fields of a resource.
#[derive(Default)]
pub(in super::super) struct Seen {
    pub(in super::super) ungated_dropped: Vec<Problem>,
    pub(in super::super) gated_not_dropped: Vec<Problem>,
    pub(in super::super) gated_lost: Vec<Problem>,
    pub(in super::super) kept: usize,
}

/// The paths of fields.
type Paths = Vec<Vec<Step>>;

/// The state of a field after features were off.
struct Off {
    is_dropped: bool,
    /// The reason why the object was rejected, if it was.
    refused: Option<String>,
}

impl Features<'_, '_> {
    /// Sets every field once, with features on and off.
    pub(in super::super) fn look(&self) -> Result<Seen, String> {
        let mut seen = Seen::default();
        self.on.remove()?;
        let mut groups: BTreeMap<String, Vec<Vec<Step>>> = BTreeMap::new();
        for path in self.on.leaves(|member| !ENVELOPE.contains(&member)) {
            let parent = path.len().saturating_sub(1);
            groups.entry(dotted(&path[..parent])).or_default().push(path);
        }
        let mut dropped = Vec::new();
        for group in groups.into_values() {
            let (alone, off) = self.look_together(&group, &mut seen)?;
            dropped.extend(off);
            for path in alone {
                if self.look_alone(&path, &mut seen)? {
                    dropped.push(path);
                }
            }
        }
        if let Some(off) = self.off {
            for path in dropped {
                if let Some(object) = self.object_with(&path, &mut Seen::default())? {
                    seen.gated_lost.extend(self.lost(off, &path, &object)?);
                }
            }
        } else {
            for problem in seen.ungated_dropped.drain(..) {
                let field = problem.field.unwrap_or_default();
                self.on.note(&format!(
                    "{field} is dropped; that may be a feature that is off, which cannot be switched here"
                ));
            }
        }
        Ok(seen)
    }

    /// Sets the fields of one struct at once, which is enough for most. Returns those that have to be looked at alone, and those
    /// that were dropped while features were off.
    fn look_together(&self, group: &[Vec<Step>], seen: &mut Seen) -> Result<(Paths, Paths), String> {
        let all_alone = || Ok((group.to_vec(), Vec::new()));
        let mut object = self.on.base.clone();
        for path in group.iter().filter(|path| !is_set(&self.on.base, path)) {
            let Some(schema) = self.on.schema.at(path) else { continue };
            set(&mut object, &self.on.schema, path, schema.sample());
        }
        let (object, on) = send_repaired(&self.on.schema, object, &[], |object| self.on.dry_create(object))?;
        let off = self.off.map(|off| off.dry_create(&object)).transpose()?;
        if !on.is_ok() || off.as_ref().is_some_and(|off| !off.is_ok()) {
            return all_alone();
        }
        let is_kept = |path: &&Vec<Step>| is_set_beyond_zero(&object, path) && is_set(&on.body, path);
        let (kept, alone): (Vec<_>, Vec<_>) = group.iter().partition(is_kept);
        seen.kept += kept.len();
        let mut dropped = Vec::new();
        for path in kept {
            let Some(off) = &off else { continue };
            let off = Off { is_dropped: !is_set_beyond_zero(&off.body, path), refused: None };
            if self.judge_off(path, off, seen) {
                dropped.push(path.clone());
            }
        }
        Ok((alone.into_iter().cloned().collect(), dropped))
    }

    /// Sets one field; returns whether it was dropped while features were off.
    fn look_alone(&self, path: &[Step], seen: &mut Seen) -> Result<bool, String> {
        let Some(object) = self.object_with(path, seen)? else { return Ok(false) };
        seen.kept += 1;
        let Some(off) = self.off else { return Ok(false) };
        let answer = off.dry_create(&object)?;
        let is_dropped = answer.is_ok() && !is_set_beyond_zero(&answer.body, path);
        let refused = (!answer.is_ok()).then(|| answer.said());
        Ok(self.judge_off(path, Off { is_dropped, refused }, seen))
    }

    /// Notes a field that is not dropped although it says that it belongs to a feature; returns whether it was dropped.
    fn judge_off(&self, path: &[Step], off: Off, seen: &mut Seen) -> bool {
        if self.is_declared(path) && !off.is_dropped {
            let kept = off.refused.map_or_else(|| "kept".to_owned(), |said| format!("refused: {said}"));
            let message = format!("it belongs to a feature and is not dropped while that is off, but {kept}");
            seen.gated_not_dropped.push(Problem::of(dotted(path), message));
        }
        off.is_dropped
    }

    /// Reports whether a field, or one that it is part of, says that it belongs to a feature.
    fn is_declared(&self, path: &[Step]) -> bool {
        // A feature that cannot be switched off any more has fields like any other.
        let is_off = |gated: &&Gated| self.off.is_none_or(|off| off.session.enabled(&gated.gate) != Some(true));
        self.declared.iter().filter(is_off).any(|gated| {
            let declared = steps(gated);
            path.len() >= declared.len() && declared.iter().zip(path).all(|(declared, step)| is_same(declared, step))
        })
    }

    /// An object with a field set that the server takes and shows; nothing if it takes none.
    fn object_with(&self, path: &[Step], seen: &mut Seen) -> Result<Option<Value>, String> {
        let Some(schema) = self.on.schema.at(path) else { return Ok(None) };
        let mut object = self.on.base.clone();
        if !is_set(&object, path) {
            set(&mut object, &self.on.schema, path, schema.sample());
        }
        let (object, answer) = send_repaired(&self.on.schema, object, path, |object| self.on.dry_create(object))?;
        if !answer.is_ok() || !is_set_beyond_zero(&object, path) {
            return Ok(None);
        }
        if is_set(&answer.body, path) {
            return Ok(Some(object));
        }
        seen.ungated_dropped.push(Problem::of(dotted(path), "it is dropped although no feature is off"));
        Ok(None)
    }

    /// Checks whether an object that uses a field loses it by an update while the feature is off.
    fn lost(&self, off: &Case<'_>, path: &[Step], object: &Value) -> Result<Option<Problem>, String> {
        let mut stored = self.on.create_as(object)?;
        add_entry(&mut stored, "labels", "example.dev/enforce");
        let updated = off.update(&stored)?;
        let seen = if !updated.is_ok() {
            Some(format!("an object that uses it cannot be updated while the feature is off: {}", updated.said()))
        } else if is_set(&updated.body, path) {
            None
        } else {
            Some("an update while the feature is off drops it from an object that uses it".to_owned())
        };
        let lost = seen.map(|seen| Problem::of(dotted(path), seen));
        off.remove()?;
        Ok(lost)
    }
}

/// A field that is always written has a zero value when it is dropped.
fn is_set_beyond_zero(object: &Value, path: &[Step]) -> bool {
    match super::super::edit::value_at(object, path) {
        None | Some(Value::Null | Value::Int(0) | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.as_str().is_empty(),
        Some(_) => true,
    }
}

fn steps(gated: &Gated) -> Vec<Step> {
    let step = |step: &GatedStep| match step {
        GatedStep::Field(name) => Step::Field(name.to_string()),
        GatedStep::Each => Step::Item,
    };
    gated.path.iter().map(step).collect()
}

/// Declarations do not tell lists from maps.
fn is_same(declared: &Step, step: &Step) -> bool {
    declared == step || (*declared == Step::Item && *step == Step::Key)
}

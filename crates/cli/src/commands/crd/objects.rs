//! What a new definition does to an object that is stored already.

use std::collections::BTreeSet;

use sprag_field::Error;
use sprag_value::Value;

use crate::judge::{Definition, judge_custom};
use crate::report::Identity;

/// What becomes of one stored object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fate {
    /// What is said when the object is created again, as a restore does.
    pub(super) fails_on_create: Vec<String>,
    /// What is said about an update that changes nothing.
    pub(super) fails_on_update: Vec<String>,
    /// What is wrong now, and tolerated as long as it does not change.
    pub(super) ratcheted: Vec<String>,
    /// Fields that the old definition has and the new one drops.
    pub(super) loses: Vec<String>,
}

impl Fate {
    /// Whether nothing happens to the object.
    pub(super) fn is_untouched(&self) -> bool {
        *self == Fate::default()
    }

    /// All that is said, with what it is about.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let sorts = [
            ("fails on create", &self.fails_on_create),
            ("fails on unchanged update", &self.fails_on_update),
            ("ratcheted", &self.ratcheted),
            ("loses field", &self.loses),
        ];
        sorts.into_iter().flat_map(|(what, texts)| texts.iter().map(move |text| (what, text.as_str())))
    }

    /// Whether something is lost or the object cannot be written any more.
    pub(super) fn is_broken(&self) -> bool {
        !self.fails_on_update.is_empty() || !self.loses.is_empty()
    }
}

/// Judges an object that the old definition has let in by the new one.
pub(super) fn fate(old: Option<&Definition>, new: &Definition, object: &Value) -> Result<Fate, String> {
    let version = Identity::of(object).version().to_owned();
    let resource = new.version(&version)?;
    let created = judge_custom(new, resource, object, None)?;
    let updated = judge_custom(new, resource, object, Some(object))?;
    let known_before = old.and_then(|old| unknown_fields(old, &version, object)).unwrap_or_default();
    let texts = |errors: &[Error]| errors.iter().map(Error::to_string).collect();
    let forgiven: Vec<Error> = [updated.verdict.forgiven, updated.verdict.forgiven_rules].concat();
    Ok(Fate {
        fails_on_create: texts(&created.verdict.errors),
        fails_on_update: texts(&updated.verdict.errors),
        ratcheted: texts(&forgiven),
        loses: created.unknown_fields.into_iter().filter(|field| !known_before.contains(field)).collect(),
    })
}

/// What the definition drops of an object.
fn unknown_fields(definition: &Definition, version: &str, object: &Value) -> Option<BTreeSet<String>> {
    let judged = judge_custom(definition, definition.version(version).ok()?, object, None).ok()?;
    Some(judged.unknown_fields.into_iter().collect())
}

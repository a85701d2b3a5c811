//! Effects of a new definition on a stored object.

use std::collections::BTreeSet;

use sprag_decode::Finding;
use sprag_field::Error;
use sprag_rest::Outcome;
use sprag_value::Value;

use crate::judge::{Definition, OFFLINE};
use crate::report::Identity;

/// The label of errors that do not reject an object.
pub(super) const RATCHETED: &str = "ratcheted";

/// The effects of a definition on one stored object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fate {
    /// Errors of creating the object again, as a restore does, that the old definition did not raise.
    pub(super) fails_on_create: Vec<String>,
    /// Errors of an update that changes nothing.
    pub(super) fails_on_update: Vec<String>,
    /// New errors that are ratcheted while the value does not change.
    pub(super) ratcheted: Vec<String>,
    /// Fields that the old definition has and the new one drops.
    pub(super) loses: Vec<String>,
}

impl Fate {
    /// True if nothing happens to the object.
    pub(super) fn is_untouched(&self) -> bool {
        *self == Fate::default()
    }

    /// All that is said, with what it is about.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let sorts = [
            ("fails on create", &self.fails_on_create),
            ("fails on unchanged update", &self.fails_on_update),
            (RATCHETED, &self.ratcheted),
            ("loses field", &self.loses),
        ];
        sorts.into_iter().flat_map(|(what, texts)| texts.iter().map(move |text| (what, text.as_str())))
    }

    /// Reports whether something is lost or the object cannot be written any more.
    pub(super) fn is_broken(&self) -> bool {
        !self.fails_on_update.is_empty() || !self.loses.is_empty()
    }
}

/// Judges an object that the old definition has let in by the new one.
pub(super) fn fate(old: Option<&Definition>, new: &Definition, object: &Value) -> Result<Fate, String> {
    let version = Identity::of(object).version().to_owned();
    new.check_version(&version)?;
    let created = judge(new, &version, object, None)?;
    let updated = judge(new, &version, object, Some(object))?.judged;
    let before = old.filter(|old| old.check_version(&version).is_ok());
    let before = before.and_then(|old| judge(old, &version, object, None).ok());
    let unknown_before = before.as_ref().map(unknown_fields).unwrap_or_default();
    let texts = |errors: &[Error]| errors.iter().map(Error::to_string).collect::<Vec<String>>();
    let wrong_before = before.as_ref().map(|before| texts(&before.judged.errors)).unwrap_or_default();
    let new_texts = |errors: &[Error]| {
        let mut texts = texts(errors);
        texts.retain(|text| !wrong_before.contains(text));
        texts
    };
    Ok(Fate {
        fails_on_create: new_texts(&created.judged.errors),
        fails_on_update: texts(&updated.errors),
        ratcheted: new_texts(&updated.tolerated.forgiven),
        loses: unknown_fields(&created).difference(&unknown_before).map(|field| (*field).to_owned()).collect(),
    })
}

fn judge(definition: &Definition, version: &str, object: &Value, old: Option<&Value>) -> Result<Outcome, String> {
    OFFLINE.judge(definition.resource(), version, object.clone(), old).map_err(|error| error.to_string())
}

/// Returns the fields of an object that the definition prunes.
fn unknown_fields(outcome: &Outcome) -> BTreeSet<&str> {
    outcome.findings.iter().filter_map(Finding::path).collect()
}

//! Effects of a new definition on a stored object.

use std::borrow::Cow;
use std::collections::BTreeSet;

use sprag_analysis::{BuiltIn, Definition, Identity};
use sprag_decode::Finding;
use sprag_field::Error;
use sprag_rest::Outcome;
use sprag_value::Value;

/// The label of errors that do not reject an object.
pub(super) const RATCHETED: &str = "ratcheted";

/// The effects of a definition on one stored object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Errors of creating the object again, as a restore does, that the old definition did not raise.
    pub(super) fails_on_create: Vec<String>,
    /// Errors of an update that changes nothing.
    pub(super) fails_on_update: Vec<String>,
    /// New errors that are ratcheted while the part around them does not change.
    pub(super) ratcheted: Vec<Ratcheted>,
    /// Fields that the old definition has and the new one drops.
    pub(super) loses: Vec<String>,
}

impl Effects {
    /// True if nothing happens to the object.
    pub(super) fn is_untouched(&self) -> bool {
        *self == Effects::default()
    }

    /// All that is said, with what it is about.
    pub(super) fn lines(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        fn of<'t>(what: &'static str, texts: &'t [String]) -> impl Iterator<Item = (&'static str, Cow<'t, str>)> {
            texts.iter().map(move |text| (what, Cow::from(text)))
        }
        let ratcheted = self.ratcheted.iter().map(|found| (RATCHETED, Cow::from(found.line())));
        of("fails on create", &self.fails_on_create)
            .chain(of("fails on unchanged update", &self.fails_on_update))
            .chain(ratcheted)
            .chain(of("loses field", &self.loses))
            .collect()
    }

    /// Reports whether something is lost or the object cannot be written any more.
    pub(super) fn is_broken(&self) -> bool {
        !self.fails_on_update.is_empty() || !self.loses.is_empty()
    }
}

/// An error that an unchanged object may keep.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ratcheted {
    pub(super) error: String,
    /// The part of the object that has to stay as it is; empty for all but its metadata.
    pub(super) part: String,
}

impl Ratcheted {
    fn of(error: &Error) -> Ratcheted {
        let part = error.forgiven_while_unchanged.as_ref().map(|part| part.path.clone()).unwrap_or_default();
        Ratcheted { error: error.to_string(), part }
    }

    fn line(&self) -> String {
        format!("{} ({})", self.error, self.edits())
    }

    /// Says which edits of the object pass.
    pub(super) fn edits(&self) -> String {
        match self.part.as_str() {
            "" => "any edit of the object is rejected until this is corrected, but for its metadata".to_owned(),
            part => format!("any edit of {part} is rejected until this is corrected; edits of other parts pass"),
        }
    }
}

/// The effects of a new definition on an object that the old one has let in.
pub(super) fn effects(
    (old, new): (Option<&Definition>, &Definition),
    object: &Value,
    built_in: &BuiltIn,
) -> Result<Effects, String> {
    let validate = |definition: &Definition, version: &str, old: Option<&Value>| {
        let validated = built_in.offline().judge(definition.resource(built_in), version, object.clone(), old);
        validated.map_err(|error| error.to_string())
    };
    let version = Identity::of(object).version().to_owned();
    new.check_version(&version)?;
    let created = validate(new, &version, None)?;
    let updated = validate(new, &version, Some(object))?.judged;
    let before = old.filter(|old| old.check_version(&version).is_ok());
    let before = before.and_then(|old| validate(old, &version, None).ok());
    let unknown_before = before.as_ref().map(unknown_fields).unwrap_or_default();
    let texts = |errors: &[Error]| errors.iter().map(Error::to_string).collect::<Vec<String>>();
    let wrong_before = before.as_ref().map(|before| texts(&before.judged.errors)).unwrap_or_default();
    let new_texts = |errors: &[Error]| {
        let mut texts = texts(errors);
        texts.retain(|text| !wrong_before.contains(text));
        texts
    };
    Ok(Effects {
        fails_on_create: new_texts(&created.judged.errors),
        fails_on_update: texts(&updated.errors),
        ratcheted: updated
            .tolerated
            .forgiven
            .iter()
            .map(Ratcheted::of)
            .filter(|ratcheted| !wrong_before.contains(&ratcheted.error))
            .collect(),
        loses: unknown_fields(&created).difference(&unknown_before).map(|field| (*field).to_owned()).collect(),
    })
}

/// Returns the fields of an object that the definition prunes.
fn unknown_fields(outcome: &Outcome) -> BTreeSet<&str> {
    outcome.findings.iter().filter_map(Finding::path).collect()
}

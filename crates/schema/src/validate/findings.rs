//! Errors of a validation, and those it forgave.

use std::hash::Hash;

use sprag_field::{Error, Path, quote};
use sprag_value::duplicates;

use super::sink::{Failure, Sink};
use crate::trail::Trail;

/// What a validation has found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What is wrong.
    pub(crate) errors: Vec<Error>,
    /// What is wrong in parts that have not changed.
    pub(crate) forgiven: Vec<Error>,
}

impl Findings {
    /// Keeps the first of errors that read alike: a schema may ask the same thing in several places.
    pub(super) fn drop_repeated(&mut self) {
        drop_repeated(&mut self.errors);
        drop_repeated(&mut self.forgiven);
    }
}

fn drop_repeated(errors: &mut Vec<Error>) {
    let key = |at: usize| (errors[at].kind, errors[at].field.as_str(), &*errors[at].detail);
    let mut repeated = Vec::new();
    duplicates(errors.len(), |at, hasher| key(at).hash(hasher), |a, b| key(a) == key(b), |at| repeated.push(at));
    if repeated.is_empty() {
        return;
    }
    let (mut at, mut repeated) = (0, repeated.into_iter().peekable());
    errors.retain(|_| {
        let is_repeated = repeated.next_if_eq(&at).is_some();
        at += 1;
        !is_repeated
    });
}

impl Sink for Findings {
    const LOUD: bool = true;

    fn fail(&mut self, trail: &Trail<'_>, failure: impl FnOnce() -> Failure) {
        self.errors.push(error(trail, failure()));
    }

    fn mark(&self) -> usize {
        self.errors.len()
    }

    fn forgive_since(&mut self, mark: usize) {
        self.forgiven.extend(self.errors.drain(mark..));
    }
}

fn error(trail: &Trail<'_>, failure: Failure) -> Error {
    let place = trail.joined();
    match failure {
        Failure::Type { expected, found } => {
            let detail = format!("{place} in body must be of type {expected}: {}", quote::go(&found));
            placed(Error::type_invalid(&Path::ROOT, found, detail), place)
        }
        Failure::Value { detail, value } => {
            let detail = [&place, " in body ", &detail].concat();
            placed(Error::invalid(&Path::ROOT, value, detail), place)
        }
        Failure::Unplaced(message) => Error::invalid(&Path::ROOT, "", message),
        Failure::Factor(factor) => {
            let detail = format!("factor MultipleOf declared for {place} must be positive: {factor}");
            placed(Error::invalid(&Path::ROOT, factor, detail), place)
        }
        Failure::NotListed { value, supported } => placed(Error::not_supported(&Path::ROOT, value, &supported), place),
        Failure::TooLong(max) => placed(Error::too_long(&Path::ROOT, max), place),
        Failure::TooMany { actual, max } => placed(Error::too_many(&Path::ROOT, actual, max), place),
        Failure::Required => placed(Error::required(&Path::ROOT, ""), place),
        Failure::Forbidden(name) => {
            let detail = [&place, ".", &name, " in body is a forbidden property"].concat();
            placed(Error::invalid(&Path::ROOT, name, detail), place)
        }
    }
}

/// An error at a place, of which one leading dot does not count. Nothing but a dot is no place.
fn placed(error: Error, mut place: String) -> Error {
    if matches!(place.as_str(), "" | ".") {
        return error;
    }
    if place.starts_with('.') {
        place.remove(0);
    }
    Error { field: place, ..error }
}

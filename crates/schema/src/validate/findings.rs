//! Errors of a validation, and those it forgave.

use std::collections::HashSet;

use sprag_field::{Error, Path};

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
    if errors.len() < 2 {
        return;
    }
    let mut seen = HashSet::with_capacity(errors.len());
    let keep: Vec<bool> = errors.iter().map(|error| seen.insert((error.kind, &*error.field, &*error.detail))).collect();
    let mut keep = keep.into_iter();
    errors.retain(|_| keep.next() == Some(true));
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
    let path = field_path(&place);
    match failure {
        Failure::Type { expected, found } => {
            let detail = format!("{place} in body must be of type {expected}: {}", sprag_field::quote::go(&found));
            Error::type_invalid(&path, found, detail)
        }
        Failure::Value { detail, value } => Error::invalid(&path, value, format!("{place} in body {detail}")),
        Failure::Unplaced(message) => Error::invalid(&Path::ROOT, "", message),
        Failure::Factor(factor) => {
            let detail = format!("factor MultipleOf declared for {place} must be positive: {factor}");
            Error::invalid(&path, factor, detail)
        }
        Failure::NotListed { value, supported } => Error::not_supported(&path, value, &supported),
        Failure::TooLong(max) => Error::too_long(&path, max),
        Failure::TooMany { actual, max } => Error::too_many(&path, actual, max),
        Failure::Required => Error::required(&path, ""),
        Failure::Forbidden(name) => {
            let detail = format!("{place}.{name} in body is a forbidden property");
            Error::invalid(&path, name, detail)
        }
    }
}

/// The place as a field path: one leading dot does not count, and nothing but a dot is no place.
fn field_path(place: &str) -> Path<'_> {
    match place {
        "" | "." => Path::ROOT,
        _ => Path::new(place.strip_prefix('.').unwrap_or(place)),
    }
}

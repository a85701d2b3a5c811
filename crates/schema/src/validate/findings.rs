//! Errors of a validation, and those it forgave.

use std::hash::Hash;

use sprag_field::{BadValue, Error, ErrorKind, Errors, Path, Source, Stage, quote};
use sprag_value::duplicates;

use super::sink::{Failure, Sink};
use crate::trail::Trail;

/// The findings of a validation.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The errors.
    pub(crate) errors: Errors,
    /// Errors in unchanged parts, if collected.
    pub(crate) forgiven: Errors,
    lists_forgiven: bool,
}

impl Findings {
    /// No findings yet; those that are forgiven will be listed.
    pub(crate) fn listing_forgiven() -> Self {
        Self { lists_forgiven: true, ..Self::default() }
    }

    /// Keeps the first of errors that read alike: a schema may ask the same thing in several places.
    pub(super) fn drop_repeated(&mut self) {
        drop_repeated(&mut self.errors);
        drop_repeated(&mut self.forgiven);
    }
}

fn drop_repeated(errors: &mut Errors) {
    widen_repeated(errors.since_mut(0));
    let found = errors.since(0);
    let key = |at: usize| (found[at].kind, found[at].field.as_str(), &*found[at].detail);
    let mut repeated = Vec::new();
    duplicates(found.len(), |at, hasher| key(at).hash(hasher), |a, b| key(a) == key(b), |at| repeated.push(at));
    if repeated.is_empty() {
        return;
    }
    let omitted = errors.omitted();
    let mut repeated = repeated.into_iter().peekable();
    for (at, error) in errors.take_since(0).into_iter().enumerate() {
        if repeated.next_if_eq(&at).is_none() {
            errors.push(error);
        }
    }
    errors.omit(omitted);
}

impl Sink for Findings {
    const LOUD: bool = true;

    fn fail(&mut self, trail: &Trail<'_>, failure: impl FnOnce() -> Failure) {
        if self.errors.is_full() {
            self.errors.omit(1);
        } else {
            self.errors.push(error(trail, failure()));
        }
    }

    fn mark(&self) -> usize {
        self.errors.len()
    }

    fn lists_forgiven(&self) -> bool {
        self.lists_forgiven
    }

    fn forgive_since(&mut self, mark: usize, trail: &Trail<'_>) {
        let omitted = self.errors.len() - mark - self.errors.since(mark).len();
        let forgiven = self.errors.take_since(mark);
        if self.lists_forgiven {
            let part = trail.unknown();
            self.forgiven.extend(forgiven.into_iter().map(|error| error.forgiven_while_unchanged(part.clone())));
            self.forgiven.omit(omitted);
        }
    }
}

fn error(trail: &Trail<'_>, failure: Failure) -> Error {
    let place = trail.joined();
    match failure {
        Failure::Type { expected, found } => {
            let detail = format!("{place} in body must be of type {expected}: {}", quote::go(&found));
            at(place, ErrorKind::TypeInvalid, found.into(), detail)
        }
        Failure::Value { detail, value } => {
            let detail = [&place, " in body ", &detail].concat();
            at(place, ErrorKind::Invalid, value, detail)
        }
        Failure::Unplaced(message) => at(String::new(), ErrorKind::Invalid, "".into(), message),
        Failure::Factor(factor) => {
            let detail = format!("factor MultipleOf declared for {place} must be positive: {factor}");
            at(place, ErrorKind::Invalid, factor, detail)
        }
        Failure::NotListed { value, listed } => at(place, ErrorKind::NotSupported, value, listed),
        Failure::TooLong(max) => Error { field: field(place), ..Error::too_long(&Path::ROOT, max) },
        Failure::TooMany { actual, max } => Error { field: field(place), ..Error::too_many(&Path::ROOT, actual, max) },
        Failure::Required => at(place, ErrorKind::Required, "".into(), String::new()),
        Failure::Forbidden(name) => {
            let detail = [&place, ".", &name, " in body is a forbidden property"].concat();
            at(place, ErrorKind::Invalid, name.into(), detail)
        }
    }
}

fn at(place: String, kind: ErrorKind, value: BadValue, detail: String) -> Error {
    Error {
        kind,
        field: field(place),
        value,
        detail: detail.into(),
        origin: "".into(),
        stage: Stage::Stable,
        short_circuit: false,
        source: Source::Declarative,
        covered_by_declarative: false,
        native: false,
        forgiven_while_unchanged: None,
    }
}

/// Gives errors that read alike the largest of the parts that forgive them: all of them have to.
fn widen_repeated(errors: &mut [Error]) {
    let is_alike = |a: &Error, b: &Error| a.kind == b.kind && a.field == b.field && a.detail == b.detail;
    for at in 1..errors.len() {
        let (before, rest) = errors.split_at_mut(at);
        let Some(repeated) = &rest[0].forgiven_while_unchanged else { continue };
        if let Some(first) = before.iter_mut().find(|first| is_alike(first, &rest[0]))
            && first.forgiven_while_unchanged.as_ref().is_some_and(|part| part.path.len() > repeated.path.len())
        {
            first.forgiven_while_unchanged = Some(repeated.clone());
        }
    }
}

/// A place as a field: one leading dot does not count, and nothing but a dot is not a place.
fn field(mut place: String) -> String {
    match place.as_str() {
        "" | "." => return Path::ROOT.to_string(),
        _ if place.starts_with('.') => _ = place.remove(0),
        _ => {}
    }
    place
}

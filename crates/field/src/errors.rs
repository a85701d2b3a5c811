//! The sink every check pushes into.

use std::borrow::Cow;

use crate::authority::{Enforced, Policy, enforce};
use crate::{Error, Stage};

/// A warning that does not refuse the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where, as a rendered path.
    pub field: String,
    /// What to tell the user.
    pub message: Cow<'static, str>,
}

/// The errors and warnings of one validation, in the order they were found.
///
/// An empty sink holds no memory. Marks (an earlier [`len`](Errors::len)) let a caller work on everything that was
/// found since.
///
/// ```
/// use sprag_field::{Error, Errors, Path, Stage};
///
/// let mut errors = Errors::new();
/// let mark = errors.len();
/// errors.push(Error::required(&Path::new("a"), ""));
/// errors.stamp_since(mark, Stage::Alpha);
/// assert_eq!(errors.iter().next().map(|error| error.stage), Some(Stage::Alpha));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    found: Vec<Error>,
    /// Warnings, independent of the errors.
    pub warnings: Vec<Warning>,
    /// Errors that do not refuse the object; collected only when asked for.
    tolerated: Option<Box<Tolerated>>,
}

/// Errors that do not refuse an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerated {
    /// Errors of parts that an update did not change.
    pub forgiven: Vec<Error>,
    /// Errors of rules that are not enforced yet.
    pub shadowed: Vec<Error>,
}

impl Errors {
    /// An empty sink.
    pub const fn new() -> Errors {
        Errors { found: Vec::new(), warnings: Vec::new(), tolerated: None }
    }

    /// An empty sink that also collects errors that do not refuse the object.
    pub fn listing_tolerated() -> Errors {
        Errors { tolerated: Some(Box::default()), ..Errors::new() }
    }

    /// Whether errors that do not refuse the object are collected, for which unchanged parts have to be judged, too.
    pub fn lists_tolerated(&self) -> bool {
        self.tolerated.is_some()
    }

    /// Adds errors that ratcheting forgave, if they are collected.
    pub fn forgive(&mut self, errors: impl IntoIterator<Item = Error>) {
        if let Some(tolerated) = &mut self.tolerated {
            tolerated.forgiven.extend(errors);
        }
    }

    /// Keeps the errors that a policy enforces; the others are tolerated.
    pub fn enforce(&mut self, policy: &Policy) {
        let Enforced { enforced, shadowed } = enforce(std::mem::take(&mut self.found), policy);
        self.found = enforced;
        if let Some(tolerated) = &mut self.tolerated {
            tolerated.shadowed.extend(shadowed);
        }
    }

    /// Takes the errors that do not refuse the object.
    pub fn take_tolerated(&mut self) -> Tolerated {
        self.tolerated.as_mut().map(|tolerated| std::mem::take(&mut **tolerated)).unwrap_or_default()
    }

    /// Adds one error.
    pub fn push(&mut self, error: Error) {
        self.found.push(error);
    }

    /// How many errors there are; also the mark for the `_since` functions.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no errors; warnings do not count.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The errors in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.found.iter()
    }

    /// The errors found since `mark`.
    pub fn since(&self, mark: usize) -> &[Error] {
        self.found.get(mark..).unwrap_or_default()
    }

    /// The errors found since `mark`, to be changed in place.
    pub fn since_mut(&mut self, mark: usize) -> &mut [Error] {
        self.found.get_mut(mark..).unwrap_or_default()
    }

    /// The errors, without the warnings.
    pub fn into_vec(self) -> Vec<Error> {
        self.found
    }

    /// Forgets every error past the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.found.truncate(len);
    }

    /// Stamps the errors found since `mark` with the maturity of their rule.
    pub fn stamp_since(&mut self, mark: usize, stage: Stage) {
        for error in self.since_mut(mark) {
            error.stage = stage;
        }
    }

    /// Marks the errors found since `mark` as ones that stop further checks of their field.
    pub fn mark_short_circuit_since(&mut self, mark: usize) {
        for error in self.since_mut(mark) {
            error.short_circuit = true;
        }
    }

    /// Turns the errors found since `mark` into warnings, which say `message` or, without one, the error's own text.
    pub fn warn_since(&mut self, mark: usize, message: Option<&str>) {
        let mark = mark.min(self.found.len());
        for error in self.found.drain(mark..) {
            let message = message.map_or_else(|| error.to_string(), str::to_owned);
            self.warnings.push(Warning { field: error.field, message: message.into() });
        }
    }
}

impl Extend<Error> for Errors {
    fn extend<I: IntoIterator<Item = Error>>(&mut self, errors: I) {
        self.found.extend(errors);
    }
}

impl From<Vec<Error>> for Errors {
    fn from(errors: Vec<Error>) -> Self {
        Errors { found: errors, ..Errors::new() }
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Errors {
    type Item = Error;
    type IntoIter = std::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Path;

    fn three() -> Errors {
        ["a", "b", "c"].iter().map(|name| Error::required(&Path::new(name), "")).collect::<Vec<_>>().into()
    }

    #[test]
    fn marks_reach_only_what_came_after() {
        let mut errors = three();
        errors.stamp_since(1, Stage::Beta);
        errors.mark_short_circuit_since(2);
        let flags: Vec<_> = errors.iter().map(|error| (error.stage, error.short_circuit)).collect();
        assert_eq!(flags, [(Stage::Stable, false), (Stage::Beta, false), (Stage::Beta, true)]);
    }

    #[test]
    fn a_mark_past_the_end_reaches_nothing() {
        let mut errors = three();
        errors.stamp_since(4, Stage::Beta);
        errors.warn_since(9, None);
        assert_eq!(errors, three());
    }

    #[test]
    fn errors_become_warnings() {
        let mut errors = three();
        errors.warn_since(2, None);
        errors.warn_since(1, Some("deprecated"));
        assert_eq!(errors.len(), 1);
        let messages: Vec<_> = errors.warnings.iter().map(|w| (w.field.as_str(), w.message.as_ref())).collect();
        assert_eq!(messages, [("c", "c: Required value"), ("b", "deprecated")]);
    }

    #[test]
    fn an_untouched_sink_holds_no_memory() {
        let mut errors = Errors::new();
        errors.stamp_since(0, Stage::Alpha);
        errors.mark_short_circuit_since(0);
        errors.warn_since(0, None);
        errors.truncate(0);
        assert_eq!((errors.found.capacity(), errors.warnings.capacity()), (0, 0));
    }
}

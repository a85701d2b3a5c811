//! The sink every check pushes into.

use std::borrow::Cow;

use sprag_release::{Fact, Release};

use crate::authority::{Enforced, Enforcement, enforce};
use crate::{Error, Path, Source, Stage};

/// More errors of a stage than this are counted only, as are those past [`MAX_BYTES`]: an object of a few kilobytes can have
/// gigabytes of them.
pub const MAX_ERRORS: usize = 10_000;
/// Maximum bytes of texts of a stage that are kept.
pub const MAX_BYTES: usize = 4 << 20;

/// A warning that does not refuse the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The field, as a rendered path.
    pub field: String,
    /// The message for the user.
    pub message: Cow<'static, str>,
}

/// The errors and warnings of one validation, in the order they were found.
///
/// An empty sink holds no memory. Marks (an earlier [`len`](Errors::len)) let a caller work on everything that was
/// found since. A full sink counts what it is given and keeps nothing more of it, so that hostile objects cost little memory;
/// marks and lengths are as if it kept everything.
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
    /// The release whose texts the errors have.
    release: Release,
    found: Vec<Error>,
    /// The number of later errors, when the sink was full.
    omitted: usize,
    /// The errors that are kept, by stage: those of rules that are only observed take no room from the others.
    kept: [Kept; 3],
    /// Warnings, independent of the errors.
    pub warnings: Vec<Warning>,
    /// Errors that do not refuse the object; collected only when asked for.
    tolerated: Option<Box<Tolerated>>,
    /// Where a shadowed rule stops other shadowed ones, with its stage; each path is below the one before.
    shadow_stops: Vec<(String, Stage)>,
}

/// The room that the errors of one stage take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Kept {
    count: usize,
    bytes: usize,
}

impl Kept {
    const NONE: Kept = Kept { count: 0, bytes: 0 };

    fn is_full(self) -> bool {
        self.count >= MAX_ERRORS || self.bytes >= MAX_BYTES
    }

    fn add(&mut self, error: &Error) {
        self.count += 1;
        self.bytes += error.bytes();
    }

    fn remove(&mut self, error: &Error) {
        self.count = self.count.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(error.bytes());
    }
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
        Errors {
            release: Release::NEWEST,
            found: Vec::new(),
            omitted: 0,
            kept: [Kept::NONE; 3],
            warnings: Vec::new(),
            tolerated: None,
            shadow_stops: Vec::new(),
        }
    }

    /// An empty sink for errors in the texts of a release.
    pub const fn of(release: Release) -> Errors {
        let mut errors = Errors::new();
        errors.release = release;
        errors
    }

    /// An empty sink of the same release.
    #[must_use]
    pub const fn another(&self) -> Errors {
        Errors::of(self.release)
    }

    /// The release whose texts the errors have. Functions without another context ask here for facts.
    pub const fn release(&self) -> Release {
        self.release
    }

    /// The same, also collecting errors that do not refuse the object.
    #[must_use]
    pub fn listing_tolerated(self) -> Errors {
        Errors { tolerated: Some(Box::default()), ..self }
    }

    /// True if errors that do not refuse the object are collected, for which unchanged parts have to be judged, too.
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
    pub fn enforce(&mut self, policy: &Enforcement) {
        // Errors that were only counted stay counted: it is unknown whether a policy enforces them, and they must not
        // be dropped.
        let Enforced { enforced, shadowed } = enforce(std::mem::take(&mut self.found), policy);
        self.kept = [Kept::NONE; 3];
        for error in &enforced {
            self.kept[error.stage as usize].add(error);
        }
        self.found = enforced;
        if let Some(tolerated) = &mut self.tolerated {
            tolerated.shadowed.extend(shadowed);
        }
    }

    /// Takes the errors that do not refuse the object.
    pub fn take_tolerated(&mut self) -> Tolerated {
        self.tolerated.as_mut().map(|tolerated| std::mem::take(&mut **tolerated)).unwrap_or_default()
    }

    /// Adds one error; its texts are cut where they are too long to be read.
    pub fn push(&mut self, mut error: Error) {
        if error.stage == Stage::Stable && self.is_full() {
            return self.omit(1);
        }
        let kept = &mut self.kept[error.stage as usize];
        if kept.is_full() {
            // There are enough of its stage for whatever is to be decided by them.
            return;
        }
        error.cut();
        if self.release.has(Fact::NamesInCharacters) {
            name_in_characters(&mut error);
        }
        kept.add(&error);
        self.found.push(error);
    }

    /// True if errors are only counted from now on and need not be built.
    pub fn is_full(&self) -> bool {
        self.omitted > 0 || self.kept[Stage::Stable as usize].is_full()
    }

    /// Counts errors that were not built.
    pub fn omit(&mut self, count: usize) {
        self.omitted += count;
    }

    /// Returns the number of errors that were counted only.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Adds the errors of another sink.
    pub fn append(&mut self, other: Errors) {
        self.extend(other.found);
        self.omitted += other.omitted;
    }

    /// Returns the number of errors; also the mark for the `_since` functions.
    pub fn len(&self) -> usize {
        self.found.len() + self.omitted
    }

    /// True if there are no errors; warnings do not count.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.omitted == 0
    }

    /// The errors in order, but for those that were only counted.
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

    /// Notes that the errors found since `mark` are those of declared rules that hand-written code calls; returns whether there
    /// are any.
    #[inline]
    pub fn called_since(&mut self, mark: usize) -> bool {
        let is_any = self.len() > mark;
        if is_any {
            self.since_mut(mark).iter_mut().for_each(|error| error.source = Source::Called);
        }
        is_any
    }

    /// The same where a walk over the object runs such a rule, too, so that its errors cover these.
    pub fn called_and_covered_since(&mut self, mark: usize) -> bool {
        self.since_mut(mark).iter_mut().for_each(|error| error.covered_by_declarative = true);
        self.called_since(mark)
    }

    /// The errors, without the warnings. The last one says how many were only counted, if any were.
    pub fn into_vec(mut self) -> Vec<Error> {
        if self.omitted > 0 {
            self.found.push(Error::left_out(self.omitted));
        }
        self.found
    }

    /// Forgets every error past the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.omitted = len.saturating_sub(self.found.len()).min(self.omitted);
        if len < self.found.len() {
            self.found.drain(len..).for_each(|error| self.kept[error.stage as usize].remove(&error));
        }
    }

    /// Takes the errors found since `mark`, but for those that were only counted.
    pub fn take_since(&mut self, mark: usize) -> Vec<Error> {
        let taken = self.found.split_off(mark.min(self.found.len()));
        for error in &taken {
            self.kept[error.stage as usize].remove(error);
        }
        self.truncate(mark);
        taken
    }

    /// Stamps the errors found since `mark` with the maturity of their rule; a part of it may be less mature.
    pub fn stamp_since(&mut self, mark: usize, stage: Stage) {
        for error in self.found.get_mut(mark..).unwrap_or_default() {
            self.kept[error.stage as usize].remove(error);
            error.stage = error.stage.min(stage);
            self.kept[error.stage as usize].add(error);
        }
    }

    /// Stops the shadowed rules of this stage, and of less mature ones, at a path and below: a shadowed rule found there what
    /// stops them once it is enforced.
    pub fn stop_shadowed(&mut self, path: &Path<'_>, stage: Stage) {
        let path = if path.is_root() { String::new() } else { path.to_string() };
        while self.shadow_stops.pop_if(|(above, _)| !is_within(&path, above)).is_some() {}
        self.shadow_stops.push((path, stage));
    }

    /// True if a shadowed rule stops those of this stage at a path or above it.
    pub fn stops_shadowed(&self, path: &Path<'_>, stage: Stage) -> bool {
        self.is_shadow_stopped(path, stage, is_within)
    }

    /// True if a shadowed rule stops those of this stage above a path: rules that stop others do not stop each other.
    pub fn stops_shadowed_above(&self, path: &Path<'_>, stage: Stage) -> bool {
        self.is_shadow_stopped(path, stage, |path, above| path != above && is_within(path, above))
    }

    fn is_shadow_stopped(&self, path: &Path<'_>, stage: Stage, is_below: impl Fn(&str, &str) -> bool) -> bool {
        if self.shadow_stops.is_empty() {
            return false;
        }
        let path = if path.is_root() { String::new() } else { path.to_string() };
        self.shadow_stops.iter().any(|(above, stops)| *stops >= stage && is_below(&path, above))
    }

    /// Stamps the errors found since `mark` as those of a rule that is only observed: past the limit they are dropped, since
    /// an error that is only counted counts.
    pub fn observe_since(&mut self, mark: usize, stage: Stage) {
        self.stamp_since(mark, stage);
        self.omitted = mark.saturating_sub(self.found.len()).min(self.omitted);
        while self.kept[stage as usize].count > MAX_ERRORS && self.found.len() > mark {
            self.truncate(self.found.len() - 1);
        }
    }

    /// Marks the errors found since `mark` as those of a rule without a hand-written counterpart.
    pub fn mark_native_since(&mut self, mark: usize) {
        for error in self.since_mut(mark) {
            error.native = true;
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
        for error in self.take_since(mark) {
            if self.warnings.len() >= MAX_ERRORS {
                return;
            }
            let message = message.map_or_else(|| error.to_string(), str::to_owned);
            self.warnings.push(Warning { field: error.field, message: message.into() });
        }
    }
}

/// Gives an error about a name the words of older releases.
fn name_in_characters(error: &mut Error) {
    let is_limit = error.detail.contains("must be no more than ") && error.detail.ends_with(" bytes");
    if let Some(limit) = error.detail.strip_suffix(" bytes").filter(|_| is_limit) {
        error.detail = format!("{limit} characters").into();
    } else if error.detail.starts_with("a valid label key ") {
        error.detail = error.detail.replacen("a valid label key ", "a qualified name ", 1).into();
    }
}

impl Extend<Error> for Errors {
    fn extend<I: IntoIterator<Item = Error>>(&mut self, errors: I) {
        errors.into_iter().for_each(|error| self.push(error));
    }
}

impl From<Vec<Error>> for Errors {
    fn from(errors: Vec<Error>) -> Self {
        let mut sink = Errors::new();
        sink.extend(errors);
        sink
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
        self.into_vec().into_iter()
    }
}

/// True if a path, as text, is another one or below it; the text of the object itself is empty.
fn is_within(path: &str, above: &str) -> bool {
    let rest = path.strip_prefix(above);
    rest.is_some_and(|rest| above.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Path;

    fn three() -> Errors {
        ["a", "b", "c"].iter().map(|name| Error::required(&Path::new(name), "")).collect::<Vec<_>>().into()
    }

    fn many(stage: Stage) -> Errors {
        let mut errors = Errors::new();
        for _ in 0..MAX_ERRORS + 5 {
            errors.push(Error::required(&Path::new("a"), "").with_stage(stage));
        }
        errors
    }

    #[test]
    fn errors_that_are_only_observed_take_no_room_from_others() {
        let mut errors = many(Stage::Alpha);
        assert_eq!((errors.len(), errors.is_full()), (MAX_ERRORS, false));
        errors.push(Error::required(&Path::new("b"), ""));
        errors.enforce(&Enforcement::default());
        assert_eq!(errors.into_vec().iter().map(ToString::to_string).collect::<Vec<_>>(), ["b: Required value"]);
    }

    #[test]
    fn a_shadowed_stop_reaches_what_is_below_it_and_is_not_more_mature() {
        let spec = Path::new("spec");
        let special = Path::new("special");
        let list = spec.child("list");
        let name = spec.child("name");
        let first = list.index(0);
        let mut errors = Errors::new();
        errors.stop_shadowed(&spec, Stage::Alpha);
        errors.stop_shadowed(&list, Stage::Beta);
        let stopped =
            |path: &Path<'_>, stage| (errors.stops_shadowed(path, stage), errors.stops_shadowed_above(path, stage));
        assert_eq!(stopped(&spec, Stage::Alpha), (true, false));
        assert_eq!(stopped(&spec, Stage::Beta), (false, false));
        assert_eq!(stopped(&list, Stage::Beta), (true, false));
        assert_eq!(stopped(&first, Stage::Beta), (true, true));
        assert_eq!(stopped(&name, Stage::Alpha), (true, true));
        assert_eq!(stopped(&special, Stage::Alpha), (false, false));
        errors.stop_shadowed(&special, Stage::Beta);
        assert!(!errors.stops_shadowed(&first, Stage::Beta), "the walk has left it");
        errors.stop_shadowed(&Path::ROOT, Stage::Alpha);
        assert!(errors.stops_shadowed(&first, Stage::Alpha));
    }

    #[test]
    fn a_rule_that_is_only_observed_leaves_no_count() {
        for before in [0, 3, MAX_ERRORS - 1] {
            let mut errors = Errors::new();
            for round in 0..2 {
                errors.extend((0..before).filter(|_| round == 0).map(|_| Error::required(&Path::new("b"), "")));
                let mark = errors.len();
                errors.extend(many(Stage::Stable));
                errors.observe_since(mark, Stage::Alpha);
            }
            assert_eq!((errors.omitted(), errors.is_full()), (0, false), "{before}");
            assert!(errors.iter().count() <= before + MAX_ERRORS, "{before}");
            errors.enforce(&Enforcement::default());
            assert_eq!(errors.len(), before);
        }
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
    fn a_full_sink_counts() {
        let error = || Error::invalid(&Path::new("a"), "x".repeat(1 << 20), "y".repeat(1 << 20));
        let mut errors = Errors::new();
        for _ in 0..MAX_ERRORS + 5 {
            errors.push(error());
        }
        assert_eq!(errors.len(), MAX_ERRORS + 5);
        let kept = errors.iter().count();
        assert!((30..1000).contains(&kept), "{kept} errors of 64 KiB each are kept");
        assert_eq!(errors.omitted(), MAX_ERRORS + 5 - kept);
        let last = errors.clone().into_vec().pop().unwrap();
        assert_eq!(last.to_string(), format!("<nil>: Too many: {} more errors were left out", errors.omitted()));
        errors.truncate(kept + 3);
        assert_eq!((errors.len(), errors.omitted()), (kept + 3, 3));
        errors.truncate(1);
        assert_eq!((errors.len(), errors.omitted()), (1, 0));
        errors.push(error());
        assert_eq!(errors.iter().count(), 2);
    }

    #[test]
    fn what_was_only_counted_is_never_forgiven_by_a_policy() {
        let mut errors = many(Stage::Stable);
        errors.enforce(&Enforcement { legacy_shadow: true, ..Enforcement::default() });
        assert_eq!((errors.iter().count(), errors.len()), (0, 5));
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

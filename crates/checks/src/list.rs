//! Lists: walking, correlation with the old value, uniqueness.

use std::hash::Hasher;

use sprag_field::{BadValue, Error, Errors, quote};
use sprag_value::{FirstIndex, KeyHasher, Value, duplicates};

use crate::{At, Same, Show};

/// Identification of list elements, and their correlation with the old list.
pub trait Correlate<T: ?Sized> {
    /// True if elements correlate at all; without it every element counts as new.
    const ENABLED: bool = true;

    /// Feeds a hasher with an element's identity.
    fn feed(&self, item: &T, hasher: &mut KeyHasher);

    /// True if two elements have the same identity.
    fn matches(&self, a: &T, b: &T) -> bool;

    /// True if an element is unchanged, given one with the same identity.
    fn unchanged(&self, new: &T, old: &T) -> bool;

    /// The identity of an element as errors about its removal show it; `None` where they do not, as upstream's.
    fn label(&self, _: &T) -> Option<String> {
        None
    }
}

/// Elements do not correlate.
#[derive(Clone, Copy, Debug)]
pub struct Uncorrelated;

impl<T: ?Sized> Correlate<T> for Uncorrelated {
    const ENABLED: bool = false;

    fn feed(&self, _: &T, _: &mut KeyHasher) {}

    fn matches(&self, _: &T, _: &T) -> bool {
        false
    }

    fn unchanged(&self, _: &T, _: &T) -> bool {
        false
    }
}

/// Elements are identified by their whole value.
#[derive(Clone, Copy, Debug)]
pub struct ByValue;

impl<T: Same + ?Sized> Correlate<T> for ByValue {
    fn feed(&self, item: &T, hasher: &mut KeyHasher) {
        item.feed(hasher);
    }

    fn matches(&self, a: &T, b: &T) -> bool {
        a.same(b)
    }

    fn unchanged(&self, _: &T, _: &T) -> bool {
        true
    }
}

/// Elements are identified by a key.
#[derive(Clone, Copy, Debug)]
pub struct ByKey<F, M> {
    /// Feeds a hasher with the key of an element.
    pub feed: F,
    /// True if two elements have the same key.
    pub matches: M,
}

impl<T, F, M> Correlate<T> for ByKey<F, M>
where
    T: Same,
    F: Fn(&T, &mut KeyHasher),
    M: Fn(&T, &T) -> bool,
{
    fn feed(&self, item: &T, hasher: &mut KeyHasher) {
        (self.feed)(item, hasher);
    }

    fn matches(&self, a: &T, b: &T) -> bool {
        (self.matches)(a, b)
    }

    fn unchanged(&self, new: &T, old: &T) -> bool {
        new.same(old)
    }
}

/// The same identity, with a label for errors about elements that are gone.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'c, C, F> {
    by: &'c C,
    label: F,
}

/// Adds a label to an identity.
pub fn labelled<T: ?Sized, C: Correlate<T>, F: Fn(&T) -> String>(by: &C, label: F) -> Labelled<'_, C, F> {
    Labelled { by, label }
}

impl<T: ?Sized, C, F> Correlate<T> for Labelled<'_, C, F>
where
    C: Correlate<T>,
    F: Fn(&T) -> String,
{
    const ENABLED: bool = C::ENABLED;

    fn feed(&self, item: &T, hasher: &mut KeyHasher) {
        self.by.feed(item, hasher);
    }

    fn matches(&self, a: &T, b: &T) -> bool {
        self.by.matches(a, b)
    }

    fn unchanged(&self, new: &T, old: &T) -> bool {
        self.by.unchanged(new, old)
    }

    fn label(&self, item: &T) -> Option<String> {
        Some((self.label)(item))
    }
}

/// The label of an element identified by these keys: `{"name": "web"}`.
pub fn keys_label(keys: &[(&str, BadValue)]) -> String {
    let keys: Vec<String> = keys.iter().map(|(name, value)| format!("{}: {value}", quote::go(name))).collect();
    format!("{{{}}}", keys.join(", "))
}

/// Finds elements of a list by identity; the first of several wins.
pub(crate) struct Matches<'l, S, I, C> {
    list: &'l [S],
    item: &'l I,
    correlate: &'l C,
    index: FirstIndex,
}

impl<'l, S, I, C> Matches<'l, S, I, C> {
    pub(crate) fn new<T: ?Sized>(list: &'l [S], item: &'l I, correlate: &'l C) -> Self
    where
        I: Fn(&S) -> Option<&T>,
        C: Correlate<T>,
    {
        let index = FirstIndex::build(
            list.len(),
            |at, hasher| feed(at, item(&list[at]), correlate, hasher),
            |a, b| both_match(item(&list[a]), item(&list[b]), correlate),
        );
        Matches { list, item, correlate, index }
    }

    pub(crate) fn find<T: ?Sized>(&self, probe: &T) -> Option<&'l T>
    where
        I: Fn(&S) -> Option<&T>,
        C: Correlate<T>,
    {
        let same = |at: usize| (self.item)(&self.list[at]).is_some_and(|value| self.correlate.matches(value, probe));
        let found = self.index.find(|hasher| self.correlate.feed(probe, hasher), same)?;
        (self.item)(&self.list[found])
    }
}

/// Null elements are like no other, so each hashes apart.
fn feed<T: ?Sized>(at: usize, item: Option<&T>, correlate: &impl Correlate<T>, hasher: &mut KeyHasher) {
    match item {
        Some(item) => correlate.feed(item, hasher),
        None => hasher.write_usize(at),
    }
}

fn both_match<T: ?Sized>(a: Option<&T>, b: Option<&T>, correlate: &impl Correlate<T>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => correlate.matches(a, b),
        _ => false,
    }
}

/// The elements of a list that may be missing.
pub fn slots<S>(list: Option<&Vec<S>>) -> &[S] {
    list.map_or(&[], Vec::as_slice)
}

/// Returns the element of a slot, where the slot is the element itself.
pub fn itself<T: ?Sized>(slot: &T) -> Option<&T> {
    Some(slot)
}

/// Runs a check on every element that is new or changed.
///
/// `item` says what a slot of the list holds: `None` for a null element, which is passed over.
pub fn each_val<S, T: ?Sized, C: Correlate<T>>(
    at: &At<'_>,
    new: &[S],
    old: &[S],
    item: impl Fn(&S) -> Option<&T>,
    correlate: &C,
    errors: &mut Errors,
    mut check: impl FnMut(&At<'_>, &T, Option<&T>, &mut Errors) -> bool,
) -> bool {
    let mut found = false;
    if !C::ENABLED || old.is_empty() {
        for (index, slot) in new.iter().enumerate() {
            if let Some(value) = item(slot) {
                found |= check(&at.index(index), value, None, errors);
            }
        }
        return found;
    }
    let known = Matches::new(old, &item, correlate);
    for (index, slot) in new.iter().enumerate() {
        let Some(value) = item(slot) else { continue };
        let was = known.find(value);
        if at.is_update() && was.is_some_and(|was| correlate.unchanged(value, was)) {
            continue;
        }
        found |= check(&at.index(index), value, was, errors);
    }
    found
}

/// Runs a check on every element as a new one; null ones are passed over.
pub fn each_new<'v>(
    at: &At<'_>,
    items: &'v [Value],
    errors: &mut Errors,
    mut check: impl FnMut(&At<'_>, &'v Value, &mut Errors) -> bool,
) -> bool {
    let mut found = false;
    for (index, value) in items.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        found |= check(&at.index(index), value, errors);
    }
    found
}

/// Runs a check on the first element that a selector picks, unless it is unchanged.
#[expect(clippy::too_many_arguments, reason = "the common arguments of checks, and how to see elements")]
pub fn item<S, T: ?Sized>(
    at: &At<'_>,
    new: &[S],
    old: &[S],
    item: impl Fn(&S) -> Option<&T>,
    selects: impl Fn(&T) -> bool,
    unchanged: impl Fn(&T, &T) -> bool,
    errors: &mut Errors,
    check: impl FnOnce(&At<'_>, &T, Option<&T>, &mut Errors) -> bool,
) -> bool {
    let pick = |list: &'_ [S]| list.iter().position(|slot| item(slot).is_some_and(&selects));
    let Some(index) = pick(new) else { return false };
    let Some(value) = item(&new[index]) else { return false };
    let was = pick(old).and_then(|index| item(&old[index]));
    if at.is_update() && was.is_some_and(|was| unchanged(value, was)) {
        return false;
    }
    check(&at.index(index), value, was, errors)
}

/// Refuses elements that repeat the identity of an earlier one.
pub fn unique<S, T: Show + ?Sized>(
    at: &At<'_>,
    new: &[S],
    item: impl Fn(&S) -> Option<&T>,
    correlate: &impl Correlate<T>,
    errors: &mut Errors,
) -> bool {
    unique_with(at, new, item, correlate, T::show, errors)
}

/// The same for elements that cannot show themselves.
pub fn unique_with<S, T: ?Sized>(
    at: &At<'_>,
    new: &[S],
    item: impl Fn(&S) -> Option<&T>,
    correlate: &impl Correlate<T>,
    show: impl Fn(&T) -> BadValue,
    errors: &mut Errors,
) -> bool {
    let mark = errors.len();
    duplicates(
        new.len(),
        |at, hasher| feed(at, item(&new[at]), correlate, hasher),
        |a, b| both_match(item(&new[a]), item(&new[b]), correlate),
        |index| {
            if let Some(value) = item(&new[index]) {
                errors.push(Error::duplicate(&at.index(index).path, show(value)));
            }
        },
    );
    errors.len() > mark
}

/// Refuses null elements.
pub fn no_nil_elements<S>(at: &At<'_>, new: &[S], is_nil: impl Fn(&S) -> bool, errors: &mut Errors) -> bool {
    let mark = errors.len();
    for (index, slot) in new.iter().enumerate() {
        if is_nil(slot) {
            errors.push(Error::required(&at.index(index).path, ""));
        }
    }
    errors.len() > mark
}

//! Rules over several fields: unions and dependents.

use sprag_field::{Error, Errors, quote};

use crate::At;

/// Refuses a union of which not exactly one member is set.
///
/// `old` is `None` without an old value; where no member's set-ness changed, nothing is refused.
pub fn union(at: &At<'_>, labels: &[impl AsRef<str>], set: &[bool], old: Option<&[bool]>, errors: &mut Errors) -> bool {
    if is_unchanged(at, set, old) {
        return false;
    }
    match set.iter().filter(|set| **set).count() {
        0 => {
            let detail = format!("must specify one of: {}", quoted(labels));
            errors.push(Error::invalid(&at.path, "", detail).with_origin("union"));
            true
        }
        1 => false,
        _ => {
            let detail = format!("must specify exactly one of: {}", quoted(labels));
            errors.push(Error::invalid(&at.path, listed(labels, set), detail).with_origin("union"));
            true
        }
    }
}

/// Refuses a union of which more than one member is set.
pub fn zero_or_one_of(
    at: &At<'_>,
    labels: &[impl AsRef<str>],
    set: &[bool],
    old: Option<&[bool]>,
    errors: &mut Errors,
) -> bool {
    if is_unchanged(at, set, old) || set.iter().filter(|set| **set).count() < 2 {
        return false;
    }
    let detail = format!("must specify at most one of: {}", quoted(labels));
    errors.push(Error::invalid(&at.path, listed(labels, set), detail).with_origin("zeroOrOneOf"));
    true
}

/// The discriminator of a union, and the value that selects each member.
#[derive(Debug)]
pub struct Discriminator<'a, V> {
    /// Its name in texts.
    pub name: &'a str,
    /// The value that selects each member.
    pub values: &'a [V],
}

impl<V> Clone for Discriminator<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Discriminator<'_, V> {}

/// Refuses members that the discriminator does not select, and the selected one when it is not set.
///
/// `chosen` and `was` are the discriminator's new value and, with an old object, its old one.
#[expect(clippy::too_many_arguments, reason = "the common arguments of checks, for the members and the discriminator")]
pub fn discriminated_union(
    at: &At<'_>,
    labels: &[impl AsRef<str>],
    discriminator: Discriminator<'_, impl AsRef<str>>,
    chosen: &str,
    was: Option<&str>,
    set: &[bool],
    old: Option<&[bool]>,
    errors: &mut Errors,
) -> bool {
    if was == Some(chosen) && is_unchanged(at, set, old) {
        return false;
    }
    let mark = errors.len();
    for ((label, value), set) in labels.iter().zip(discriminator.values).zip(set) {
        let label = label.as_ref();
        let value = value.as_ref();
        let demand = match (*set, value == chosen) {
            (true, false) => "may only be specified",
            (false, true) => "must be specified",
            _ => continue,
        };
        let detail = format!("{demand} when `{}` is {}", discriminator.name, quote::go(value));
        errors.push(Error::invalid(&at.child(label).path, "", detail).with_origin("union"));
    }
    errors.len() > mark
}

/// Refuses an unset sibling of a set field.
pub fn dependent_required(
    at: &At<'_>,
    (trigger, dependent): (&str, &str),
    (trigger_set, dependent_set): (bool, bool),
    old: Option<(bool, bool)>,
    errors: &mut Errors,
) -> bool {
    let same = at.is_update() && old == Some((trigger_set, dependent_set));
    if same || !trigger_set || dependent_set {
        return false;
    }
    let detail = format!("must be set when {trigger} is set");
    errors.push(Error::required(&at.child(dependent).path, detail).with_origin("dependentRequired"));
    true
}

/// Refuses a set sibling of a set field.
pub fn dependent_forbidden(
    at: &At<'_>,
    (trigger, dependent): (&str, &str),
    (trigger_set, dependent_set): (bool, bool),
    old: Option<(bool, bool)>,
    errors: &mut Errors,
) -> bool {
    let same = at.is_update() && old == Some((trigger_set, dependent_set));
    if same || !trigger_set || !dependent_set {
        return false;
    }
    let detail = format!("may not be set when {trigger} is set");
    errors.push(Error::forbidden(&at.child(dependent).path, detail).with_origin("dependentForbidden"));
    true
}

fn is_unchanged(at: &At<'_>, set: &[bool], old: Option<&[bool]>) -> bool {
    at.is_update() && old == Some(set)
}

fn quoted(labels: &[impl AsRef<str>]) -> String {
    let labels: Vec<String> = labels.iter().map(|label| format!("`{}`", label.as_ref())).collect();
    labels.join(", ")
}

fn listed(labels: &[impl AsRef<str>], set: &[bool]) -> String {
    let set = labels.iter().zip(set).filter(|(_, set)| **set);
    let labels: Vec<&str> = set.map(|(label, _)| label.as_ref()).collect();
    format!("{{{}}}", labels.join(", "))
}

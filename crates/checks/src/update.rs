//! Rules against changes of a value on update.

use sprag_field::{BadValue, Error, Errors};

use crate::At;
use crate::list::{Correlate, Matches};

/// A transition that is refused on update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constraint {
    /// From unset to set.
    NoSet,
    /// From set to unset.
    NoUnset,
    /// From one value to another.
    NoModify,
    /// An element or entry more.
    NoAddItem,
    /// An element or entry less.
    NoRemoveItem,
}

impl Constraint {
    /// What is to be said of a field.
    pub fn words(self) -> &'static str {
        match self {
            Constraint::NoSet => "cannot be set later",
            Constraint::NoUnset => "cannot be unset",
            Constraint::NoModify => "cannot be changed once set",
            Constraint::NoAddItem => "nothing can be added",
            Constraint::NoRemoveItem => "nothing can be removed",
        }
    }
}

/// Rejects any change; the caller has compared the values.
pub fn immutable(at: &At<'_>, errors: &mut Errors) -> bool {
    if at.is_update() {
        errors.push(Error::invalid(&at.path, BadValue::Nil, "field is immutable").with_origin("immutable"));
    }
    at.is_update()
}

/// Refuses transitions of a value that is set or not; `was_set` is `None` where nothing is known of the past.
pub fn update(at: &At<'_>, set: bool, was_set: Option<bool>, constraints: &[Constraint], errors: &mut Errors) -> bool {
    let (Some(was_set), true) = (was_set, at.is_update()) else { return false };
    let mark = errors.len();
    for constraint in constraints {
        let detail = match constraint {
            Constraint::NoSet if !was_set && set => "field cannot be set once created",
            Constraint::NoUnset if was_set && !set => "field cannot be cleared once set",
            Constraint::NoModify if was_set && set => "field cannot be modified once set",
            _ => continue,
        };
        errors.push(Error::invalid(&at.path, BadValue::Nil, detail).with_origin("update"));
    }
    errors.len() > mark
}

/// Refuses transitions of a list.
pub fn update_list<S, T: ?Sized>(
    at: &At<'_>,
    new: &[S],
    old: Option<&[S]>,
    item: impl Fn(&S) -> Option<&T>,
    correlate: &impl Correlate<T>,
    constraints: &[Constraint],
    errors: &mut Errors,
) -> bool {
    let (Some(old), true) = (old, at.is_update()) else { return false };
    let mark = errors.len();
    for constraint in constraints {
        match constraint {
            Constraint::NoAddItem => {
                let known = Matches::new(old, &item, correlate);
                for (index, slot) in new.iter().enumerate() {
                    if item(slot).is_some_and(|value| known.find(value).is_none()) {
                        errors.push(added(&at.index(index)));
                    }
                }
            }
            Constraint::NoRemoveItem => {
                let known = Matches::new(new, &item, correlate);
                for slot in old {
                    if let Some(value) = item(slot).filter(|value| known.find(*value).is_none()) {
                        errors.push(removed(at, correlate.label(value).as_deref()));
                    }
                }
            }
            other => _ = update(at, !new.is_empty(), Some(!old.is_empty()), &[*other], errors),
        }
    }
    errors.len() > mark
}

/// Refuses that the element with this label disappears from a list.
pub fn item_kept(at: &At<'_>, label: &str, exists: bool, existed: bool, errors: &mut Errors) -> bool {
    let lost = at.is_update() && existed && !exists;
    if lost {
        errors.push(removed(at, Some(label)));
    }
    lost
}

pub(crate) fn added(at: &At<'_>) -> Error {
    Error::forbidden(&at.path, "item may not be added").with_origin("update")
}

pub(crate) fn removed(at: &At<'_>, label: Option<&str>) -> Error {
    let separator = if label.is_some() { ": " } else { "" };
    let detail = format!("item may not be removed{separator}{}", label.unwrap_or_default());
    Error::forbidden(&at.path, detail).with_origin("update")
}

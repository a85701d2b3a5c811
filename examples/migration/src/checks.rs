//! The hand-written validation: a list of checks for each kind.
//!
//! A check gets the old object on updates and lets values pass that did not change, as rules do. Errors that a rule finds, too, are marked as
//! covered by it and carry its origin.

use std::collections::BTreeMap;

use sprag::checks::format::Format;
use sprag::field::{BadValue, Error, Errors, Path};

use crate::parts::{Route, Ship};

/// A check of an object and, on updates, of the one that it replaces.
pub type Check<T> = fn(&T, Option<&T>, &mut Errors);
/// Checks by name.
pub type Checks<T> = &'static [(&'static str, Check<T>)];

/// The checks of beacons in a form; those of the second field count as covered where it has a tag.
macro_rules! beacon_checks {
    ($form:ident, $range_covered:literal) => {
        /// The checks of beacons.
        pub const BEACON: $crate::checks::Checks<$crate::$form::Beacon> = &[("power", power), ("range", range)];

        fn power(new: &$crate::$form::Beacon, old: Option<&$crate::$form::Beacon>, errors: &mut Errors) {
            super::at_least_one(
                &Path::new("spec").child("power"),
                new.spec.power,
                old.map(|old| old.spec.power),
                errors,
            );
        }

        fn range(new: &$crate::$form::Beacon, old: Option<&$crate::$form::Beacon>, errors: &mut Errors) {
            let path = Path::new("spec");
            let old = old.map(|old| old.spec.range);
            super::range(&path.child("range"), new.spec.range, old, $range_covered, errors);
        }
    };
}

/// The checks of convoys in a form.
macro_rules! convoy_checks {
    ($form:ident) => {
        /// The checks of convoys.
        pub const CONVOY: $crate::checks::Checks<$crate::$form::Convoy> = &[
            ("lead", |new, old, errors| super::lead(&new.spec.lead, old.map(|old| old.spec.lead.as_str()), errors)),
            ("lead length", |new, old, errors| {
                super::lead_length(&new.spec.lead, old.map(|old| old.spec.lead.as_str()), errors);
            }),
            ("speed", |new, old, errors| {
                let is_same = old.is_some_and(|old| old.spec.speed == new.spec.speed);
                super::speed(new.spec.speed.filter(|_| !is_same), errors);
            }),
            ("route", |new, old, errors| super::route(&new.spec.route, old.map(|old| &old.spec.route), errors)),
            ("ships", |new, old, errors| {
                super::ships(&new.spec.ships, old.map(|old| old.spec.ships.as_slice()), errors)
            }),
            ("cargo", |new, old, errors| super::cargo(&new.spec.cargo, old.map(|old| &old.spec.cargo), errors)),
            ("help", |new, old, errors| {
                let set = |spec: &$crate::$form::ConvoySpec| [spec.escort.is_some(), spec.radio.is_some()];
                super::help(set(&new.spec), old.map(|old| set(&old.spec)), errors);
            }),
        ];
    };
}

/// While hooks have the authority.
pub mod shadow {
    use super::{Errors, Path};

    beacon_checks!(shadow, false);
    convoy_checks!(shadow);
}

/// Beside beta and alpha rules.
pub mod gated {
    use super::{Errors, Path};

    beacon_checks!(gated, true);
    convoy_checks!(gated);
}

/// Beside a rule that cannot be switched off and a beta one.
pub mod graduating {
    use super::{Errors, Path};

    beacon_checks!(graduating, true);
}

fn at_least_one(path: &Path<'_>, new: i32, old: Option<i32>, errors: &mut Errors) {
    if new < 1 && old != Some(new) {
        errors.push(covered(Error::invalid(path, new, "must be greater than or equal to 1"), "minimum"));
    }
}

fn at_most(path: &Path<'_>, new: i32, max: i32, errors: &mut Errors) {
    if new > max {
        let detail = format!("must be less than or equal to {max}");
        errors.push(covered(Error::invalid(path, new, detail), "maximum"));
    }
}

fn range(path: &Path<'_>, new: i32, old: Option<i32>, has_rule: bool, errors: &mut Errors) {
    if new > 10 && old != Some(new) {
        let error = Error::invalid(path, new, "must be less than or equal to 10");
        errors.push(if has_rule { covered(error, "maximum") } else { error });
    }
}

/// Required, and the same for ever.
fn lead(new: &str, old: Option<&str>, errors: &mut Errors) {
    if old == Some(new) {
        return;
    }
    let spec = Path::new("spec");
    let path = "lead";
    let path = spec.child(path);
    if new.is_empty() {
        errors.push(covered(Error::required(&path, ""), ""));
    }
    let detail = match old {
        None => return,
        Some("") => "field cannot be set once created",
        Some(_) if new.is_empty() => "field cannot be cleared once set",
        Some(_) => "field cannot be modified once set",
    };
    errors.push(covered(Error::invalid(&path, BadValue::Nil, detail), "update"));
}

/// Only new names are measured: others cannot be changed anyway.
fn lead_length(new: &str, old: Option<&str>, errors: &mut Errors) {
    if old.is_none() && new.chars().count() > 12 {
        let spec = Path::new("spec");
        errors.push(covered(Error::too_long_characters(&spec.child("lead"), 12), "maxLength"));
    }
}

/// A speed that is new or changed.
fn speed(new: Option<i32>, errors: &mut Errors) {
    let Some(speed) = new else { return };
    let spec = Path::new("spec");
    let path = spec.child("speed");
    at_least_one(&path, speed, None, errors);
    at_most(&path, speed, 30, errors);
}

fn route(new: &Route, old: Option<&Route>, errors: &mut Errors) {
    let Route::Unknown(text) = new else { return };
    if !text.is_empty() && old != Some(new) {
        let spec = Path::new("spec");
        let error = Error::not_supported(&spec.child("route"), text.as_str(), &["Coastal", "Open"]);
        errors.push(covered(error, ""));
    }
}

/// Too many ships are not looked at one by one.
fn ships(new: &[Ship], old: Option<&[Ship]>, errors: &mut Errors) {
    if old == Some(new) {
        return;
    }
    let spec = Path::new("spec");
    let path = spec.child("ships");
    if let Some(count) = i64::try_from(new.len()).ok().filter(|count| *count > 4) {
        errors.push(covered(Error::too_many(&path, count, 4), "maxItems"));
        return;
    }
    for (at, ship) in new.iter().enumerate() {
        let path = path.index(at);
        if new[..at].iter().any(|before| before.name == ship.name) {
            errors.push(covered(Error::duplicate(&path, shown(ship)), ""));
        }
        let was = old.and_then(|old| old.iter().find(|was| was.name == ship.name));
        if was.is_none() {
            ship_name(&path.child("name"), &ship.name, errors);
        }
        if was.is_none_or(|was| was.tons != ship.tons) {
            at_least_one(&path.child("tons"), ship.tons, None, errors);
            at_most(&path.child("tons"), ship.tons, 9000, errors);
        }
    }
}

/// A ship as errors show it.
fn shown(ship: &Ship) -> BadValue {
    BadValue::Json(format!(r#"{{"name":"{}","tons":{}}}"#, ship.name, ship.tons))
}

fn ship_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        errors.push(covered(Error::required(path, ""), ""));
        return;
    }
    let mark = errors.len();
    Format::ShortName.push_errors(path, name, || BadValue::from(name), errors);
    for error in errors.since_mut(mark) {
        error.covered_by_declarative = true;
    }
}

/// Too many kinds of cargo are not looked at one by one.
fn cargo(new: &BTreeMap<String, i32>, old: Option<&BTreeMap<String, i32>>, errors: &mut Errors) {
    if old == Some(new) {
        return;
    }
    let spec = Path::new("spec");
    let path = spec.child("cargo");
    if let Some(count) = i64::try_from(new.len()).ok().filter(|count| *count > 3) {
        errors.push(covered(Error::too_many(&path, count, 3), "maxProperties"));
        return;
    }
    for (name, tons) in new {
        let was = old.and_then(|old| old.get(name));
        if was.is_none() && name.chars().count() > 8 {
            errors.push(covered(Error::too_long_characters(&path, 8), "maxLength"));
        }
        if *tons < 0 && was != Some(tons) {
            let error = Error::invalid(&path.key(name), *tons, "must be greater than or equal to 0");
            errors.push(covered(error, "minimum"));
        }
    }
}

/// An escort or a radio.
fn help(new: [bool; 2], old: Option<[bool; 2]>, errors: &mut Errors) {
    if new == [true, true] && old != Some(new) {
        let detail = "must specify at most one of: `escort`, `radio`";
        let error = Error::invalid(&Path::new("spec"), "{escort, radio}", detail);
        errors.push(covered(error, "zeroOrOneOf"));
    }
}

/// An error that a rule finds, too.
fn covered(error: Error, origin: &'static str) -> Error {
    error.with_origin(origin).with_covered_by_declarative()
}

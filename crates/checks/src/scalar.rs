//! Checks on one scalar: inequality, formats, enums, monotonic numbers, and the fixed results tests use.

use sprag_field::{Error, Errors, quote};
use sprag_regexp::Regexp;

use crate::format::Format;
use crate::{At, Integer, Show, Text};

/// Refuses one text.
pub fn not_equal_text<T: Text + ?Sized>(at: &At<'_>, new: Option<&T>, refused: &str, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| value.text() == refused) else { return false };
    not_equal(at, value.show(), &quote::go(refused), errors)
}

/// Refuses one number.
pub fn not_equal_number<T: Integer>(at: &At<'_>, new: Option<&T>, refused: i128, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| value.number() == refused) else { return false };
    not_equal(at, value.show(), &refused, errors)
}

/// Refuses one truth value.
pub fn not_equal_bool<T: Show>(at: &At<'_>, new: Option<(&T, bool)>, refused: bool, errors: &mut Errors) -> bool {
    let Some((value, _)) = new.filter(|(_, value)| *value == refused) else { return false };
    not_equal(at, value.show(), &refused, errors)
}

fn not_equal(at: &At<'_>, value: sprag_field::BadValue, refused: &dyn std::fmt::Display, errors: &mut Errors) -> bool {
    errors.push(Error::invalid(&at.path, value, format!("must not be equal to {refused}")).with_origin("neq"));
    true
}

/// Refuses a text that is not in a named format; one text can be wrong in several ways.
pub fn format<T: Text + ?Sized>(at: &At<'_>, new: Option<&T>, format: Format, errors: &mut Errors) -> bool {
    let Some(value) = new else { return false };
    let mark = errors.len();
    format.push_errors(&at.path, value.text(), || value.show(), errors);
    errors.len() > mark
}

/// Refuses a text that does not match a regular expression.
pub fn pattern<T: Text + ?Sized>(at: &At<'_>, new: Option<&T>, pattern: &Regexp, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| !pattern.is_match(value.text())) else { return false };
    let detail = format!("must match the pattern {}", quote::go(pattern.as_str()));
    errors.push(Error::invalid(&at.path, value.show(), detail).with_origin("pattern"));
    true
}

/// A value of an enum that is excluded while an option has a certain state.
#[derive(Clone, Copy, Debug)]
pub struct Exclusion<'a> {
    /// The value.
    pub value: &'a str,
    /// The option.
    pub option: &'a str,
    /// The state of the option that excludes the value.
    pub when: bool,
}

/// Refuses a text that is not one of the values; `values` is sorted.
pub fn one_of<T: Text + ?Sized>(
    at: &At<'_>,
    new: Option<&T>,
    values: &[impl AsRef<str>],
    exclusions: &[Exclusion<'_>],
    errors: &mut Errors,
) -> bool {
    let Some(value) = new else { return false };
    let text = value.text();
    let excluded = match is_excluded(at, text, exclusions) {
        Ok(excluded) => excluded,
        Err(option) => return undefined_option(at, option, errors),
    };
    if !excluded && values.binary_search_by(|known| known.as_ref().cmp(text)).is_ok() {
        return false;
    }
    let mut supported = Vec::with_capacity(values.len());
    for known in values {
        match is_excluded(at, known.as_ref(), exclusions) {
            Ok(true) => {}
            Ok(false) => supported.push(known.as_ref()),
            Err(option) => return undefined_option(at, option, errors),
        }
    }
    errors.push(Error::not_supported(&at.path, value.show(), &supported));
    true
}

/// Reports whether a value is excluded right now; the option's name when it is not defined.
fn is_excluded<'e>(at: &At<'_>, value: &str, exclusions: &[Exclusion<'e>]) -> Result<bool, &'e str> {
    for exclusion in exclusions {
        let on = at.request.options.get(exclusion.option).ok_or(exclusion.option)?;
        if exclusion.value == value && exclusion.when == on {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reports an option that a rule needs and that is not defined.
pub fn undefined_option(at: &At<'_>, option: &str, errors: &mut Errors) -> bool {
    errors.push(Error::internal(&at.path, format_args!("undefined validation option {}", quote::go(option))));
    true
}

/// Runs a check only when an option is in a certain state; an undefined option is an internal error.
pub fn if_option(
    at: &At<'_>,
    option: &str,
    enabled: bool,
    errors: &mut Errors,
    check: impl FnOnce(&mut Errors) -> bool,
) -> bool {
    match at.request.options.get(option) {
        None => undefined_option(at, option, errors),
        Some(on) => on == enabled && check(errors),
    }
}

/// Refuses a number that gets smaller on update.
pub fn monotonic<T: Integer>(at: &At<'_>, new: Option<&T>, old: Option<&T>, errors: &mut Errors) -> bool {
    let (Some(new), Some(old), true) = (new, old, at.is_update()) else { return false };
    if new.number() >= old.number() {
        return false;
    }
    let detail = format!("may not be decreased from {}", old.number());
    errors.push(Error::invalid(&at.path, new.show(), detail).with_origin("monotonic"));
    true
}

/// Always fails; for tests of rule sets.
pub fn always_fails(at: &At<'_>, value: sprag_field::BadValue, message: &str, errors: &mut Errors) -> bool {
    errors.push(Error::invalid(&at.path, value, format!("forced failure: {message}")).with_origin("validateFalse"));
    true
}

//! Parameters of rolling updates: numbers or percentages of pods.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::IntOrStr;

use crate::checks::validate_nonnegative;

const NOT_A_PERCENTAGE: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or \
    '93%', regex used for validation is '[0-9]+%')";

/// As upstream's `validation.ValidatePositiveIntOrPercent`.
pub(crate) fn validate_int_or_percent(amount: IntOrStr<'_>, at: &Path<'_>, errors: &mut Errors) {
    match amount {
        IntOrStr::Int(number) => validate_nonnegative(number, at, errors),
        IntOrStr::Str(_) if percentage(amount).is_none() => {
            errors.push(Error::invalid(at, shown(amount), NOT_A_PERCENTAGE));
        }
        IntOrStr::Str(_) => {}
    }
}

/// As upstream's `validation.IsNotMoreThan100Percent`.
pub(crate) fn validate_at_most_100_percent(amount: IntOrStr<'_>, at: &Path<'_>, errors: &mut Errors) {
    if percentage(amount).is_some_and(|percentage| percentage > 100) {
        errors.push(Error::invalid(at, shown(amount), "must not be greater than 100%"));
    }
}

/// The number, as upstream's `validation.getIntOrPercentValue`: 0 for a text that has none.
pub(crate) fn amount_of(amount: IntOrStr<'_>) -> i64 {
    match amount {
        IntOrStr::Int(number) => number,
        IntOrStr::Str(text) => percentage(amount).unwrap_or_else(|| text.parse().unwrap_or_default()),
    }
}

/// An amount as an error about it shows it.
pub(crate) fn shown(amount: IntOrStr<'_>) -> BadValue {
    match amount {
        IntOrStr::Int(number) => BadValue::Json(number.to_string()),
        IntOrStr::Str(text) => BadValue::json_str(text),
    }
}

/// The number before the sign, as upstream's `validation.getPercentValue`. One that is too large is the largest.
fn percentage(amount: IntOrStr<'_>) -> Option<i64> {
    let IntOrStr::Str(text) = amount else { return None };
    let digits = text.strip_suffix('%').filter(|digits| !digits.is_empty())?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_digits_and_a_sign() {
        for (text, number) in [("25%", Some(25)), ("0%", Some(0)), ("99999999999999999999%", Some(i64::MAX))] {
            assert_eq!(percentage(IntOrStr::Str(text)), number);
        }
        for text in ["", "%", "5", "-5%", "1.5%", "5%%", " 5%"] {
            assert_eq!(percentage(IntOrStr::Str(text)), None, "{text}");
        }
        assert_eq!(amount_of(IntOrStr::Str("7")), 7);
        assert_eq!(amount_of(IntOrStr::Str("x")), 0);
        assert_eq!(amount_of(IntOrStr::Int(-1)), -1);
    }
}

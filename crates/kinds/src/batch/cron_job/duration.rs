//! Spans of time as Go's `time.ParseDuration` reads them.

use sprag_field::quote;
use sprag_value::{Duration, ParseDurationError};

/// Checks a duration; texts in errors are quoted as Go does.
pub(super) fn parse_duration(text: &str) -> Result<(), String> {
    text.parse::<Duration>().map(drop).map_err(|error| match error {
        ParseDurationError::Invalid(text) => format!("time: invalid duration {}", quote::go(&text)),
        ParseDurationError::MissingUnit(text) => format!("time: missing unit in duration {}", quote::go(&text)),
        ParseDurationError::UnknownUnit { unit, text } => {
            format!("time: unknown unit {} in duration {}", quote::go(&unit), quote::go(&text))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for good in ["0", "1h30m", "-1.5h", "+5s", ".5s", "1.s", "1us2µs3μs", "-9223372036854775808ns"] {
            assert_eq!(parse_duration(good), Ok(()), "{good}");
        }
        let check = |text: &str, flaw: &str| assert_eq!(parse_duration(text).unwrap_err(), flaw, "{text}");
        check("", "time: invalid duration \"\"");
        check("-", "time: invalid duration \"-\"");
        check(".s", "time: invalid duration \".s\"");
        check("1", "time: missing unit in duration \"1\"");
        check("1d", "time: unknown unit \"d\" in duration \"1d\"");
        check("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\"");
        check("99999999999999999999h", "time: invalid duration \"99999999999999999999h\"");
    }
}

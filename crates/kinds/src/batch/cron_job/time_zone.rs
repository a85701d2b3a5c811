//! Names of time zones.

use jiff::tz::db;
use sprag_field::{BadValue, Error, Errors, Path};

/// The bytes of the longest part of a name.
const MAX_PART: usize = 14;

/// As upstream's `validation.validateTimeZone`.
pub(super) fn validate_time_zone(zone: &str, at: &Path<'_>, errors: &mut Errors) {
    let invalid = |detail: String| Error::invalid(at, BadValue::json_str(zone), detail);
    if zone.is_empty() {
        return errors.push(invalid("timeZone must be nil or non-empty string".to_owned()));
    }
    if !zone.split('/').all(is_part) {
        return errors.push(invalid(format!("unknown time zone {zone}")));
    }
    if zone.eq_ignore_ascii_case("Local") {
        let detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errors.push(invalid(detail.to_owned()));
    }
    if let Err(flaw) = load_location(zone) {
        errors.push(invalid(flaw));
    }
}

/// A part of a name as upstream's `validTimeZoneCharacters` has it.
fn is_part(part: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    (1..=MAX_PART).contains(&part.len())
        && part.bytes().all(is_letter)
        && part != "."
        && part != ".."
        && !part.starts_with('-')
}

/// Checks the name of a time zone, as Go's `time.LoadLocation`. Names are those of the IANA database, in their own
/// case.
pub(super) fn load_location(name: &str) -> Result<(), String> {
    if ["", "UTC", "Local"].contains(&name) {
        return Ok(());
    }
    if name.contains("..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".to_owned());
    }
    let known = db().get(name).is_ok_and(|zone| zone.iana_name() == Some(name));
    if known { Ok(()) } else { Err(format!("unknown time zone {name}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(zone: &str, flaws: &[&str]) {
        let mut errors = Errors::new();
        validate_time_zone(zone, &Path::new("f"), &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let expected: Vec<String> = flaws.iter().map(|flaw| format!("f: Invalid value: \"{zone}\": {flaw}")).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn zones_are_those_of_the_iana_database() {
        for known in ["Europe/Rome", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "EST5EDT", "US/Pacific"] {
            check(known, &[]);
        }
        let explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        check("", &["timeZone must be nil or non-empty string"]);
        check("Local", &[explicit]);
        check("LOCAL", &[explicit, "unknown time zone LOCAL"]);
        check("europe/rome", &["unknown time zone europe/rome"]);
        check("Europe/Rome ", &["unknown time zone Europe/Rome "]);
        check("a..b", &["time: invalid location name"]);
        check("../etc", &["unknown time zone ../etc"]);
    }
}

//! `kubernetes.NamedFormat`: named string formats, as `format.dns1123Label()` or `format.named('dns1123Label')`.

use sprag_checks::format::Format as NameFormat;

use crate::cost::{Bounds, CallEstimate, CallSite, REGEX_LENGTH, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome};
use crate::overload::{Binding, Func, Overload};
use crate::types::Sig;
use crate::value::{Format, Opaque, Val};

use super::url::parse_request_uri;

const FORMAT: Sig = Sig::Object("kubernetes.NamedFormat");
const ERRORS: Sig = Sig::Optional(&Sig::LIST_STRING);

/// The regular expression that estimates assume.
const ESTIMATED_REGEX: f64 = 128.0;
/// The size of the regular expression for base 64 that the reference states.
const BASE64_REGEX: u64 = 84;
/// The size of the regular expression for URLs that the reference states.
const URL_REGEX: u64 = 1103;
/// The size of the reference's regular expressions for UUIDs and for times of day, which happen to agree.
const UUID_REGEX: u64 = r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$".len() as u64;
/// See [`UUID_REGEX`].
const TIME_REGEX: u64 = r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$".len() as u64;

/// The formats under the names expressions use.
macro_rules! formats {
    ($($name:literal $shown:literal $size:expr, $validate:expr;)*) => {
        static NAMED: &[Format] =
            &[$(Format { name: $shown, function: $name, max_regex_size: $size, validate: $validate }),*];

        pub(crate) static TABLE: &[Overload] = &[
            Overload::member("validate", "format-validate", &[FORMAT, Sig::String], ERRORS, validate)
                .since(31)
                .costs(estimate_validate, charge_validate),
            Overload::global("format.named", "format-named", &[Sig::String], Sig::Optional(&FORMAT), named).since(31),
            $(constant(concat!("format.", $name), |cx, _| {
                find($name).ok_or_else(|| cx.no_such_overload())
            })),*
        ];
    };
}

const fn constant(name: &'static str, call: Func) -> Overload {
    Overload::global(name, name, &[], FORMAT, call).binding(Binding::Early).since(31)
}

formats! {
    "dns1123Label" "DNS1123Label" 30, |text| flaws(NameFormat::ShortName, text);
    "dns1123Subdomain" "DNS1123Subdomain" 60, |text| flaws(NameFormat::LongName, text);
    "dns1035Label" "DNS1035Label" 30, dns_1035_label;
    "qualifiedName" "QualifiedName" 60, |text| flaws(NameFormat::LabelKey, text);
    "dns1123LabelPrefix" "DNS1123LabelPrefix" 30, |text| flaws(NameFormat::ShortName, &without_dash(text));
    "dns1123SubdomainPrefix" "DNS1123SubdomainPrefix" 60, |text| flaws(NameFormat::LongName, &without_dash(text));
    "dns1035LabelPrefix" "DNS1035LabelPrefix" 30, |text| dns_1035_label(&without_dash(text));
    "labelValue" "LabelValue" 40, |text| flaws(NameFormat::LabelValue, text);
    "uri" "URI" URL_REGEX, |text| parse_request_uri(text).err().into_iter().collect();
    "uuid" "uuid" UUID_REGEX, |text| unless(is_uuid(text), "does not match the UUID format");
    "byte" "byte" BASE64_REGEX, |text| unless(is_base64(text), "invalid base64");
    "date" "date" TIME_REGEX, |text| unless(is_date(text), "invalid date");
    "datetime" "datetime" TIME_REGEX, |text| unless(is_date_time(text), "invalid datetime");
}

fn find<'a>(wanted: &str) -> Option<Val<'a>> {
    NAMED.iter().find(|format| format.function == wanted).map(|format| Val::Opaque(Opaque::Format(format)))
}

fn named<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(wanted)] = args else { return Err(cx.no_such_overload()) };
    find(wanted).map_or(Ok(Val::Optional(None)), |format| cx.some(format))
}

fn validate<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::Opaque(Opaque::Format(format)), Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    let errors = (format.validate)(text);
    if errors.is_empty() {
        return Ok(Val::Optional(None));
    }
    let errors: Vec<Val<'a>> = errors.iter().map(|error| cx.string(error)).collect::<Result<_, _>>()?;
    cx.some(cx.list(&errors)?)
}

fn unless(valid: bool, error: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![error.into()] }
}

/// Returns the errors of a name format about a text.
fn flaws(format: NameFormat, text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    format.check(text, &mut |flaw| errors.push(flaw.detail.into_owned()));
    errors
}

/// A prefix may end in a dash. The reference cuts off one character too many, which shows in the length.
fn without_dash(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let end = rest.floor_char_boundary(rest.len() - 1);
            // Bytes left over from a longer character are valid nowhere.
            format!("{}{}a", &rest[..end], "?".repeat(rest.len() - 1 - end))
        }
        _ => text.into(),
    }
}

/// The bytes a DNS label may have.
const MAX_LABEL: usize = 63;

fn dns_1035_label(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if text.len() > MAX_LABEL {
        errors.push("must be no more than 63 bytes".into());
    }
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label =
        text.starts_with(|first: char| first.is_ascii_lowercase()) && !text.ends_with('-') && text.bytes().all(fits);
    if !is_label {
        errors.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .into(),
        );
    }
    errors
}

/// Groups of 8, 4, 4, 4 and 12 digits with or without dashes between them.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (index, len) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(len) else { return false };
        if !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Padded base 64 of at least one byte.
pub fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && !text.is_empty()
        && text.len() - digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// `2006-01-02`.
pub fn is_date(text: &str) -> bool {
    let digits = |range| text.get(range).filter(|part: &&str| part.bytes().all(|byte| byte.is_ascii_digit()));
    let number = |range| digits(range).and_then(|part| part.parse::<i16>().ok());
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else { return false };
    let (Ok(month), Ok(day)) = (i8::try_from(month), i8::try_from(day)) else { return false };
    text.len() == 10
        && text.as_bytes()[4] == b'-'
        && text.as_bytes()[7] == b'-'
        && jiff::civil::Date::new(year, month, day).is_ok()
}

/// A date, `T`, and a time of day with an offset. What follows a second `T` does not count.
pub fn is_date_time(text: &str) -> bool {
    let mut parts = text.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    is_date(date) && is_time(time)
}

fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let [h, h2, b':', m, m2, b':', s, s2] = *clock.as_bytes() else { return false };
    let two = |a: u8, b: u8, max: [u8; 2]| a.is_ascii_digit() && b.is_ascii_digit() && [a, b] <= max;
    two(h, h2, *b"23") && two(m, m2, *b"59") && two(s, s2, *b"59") && (is_offset(rest) || is_fraction(rest))
}

/// Any character, digits, and an offset.
fn is_fraction(text: &str) -> bool {
    let mut chars = text.chars();
    let has_point = chars.next().is_some_and(|point| point != '\n');
    let digits = chars.as_str();
    let offset = digits.trim_start_matches(|char: char| char.is_ascii_digit());
    has_point && offset.len() < digits.len() && is_offset(offset)
}

fn is_offset(text: &str) -> bool {
    match *text.as_bytes() {
        [b'z' | b'Z'] => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn charge_validate<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    match args[0] {
        Ok(Val::Opaque(Opaque::Format(format))) => charge::search(charge::size(&args[1]), format.max_regex_size),
        _ => 1,
    }
}

fn estimate_validate(call: &CallSite<'_>) -> Option<CallEstimate> {
    let cost: Bounds = call.args.first()?.size.scale(STRING_TRAVERSAL);
    Some(CallEstimate::cost(cost.scale(ESTIMATED_REGEX * REGEX_LENGTH)))
}

#[cfg(test)]
mod tests {
    use super::{NAMED, is_base64, is_date, is_date_time, is_uuid, without_dash};
    use crate::library::testing::check;

    #[track_caller]
    fn check_format(name: &str, valid: &[&str], invalid: &[&str]) {
        let format = NAMED.iter().find(|format| format.function == name).unwrap();
        for text in valid {
            assert_eq!((format.validate)(text), Vec::<String>::new(), "{name}: {text}");
        }
        for text in invalid {
            assert!(!(format.validate)(text).is_empty(), "{name}: {text}");
        }
    }

    #[test]
    fn names() {
        check_format("dns1123Label", &["a", "1-a"], &["", "a.b", "A", "-a", "a-"]);
        check_format("dns1123Subdomain", &["a.b-c.d"], &["a..b", "a."]);
        check_format("dns1035Label", &["a-1", "a"], &["1a", "a-", "", "é"]);
        check_format("dns1123LabelPrefix", &["ab-", "a", "a-"], &["-", "a_-_-"]);
        check_format("dns1035LabelPrefix", &["abc-"], &["-", "1ab-"]);
        check_format("qualifiedName", &["a.b/C_d", "x"], &["/x", "a/", "-"]);
        check_format("labelValue", &["", "a_b.c"], &["_a"]);
    }

    #[test]
    fn a_dash_at_the_end_hides_the_character_before_it() {
        assert_eq!(without_dash("abc-"), "aba");
        assert_eq!(without_dash("a_-"), "aa");
        assert_eq!(without_dash("-"), "-");
        assert_eq!(without_dash("é-"), "?a");
        assert_eq!(without_dash("abc"), "abc");
    }

    #[test]
    fn dates_and_times() {
        assert!(is_date("2024-02-29") && is_date("0000-01-01"));
        assert!(!is_date("2023-02-29") && !is_date("2024-2-9") && !is_date("2024-02-29 ") && !is_date("+024-02-29"));
        for valid in ["2024-01-01T00:00:00Z", "2024-01-01t23:59:59.5+01:00", "2024-01-01T00:00:00zTx"] {
            assert!(is_date_time(valid), "{valid}");
        }
        assert!(is_date_time("2024-01-01T00:00:00+12+01:00"), "any character may stand for the point");
        for invalid in ["2024-01-01T24:00:00Z", "2024-01-01T00:00:60Z", "2024-01-01T00:00:00", "2024-01-01", "t"] {
            assert!(!is_date_time(invalid), "{invalid}");
        }
    }

    #[test]
    fn identifiers_and_base64() {
        assert!(is_uuid("123E4567-e89b12d3-a456-426614174000") && !is_uuid("123e4567--e89b-12d3-a456-426614174000"));
        assert!(!is_uuid("123e4567-e89b-12d3-a456-4266141740001") && !is_uuid("é"));
        assert!(is_base64("aA==") && is_base64("aGVsbG8="));
        assert!(!is_base64("") && !is_base64("aA=") && !is_base64("a===") && !is_base64("aG=s") && !is_base64("a-b_"));
    }

    #[test]
    fn formats_are_values() {
        check("format.named('uuid').value() == format.uuid()", "true");
        check("format.named('nope').hasValue()", "false");
        check("format.uri().validate('/x').hasValue()", "false");
        check("format.uri().validate('x').value()", r#"[parse "x": invalid URI for request]"#);
        check("format.dns1123Label().validate('a.b').value()", "[must not contain dots]");
    }
}

//! Reading payloads the way the reference does.

use sprag_field::quote;
use sprag_idl::{Scalar, Tag, TagValue};

/// The payload's text; empty if absent.
pub(crate) fn text(tag: &Tag) -> String {
    match &tag.value {
        TagValue::Scalar(scalar) => scalar.text(),
        _ => String::new(),
    }
}

/// A payload in canonical decimal that fits 64 bits.
pub(crate) fn int(tag: &Tag) -> Result<i64, String> {
    parse_int(&text(tag)).map_err(|error| format!("failed to parse tag payload as int: {error}"))
}

/// A payload in canonical decimal that is not negative.
pub(crate) fn size(tag: &Tag) -> Result<u64, String> {
    u64::try_from(int(tag)?).map_err(|_| "must be greater than or equal to zero".to_owned())
}

/// A canonical decimal that fits 64 bits.
pub(crate) fn parse_int(text: &str) -> Result<i64, String> {
    let value: i64 = text.parse().map_err(|_| bad_number(text, "int", "Atoi", is_decimal(text)))?;
    if value.to_string() == text { Ok(value) } else { Err(format!("{} is not a valid int value", quote::go(text))) }
}

/// A canonical decimal that fits an integer of this width and sign.
pub(crate) fn parse_sized(text: &str, bits: u32, signed: bool) -> Result<i128, String> {
    let (kind, function) = if signed { ("int", "ParseInt") } else { ("uint", "ParseUint") };
    let wide = |text: &str| -> Option<i128> {
        if signed { text.parse::<i64>().ok().map(i128::from) } else { text.parse::<u64>().ok().map(i128::from) }
    };
    let value = wide(text)
        .filter(|_| signed || !text.starts_with(['+', '-']))
        .ok_or_else(|| bad_number(text, kind, function, is_decimal(text) && (signed || !text.starts_with('-'))))?;
    if value.to_string() != text {
        return Err(format!("{} is not a valid {kind} value", quote::go(text)));
    }
    let (min, max) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    if value < min || value > max {
        return Err(format!("value {value} does not fit in {kind}{bits} (range [{min}, {max}])"));
    }
    Ok(value)
}

/// `true` or `false`.
pub(crate) fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{} is not a valid bool value", quote::go(text))),
    }
}

/// The text of an argument.
pub(crate) fn arg(scalar: Option<&Scalar>) -> Option<String> {
    scalar.map(Scalar::text)
}

fn bad_number(text: &str, kind: &str, function: &str, is_number: bool) -> String {
    let text = quote::go(text);
    let reason = if is_number { "value out of range" } else { "invalid syntax" };
    format!("parsing {text} as {kind}: strconv.{function}: parsing {text}: {reason}")
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

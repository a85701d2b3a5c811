//! Resolves scalars by the rules of go-yaml v2: YAML 1.1 words, Go's numbers.

use std::borrow::Cow;

use sprag_value::base64;

use super::number::{float_syntax, parse_float, parse_int, parse_uint};
use super::timestamp::is_timestamp;
use super::tree::Tag;

/// A scalar with its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// Beyond the range of [`Scalar::Int`].
    Uint(u64),
    Float(f64),
    Text(Cow<'a, str>),
}

impl Scalar<'_> {
    fn tag(&self) -> Tag {
        match self {
            Self::Null => Tag::Null,
            Self::Bool(_) => Tag::Bool,
            Self::Int(_) | Self::Uint(_) => Tag::Int,
            Self::Float(_) => Tag::Float,
            Self::Text(_) => Tag::Str,
        }
    }
}

/// The scalar of this text and tag; `implicit` when neither tag nor quotes say that it is text.
#[inline]
pub(super) fn resolve(text: &str, tag: Tag, implicit: bool) -> Result<Scalar<'_>, String> {
    match tag {
        Tag::None if implicit => Ok(plain(text)),
        Tag::None | Tag::Str | Tag::Merge | Tag::Other => Ok(Scalar::Text(text.into())),
        Tag::Binary => binary(text),
        Tag::Timestamp if is_timestamp(text) => Ok(Scalar::Text(text.into())),
        Tag::Bool | Tag::Int | Tag::Float | Tag::Null | Tag::Timestamp => tagged(text, tag),
    }
}

/// The scalar of a text without tag and quotes.
#[inline]
pub(super) fn plain(text: &str) -> Scalar<'_> {
    let hinted = match text.as_bytes().first() {
        None => return Scalar::Null,
        Some(b'0'..=b'9' | b'+' | b'-') => word(text).or_else(|| number(text)),
        Some(b'.') => word(text).or_else(|| parse_float(text).map(Scalar::Float)),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => word(text),
        Some(_) => None,
    };
    hinted.unwrap_or(Scalar::Text(Cow::Borrowed(text)))
}

/// Go's `strconv` decides what a number is; underscores are dropped before.
fn number(text: &str) -> Option<Scalar<'static>> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0') && text.len() < 19 {
        return text.parse().ok().map(Scalar::Int);
    }
    let digits: Cow<'_, str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    if let Some(value) = parse_int(&digits) {
        return Some(Scalar::Int(value));
    }
    if let Some(value) = parse_uint(&digits) {
        return Some(Scalar::Uint(value));
    }
    float_syntax(&digits).then(|| parse_float(&digits)).flatten().map(Scalar::Float)
}

fn word(text: &str) -> Option<Scalar<'static>> {
    if text.len() > 5 {
        return None;
    }
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// A scalar whose tag demands a type.
fn tagged(text: &str, tag: Tag) -> Result<Scalar<'_>, String> {
    let found = plain(text);
    match found {
        Scalar::Int(value) if tag == Tag::Float => {
            #[expect(clippy::cast_precision_loss, reason = "the tag asks for a float")]
            let value = value as f64;
            Ok(Scalar::Float(value))
        }
        found if found.tag() == tag => Ok(found),
        found => Err(format!("cannot decode {} `{text}` as a {}", short_name(found.tag()), short_name(tag))),
    }
}

fn short_name(tag: Tag) -> &'static str {
    match tag {
        Tag::Bool => "!!bool",
        Tag::Int => "!!int",
        Tag::Float => "!!float",
        Tag::Null => "!!null",
        Tag::Timestamp => "!!timestamp",
        Tag::Binary => "!!binary",
        Tag::Merge => "!!merge",
        Tag::None | Tag::Str | Tag::Other => "!!str",
    }
}

fn binary(text: &str) -> Result<Scalar<'_>, String> {
    let bytes = base64::decode(text).map_err(|_| "!!binary value contains invalid base64 data".to_owned())?;
    Ok(Scalar::Text(crate::utf8::replace_invalid(&bytes).into_owned().into()))
}

//! JSON, as `sigs.k8s.io/json` reads it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use sprag_field::quote;
use sprag_value::Value;
use sprag_value::json::{self, Event, JsonError, JsonErrorKind, Parsed, Scanner};

use crate::finding::Finding;
use crate::path::FieldPath;
use crate::{Decoded, utf8};

/// The number of findings of one text, as upstream limits it.
pub const MAX_FINDINGS: usize = 100;

/// Reads a text. Of duplicate fields the last one wins; bytes in strings that are not UTF-8 become U+FFFD.
///
/// ```
/// let value = sprag_decode::json::decode(br#"{"a": 1, "a": 2}"#)?;
/// assert_eq!(value.get("a").and_then(|a| a.as_i64()), Some(2));
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn decode(text: &[u8]) -> Result<Value, JsonError> {
    parse(text).map(|parsed| parsed.value)
}

/// [`decode`] with the duplicate fields: once per path, at most [`MAX_FINDINGS`]. A text without any costs no more.
///
/// ```
/// let decoded = sprag_decode::json::decode_strict(br#"{"l": [{"a": 1, "a": 2}]}"#)?;
/// assert_eq!(decoded.findings[0].to_string(), r#"duplicate field "l[0].a""#);
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn decode_strict(text: &[u8]) -> Result<Decoded, JsonError> {
    let parsed = parse(text)?;
    let findings = if parsed.has_duplicates { duplicate_fields(text)? } else { Vec::new() };
    Ok(Decoded::new(parsed.value, findings))
}

pub(crate) fn parse(text: &[u8]) -> Result<Parsed, JsonError> {
    match json::parse_noting(text) {
        Err(error) if *error.kind() == JsonErrorKind::Encoding => parse_replaced(text),
        parsed => parsed,
    }
}

/// An error in the words of Go's own `encoding/json`, which differ from those of the library of Kubernetes. `text` is
/// the text that the error is about.
pub fn standard_text(text: &[u8], error: &JsonError) -> String {
    let JsonErrorKind::Unexpected { context, .. } = error.kind() else { return error.to_string() };
    let at = error.position().offset;
    if at >= text.len() {
        return JsonErrorKind::UnexpectedEnd.to_string();
    }
    if context == "exceeded max depth" {
        return context.to_string();
    }
    let escape = match context.as_ref() {
        "in string escape code" => Some(at - 1..at + 1),
        "in \\u hexadecimal character escape" => {
            let start = text[..at].iter().rposition(|&byte| byte == b'\\').unwrap_or(at);
            Some(start..(start + 6).min(text.len()))
        }
        _ => None,
    };
    if let Some(escape) = escape {
        return format!("invalid escape sequence {} in string", go_quoted(&text[escape]));
    }
    let context = match context.as_ref() {
        "in string literal" => "in string",
        "after decimal point in numeric literal" | "in exponent of numeric literal" => "in numeric literal",
        other => other,
    };
    format!("invalid character {} {context}", go_character(&text[at..]))
}

/// Bytes in back quotes, or in double ones when they would not be legible otherwise.
fn go_quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('`') && text.chars().all(|c| c == '\t' || !c.is_control()) => format!("`{text}`"),
        _ => {
            let mut out = String::from("\"");
            for chunk in bytes.utf8_chunks() {
                let valid = quote::go(chunk.valid()).to_string();
                out.push_str(&valid[1..valid.len() - 1]);
                out.extend(chunk.invalid().escape_ascii().map(char::from));
            }
            out + "\""
        }
    }
}

/// The first character in single quotes.
fn go_character(bytes: &[u8]) -> String {
    let first = bytes.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    match first {
        None => format!("'\\x{:02x}'", bytes[0]),
        Some('\'') => r"'\''".to_owned(),
        Some('"') => "'\"'".to_owned(),
        Some(char) => {
            let quoted = quote::go(char.encode_utf8(&mut [0; 4])).to_string();
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

/// The members of the outermost object in the order of the text, repeated ones too. Collections are left empty.
#[cold]
pub(crate) fn root_members(text: &[u8]) -> Vec<(String, Value)> {
    let text = utf8::replace_invalid(text);
    let mut members = Vec::new();
    let Ok(scanner) = Scanner::new(text.as_bytes()) else { return members };
    let mut scanner = scanner.any_number();
    let mut name = String::new();
    while let Ok(event) = scanner.next() {
        let depth = scanner.depth();
        let value = match event {
            Event::End => break,
            Event::Key(key) if depth == 1 => {
                name = key.into_owned();
                continue;
            }
            Event::ObjectStart if depth == 2 => Value::object(),
            Event::ArrayStart if depth == 2 => Value::array(),
            Event::Bool(value) if depth == 1 => Value::Bool(value),
            Event::Int(_) | Event::Float(_) if depth == 1 => Value::Int(0),
            Event::String(text) if depth == 1 => Value::from(text),
            Event::Null if depth == 1 => Value::Null,
            _ => continue,
        };
        members.push((std::mem::take(&mut name), value));
    }
    members
}

#[cold]
fn parse_replaced(text: &[u8]) -> Result<Parsed, JsonError> {
    json::parse_noting(utf8::replace_invalid(text).as_bytes()).map_err(|error| {
        let (offset, replaced) = utf8::original_offset(text, error.position().offset);
        error.moved(text, offset, replaced)
    })
}

#[cold]
fn duplicate_fields(text: &[u8]) -> Result<Vec<Finding>, JsonError> {
    let text = utf8::replace_invalid(text);
    let mut scanner = Scanner::new(text.as_bytes())?;
    let mut open: Vec<Container<'_>> = Vec::new();
    let mut path = FieldPath::default();
    let mut findings = Findings::default();
    loop {
        let event = scanner.next()?;
        match event {
            Event::Key(key) => {
                let Some(Container::Object { seen, base }) = open.last_mut() else { continue };
                path.truncate(*base);
                path.push_key(&key);
                if seen.repeats(key) {
                    findings.push(|| Finding::DuplicateField { path: path.to_string() });
                }
                continue;
            }
            Event::End => return Ok(findings.list),
            Event::ObjectEnd | Event::ArrayEnd => {
                open.pop();
                continue;
            }
            _ => {}
        }
        if let Some(Container::Array { next, base }) = open.last_mut() {
            path.truncate(*base);
            path.push_index(*next);
            *next += 1;
        }
        match event {
            Event::ObjectStart => open.push(Container::Object { seen: Seen::default(), base: path.len() }),
            Event::ArrayStart => open.push(Container::Array { next: 0, base: path.len() }),
            _ => {}
        }
    }
}

enum Container<'a> {
    Object { seen: Seen<Cow<'a, str>>, base: usize },
    Array { next: usize, base: usize },
}

/// The names of the members of one object.
pub(crate) struct Seen<K>(BTreeMap<K, bool>);

impl<K> Default for Seen<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Seen<K> {
    /// True if the name was there once before; what is repeated more often is reported only then.
    pub(crate) fn repeats(&mut self, key: K) -> bool {
        match self.0.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(false);
                false
            }
            Entry::Occupied(mut entry) => !entry.insert(true),
        }
    }
}

/// Findings without repetition, up to the limit.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) list: Vec<Finding>,
    bytes: usize,
}

impl Findings {
    /// Paths may be long; beyond this many bytes of them none is added.
    const MAX_BYTES: usize = 1 << 20;

    /// Adds what `finding` yields, which is only asked while there is room.
    pub(crate) fn push(&mut self, finding: impl FnOnce() -> Finding) {
        if self.list.len() >= MAX_FINDINGS || self.bytes > Self::MAX_BYTES {
            return;
        }
        let finding = finding();
        if !self.list.contains(&finding) {
            self.bytes += finding.path().map_or(0, str::len);
            self.list.push(finding);
        }
    }
}

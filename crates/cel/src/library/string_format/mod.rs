//! `format`: values put into a text where it has clauses like `%s`.

mod clause;
mod number;

use std::fmt::Write as _;

use sprag_field::quote;

use crate::cx::{Buffer, Cx, Outcome, Trap};
use crate::value::{List, MAX_VALUE_DEPTH, Map, Val};

pub(crate) use self::clause::{Clauses, Piece, Verb};
use super::convert::to_string;

/// The reasons why a value cannot be formatted: an error of the clause, or a limit.
enum Refusal<'a> {
    Message(String),
    Trap(Trap<'a>),
}

impl From<String> for Refusal<'_> {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl<'a> From<Trap<'a>> for Refusal<'a> {
    fn from(trap: Trap<'a>) -> Self {
        Self::Trap(trap)
    }
}

type Formatted<'a> = Result<String, Refusal<'a>>;

pub(super) fn format<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(format), list] = args else { return Err(cx.no_such_overload()) };
    let list = list.as_list().ok_or_else(|| cx.no_such_overload())?;
    let mut buffer = cx.buffer();
    let mut clauses = Clauses::new(format, list.len());
    let mut next = 0;
    while let Some(piece) = clauses.next_piece(true).map_err(|why| cx.error(format_args!("{why}")))? {
        match piece {
            Piece::Text(text) => buffer.push_str(text)?,
            Piece::Clause(verb) => {
                put(cx, verb, list, next, &mut buffer)?;
                next += 1;
            }
        }
    }
    buffer.finish()
}

/// Formats the argument with this number.
fn put<'a>(
    cx: &Cx<'a>,
    verb: Verb,
    list: List<'a>,
    number: usize,
    buffer: &mut Buffer<'_, 'a>,
) -> Result<(), Trap<'a>> {
    let argument = match list.get(cx, number) {
        Some(Err(trap)) if !matches!(trap, Trap::Error(_)) => return Err(trap),
        argument => argument.and_then(Result::ok),
    };
    let formatted = match argument {
        Some(value) => format_value(cx, verb, value),
        // An element that cannot be read is a value of no type that can be formatted.
        None => Err(Refusal::Message(verb.refusal("error"))),
    };
    match formatted {
        Ok(text) => buffer.push_str(&text),
        Err(Refusal::Message(why)) => Err(cx.error(format_args!("error during formatting: {why}"))),
        Err(Refusal::Trap(trap)) => Err(trap),
    }
}

fn format_value<'a>(cx: &Cx<'a>, verb: Verb, value: Val<'a>) -> Formatted<'a> {
    match (verb, value) {
        (Verb::String, _) => Writer { cx, text: String::new() }.string(value),
        (Verb::Decimal, Val::Int(value)) => Ok(value.to_string()),
        (Verb::Decimal, Val::Uint(value)) => Ok(value.to_string()),
        (Verb::Fixed(precision), _) => match as_double(value) {
            Some(value) => Ok(number::fixed(value, precision)),
            None => Err(verb.refusal(value.type_name()).into()),
        },
        (Verb::Scientific(precision), _) => match as_double(value) {
            Some(value) => Ok(number::scientific(value, precision)),
            None => Err(verb.refusal(value.type_name()).into()),
        },
        (Verb::Binary, Val::Bool(value)) => Ok(u8::from(value).to_string()),
        (Verb::Binary, Val::Int(value)) => Ok(format!("{}{:b}", sign(value), value.unsigned_abs())),
        (Verb::Binary, Val::Uint(value)) => Ok(format!("{value:b}")),
        (Verb::Octal, Val::Int(value)) => Ok(format!("{}{:o}", sign(value), value.unsigned_abs())),
        (Verb::Octal, Val::Uint(value)) => Ok(format!("{value:o}")),
        (Verb::Hex { upper }, _) => {
            let text = hex(value).ok_or_else(|| verb.refusal(value.type_name()))?;
            Ok(if upper { text.to_ascii_uppercase() } else { text })
        }
        _ => Err(verb.refusal(value.type_name()).into()),
    }
}

fn sign(value: i64) -> &'static str {
    if value < 0 { "-" } else { "" }
}

/// A double, or the name of one that has no digits.
fn as_double(value: Val<'_>) -> Option<f64> {
    match value {
        Val::Double(value) => Some(value),
        Val::String("NaN") => Some(f64::NAN),
        Val::String("Infinity") => Some(f64::INFINITY),
        Val::String("-Infinity") => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn hex(value: Val<'_>) -> Option<String> {
    let bytes = match value {
        Val::Int(value) => return Some(format!("{}{:x}", sign(value), value.unsigned_abs())),
        Val::Uint(value) => return Some(format!("{value:x}")),
        Val::String(text) => text.as_bytes(),
        Val::Bytes(bytes) => bytes,
        _ => return None,
    };
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

/// Writes values as `%s` does.
struct Writer<'c, 'a> {
    cx: &'c Cx<'a>,
    text: String,
}

impl<'a> Writer<'_, 'a> {
    fn string(mut self, value: Val<'a>) -> Formatted<'a> {
        match (value.as_list(), value.as_map()) {
            (Some(list), _) => self.list(list, MAX_VALUE_DEPTH)?,
            (_, Some(map)) => self.map(map, MAX_VALUE_DEPTH)?,
            _ => self.text = self.plain(value)?,
        }
        Ok(self.text)
    }

    /// A value without parts, as `string(...)` gives it.
    fn plain(&self, value: Val<'a>) -> Formatted<'a> {
        match value {
            Val::Null => Ok("null".into()),
            Val::String(text) | Val::Type(text) => Ok(text.into()),
            Val::Optional(_) | Val::Opaque(_) => Err(Verb::String.refusal(value.type_name()).into()),
            _ => match to_string(self.cx, &[value]) {
                Ok(Val::String(text)) => Ok(text.into()),
                Err(Trap::Error(why)) => Err(format!("could not convert argument {} to string", quote::go(why)).into()),
                Err(trap) => Err(trap.into()),
                Ok(_) => Err(Verb::String.refusal(value.type_name()).into()),
            },
        }
    }

    fn push(&mut self, text: &str) -> Result<(), Refusal<'a>> {
        if self.text.len() + text.len() > crate::MEMORY_LIMIT / 2 {
            return Err(Trap::MemoryLimit.into());
        }
        self.text.push_str(text);
        Ok(())
    }

    fn list(&mut self, list: List<'a>, depth: u32) -> Result<(), Refusal<'a>> {
        self.push("[")?;
        for (index, element) in list.iter(self.cx).enumerate() {
            if index > 0 {
                self.push(", ")?;
            }
            self.part(element, depth - 1)?;
        }
        self.push("]")
    }

    /// Entries are sorted by the text of their key.
    fn map(&mut self, map: Map<'a>, depth: u32) -> Result<(), Refusal<'a>> {
        let mut entries = Vec::with_capacity(map.len());
        for (key, value) in map.iter(self.cx) {
            let key = if value.is_ok() { self.key(key)? } else { String::new() };
            entries.push((key, value));
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.push("{")?;
        for (index, (key, value)) in entries.into_iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" })?;
            self.push(&key)?;
            self.push(":")?;
            self.part(value, depth - 1)?;
        }
        self.push("}")
    }

    fn key(&self, key: Val<'a>) -> Formatted<'a> {
        match key {
            Val::String(text) => Ok(quote::go(text).to_string()),
            Val::Bool(_) | Val::Int(_) | Val::Uint(_) => self.plain(key),
            _ => Err(format!("no formatting function for map key of type {}", key.type_name()).into()),
        }
    }

    /// A part of a list or map, as one would write it in an expression.
    fn part(&mut self, value: Outcome<'a>, depth: u32) -> Result<(), Refusal<'a>> {
        let value = match value {
            Ok(value) => value,
            Err(Trap::Error(_)) => return Err("no formatting function for error".to_owned().into()),
            Err(trap) => return Err(trap.into()),
        };
        if depth == 0 {
            return Err("values are nested too deeply to be formatted".to_owned().into());
        }
        match (value.as_list(), value.as_map()) {
            (Some(list), _) => return self.list(list, depth),
            (_, Some(map)) => return self.map(map, depth),
            _ => {}
        }
        let text = match value {
            Val::String(text) => quote::go(text).to_string(),
            Val::Bytes(_) => format!("b{}", quote::go(&self.plain(value)?)),
            Val::Timestamp(_) => format!("timestamp({})", quote::go(&self.plain(value)?)),
            Val::Duration(_) => format!("duration({})", quote::go(&self.plain(value)?)),
            Val::Double(value) if value.is_nan() => "\"NaN\"".into(),
            Val::Double(value) if value.is_infinite() => if value > 0.0 { "\"+Inf\"" } else { "\"-Inf\"" }.into(),
            Val::Double(value) => format!("{value:.6}"),
            Val::Optional(_) | Val::Opaque(_) => {
                return Err(format!("no formatting function for {}", value.type_name()).into());
            }
            _ => self.plain(value)?,
        };
        self.push(&text)
    }
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn strings_show_any_value() {
        check("'%s|%s|%s'.format(['a', 1, 2.5])", "a|1|2.5");
        check("'%s'.format([0.000000002])", "2e-09");
        check("'%s'.format([null])", "null");
        check("'%s'.format([b'xyz'])", "xyz");
        check("'%s'.format([type('')])", "string");
        check("'%s'.format([timestamp('2023-02-03T23:31:20+00:00')])", "2023-02-03T23:31:20Z");
        check("'%s'.format([duration('1h45m47s')])", "6347s");
        check(
            r#"'%s'.format([['a"', 3.14, null, [9], timestamp('2023-02-03T23:31:20Z'), b'x']])"#,
            r#"["a\"", 3.140000, null, [9], timestamp("2023-02-03T23:31:20Z"), b"x"]"#,
        );
        check("'%s'.format([[double('NaN'), double('+Inf')]])", r#"["NaN", "+Inf"]"#);
        check("'%s'.format([{'b': 1, 'a': {2: true}}])", r#"{"a":{2:true}, "b":1}"#);
    }

    #[test]
    fn numbers_have_bases() {
        check("'%d %d'.format([-5, 7u])", "-5 7");
        check("'%b %b %b'.format([-5, 5u, true])", "-101 101 1");
        check("'%o'.format([-11])", "-13");
        check("'%x %X'.format([-30, 30u])", "-1e 1E");
        check("'%x %X'.format(['Hello', b'\\x00\\xff'])", "48656c6c6f 00FF");
    }

    #[test]
    fn what_a_dynamic_argument_may_not_be() {
        check(
            "'%d'.format([dyn('a')])",
            "error during formatting: decimal clause can only be used on integers, was given string",
        );
        check(
            "'%s'.format(dyn([optional.none()]))",
            "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, \
             lists, types, durations, and timestamps, was given optional_type",
        );
        check("'%s'.format(dyn([[ip('::1')]]))", "error during formatting: no formatting function for net.IP");
        check(
            "'%s'.format(dyn([{1.5: 1}]))",
            "error during formatting: no formatting function for map key of type double",
        );
        check(
            "'%s'.format(dyn([b'\\xff']))",
            "error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot convert to \
             string\" to string",
        );
        check("'%f'.format(dyn(['Infinity']))", "∞");
        check("dyn('%d').format([])", "index 0 out of range");
        check("dyn('%').format([1])", "unexpected end of string");
    }

    #[test]
    fn output_is_limited() {
        let error = "operation cancelled: actual cost limit exceeded";
        let format = format!("dyn('{}').format(lists.range(500).map(i, 1.0))", "%.65535e".repeat(500));
        check(&format, error);
    }
}

//! A [`Value`] as YAML text, laid out as `sigs.k8s.io/yaml` prints it: block style, lists not indented below their key,
//! keys in natural order, quotes where a plain text would be read as something else.

use std::fmt::Write as _;

use sprag_value::json::{write_float, write_int};
use sprag_value::{Object, Value};

use super::go_syntax::go_float;
use super::key_order::sort_keys;
use super::resolve::{Scalar, plain};
use super::timestamp::is_timestamp;

/// Columns of one level.
const INDENT: usize = 2;
/// A line that is longer goes on in the next one at the first space.
const LINE_WIDTH: usize = 80;
/// Longer keys are marked with a question mark.
const MAX_PLAIN_KEY: usize = 128;

/// Prints the value as `sigs.k8s.io/yaml` does.
///
/// ```
/// let value = sprag_value::json::parse(br#"{"spec": {"on": ["1", 1, null], "text": "a\nb\n"}}"#)?;
/// let text = "spec:\n  \"on\":\n  - \"1\"\n  - 1\n  - null\n  text: |\n    a\n    b\n";
/// assert_eq!(sprag_decode::yaml::to_string(&value), text);
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn to_string(value: &Value) -> String {
    let mut emitter = Emitter { out: String::new(), column: 0, indent: None, after_space: true, at_indent: true };
    emitter.value(value, Place::Root);
    emitter.start_line();
    emitter.out
}

/// The position of a value: its container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Element,
    Member,
    /// A key that a colon follows on the same line.
    SimpleKey,
}

struct Emitter {
    out: String,
    column: usize,
    /// The column of the innermost open collection.
    indent: Option<usize>,
    after_space: bool,
    /// True if only indentation and indicators were written on this line.
    at_indent: bool,
}

/// The style of a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

impl Emitter {
    /// Recurses once per level of the value.
    fn value(&mut self, value: &Value, place: Place) {
        match value {
            Value::Object(members) if members.is_empty() => self.plain("{}"),
            Value::Array(elements) if elements.is_empty() => self.plain("[]"),
            Value::Object(members) => self.mapping(members),
            Value::Array(elements) => self.sequence(elements, place),
            Value::String(text) => self.text(text, place),
            Value::Null => self.plain("null"),
            Value::Bool(value) => self.plain(if *value { "true" } else { "false" }),
            Value::Int(value) => {
                let mut digits = String::new();
                write_int(&mut digits, *value);
                self.plain(&digits);
            }
            Value::Float(value) => self.plain(&number(*value)),
        }
    }

    fn mapping(&mut self, members: &Object) {
        let outer = self.indent;
        self.indent = Some(outer.map_or(0, |indent| indent + INDENT));
        for (key, value) in sort_keys(members) {
            self.start_line();
            if key.contains(is_break) || key.len() > MAX_PLAIN_KEY {
                self.indicator("?", true);
                self.text(key, Place::Member);
                self.start_line();
                self.indicator(":", true);
            } else {
                self.text(key, Place::SimpleKey);
                self.out.push(':');
                self.column += 1;
                self.after_space = false;
                self.at_indent = false;
            }
            self.value(value, Place::Member);
        }
        self.indent = outer;
    }

    fn sequence(&mut self, elements: &[Value], place: Place) {
        let outer = self.indent;
        let below_key = place == Place::Member && !self.at_indent;
        self.indent = Some(match outer {
            None => 0,
            Some(indent) if below_key => indent,
            Some(indent) => indent + INDENT,
        });
        for element in elements {
            self.start_line();
            self.indicator("-", true);
            self.value(element, Place::Element);
        }
        self.indent = outer;
    }

    /// Begins a line at the current indentation, unless nothing but indentation up to there was written yet.
    fn start_line(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.at_indent || self.column > indent || (self.column == indent && !self.after_space) {
            self.line_break();
        }
        while self.column < indent {
            self.out.push(' ');
            self.column += 1;
        }
        self.after_space = true;
        self.at_indent = true;
    }

    fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn indicator(&mut self, text: &str, keeps_indent: bool) {
        self.space();
        self.push(text);
        self.after_space = false;
        self.at_indent &= keeps_indent;
    }

    fn space(&mut self) {
        if !self.after_space {
            self.push(" ");
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn plain(&mut self, text: &str) {
        self.indicator(text, false);
    }

    fn text(&mut self, text: &str, place: Place) {
        match style(text, place) {
            Style::Literal => self.literal(text),
            Style::Plain => self.folded(text, "", place, |c, out| out.push(c)),
            Style::SingleQuoted => self.folded(text, "'", place, |c, out| {
                if c == '\'' {
                    out.push(c);
                }
                out.push(c);
            }),
            Style::DoubleQuoted => self.folded(text, "\"", place, push_escaped),
        }
    }

    /// Writes a text of one line, which becomes several at spaces beyond the line width; keys stay on their line.
    fn folded(&mut self, text: &str, quote: &str, place: Place, push: impl Fn(char, &mut String)) {
        self.indicator(quote, false);
        if quote.is_empty() {
            self.after_space = true;
        }
        let outer = self.indent;
        self.indent = Some(outer.map_or(INDENT, |indent| indent + INDENT));
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            let next = text.as_bytes().get(at + 1).copied();
            let may_fold = place != Place::SimpleKey && !after_space && self.column > LINE_WIDTH && c == ' ';
            after_space = c == ' ';
            let inside = at > 0 && next.is_some();
            if may_fold && inside && (quote == "\"" || next != Some(b' ')) {
                self.start_line();
                self.at_indent = false;
                if next == Some(b' ') {
                    self.push("\\");
                }
            } else {
                let start = self.out.len();
                push(c, &mut self.out);
                self.column += self.out[start..].chars().count();
            }
        }
        self.push(quote);
        self.after_space = false;
        self.indent = outer;
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", false);
        if text.starts_with([' ', '\n']) {
            self.push("2");
        }
        let trailing = text.len() - text.trim_end_matches('\n').len();
        match trailing {
            0 => self.push("-"),
            1 if text.len() > 1 => {}
            _ => self.push("+"),
        }
        self.line_break();
        self.after_space = true;
        self.at_indent = true;
        let outer = self.indent;
        self.indent = Some(outer.map_or(INDENT, |indent| indent + INDENT));
        for line in text.split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            if !content.is_empty() {
                self.start_line();
                self.push(content);
                self.at_indent = false;
            }
            if content.len() < line.len() {
                self.line_break();
                self.at_indent = true;
            }
        }
        self.indent = outer;
    }
}

/// A float as go-yaml prints what it reads from JSON text.
fn number(value: f64) -> String {
    let mut text = String::new();
    write_float(&mut text, value);
    match plain(&text) {
        Scalar::Float(value) => go_float(value),
        _ => text,
    }
}

/// True if a text without quotes would be read as this text.
fn reads_as_text(text: &str) -> bool {
    matches!(plain(text), Scalar::Text(_)) && !is_timestamp(text) && !is_sexagesimal(text)
}

/// `12:30:45`, which other readers take for a number.
fn is_sexagesimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or_default();
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    if !first.starts_with(|c: char| c.is_ascii_digit()) || !digits(first) {
        return false;
    }
    let mut rest: Vec<&str> = parts.collect();
    let Some(last) = rest.last_mut() else { return false };
    if let Some((whole, fraction)) = last.split_once('.') {
        if !digits(fraction) {
            return false;
        }
        *last = whole;
    }
    rest.iter().all(|part| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}

fn style(text: &str, place: Place) -> Style {
    let traits = Traits::of(text);
    if text.contains('\n') {
        let literal = traits.literal_allowed && place != Place::SimpleKey;
        return if literal { Style::Literal } else { Style::DoubleQuoted };
    }
    if !reads_as_text(text) || traits.special {
        Style::DoubleQuoted
    } else if traits.plain_allowed {
        Style::Plain
    } else {
        Style::SingleQuoted
    }
}

/// The properties of a text that decide how it can be written.
struct Traits {
    /// Some character has to be escaped.
    special: bool,
    plain_allowed: bool,
    literal_allowed: bool,
}

impl Traits {
    fn of(text: &str) -> Self {
        let special = text.chars().any(|c| !is_printable(c)) || text.contains(" \n");
        let edge_space = text.starts_with(' ') || text.ends_with(' ');
        Self {
            special,
            plain_allowed: !edge_space && !has_indicator(text),
            literal_allowed: !special && !text.ends_with(' '),
        }
    }
}

/// True if a character in the text would mean something to a reader.
fn has_indicator(text: &str) -> bool {
    let followed_by_space = |at: usize| text.as_bytes().get(at + 1).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    text.starts_with("---")
        || text.starts_with("...")
        || text.starts_with(['#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`'])
        || (text.starts_with(['?', '-']) && followed_by_space(0))
        || text.match_indices(':').any(|(at, _)| followed_by_space(at))
        || text.contains(" #")
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Characters beyond the basic plane count as not printable, as upstream has it.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{A0}'..='\u{FFFD}') && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

fn push_escaped(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        c if is_printable(c) => out.push(c),
        '\0' => out.push_str("\\0"),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\x0B' => out.push_str("\\v"),
        '\x0C' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\x1B' => out.push_str("\\e"),
        '\u{85}' => out.push_str("\\N"),
        '\u{2028}' => out.push_str("\\L"),
        '\u{2029}' => out.push_str("\\P"),
        c => {
            let code = u32::from(c);
            let written = match code {
                0..=0xFF => write!(out, "\\x{code:02X}"),
                0x100..=0xFFFF => write!(out, "\\u{code:04X}"),
                _ => write!(out, "\\U{code:08X}"),
            };
            debug_assert!(written.is_ok(), "writing to a string does not fail");
        }
    }
}

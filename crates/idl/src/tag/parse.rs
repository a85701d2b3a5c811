//! The tag grammar: `name(args)=value`, where a value may be another tag.
//!
//! Under [`Syntax::Kubernetes`] this accepts what the reference accepts, oddities included, and says what the
//! reference says. [`Syntax::Kep`] only ever accepts more.

use super::cursor::Cursor;
use super::{Arg, Scalar, Syntax, Tag, TagValue};
use crate::span::Span;
use crate::unicode::{is_digit, is_letter, quote_char};

/// Maximum number of tags chained with `=+`.
pub const MAX_TAG_CHAIN: usize = 64;

/// Maximum nesting of list literals.
pub const MAX_LIST_DEPTH: usize = 16;

/// Maximum length of a malformed number that is repeated in its message.
const MAX_QUOTED_NUMBER: usize = 128;

/// The error of a tag that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagError {
    /// The message, with the reference's text.
    pub message: String,
    /// The position in the source.
    pub span: Span,
}

impl std::fmt::Display for TagError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TagError {}

/// Reads one tag from the text after its `+`; `span` is where that text is.
///
/// ```
/// use sprag_idl::{Span, Syntax, TagValue, parse_tag};
///
/// let tag = parse_tag("k8s:eachVal=+k8s:maxLength=3", Span::NONE, Syntax::Kubernetes)?;
/// assert_eq!(tag.inner().map(|tag| tag.name.as_str()), Some("k8s:maxLength"));
/// # Ok::<(), sprag_idl::TagError>(())
/// ```
pub fn parse_tag(text: &str, span: Span, syntax: Syntax) -> Result<Tag, TagError> {
    let lead = text.len() - text.trim_start().len();
    let place = Place {
        span,
        lead,
        verbatim: usize::try_from(span.end.saturating_sub(span.start)).is_ok_and(|n| n == text.len()),
    };
    Parser { at: Cursor::new(text.trim()), syntax, place, pending_name: None }.chain()
}

/// The name of the tag on a line (the text after its `+`), found without reading the rest; `None` if it has none.
pub fn tag_name(text: &str) -> Option<&str> {
    let name = Cursor::new(text).take_while(is_name_char);
    name.starts_with(is_letter).then_some(name)
}

/// All text after the first `=`: the value of tags such as `default` that the grammar does not cover.
pub fn raw_value(text: &str) -> Option<&str> {
    text.split_once('=').map(|(_, value)| value)
}

/// Maps offsets in the trimmed text to spans in the source.
struct Place {
    span: Span,
    /// Blanks that were trimmed off the front.
    lead: usize,
    /// True if the source holds the text unchanged, so that offsets carry over.
    verbatim: bool,
}

impl Place {
    fn span(&self, start: usize, end: usize) -> Span {
        let offset = |at: usize| u32::try_from(self.lead + at).ok().and_then(|at| self.span.start.checked_add(at));
        match (offset(start), offset(end)) {
            (Some(start), Some(end)) if self.verbatim => Span { file: self.span.file, start, end },
            _ => self.span,
        }
    }
}

struct Parser<'a> {
    at: Cursor<'a>,
    syntax: Syntax,
    place: Place,
    /// An argument name that still waits for its value. The reference lets `x(a:)=+y(1)` carry it on to `y`.
    pending_name: Option<String>,
}

/// A tag of the chain before its value is known.
struct Link {
    start: usize,
    name: String,
    args: Vec<Arg>,
    args_range: (usize, usize),
}

enum Payload {
    None,
    Scalar(Scalar),
    /// `=+` has been read and a tag name follows.
    Chain,
}

impl Parser<'_> {
    fn chain(mut self) -> Result<Tag, TagError> {
        let mut links = Vec::new();
        let value = loop {
            if links.len() == MAX_TAG_CHAIN {
                return Err(self.error_here(format!("tags chained more than {MAX_TAG_CHAIN} deep")));
            }
            let (link, payload) = self.link()?;
            links.push(link);
            match payload {
                Payload::None => break TagValue::None,
                Payload::Scalar(value) => break TagValue::Scalar(value),
                Payload::Chain => self.check_last(&links)?,
            }
        };
        let end = self.at.offset();
        self.trailing_comment()?;
        self.check_last(&links)?;
        Ok(self.join(links, value, end))
    }

    fn join(&self, links: Vec<Link>, value: TagValue, end: usize) -> Tag {
        let close =
            |link: Link, value| Tag { name: link.name, args: link.args, value, span: self.place.span(link.start, end) };
        let mut links = links.into_iter().rev();
        let last = links.next().expect("a chain has at least one tag");
        links.fold(close(last, value), |inner, link| close(link, TagValue::Tag(Box::new(inner))))
    }

    fn link(&mut self) -> Result<(Link, Payload), TagError> {
        let start = self.at.offset();
        let name = match self.at.peek() {
            None => return Err(self.end_of_input()),
            Some(c) if is_letter(c) => self.at.take_while(is_name_char).to_owned(),
            Some(_) => return Err(self.unexpected()),
        };
        let args_start = self.at.offset();
        let parenthesised = self.at.eat('(');
        let args = if parenthesised { self.args()? } else { Vec::new() };
        let link = Link { start, name, args, args_range: (args_start, self.at.offset()) };
        if !self.eat_equals() {
            return Ok((link, Payload::None));
        }
        match self.at.peek() {
            None if parenthesised => Ok((link, Payload::None)),
            None => Err(self.end_of_input()),
            Some('+') if self.at.peek_second().is_some_and(is_letter) => {
                self.at.bump();
                Ok((link, Payload::Chain))
            }
            Some(_) => Ok((link, Payload::Scalar(self.value()?))),
        }
    }

    fn eat_equals(&mut self) -> bool {
        if self.syntax == Syntax::Kubernetes {
            return self.at.eat('=');
        }
        let before = self.at;
        self.at.skip_blanks();
        let found = self.at.eat('=');
        if found {
            self.at.skip_blanks();
        } else {
            self.at = before;
        }
        found
    }

    /// Arguments after `(`, up to and including `)`.
    fn args(&mut self) -> Result<Vec<Arg>, TagError> {
        let mut args = Vec::new();
        loop {
            self.skip_kep_blanks();
            if self.at.eat(')') {
                return Ok(args);
            }
            let bare = self.at.peek().is_some_and(is_letter);
            let value = self.scalar()?;
            self.skip_kep_blanks();
            if bare && self.at.eat(':') {
                self.at.skip_blanks();
                self.pending_name = Some(value.text());
                continue;
            }
            args.push(Arg { name: self.pending_name.take(), value });
            if self.at.eat(',') {
                self.at.skip_blanks();
            } else if self.at.eat(')') {
                return Ok(args);
            } else {
                return Err(self.unexpected());
            }
        }
    }

    fn check_last(&self, links: &[Link]) -> Result<(), TagError> {
        let Some(Link { args, args_range: (start, end), .. }) = links.last() else { return Ok(()) };
        let named = args.iter().filter(|arg| arg.name.is_some()).count();
        let message = if named > 0 && named < args.len() {
            "can't mix named and positional arguments"
        } else if named == 0 && args.len() > 1 {
            "multiple arguments must use 'name: value' syntax"
        } else {
            return Ok(());
        };
        Err(TagError { message: message.to_owned(), span: self.place.span(*start, *end) })
    }

    fn value(&mut self) -> Result<Scalar, TagError> {
        let first = self.scalar()?;
        if self.syntax == Syntax::Kubernetes || !self.eat_list_comma() {
            return Ok(first);
        }
        let mut items = vec![first];
        loop {
            items.push(self.scalar()?);
            if !self.eat_list_comma() {
                return Ok(Scalar::List(items));
            }
        }
    }

    fn eat_list_comma(&mut self) -> bool {
        let before = self.at;
        self.at.skip_blanks();
        let found = self.at.eat(',');
        if found {
            self.at.skip_blanks();
        } else {
            self.at = before;
        }
        found
    }

    fn scalar(&mut self) -> Result<Scalar, TagError> {
        self.scalar_at_depth(0)
    }

    fn scalar_at_depth(&mut self, depth: usize) -> Result<Scalar, TagError> {
        let kep = self.syntax == Syntax::Kep;
        match self.at.peek() {
            None => Err(self.end_of_input()),
            Some(quote) if closing_quotes(quote, self.syntax).is_some() => self.string().map(Scalar::String),
            Some('[') if kep => self.list(depth),
            Some(c) if kep && is_word_start(c) => self.word(),
            Some(c) if c == '-' || c == '+' || is_digit(c) => self.number().map(Scalar::Int),
            Some(c) if is_letter(c) => Ok(bare(self.at.take_while(is_ident_char))),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Scalar, TagError> {
        if depth == MAX_LIST_DEPTH {
            return Err(self.error_here(format!("lists nested more than {MAX_LIST_DEPTH} deep")));
        }
        self.at.bump();
        let mut items = Vec::new();
        loop {
            self.at.skip_blanks();
            if self.at.eat(']') {
                return Ok(Scalar::List(items));
            }
            items.push(self.scalar_at_depth(depth + 1)?);
            self.at.skip_blanks();
            if !self.at.eat(',') && self.at.peek() != Some(']') {
                return Err(self.unexpected());
            }
        }
    }

    /// A bare word of the KEP: an identifier, version, path, dotted reference or integer.
    fn word(&mut self) -> Result<Scalar, TagError> {
        let start = self.at.offset();
        while self.at.peek().is_some_and(is_word_char) && !self.at.rest().starts_with("//") {
            self.at.bump();
        }
        let text = self.at.since(start);
        if !text.starts_with(is_digit) {
            return if text.is_empty() { Err(self.unexpected()) } else { Ok(bare(text)) };
        }
        if is_go_int(text) {
            return Ok(Scalar::Int(text.to_owned()));
        }
        if text.contains('.') { Ok(Scalar::String(text.to_owned())) } else { Err(self.invalid_number(start)) }
    }

    /// An integer in the reference's spelling: the sign and base decide where it ends, its value is checked after.
    fn number(&mut self) -> Result<String, TagError> {
        let start = self.at.offset();
        if matches!(self.at.peek(), Some('+' | '-')) {
            self.at.bump();
        }
        let more = if self.at.eat('0') {
            let more = self.at.peek().is_some_and(|c| is_digit(c) || matches!(c, 'x' | 'o' | 'b'));
            if more {
                self.at.bump();
            }
            more
        } else {
            self.at.peek().is_some_and(is_digit)
        };
        if more {
            self.at.take_while(|c| is_digit(c) || matches!(c, 'a'..='f' | 'A'..='F'));
        }
        let text = self.at.since(start);
        if is_go_int(text) { Ok(text.to_owned()) } else { Err(self.invalid_number(start)) }
    }

    fn string(&mut self) -> Result<String, TagError> {
        let start = self.at.offset();
        let Some(closing) = self.at.bump().and_then(|quote| closing_quotes(quote, self.syntax)) else {
            return Err(self.end_of_input());
        };
        let mut out = String::new();
        loop {
            out.push_str(self.at.take_while(|c| c != '\\' && !closing.contains(&c)));
            match self.at.bump() {
                None => break,
                Some('\\') => match self.at.peek() {
                    None => break,
                    Some(c) if c == '\\' || closing.contains(&c) => {
                        out.push(c);
                        self.at.bump();
                    }
                    Some(c) => return Err(self.error_here(format!("unhandled escaped character {}", quote_char(c)))),
                },
                Some(_) => return Ok(out),
            }
        }
        let message = format!("unterminated string at position {}", self.at.position());
        Err(TagError { message, span: self.place.span(start, self.at.offset()) })
    }

    /// Accepts the end of the line or a trailing comment.
    fn trailing_comment(&mut self) -> Result<(), TagError> {
        let rest = self.at.rest().trim_start();
        let comments: &[&str] = match self.syntax {
            Syntax::Kubernetes => &["#"],
            Syntax::Kep => &["#", "//", "<-"],
        };
        if rest.is_empty() || comments.iter().any(|start| rest.starts_with(start)) {
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn skip_kep_blanks(&mut self) {
        if self.syntax == Syntax::Kep {
            self.at.skip_blanks();
        }
    }

    fn unexpected(&mut self) -> TagError {
        let start = self.at.offset();
        let Some(c) = self.at.bump() else { return self.end_of_input() };
        let message = format!("unexpected character {} at position {}", quote_char(c), self.at.position());
        TagError { message, span: self.place.span(start, self.at.offset()) }
    }

    fn end_of_input(&self) -> TagError {
        self.error_here("unexpected end of input".to_owned())
    }

    fn error_here(&self, message: String) -> TagError {
        let start = self.at.offset();
        let end = start + self.at.peek().map_or(0, char::len_utf8);
        TagError { message, span: self.place.span(start, end) }
    }

    fn invalid_number(&self, start: usize) -> TagError {
        let text = self.at.since(start);
        let shown: String = text.chars().take(MAX_QUOTED_NUMBER).collect();
        let message = format!("invalid number \"{shown}\" at position {}", self.at.position());
        TagError { message, span: self.place.span(start, self.at.offset()) }
    }
}

fn bare(text: &str) -> Scalar {
    match text {
        "true" => Scalar::Bool(true),
        "false" => Scalar::Bool(false),
        _ => Scalar::String(text.to_owned()),
    }
}

fn is_ident_char(c: char) -> bool {
    is_letter(c) || is_digit(c) || matches!(c, '.' | '-')
}

fn is_name_char(c: char) -> bool {
    is_ident_char(c) || c == ':'
}

fn is_word_start(c: char) -> bool {
    is_letter(c) || is_digit(c) || matches!(c, '/' | '.')
}

fn is_word_char(c: char) -> bool {
    is_ident_char(c) || matches!(c, '/' | '+')
}

/// The characters that end a string opened by this one; `None` if it opens none.
fn closing_quotes(quote: char, syntax: Syntax) -> Option<&'static [char]> {
    match (quote, syntax) {
        ('"', _) => Some(&['"']),
        ('`', _) => Some(&['`']),
        ('\'', Syntax::Kep) => Some(&['\'']),
        // Word processors often turn both quotes the same way.
        ('“' | '”', Syntax::Kep) => Some(&['“', '”']),
        ('‘' | '’', Syntax::Kep) => Some(&['‘', '’']),
        _ => None,
    }
}

/// True if Go reads this as a 64-bit integer with the base given by its prefix.
fn is_go_int(text: &str) -> bool {
    let negative = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x', ..] => (&digits[2..], 16),
        [b'0', b'o', ..] => (&digits[2..], 8),
        [b'0', b'b', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return false;
    }
    let Ok(magnitude) = u64::from_str_radix(digits, radix) else { return false };
    magnitude <= if negative { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() }
}

//! A JSON text that is taken apart only where a patch touches it.
//!
//! What is not touched keeps its bytes: spelling of numbers and strings, order of members, repeated members. What is
//! touched loses them, the last of repeated members wins.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sprag_value::Text;
use sprag_value::json::{Escape, Event, JsonError, Scanner, write_string};

use crate::list::List;

/// The deepest nesting of a patched text: twice what a reader accepts, once for the object and once for the patch.
pub(crate) const MAX_HEIGHT: usize = 2 * sprag_value::MAX_DEPTH;

/// Part of a JSON text.
#[derive(Clone, Debug)]
pub(crate) enum Node<'a> {
    Null,
    Raw(Box<Raw<'a>>),
    Object(Box<Container<Members<'a>>>),
    Array(Box<Container<List<Node<'a>>>>),
}

pub(crate) type Members<'a> = BTreeMap<Text, Node<'a>>;

/// A text that was not taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Raw<'a> {
    text: Cow<'a, str>,
    height: usize,
}

/// An object or list that was taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Container<T> {
    pub(crate) items: T,
    /// No fewer than the levels of nesting, this one included.
    pub(crate) height: usize,
}

impl<'a> Node<'a> {
    /// Reads one JSON text and takes apart its first level.
    pub(crate) fn parse(text: &'a str) -> Result<Self, JsonError> {
        let mut scanner = Scanner::new(text.as_bytes())?;
        let node = read(&mut scanner, &|raw| Cow::Borrowed(raw))?;
        scanner.next()?;
        Ok(node)
    }

    /// No fewer than the levels of nesting.
    pub(crate) fn height(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Raw(raw) => raw.height,
            Self::Object(object) => object.height,
            Self::Array(array) => array.height,
        }
    }

    /// Takes the text apart, one level of it; scalars stay what they are.
    pub(crate) fn open(&mut self) {
        let Self::Raw(raw) = self else { return };
        let opened = match &raw.text {
            Cow::Borrowed(text) => Node::parse(text),
            Cow::Owned(text) => Scanner::new(text.as_bytes())
                .and_then(|mut scanner| read(&mut scanner, &|raw| Cow::Owned(raw.to_owned()))),
        };
        if let Ok(node @ (Node::Object(_) | Node::Array(_))) = opened {
            *self = node;
        }
    }

    /// Returns the members if it is an object; parses it if it is a container.
    pub(crate) fn as_object(&mut self) -> Option<&mut Container<Members<'a>>> {
        self.open();
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// True if both are the same: scalars by their spelling, objects regardless of order. Takes both apart.
    pub(crate) fn same(&mut self, other: &mut Node<'_>) -> bool {
        self.open();
        other.open();
        match (self, other) {
            (Self::Null, Node::Null) => true,
            (Self::Raw(a), Node::Raw(b)) => a.text == b.text,
            (Self::Object(a), Node::Object(b)) => {
                a.items.len() == b.items.len()
                    && a.items.iter_mut().zip(&mut b.items).all(|((ka, va), (kb, vb))| ka == kb && va.same(vb))
            }
            (Self::Array(a), Node::Array(b)) => {
                a.items.len() == b.items.len() && a.items.iter_mut().zip(b.items.iter_mut()).all(|(a, b)| a.same(b))
            }
            _ => false,
        }
    }

    /// A copy of its own, as text.
    pub(crate) fn to_raw(&self) -> Self {
        let mut text = String::new();
        self.write(&mut text);
        if text == "null" { Self::Null } else { Self::raw(Cow::Owned(text), self.height()) }
    }

    /// The bytes of its text.
    pub(crate) fn len(&self) -> usize {
        if let Self::Raw(raw) = self { raw.text.len() } else { 4 }
    }

    /// Appends the text: no spaces, HTML characters escaped, members of opened objects sorted.
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Raw(raw) => write_compact(out, &raw.text),
            Self::Object(object) => {
                out.push('{');
                for (at, (key, value)) in object.items.iter().enumerate() {
                    separate(out, at);
                    write_string(out, key, Escape::Html);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
            Self::Array(array) => {
                out.push('[');
                for (at, value) in array.items.iter().enumerate() {
                    separate(out, at);
                    value.write(out);
                }
                out.push(']');
            }
        }
    }

    fn raw(text: Cow<'a, str>, height: usize) -> Self {
        Self::Raw(Box::new(Raw { text, height }))
    }
}

fn separate(out: &mut String, at: usize) {
    if at > 0 {
        out.push(',');
    }
}

/// Reads one value and takes apart its first level; `own` makes the text of an inner value its own.
fn read<'a, 'b>(scanner: &mut Scanner<'b>, own: &impl Fn(&'b str) -> Cow<'a, str>) -> Result<Node<'a>, JsonError> {
    match scanner.next()? {
        Event::ObjectStart => {
            let mut items = Members::new();
            let mut height = 0;
            while let Event::Key(key) = scanner.next()? {
                let node = skip(scanner, own)?;
                height = height.max(node.height());
                items.insert(Text::from(key), node);
            }
            Ok(Node::Object(Box::new(Container { items, height: height + 1 })))
        }
        Event::ArrayStart => {
            let mut items = List::new();
            let mut height = 0;
            loop {
                let event = scanner.next()?;
                if event == Event::ArrayEnd {
                    break;
                }
                let node = finish(scanner, &event, own)?;
                height = height.max(node.height());
                items.push(node);
            }
            Ok(Node::Array(Box::new(Container { items, height: height + 1 })))
        }
        event => finish(scanner, &event, own),
    }
}

fn skip<'a, 'b>(scanner: &mut Scanner<'b>, own: &impl Fn(&'b str) -> Cow<'a, str>) -> Result<Node<'a>, JsonError> {
    let event = scanner.next()?;
    finish(scanner, &event, own)
}

/// Reads to the end of the value that starts with `event` and keeps its text.
fn finish<'a, 'b>(
    scanner: &mut Scanner<'b>,
    event: &Event<'_>,
    own: &impl Fn(&'b str) -> Cow<'a, str>,
) -> Result<Node<'a>, JsonError> {
    let start = scanner.span().start;
    let outside = match event {
        Event::Null => return Ok(Node::Null),
        Event::ObjectStart | Event::ArrayStart => scanner.depth() - 1,
        _ => scanner.depth(),
    };
    let mut deepest = outside;
    while scanner.depth() > outside {
        deepest = deepest.max(scanner.depth());
        scanner.next()?;
    }
    let text = &scanner.text()[start..scanner.span().end];
    Ok(Node::raw(own(text), deepest - outside))
}

/// Appends a JSON text without the spaces between its tokens and with HTML characters escaped, as Go does when it
/// prints a raw message.
fn write_compact(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut in_string = false;
    let mut written = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (width, replacement) = match bytes[at] {
            b'\\' if in_string => {
                at += 2;
                continue;
            }
            b'"' => {
                in_string = !in_string;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' if !in_string => (1, ""),
            b'<' => (1, "\\u003c"),
            b'>' => (1, "\\u003e"),
            b'&' => (1, "\\u0026"),
            0xE2 if bytes[at..].starts_with("\u{2028}".as_bytes()) => (3, "\\u2028"),
            0xE2 if bytes[at..].starts_with("\u{2029}".as_bytes()) => (3, "\\u2029"),
            _ => {
                at += 1;
                continue;
            }
        };
        out.push_str(&text[written..at]);
        out.push_str(replacement);
        at += width;
        written = at;
    }
    out.push_str(&text[written..]);
}

//! Events into a [`Value`].

use super::error::{JsonError, JsonErrorKind};
use super::known::KnownMember;
use super::scan::{Event, Scanner};
use crate::object::Entry;
use crate::{Array, KeyCache, Object, ShareCache, Text, Value};

/// The initial capacity for parts of open containers.
const ROOM: usize = 32;

/// Reads one JSON text. Of duplicate keys the last one wins; a lone surrogate escape becomes U+FFFD.
///
/// ```
/// let value = sprag_value::json::parse(br#"{"replicas": 3}"#)?;
/// assert_eq!(value.get("replicas").and_then(|n| n.as_i64()), Some(3));
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn parse(input: &[u8]) -> Result<Value, JsonError> {
    parse_noting(input).map(|parsed| parsed.value)
}

/// The result of [`parse_noting`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// True if an object of the text has two members of the same name. Knowing it costs nothing; which ones they are
    /// takes another look at the text.
    pub has_duplicates: bool,
}

/// [`parse`] for one of many texts that have a member in common.
///
/// ```
/// use sprag_value::json::{KnownMember, parse, parse_knowing};
///
/// let text = br#"{"fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"m"}"#;
/// let mut known = KnownMember::new("fieldsV1");
/// for _ in 0..2 {
///     assert_eq!(parse_knowing(text, &mut known)?, parse(text)?);
/// }
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn parse_knowing(input: &[u8], known: &mut KnownMember) -> Result<Value, JsonError> {
    read(input, Some(known)).map(|parsed| parsed.value)
}

/// [`parse`], noting whether keys are duplicated.
pub fn parse_noting(input: &[u8]) -> Result<Parsed, JsonError> {
    read(input, None)
}

fn read(input: &[u8], known: Option<&mut KnownMember>) -> Result<Parsed, JsonError> {
    let mut reader = Reader {
        scanner: Scanner::new(input)?,
        elements: Vec::with_capacity(ROOM),
        entries: Vec::with_capacity(ROOM),
        keys: KeyCache::default(),
        shared: ShareCache::default(),
        known,
        has_duplicates: false,
    };
    match reader.document() {
        Ok(value) => Ok(Parsed { value, has_duplicates: reader.has_duplicates }),
        Err(error) => Err(syntax_before_range(input, error)),
    }
}

/// Go looks for broken syntax in the whole text before it takes offence at a number.
#[cold]
fn syntax_before_range(input: &[u8], error: JsonError) -> JsonError {
    let JsonErrorKind::NumberRange { .. } = error.kind() else { return error };
    let syntax = Scanner::new(input).and_then(|scanner| scanner.any_number().run());
    syntax.err().unwrap_or(error)
}

/// Recurses once per container; the scanner limits the depth.
struct Reader<'a, 'k> {
    scanner: Scanner<'a>,
    /// Finished elements of the lists that are still open.
    elements: Vec<Value>,
    /// Finished members of the objects that are still open.
    entries: Vec<Entry>,
    keys: KeyCache,
    shared: ShareCache,
    known: Option<&'k mut KnownMember>,
    has_duplicates: bool,
}

impl<'a> Reader<'a, '_> {
    fn document(&mut self) -> Result<Value, JsonError> {
        let first = self.scanner.next()?;
        let value = self.value(first)?;
        self.scanner.next()?;
        Ok(value)
    }

    #[expect(clippy::inline_always, reason = "passing values through results costs a tenth of the read")]
    #[inline(always)]
    fn value(&mut self, event: Event<'a>) -> Result<Value, JsonError> {
        Ok(match event {
            Event::Bool(value) => Value::Bool(value),
            Event::Int(value) => Value::Int(value),
            Event::Float(value) => Value::Float(value),
            Event::String(text) | Event::Key(text) => Value::String(Text::from(text.as_ref())),
            Event::ArrayStart => Value::Array(self.array()?),
            // Those who own fields say so by empty objects.
            Event::ObjectStart if self.scanner.skip_empty_object() => Value::object(),
            Event::ObjectStart => Value::Object(self.object()?),
            Event::Null | Event::ArrayEnd | Event::ObjectEnd | Event::End => Value::Null,
        })
    }

    /// The value of a member that may be known.
    fn known_member(&mut self) -> Result<Value, JsonError> {
        if let Some(object) = self.known.as_ref().and_then(|known| known.find(&mut self.scanner)) {
            return Ok(Value::Object(object));
        }
        let depth = self.scanner.depth();
        let event = self.scanner.next()?;
        let start = self.scanner.span().start;
        let value = self.value(event)?;
        let text = &self.scanner.text()[start..self.scanner.span().end];
        if let (Some(known), Value::Object(object)) = (&mut self.known, &value) {
            known.keep(text, depth, object);
        }
        Ok(value)
    }

    fn array(&mut self) -> Result<Array, JsonError> {
        let start = self.elements.len();
        loop {
            match self.scanner.next()? {
                Event::ArrayEnd => break,
                event => {
                    let value = self.value(event)?;
                    self.elements.push(value);
                }
            }
        }
        Ok(self.shared.array(&mut self.elements, start))
    }

    fn object(&mut self) -> Result<Object, JsonError> {
        let start = self.entries.len();
        while let Event::Key(key) = self.scanner.next()? {
            let is_known = self.known.as_ref().is_some_and(|known| known.is_named(&key));
            let key = self.keys.intern(&key);
            let value = if is_known {
                self.known_member()?
            } else {
                let event = self.scanner.next()?;
                self.value(event)?
            };
            self.entries.push(Entry::new(key, value));
        }
        let members = self.entries.len() - start;
        let object = self.shared.object(&mut self.entries, start);
        self.has_duplicates |= object.len() < members;
        Ok(object)
    }
}

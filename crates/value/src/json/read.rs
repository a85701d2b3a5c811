//! Events into a [`Value`].

use super::error::JsonError;
use super::scan::{Event, Scanner};
use crate::object::Entry;
use crate::{Array, Key, Object, Text, Value};

/// Slots for long keys seen earlier in the same text; a power of two.
const KEY_SLOTS: usize = 64;
/// Keys up to this length are stored inline, so sharing them would gain nothing.
const INLINE_KEY: usize = 15;

/// Reads one JSON text. Of duplicate keys the last one wins; a lone surrogate escape becomes U+FFFD.
///
/// ```
/// let value = sprag_value::json::parse(br#"{"replicas": 3}"#)?;
/// assert_eq!(value.get("replicas").and_then(|n| n.as_i64()), Some(3));
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn parse(input: &[u8]) -> Result<Value, JsonError> {
    let scanner = Scanner::new(input)?;
    let mut reader = Reader { scanner, elements: Vec::new(), entries: Vec::new(), keys: KeyCache::default() };
    let first = reader.scanner.next()?;
    let value = reader.value(first)?;
    reader.scanner.next()?;
    Ok(value)
}

/// Recurses once per container; the scanner limits the depth.
struct Reader<'a> {
    scanner: Scanner<'a>,
    /// Finished elements of the lists that are still open.
    elements: Vec<Value>,
    /// Finished members of the objects that are still open.
    entries: Vec<Entry>,
    keys: KeyCache,
}

impl<'a> Reader<'a> {
    #[expect(clippy::inline_always, reason = "passing values through results costs a tenth of the read")]
    #[inline(always)]
    fn value(&mut self, event: Event<'a>) -> Result<Value, JsonError> {
        Ok(match event {
            Event::Bool(value) => Value::Bool(value),
            Event::Int(value) => Value::Int(value),
            Event::Float(value) => Value::Float(value),
            Event::String(text) | Event::Key(text) => Value::String(Text::from(text.as_ref())),
            Event::ArrayStart => Value::Array(self.array()?),
            Event::ObjectStart => Value::Object(self.object()?),
            Event::Null | Event::ArrayEnd | Event::ObjectEnd | Event::End => Value::Null,
        })
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
        Ok(self.elements.drain(start..).collect())
    }

    fn object(&mut self) -> Result<Object, JsonError> {
        let start = self.entries.len();
        while let Event::Key(key) = self.scanner.next()? {
            let key = self.keys.intern(&key);
            let event = self.scanner.next()?;
            let value = self.value(event)?;
            self.entries.push(Entry::new(key, value));
        }
        Ok(Object::from_scratch(&mut self.entries, start))
    }
}

/// Lets equal long keys of one text share their bytes. Lives as long as the read, so no name outlives its objects.
struct KeyCache([Key; KEY_SLOTS]);

impl Default for KeyCache {
    fn default() -> Self {
        Self([const { Key::new() }; KEY_SLOTS])
    }
}

impl KeyCache {
    #[inline]
    fn intern(&mut self, key: &str) -> Key {
        if key.len() <= INLINE_KEY {
            return Key::from(key);
        }
        let bytes = key.as_bytes();
        let mix = bytes.len()
            ^ usize::from(bytes[0]) << 2
            ^ usize::from(bytes[bytes.len() / 2]) << 1
            ^ usize::from(bytes[bytes.len() - 1]);
        let slot = &mut self.0[mix % KEY_SLOTS];
        if slot.as_str() != key {
            *slot = Key::from(key);
        }
        slot.clone()
    }
}

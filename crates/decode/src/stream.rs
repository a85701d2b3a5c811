//! Texts of several documents, split and read as kubectl does it.
//!
//! A text that begins with `{` is taken for JSON values one after the other; when that fails before the third value,
//! the rest is taken for YAML documents between lines that begin with `---`.

use std::borrow::Cow;
use std::cell::OnceCell;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use sprag_value::Value;
use sprag_value::json::{Event, JsonError, Position, Scanner};

use crate::finding::Finding;
use crate::locate::Locator;
use crate::yaml::YamlError;
use crate::{Decoded, Format, json, utf8, yaml};

/// kubectl looks this far for an opening brace to tell JSON from YAML.
const GUESS_BYTES: usize = 4096;
const SEPARATOR: &[u8] = b"---";
const SEPARATOR_LINE: &[u8] = b"\n---";

/// One document of a text.
#[derive(Debug)]
pub struct Document<'a> {
    /// The value, never null: documents without content are left out.
    pub value: Value,
    /// Findings of strict decoding; lines count from the start of the document.
    pub findings: Vec<Finding>,
    /// Its text, which a final line break may have been added to.
    pub text: Cow<'a, [u8]>,
    /// Its start in the whole text.
    pub start: Position,
    /// Its format.
    pub format: Format,
    /// Its text as it is in the whole one.
    source: &'a [u8],
    places: OnceCell<Option<Locator<'a>>>,
}

impl<'a> Document<'a> {
    /// The positions of its fields in the text; `None` if they are unknown. Computed once.
    pub fn places(&self) -> Option<&Locator<'a>> {
        self.places.get_or_init(|| Locator::new(self.format, self.source)).as_ref()
    }

    /// Its text as it is in the whole one, from its start on.
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// The document as JSON text: its own, or what it is converted to.
    pub fn json_text(&self) -> Cow<'_, str> {
        match self.format {
            Format::Json => utf8::replace_invalid(&self.text),
            Format::Yaml => Cow::Owned(sprag_value::json::to_string(&self.value)),
        }
    }
}

/// The error of a document that could not be decoded.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct StreamError {
    /// The reason, with kubectl's text.
    pub reason: StreamErrorReason,
    /// The position in the whole text, if known.
    pub position: Option<Position>,
}

/// The error of a document that could not be decoded.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamErrorReason {
    /// It is neither JSON nor YAML, but looks like JSON.
    #[error("json: offset {offset}: {text}")]
    Json {
        /// Bytes up to and including the first wrong one.
        offset: usize,
        /// The error text.
        text: String,
    },
    /// It is not JSON, as documents before it are.
    #[error("{0}")]
    JsonOnly(String),
    /// A JSON value is not complete.
    #[error("unexpected EOF")]
    UnexpectedEnd,
    /// It is not YAML.
    #[error("error converting YAML to JSON: {0}")]
    Yaml(YamlError),
    /// A line that separates documents has something else on it.
    #[error("invalid Yaml document separator: {0}")]
    Separator(String),
}

/// Reads the documents of a text one after the other.
///
/// ```
/// let text = b"a: 1\n---\n# nothing\n---\nb: 2\n";
/// let documents: Result<Vec<_>, _> = sprag_decode::stream::documents(text).collect();
/// let lines: Vec<_> = documents?.iter().map(|document| document.start.line).collect();
/// assert_eq!(lines, [1, 5]);
/// # Ok::<(), sprag_decode::stream::StreamError>(())
/// ```
pub fn documents(text: &[u8]) -> Documents<'_> {
    let looks_like_json = trim_start(&text[..text.len().min(GUESS_BYTES)]).first() == Some(&b'{');
    Documents {
        text,
        valid: std::str::from_utf8(text).ok(),
        here: Position { offset: 0, line: 1, column: 1 },
        mode: if looks_like_json { Mode::Json { read: 0 } } else { Mode::Yaml },
    }
}

/// See [`documents`]. After an error in a YAML document the ones behind it can still be read.
#[derive(Clone, Debug)]
pub struct Documents<'a> {
    text: &'a [u8],
    /// The same, when it is UTF-8.
    valid: Option<&'a str>,
    /// The start of what is left.
    here: Position,
    mode: Mode,
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    Json { read: usize },
    Yaml,
    End,
}

impl<'a> Iterator for Documents<'a> {
    type Item = Result<Document<'a>, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let document = match self.mode {
                Mode::Json { read } => self.next_json(read)?,
                Mode::Yaml => self.next_yaml()?,
                Mode::End => return None,
            };
            match document {
                Ok(document) if document.value.is_null() => {}
                document => return Some(document),
            }
        }
    }
}

impl<'a> Documents<'a> {
    /// Moves on to `end` and returns the text before it with its place.
    fn advance(&mut self, end: usize) -> (&'a [u8], Position) {
        let start = self.here;
        let text = &self.text[start.offset..end];
        self.here = shifted(start, end_of(text));
        (text, start)
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.here.offset..]
    }

    fn next_json(&mut self, read: usize) -> Option<Result<Document<'a>, StreamError>> {
        let space = self.rest().len() - trim_json_space(self.rest()).len();
        if space == self.rest().len() {
            return None;
        }
        let length = match self.valid {
            Some(text) => value_end(&text[self.here.offset..]),
            None => broken_value_end(self.rest()),
        };
        let error = match length {
            Ok(length) => {
                self.mode = Mode::Json { read: read + 1 };
                self.advance(self.here.offset + space);
                return Some(self.json_document(length - space));
            }
            Err(error) => error,
        };
        let error = self.json_error(&error, read > 1);
        if read > 1 {
            self.mode = Mode::End;
            return Some(Err(error));
        }
        self.mode = Mode::Yaml;
        self.skip_line_rest();
        let document = self.next_yaml()?;
        if document.is_err() {
            self.mode = Mode::End;
        }
        Some(document.map_err(|_| error))
    }

    fn json_document(&mut self, length: usize) -> Result<Document<'a>, StreamError> {
        let (text, start) = self.advance(self.here.offset + length);
        let decoded = json::decode_strict(text).map_err(|error| StreamError {
            position: Some(error.position()),
            reason: StreamErrorReason::JsonOnly(error.to_string()),
        })?;
        Ok(Document {
            value: decoded.value,
            findings: decoded.findings,
            text: Cow::Borrowed(text),
            start,
            format: Format::Json,
            source: text,
            places: OnceCell::new(),
        })
    }

    fn json_error(&self, error: &JsonError, only: bool) -> StreamError {
        let position = shifted(self.here, error.position());
        let text = json::standard_text(self.rest(), error);
        let reason = if position.offset >= self.text.len() {
            StreamErrorReason::UnexpectedEnd
        } else if only {
            StreamErrorReason::JsonOnly(text)
        } else {
            StreamErrorReason::Json { offset: position.offset + 1, text }
        };
        StreamError { reason, position: Some(position) }
    }

    /// White space behind a JSON value, up to the end of its line.
    fn skip_line_rest(&mut self) {
        let rest = self.rest();
        let space = rest.len() - trim_start(rest).len();
        let skipped = rest[..space].iter().position(|&byte| byte == b'\n').map_or(space, |at| at + 1);
        self.advance(self.here.offset + skipped);
    }

    fn next_yaml(&mut self) -> Option<Result<Document<'a>, StreamError>> {
        let mut end = self.here.offset;
        loop {
            if let Some(rest) = self.text[end..].strip_prefix(SEPARATOR) {
                let line_end = memchr(b'\n', rest).map_or(self.text.len(), |at| end + SEPARATOR.len() + at + 1);
                if let Some(reason) = separator_error(&self.text[end + SEPARATOR.len()..line_end]) {
                    self.advance(end);
                    let (_, position) = self.advance(line_end);
                    return Some(Err(StreamError { reason, position: Some(position) }));
                }
                if end > self.here.offset {
                    let (text, start) = self.advance(end);
                    self.advance(line_end);
                    return Some(yaml_document(text, start));
                }
            }
            match memmem::find(&self.text[end..], SEPARATOR_LINE) {
                Some(at) => end += at + 1,
                None => return self.last_yaml(),
            }
        }
    }

    /// Returns the rest of the text, with the line break that kubectl adds.
    fn last_yaml(&mut self) -> Option<Result<Document<'a>, StreamError>> {
        self.mode = Mode::End;
        let (text, start) = self.advance(self.text.len());
        match text.last() {
            None => None,
            Some(b'\n') => Some(yaml_document(text, start)),
            Some(_) => Some(yaml_with_break(text, start)),
        }
    }
}

/// Returns the error of a line that separates documents; `None` if it is valid. Takes the text after the dashes.
fn separator_error(rest: &[u8]) -> Option<StreamErrorReason> {
    let rest = utf8::replace_invalid(rest);
    let rest = rest.trim();
    (!rest.is_empty() && !rest.starts_with('#')).then(|| StreamErrorReason::Separator(rest.to_owned()))
}

fn yaml_document(text: &[u8], start: Position) -> Result<Document<'_>, StreamError> {
    let (decoded, tree) = yaml::decode_with_tree(text).map_err(|error| yaml_error(error, start))?;
    let places = OnceCell::new();
    if let Some(tree) = tree {
        let _ = places.set(Locator::of_tree(text, tree));
    }
    let Decoded { value, findings, .. } = decoded;
    Ok(Document { value, findings, text: Cow::Borrowed(text), start, format: Format::Yaml, source: text, places })
}

/// The same with a line break behind the text.
fn yaml_with_break(source: &[u8], start: Position) -> Result<Document<'_>, StreamError> {
    let text = [source, b"\n"].concat();
    let Decoded { value, findings, .. } = yaml::decode_strict(&text).map_err(|error| yaml_error(error, start))?;
    let text = Cow::Owned(text);
    let places = OnceCell::new();
    Ok(Document { value, findings, text, start, format: Format::Yaml, source, places })
}

fn yaml_error(error: YamlError, start: Position) -> StreamError {
    StreamError {
        position: error.position().map(|inner| shifted(start, inner)),
        reason: StreamErrorReason::Yaml(error),
    }
}

/// The place behind a text.
fn end_of(text: &[u8]) -> Position {
    let last_line = memrchr(b'\n', text).map_or(0, |at| at + 1);
    let column = Position::in_text(&text[last_line..], text.len() - last_line).column;
    Position { offset: text.len(), line: 1 + memchr_iter(b'\n', text).count(), column }
}

/// A place in a document as a place in the text around it.
pub(crate) fn shifted(start: Position, inner: Position) -> Position {
    let column = if inner.line == 1 { start.column + inner.column - 1 } else { inner.column };
    Position { offset: start.offset + inner.offset, line: start.line + inner.line - 1, column }
}

/// The length of the first JSON value with the white space before it.
fn value_end(text: &str) -> Result<usize, JsonError> {
    let mut scanner = Scanner::over(text).any_number();
    loop {
        let event = scanner.next()?;
        if scanner.depth() == 0 && event != Event::End {
            return Ok(scanner.span().end);
        }
    }
}

/// [`value_end`] in a text that is not UTF-8, of which no more is looked at than the value needs.
#[cold]
fn broken_value_end(text: &[u8]) -> Result<usize, JsonError> {
    let mut window = FIRST_WINDOW;
    loop {
        let part = &text[..window.min(text.len())];
        let is_all = part.len() == text.len();
        match value_end(&utf8::replace_invalid(part)) {
            Ok(end) => {
                let (end, _) = utf8::original_offset(part, end);
                if is_all || end < part.len() {
                    return Ok(end);
                }
            }
            Err(error) => {
                let (offset, found) = utf8::original_offset(part, error.position().offset);
                // A character that the window cuts in two looks wrong too.
                if is_all || offset + char::MAX.len_utf8() < part.len() {
                    return Err(error.moved(text, offset, found));
                }
            }
        }
        window *= 2;
    }
}

/// Size of the first window of a text that is not UTF-8.
const FIRST_WINDOW: usize = 256;

fn trim_json_space(text: &[u8]) -> &[u8] {
    let space = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    &text[space..]
}

/// Without white space of any kind in front.
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    // Most texts begin with a letter, and telling chunks of UTF-8 apart looks at all of them.
    let mut rest = text.trim_ascii_start();
    while !rest.first().is_none_or(u8::is_ascii_graphic)
        && let Some(chunk) = rest.utf8_chunks().next()
    {
        let trimmed = chunk.valid().trim_start();
        let skipped = chunk.valid().len() - trimmed.len();
        rest = &rest[skipped..];
        if !trimmed.is_empty() || skipped == 0 {
            break;
        }
    }
    rest
}

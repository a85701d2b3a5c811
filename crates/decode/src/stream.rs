//! Texts of several documents, split and read as kubectl does it.
//!
//! A text that begins with `{` is taken for JSON values one after the other; when that fails before the third value,
//! the rest is taken for YAML documents between lines that begin with `---`.

use std::borrow::Cow;

use sprag_value::Value;
use sprag_value::json::{Event, JsonError, Position, Scanner};

use crate::finding::Finding;
use crate::yaml::YamlError;
use crate::{Format, json, utf8, yaml};

/// kubectl looks this far for an opening brace to tell JSON from YAML.
const GUESS_BYTES: usize = 4096;
const SEPARATOR: &[u8] = b"---";

/// One document of a text.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The value, never null: documents without content are left out.
    pub value: Value,
    /// What strict decoding refuses; lines count from the start of the document.
    pub findings: Vec<Finding>,
    /// Its text, which a final line break may have been added to.
    pub text: Cow<'a, [u8]>,
    /// Where it starts in the whole text.
    pub start: Position,
    /// What it is written in.
    pub format: Format,
}

impl Document<'_> {
    /// The document as JSON text: its own, or what it is converted to.
    pub fn json_text(&self) -> Cow<'_, str> {
        match self.format {
            Format::Json => utf8::replace_invalid(&self.text),
            Format::Yaml => Cow::Owned(sprag_value::json::to_string(&self.value)),
        }
    }
}

/// Why a document could not be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct StreamError {
    /// Why, in kubectl's words.
    pub reason: StreamErrorReason,
    /// Where in the whole text, as far as it is known.
    pub position: Option<Position>,
}

/// Why a document could not be read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamErrorReason {
    /// It is neither JSON nor YAML, but looks like JSON.
    #[error("json: offset {offset}: {text}")]
    Json {
        /// Bytes up to and including the first wrong one.
        offset: usize,
        /// What is wrong.
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
    Documents { text, at: 0, line: 0, mode: if looks_like_json { Mode::Json { read: 0 } } else { Mode::Yaml } }
}

/// See [`documents`]. After an error in a YAML document the ones behind it can still be read.
#[derive(Clone, Debug)]
pub struct Documents<'a> {
    text: &'a [u8],
    at: usize,
    /// Lines before `at`.
    line: usize,
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
        let text = &self.text[self.at..end];
        let start = Position { offset: self.at, line: self.line + 1, column: 1 };
        self.line += text.split(|&byte| byte == b'\n').count() - 1;
        self.at = end;
        (text, start)
    }

    fn next_json(&mut self, read: usize) -> Option<Result<Document<'a>, StreamError>> {
        let space = self.text.len() - self.at - trim_json_space(&self.text[self.at..]).len();
        if self.at + space == self.text.len() {
            return None;
        }
        let error = match value_length(&self.text[self.at..]) {
            Ok(length) => {
                self.mode = Mode::Json { read: read + 1 };
                self.advance(self.at + space);
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
        let start = Position::in_text(self.text, self.at);
        let (text, _) = self.advance(self.at + length);
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
        })
    }

    fn json_error(&self, error: &JsonError, only: bool) -> StreamError {
        let offset = self.at + error.position().offset;
        let text = json::standard_text(&self.text[self.at..], error);
        let reason = if offset >= self.text.len() {
            StreamErrorReason::UnexpectedEnd
        } else if only {
            StreamErrorReason::JsonOnly(text)
        } else {
            StreamErrorReason::Json { offset: offset + 1, text }
        };
        StreamError { reason, position: Some(Position::in_text(self.text, offset)) }
    }

    /// White space behind a JSON value, up to the end of its line.
    fn skip_line_rest(&mut self) {
        let rest = &self.text[self.at..];
        let space = rest.len() - trim_start(rest).len();
        let skipped = rest[..space].iter().position(|&byte| byte == b'\n').map_or(space, |at| at + 1);
        self.advance(self.at + skipped);
    }

    fn next_yaml(&mut self) -> Option<Result<Document<'a>, StreamError>> {
        let mut end = self.at;
        loop {
            let line_length = self.text[end..].iter().position(|&byte| byte == b'\n');
            let line_end = line_length.map_or(self.text.len(), |length| end + length + 1);
            let line = &self.text[end..line_end];
            if let Some(rest) = line.strip_prefix(SEPARATOR) {
                if let Some(error) = self.separator_error(end, rest) {
                    self.advance(line_end);
                    return Some(Err(error));
                }
                if end > self.at {
                    let (text, start) = self.advance(end);
                    self.advance(line_end);
                    return Some(yaml_document(Cow::Borrowed(text), start));
                }
            }
            if line_length.is_none() {
                return self.last_yaml();
            }
            end = line_end;
        }
    }

    fn separator_error(&self, offset: usize, rest: &[u8]) -> Option<StreamError> {
        let rest = utf8::replace_invalid(rest);
        let rest = rest.trim();
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let position = Some(Position::in_text(self.text, offset));
        Some(StreamError { reason: StreamErrorReason::Separator(rest.to_owned()), position })
    }

    /// What is left, with the line break that kubectl adds.
    fn last_yaml(&mut self) -> Option<Result<Document<'a>, StreamError>> {
        self.mode = Mode::End;
        let (text, start) = self.advance(self.text.len());
        match text.last() {
            None => None,
            Some(b'\n') => Some(yaml_document(Cow::Borrowed(text), start)),
            Some(_) => Some(yaml_document(Cow::Owned([text, b"\n"].concat()), start)),
        }
    }
}

fn yaml_document(text: Cow<'_, [u8]>, start: Position) -> Result<Document<'_>, StreamError> {
    match yaml::decode_strict(&text) {
        Ok(decoded) => {
            Ok(Document { value: decoded.value, findings: decoded.findings, text, start, format: Format::Yaml })
        }
        Err(error) => Err(StreamError {
            position: error.position().map(|inner| shifted(start, inner)),
            reason: StreamErrorReason::Yaml(error),
        }),
    }
}

/// A place in a document as a place in the text around it.
pub(crate) fn shifted(start: Position, inner: Position) -> Position {
    let column = if inner.line == 1 { start.column + inner.column - 1 } else { inner.column };
    Position { offset: start.offset + inner.offset, line: start.line + inner.line - 1, column }
}

/// The length of the first JSON value with the white space before it.
fn value_length(text: &[u8]) -> Result<usize, JsonError> {
    let replaced = utf8::replace_invalid(text);
    let mut scanner = Scanner::new(replaced.as_bytes())?.any_number();
    loop {
        let event = scanner.next().map_err(|error| {
            let (offset, found) = utf8::original_offset(text, error.position().offset);
            error.moved(text, offset, found)
        })?;
        if scanner.depth() == 0 && event != Event::End {
            return Ok(utf8::original_offset(text, scanner.span().end).0);
        }
    }
}

fn trim_json_space(text: &[u8]) -> &[u8] {
    let space = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    &text[space..]
}

/// Without white space of any kind in front.
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(chunk) = rest.utf8_chunks().next() {
        let trimmed = chunk.valid().trim_start();
        let skipped = chunk.valid().len() - trimmed.len();
        rest = &rest[skipped..];
        if !trimmed.is_empty() || skipped == 0 {
            break;
        }
    }
    rest
}

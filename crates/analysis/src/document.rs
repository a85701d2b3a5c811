//! The documents of a batch, the objects in them, and where their fields are.

use std::cell::OnceCell;

use memchr::memmem;
use sprag_decode::Format;
use sprag_decode::locate::{self, Cursor, Span};
use sprag_decode::object::{Unstructured, unstructured};
use sprag_decode::stream::{self, StreamError};
use sprag_value::Value;
use sprag_value::json::Position;

use crate::choices::Choices;
use crate::excerpt::excerpt;
use crate::finding::{Finding, Origin, Place, Severity};
use crate::report::Identity;
use crate::skipped_path::SkippedPath;
use crate::sops;
use crate::standing::Passed;

/// The documents of a text.
pub struct Documents<'t> {
    text: &'t [u8],
    inner: stream::Documents<'t>,
    /// Lines of the file before the text.
    lines_before: usize,
    /// True if lines may be shown of what is no manifest.
    shows_all: bool,
}

/// One document that could be read, or why it could not.
pub struct Document<'t> {
    content: Result<stream::Document<'t>, StreamError>,
    text: &'t [u8],
    lines_before: usize,
    shows_all: bool,
    /// The offsets of its lines, computed on first use.
    lines: OnceCell<Vec<usize>>,
}

/// One object of a document.
pub struct Object<'d, 't> {
    /// The object.
    pub value: Value,
    /// The document that it is in, if any.
    document: Option<&'d Document<'t>>,
    /// Its path in the document; empty for the document itself.
    prefix: String,
    /// Findings of strict decoding.
    pub findings: Vec<sprag_decode::Finding>,
    /// The paths of values that are encrypted; none if the object is not.
    encrypted: Option<Vec<String>>,
    /// True if a field was taken out, so that the text says more.
    is_reduced: bool,
}

impl<'t> Documents<'t> {
    /// The documents of a text that starts at this line of its file.
    pub fn new(text: &'t [u8], first_line: usize) -> Documents<'t> {
        Documents { text, inner: stream::documents(text), lines_before: first_line - 1, shows_all: false }
    }

    /// Lets findings show lines of what is no manifest: of files that only the command line names.
    #[must_use]
    pub fn of_any_sort(self) -> Documents<'t> {
        Documents { shows_all: true, ..self }
    }
}

impl<'t> Iterator for Documents<'t> {
    type Item = Document<'t>;

    fn next(&mut self) -> Option<Document<'t>> {
        let content = self.inner.next()?;
        let Documents { text, lines_before, shows_all, .. } = *self;
        Some(Document { content, text, lines_before, shows_all, lines: OnceCell::new() })
    }
}

impl<'t> Document<'t> {
    /// The document as a value, if it could be read.
    pub fn value(&self) -> Option<&Value> {
        self.content.as_ref().ok().map(|document| &document.value)
    }

    /// The line of a field in the file.
    pub fn line_of(&self, path: &str) -> Option<usize> {
        self.find(path, Part::Name).map(|place| place.line)
    }

    /// The bytes of the text that it begins at and, if it could be read, has.
    pub fn bytes(&self) -> Option<std::ops::Range<usize>> {
        let document = self.content.as_ref().ok()?;
        Some(document.start.offset..document.start.offset + document.source().len())
    }

    /// The field at a byte of the text.
    pub fn at(&self, offset: usize) -> Option<Cursor> {
        let document = self.content.as_ref().ok()?;
        let cursor = document.places()?.at(offset.checked_sub(document.start.offset)?)?;
        let shifted = |span: Span| span.shifted(document.start);
        Some(Cursor { key: cursor.key.map(shifted), value: shifted(cursor.value), ..cursor })
    }

    /// The position of a field's name and value in the text, or of the innermost field of its path that there is.
    pub fn place_of(&self, path: &str) -> Option<locate::Place> {
        let document = self.content.as_ref().ok()?;
        let place = document.places()?.find(path)?;
        let shifted = |span: Span| span.shifted(document.start);
        Some(locate::Place { key: place.key.map(shifted), value: shifted(place.value), exact: place.exact })
    }

    /// The document as a value, or why it could not be read.
    pub fn into_value(self) -> Result<Value, Box<Finding>> {
        match &self.content {
            Ok(document) => Ok(document.value.clone()),
            Err(error) => Err(self.unreadable(error)),
        }
    }

    /// The reason why a document of a file that was found in a folder is not read as a manifest, if there is one.
    ///
    /// One that names what it is an object of in part is meant as a manifest.
    pub fn passed(&self) -> Option<Passed> {
        let names = |word: &[u8]| memmem::find(self.text, word).is_some();
        match &self.content {
            Ok(document) => {
                let value = &document.value;
                let has = |key: &str| value.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
                let is_named = value.get("metadata").is_some();
                let is_meant = (has("kind") && (has("apiVersion") || is_named)) || (has("apiVersion") && is_named);
                (!is_meant).then_some(Passed::NotManifest)
            }
            Err(_) if names(b"{{") && names(b"}}") => Some(Passed::Template),
            Err(_) => (!names(b"apiVersion") || !names(b"kind")).then_some(Passed::NotManifest),
        }
    }

    /// The template that `helm template` made the document of: it writes a comment above each. Helm names files from the chart on.
    pub fn helm_source(&self) -> Option<String> {
        let document = self.content.as_ref().ok()?;
        let lines = document.text.split(|byte| *byte == b'\n');
        let mut above = lines.take_while(|line| line.is_empty() || line.starts_with(b"#") || line.starts_with(b"---"));
        let source = above.find_map(|line| line.strip_prefix(b"# Source: "))?;
        Some(std::str::from_utf8(source).ok()?.trim().to_owned())
    }

    /// The objects: the items of a list, or the one that the document is.
    pub fn objects(&self) -> Result<Vec<Object<'_, 't>>, Box<Finding>> {
        let document = self.content.as_ref().map_err(|error| self.unreadable(error))?;
        if is_plain(&document.value) {
            return Ok(vec![self.object(document.value.clone(), String::new(), document.findings.clone())]);
        }
        let objects = unstructured(document.value.clone(), &document.json_text()).map_err(|error| {
            let finding = Finding::new(Severity::Error, Origin::Decode, error.unquoted());
            finding.at(Some(self.place_at(document.start, 0)))
        })?;
        let Unstructured::List { items, .. } = objects else {
            return Ok(vec![self.object(document.value.clone(), String::new(), document.findings.clone())]);
        };
        let mut findings = document.findings.clone();
        let items = items.into_iter().enumerate().map(|(index, item)| {
            let prefix = format!("items[{index}]");
            let own = findings.extract_if(.., |finding| belongs_to(finding, &prefix)).collect();
            self.object(Value::Object(item), prefix, own)
        });
        let mut objects: Vec<Object<'_, 't>> = items.collect();
        // The remaining findings concern the list itself, or have no position.
        if let Some(first) = objects.first_mut() {
            first.findings.extend(findings);
        }
        Ok(objects)
    }

    fn object(&self, value: Value, prefix: String, findings: Vec<sprag_decode::Finding>) -> Object<'_, 't> {
        let mut value = value;
        let encrypted = sops::open(&mut value);
        Object { value, document: Some(self), prefix, findings, encrypted, is_reduced: false }
    }

    fn unreadable(&self, error: &StreamError) -> Box<Finding> {
        let place = error.position.map(|position| self.place_at(position, 0));
        let text = without_text(&error.to_string()).to_owned();
        Box::new(Finding::new(Severity::Error, Origin::Decode, text).at(place))
    }

    /// Returns the position of a field.
    fn find(&self, path: &str, part: Part) -> Option<Place> {
        let document = self.content.as_ref().ok()?;
        let Some(found) = document.places().and_then(|places| places.find(path)) else {
            return Some(self.place_at(document.start, 0));
        };
        let is_short = found.value.start.line == found.value.end.line;
        let span = if part == Part::Value && found.exact && is_short { found.value } else { found.span() };
        let length = if span.start.line == span.end.line { span.bytes().len() } else { 0 };
        Some(self.place_at(span.shifted(document.start).start, length))
    }

    /// A line of the document, counted from 1.
    fn line(&self, line: usize) -> Option<Place> {
        let document = self.content.as_ref().ok()?;
        let starts = self.lines.get_or_init(|| {
            let breaks = document.text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
        });
        let before = starts.get(line.max(1) - 1).copied().unwrap_or(document.text.len());
        let text = document.text[before..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let indent = text.len() - text.trim_ascii_start().len();
        let offset = document.start.offset + before + indent;
        let line = document.start.line + line.max(1) - 1;
        Some(self.place_at(Position { offset, line, column: indent + 1 }, text.trim_ascii().len()))
    }

    /// A place in the batch as a place in the file, with the lines around it.
    fn place_at(&self, position: Position, length: usize) -> Place {
        let line = position.line + self.lines_before;
        let column = position.column;
        let span = position.offset..position.offset + length;
        let length = self.text.get(span.clone()).map_or(0, characters);
        let excerpt = if self.may_be_shown() { excerpt(self.text, span) } else { None };
        Place { line, column, length, excerpt }
    }

    /// True unless its text may be a secret: a `Secret`, or a file that is no manifest, as credentials that lie beside manifests.
    fn may_be_shown(&self) -> bool {
        let names = |word: &[u8]| memmem::find(self.text, word).is_some();
        let is_manifest = names(b"apiVersion") && names(b"kind");
        let may_hold_secrets = self.value().map_or_else(|| names(b"Secret"), has_secret);
        (is_manifest || self.shows_all) && !may_hold_secrets
    }
}

impl Object<'_, '_> {
    /// An object that is in no document of its own.
    pub fn detached(value: Value) -> Object<'static, 'static> {
        Object {
            value,
            document: None,
            prefix: String::new(),
            findings: Vec::new(),
            encrypted: None,
            is_reduced: false,
        }
    }

    /// Takes fields out that are not to be judged.
    pub(crate) fn without(mut self, paths: &[SkippedPath]) -> Self {
        if !paths.is_empty() {
            let identity = Identity::of(&self.value);
            // All of them, whatever was found before.
            let removed = paths.iter().filter(|path| path.remove(&mut self.value, &identity)).count();
            self.is_reduced = removed > 0;
        }
        self
    }

    /// The same object, to be changed.
    pub(crate) fn copy(&self) -> Self {
        let Object { value, document, prefix, findings, encrypted, is_reduced } = self;
        Object {
            value: value.clone(),
            document: *document,
            prefix: prefix.clone(),
            findings: findings.clone(),
            encrypted: encrypted.clone(),
            is_reduced: *is_reduced,
        }
    }

    /// Returns findings of strict decoding on the text.
    pub(crate) fn strict_findings(&self, choices: &Choices) -> impl Iterator<Item = Finding> {
        // Their paths are those of the document.
        let at_root = Object { document: self.document, ..Object::detached(Value::Null) };
        self.findings.iter().map(move |finding| at_root.strict_finding(finding, choices))
    }

    /// Returns a finding of strict decoding on this object.
    pub(crate) fn strict_finding(&self, finding: &sprag_decode::Finding, choices: &Choices) -> Finding {
        let place = match finding {
            sprag_decode::Finding::RepeatedKey { line, .. } => self.document.and_then(|document| document.line(*line)),
            finding => self.name_place(finding.path().unwrap_or_default()),
        };
        Finding::new(choices.field_severity(), Origin::Decode, finding.to_string()).at(place)
    }

    /// The text of the object, if it is a document of its own.
    pub(crate) fn text(&self) -> Option<(&[u8], Format)> {
        let is_whole = self.prefix.is_empty() && self.encrypted.is_none() && !self.is_reduced;
        let document = self.document.filter(|_| is_whole)?.content.as_ref().ok()?;
        Some((&document.text, document.format))
    }

    /// True if a finding is about a value that is encrypted.
    pub(crate) fn hides(&self, finding: &Finding) -> bool {
        let field = finding.cause.as_ref().map(|cause| cause.field.as_str());
        self.encrypted.as_ref().zip(field).is_some_and(|(paths, field)| sops::is_encrypted(paths, field))
    }

    /// Returns the position of a field's value, or else of the name of the nearest enclosing field.
    pub fn place(&self, field: &str) -> Option<Place> {
        self.find(&self.path(field), Part::Value)
    }

    /// Returns the position of a field's name.
    pub fn name_place(&self, field: &str) -> Option<Place> {
        self.find(&self.path(field), Part::Name)
    }

    fn find(&self, path: &str, part: Part) -> Option<Place> {
        self.document?.find(path, part)
    }

    /// The path of a field in the document.
    fn path(&self, field: &str) -> String {
        let prefix = &self.prefix;
        let field = field.trim_start_matches('.');
        match field {
            "" | "<nil>" => prefix.clone(),
            field if prefix.is_empty() => field.to_owned(),
            field if field.starts_with('[') => format!("{prefix}{field}"),
            field => format!("{prefix}.{field}"),
        }
    }
}

/// Counts the characters that begin in a stretch of text.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// A decoding error without a part of the document, which may be large or a secret.
fn without_text(text: &str) -> &str {
    const KEY: &str = "invalid map key";
    text.find(KEY).map_or(text, |at| &text[..at + KEY.len()])
}

/// The part of a field to point at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    /// Its value, unless that is long.
    Value,
}

/// True for a `Secret`, and for a list with one.
fn has_secret(value: &Value) -> bool {
    let mut items = value.get("items").and_then(Value::as_array).into_iter().flatten();
    let is_secret = |value: &Value| value.get("kind").and_then(Value::as_str) == Some("Secret");
    is_secret(value) || items.any(is_secret)
}

/// True if this is one object for sure, so that it need not be taken apart.
fn is_plain(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    value.get("items").is_none() && !text("kind").is_empty() && text("apiVersion").matches('/').count() < 2
}

fn belongs_to(finding: &sprag_decode::Finding, prefix: &str) -> bool {
    let rest = finding.path().and_then(|path| path.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

//! The documents of a batch, the objects in them, and where their fields are.

use sprag_decode::object::{Unstructured, unstructured};
use sprag_decode::stream::{self, StreamError};
use sprag_value::Value;
use sprag_value::json::Position;

use super::Policy;
use crate::output::excerpt;
use crate::report::{Finding, Origin, Place, Severity};

/// The documents of a text.
pub(crate) struct Documents<'t> {
    text: &'t [u8],
    inner: stream::Documents<'t>,
    /// Lines of the file before the text.
    lines_before: usize,
}

/// One document that could be read, or why it could not.
pub(crate) struct Document<'t> {
    content: Result<stream::Document<'t>, StreamError>,
    text: &'t [u8],
    lines_before: usize,
}

/// One object of a document.
pub(crate) struct Object<'d> {
    pub(crate) value: Value,
    document: &'d Document<'d>,
    /// Where in the document it is; empty for the document itself.
    prefix: String,
    /// What strict decoding refuses in its text.
    pub(crate) findings: Vec<sprag_decode::Finding>,
}

impl<'t> Documents<'t> {
    /// The documents of a text that starts at this line of its file.
    pub(crate) fn new(text: &'t [u8], first_line: usize) -> Documents<'t> {
        Documents { text, inner: stream::documents(text), lines_before: first_line - 1 }
    }
}

impl<'t> Iterator for Documents<'t> {
    type Item = Document<'t>;

    fn next(&mut self) -> Option<Document<'t>> {
        let content = self.inner.next()?;
        Some(Document { content, text: self.text, lines_before: self.lines_before })
    }
}

impl Document<'_> {
    /// The objects: the items of a list, or the one that the document is.
    pub(crate) fn objects(&self) -> Result<Vec<Object<'_>>, Box<Finding>> {
        let document = self.content.as_ref().map_err(|error| self.unreadable(error))?;
        if is_plain(&document.value) {
            return Ok(vec![self.object(document.value.clone(), String::new(), document.findings.clone())]);
        }
        let objects = unstructured(document.value.clone(), &document.json_text()).map_err(|error| {
            let finding = Finding::new(Severity::Error, Origin::Decode, error.to_string());
            finding.at(self.place_at(document.start, 0))
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
        let mut objects: Vec<Object<'_>> = items.collect();
        // What is left is about the list itself, or does not say where it is.
        if let Some(first) = objects.first_mut() {
            first.findings.extend(findings);
        }
        Ok(objects)
    }

    fn object(&self, value: Value, prefix: String, findings: Vec<sprag_decode::Finding>) -> Object<'_> {
        Object { value, document: self, prefix, findings }
    }

    fn unreadable(&self, error: &StreamError) -> Box<Finding> {
        let place = error.position.and_then(|position| self.place_at(position, 0));
        Box::new(Finding::new(Severity::Error, Origin::Decode, error.to_string()).at(place))
    }

    /// A place in the batch as a place in the file, with the lines around it.
    fn place_at(&self, position: Position, length: usize) -> Option<Place> {
        let (line, column) = (position.line + self.lines_before, position.column);
        let excerpt = excerpt(self.text, position.offset..position.offset + length);
        Some(Place { line, column, excerpt })
    }
}

impl Object<'_> {
    /// What strict decoding has to say about the text.
    pub(super) fn strict_findings(&self, policy: &Policy) -> impl Iterator<Item = Finding> {
        self.findings.iter().map(|finding| {
            let place = self.place(finding.path().unwrap_or_default());
            Finding::new(policy.field_severity(), Origin::Decode, finding.to_string()).at(place)
        })
    }

    /// Where a field is, or else the nearest one around it that is there.
    pub(crate) fn place(&self, _field: &str) -> Option<Place> {
        let document = self.document.content.as_ref().ok()?;
        self.document.place_at(document.start, 0)
    }
}

/// Whether this is one object for sure, so that it need not be taken apart.
fn is_plain(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    value.get("items").is_none() && !text("kind").is_empty() && text("apiVersion").matches('/').count() < 2
}

fn belongs_to(finding: &sprag_decode::Finding, prefix: &str) -> bool {
    let rest = finding.path().and_then(|path| path.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

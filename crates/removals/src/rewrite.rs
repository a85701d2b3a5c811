//! Texts with manifests of removed versions, rewritten document by document.

use sprag_decode::stream::{self, Document};
use sprag_value::Value;

use crate::convert::{Conversion, convert};
use crate::op::Path;
use crate::table::{Removal, removal};
use crate::text;

/// Longer documents are left: each is read several times.
const MAX_DOCUMENT_BYTES: usize = 16 << 20;

/// Objects of one document that are converted at most, each of which takes several passes over it.
const MAX_OBJECTS: usize = 500;

/// A text and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The new text; the old one if nothing changed.
    pub text: Vec<u8>,
    /// The objects that were converted.
    pub changed: Vec<Change>,
    /// The objects of removed versions that were left as they are.
    pub left: Vec<Left>,
}

/// An object that was converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The line its document begins at, in the old text.
    pub line: usize,
    /// Its kind.
    pub kind: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its old version.
    pub from: String,
    /// Its new version.
    pub to: &'static str,
    /// What was added or removed beside the version, and why.
    pub notes: Vec<String>,
}

/// An object of a removed version that is left to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The line its document begins at, in the old text.
    pub line: usize,
    /// Its kind.
    pub kind: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// The facts about its version.
    pub removal: &'static Removal,
    /// The reason.
    pub why: String,
}

/// Rewrites the objects whose version is not served by a release of Kubernetes, named by its minor number.
///
/// Every object is read again afterwards: what the new text says is the converted object, or it stays as it was.
pub fn rewrite(text: &[u8], release: u32) -> Rewritten {
    let mut out = Rewritten { text: Vec::with_capacity(text.len()), changed: Vec::new(), left: Vec::new() };
    let mut at = 0;
    for document in stream::documents(text).flatten() {
        let subjects = subjects(&document, release);
        if subjects.is_empty() {
            continue;
        }
        let source = document.source();
        let start = document.start.offset;
        if let Some(new) = rewrite_document(&document, subjects, &mut out) {
            out.text.extend_from_slice(&text[at..start]);
            out.text.extend_from_slice(&new);
            at = start + source.len();
        }
    }
    out.text.extend_from_slice(&text[at..]);
    out
}

/// An object of a document whose version was removed.
struct Subject {
    at: Path,
    kind: String,
    name: String,
    removal: &'static Removal,
}

fn subjects(document: &Document<'_>, release: u32) -> Vec<Subject> {
    let top = Path::default();
    let items =
        document.value.get("items").and_then(Value::as_array).filter(|_| text_of(&document.value, "kind") == "List");
    let places: Vec<Path> = match items {
        Some(items) => (0..items.as_slice().len()).map(|index| top.key("items").index(index)).collect(),
        None => vec![top],
    };
    places.into_iter().filter_map(|at| subject(&document.value, at, release)).collect()
}

fn subject(document: &Value, at: Path, release: u32) -> Option<Subject> {
    let object = at.find(document)?;
    let (group, version) = text_of(object, "apiVersion").split_once('/')?;
    let kind = text_of(object, "kind").to_owned();
    let removal = removal(group, version, &kind).filter(|removal| removal.removed <= release)?;
    let name = object.get("metadata").map(|metadata| text_of(metadata, "name")).unwrap_or_default().to_owned();
    Some(Subject { at, kind, name, removal })
}

/// The new text of a document, if anything in it changed.
fn rewrite_document(document: &Document<'_>, subjects: Vec<Subject>, out: &mut Rewritten) -> Option<Vec<u8>> {
    let line = document.start.line;
    let mut new = document.source().to_vec();
    let mut value = document.value.clone();
    let mut is_changed = false;
    for (number, Subject { at, kind, name, removal }) in subjects.into_iter().enumerate() {
        let is_too_large = new.len() > MAX_DOCUMENT_BYTES || number >= MAX_OBJECTS;
        let converted = if is_too_large {
            Err("the document is too large".to_owned())
        } else {
            convert(&value, &at, removal, &kind).and_then(|conversion| {
                let (text, value) = carry_out(document, &new, &value, &conversion).ok_or(UNUSUAL)?;
                Ok((text, value, conversion.notes))
            })
        };
        match converted {
            Ok((text, object, notes)) => {
                new = text;
                value = object;
                is_changed = true;
                let from = removal.api_version();
                let to = removal.replacement.unwrap_or_default();
                out.changed.push(Change { line, kind, name, from, to, notes });
            }
            Err(why) => out.left.push(Left { line, kind, name, removal, why }),
        }
    }
    is_changed.then_some(new)
}

const UNUSUAL: &str = "its text is laid out in a way that is not rewritten";

/// Makes the changes of a conversion to a text and its value. Nothing if they differ afterwards.
fn carry_out(document: &Document<'_>, text: &[u8], value: &Value, conversion: &Conversion) -> Option<(Vec<u8>, Value)> {
    let mut new = text.to_vec();
    let mut expected = value.clone();
    for phase in conversion.phases.iter().filter(|phase| !phase.is_empty()) {
        new = text::apply(&new, document.format, phase)?;
        phase.iter().try_for_each(|op| op.apply(&mut expected))?;
    }
    let mut again = stream::documents(&new);
    let is_same = again.next()?.ok()?.value == expected && again.next().is_none();
    is_same.then_some((new, expected))
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

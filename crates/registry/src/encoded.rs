//! Objects as text: how they are stored, and how that text is served without being decoded.
//!
//! The text of every object begins with its version and kind and then its metadata, so that the resource version, which is
//! not stored, can be put in where the members of the metadata begin. Text is served as it is when it is what decoding and
//! encoding again would yield: in the version it is stored in, and found so once under the present generation of the
//! scheme.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use sprag_rest::{Definition, Result, meta};
use sprag_storage::{Entry, Revision};
use sprag_value::json::{Escape, write_int, write_string, write_value};
use sprag_value::{Array, Object, Value};

use crate::cache::{FIELDS, FIELDS_DEPTH, decode};
use crate::pipeline::WatchKind;
use crate::registry::Installed;

/// Capacity that a buffer keeps for the next object.
const KEPT_CAPACITY: usize = 64 << 10;
/// Maximum number and bytes of encoded watch events kept for other watches, of all resources together.
const MAX_RECENT: usize = 256;
const MAX_RECENT_BYTES: usize = 8 << 20;

const FIRST: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The text of an object in the store.
pub(crate) fn encode(object: &Value) -> Bytes {
    thread_local!(static BUFFER: RefCell<String> = const { RefCell::new(String::new()) });
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        write(object, buffer);
        let bytes = Bytes::copy_from_slice(buffer.as_bytes());
        buffer.shrink_to(KEPT_CAPACITY);
        bytes
    })
}

/// Appends the text of an object: its type and metadata, then the rest in order.
pub(crate) fn write(object: &Value, out: &mut String) {
    let Value::Object(members) = object else { return write_value(out, object, Escape::Plain) };
    let rest = members.iter().filter(|(key, _)| !FIRST.contains(&key.as_str()));
    let first = FIRST.iter().filter_map(|key| Some((*key, members.get(key)?)));
    write_members(first.chain(rest.map(|(key, value)| (key.as_str(), value))), out, |key, value, out| match key {
        "metadata" => write_metadata(value, out),
        _ => write_value(out, value, Escape::Plain),
    });
}

fn write_metadata(metadata: &Value, out: &mut String) {
    let Value::Object(members) = metadata else { return write_value(out, metadata, Escape::Plain) };
    let members = members.iter().map(|(key, value)| (key.as_str(), value));
    write_members(members, out, |key, value, out| match (key, value) {
        ("managedFields", Value::Array(managers)) => write_managers(managers, out),
        _ => write_value(out, value, Escape::Plain),
    });
}

fn write_managers(managers: &Array, out: &mut String) {
    let mut separator = '[';
    for manager in managers {
        out.push(separator);
        separator = ',';
        let Value::Object(members) = manager else {
            write_value(out, manager, Escape::Plain);
            continue;
        };
        let members = members.iter().map(|(key, value)| (key.as_str(), value));
        write_members(members, out, |key, value, out| match (key, value) {
            ("fieldsV1", Value::Object(fields)) => {
                FIELDS.with_borrow_mut(|known| known.write(out, fields, FIELDS_DEPTH));
            }
            _ => write_value(out, value, Escape::Plain),
        });
    }
    out.push_str(if managers.is_empty() { "[]" } else { "]" });
}

/// Appends members as an object, each value by a function that knows its key.
fn write_members<'v>(
    members: impl Iterator<Item = (&'v str, &'v Value)>,
    out: &mut String,
    write: impl Fn(&str, &Value, &mut String),
) {
    let mut separator = '{';
    for (key, value) in members {
        out.push(separator);
        separator = ',';
        write_string(out, key, Escape::Plain);
        out.push(':');
        write(key, value, out);
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
}

/// The encoded beginning of all objects of one kind and version, up to the members of metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prefix(Arc<[u8]>);

/// The text of an object as it was stored, without its resource version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    prefix: Prefix,
    entry: Arc<Entry>,
}

impl Line {
    pub(crate) fn new(prefix: &Prefix, entry: &Arc<Entry>) -> Line {
        Line { prefix: prefix.clone(), entry: entry.clone() }
    }

    /// The text with the resource version in it, and the end of a line.
    pub fn to_bytes(&self) -> Option<Bytes> {
        let mut line = Vec::new();
        self.prefix.splice(&self.entry.value, self.entry.revision, "\n", &mut line).then(|| line.into())
    }
}

impl Prefix {
    pub(crate) fn new(definition: &Definition) -> Prefix {
        let object = Object::from([
            ("apiVersion", Value::from(definition.api_version(&definition.storage_version))),
            ("kind", Value::from(definition.kind.as_str())),
            ("metadata", Value::object()),
        ]);
        let mut text = String::new();
        write(&Value::Object(object), &mut text);
        text.truncate(text.len() - "}}".len());
        Prefix(text.into_bytes().into())
    }

    /// Appends a stored text with a resource version in it and an end; says whether it could.
    fn splice(&self, text: &[u8], revision: Revision, end: &str, out: &mut Vec<u8>) -> bool {
        let Some(rest) = text.strip_prefix(&*self.0) else { return false };
        let mut version = String::with_capacity(48);
        version.push_str(r#""resourceVersion":""#);
        write_int(&mut version, i64::try_from(revision.0).unwrap_or(i64::MAX));
        version.push_str(if rest.first() == Some(&b'}') { "\"" } else { "\"," });
        out.reserve(text.len() + version.len() + end.len());
        for part in [&*self.0, version.as_bytes(), rest, end.as_bytes()] {
            out.extend_from_slice(part);
        }
        true
    }
}

impl Installed {
    /// Appends the object of an entry in a version, as of a revision.
    pub(crate) fn render(&self, version: &str, entry: &Entry, revision: Revision, out: &mut Vec<u8>) -> Result<()> {
        let definition = &*self.definition;
        let object = if version == definition.storage_version {
            let (verbatim, decoded) = self.is_verbatim(entry)?;
            if verbatim && self.prefix.splice(&entry.value, revision, "", out) {
                return Ok(());
            }
            decoded
        } else {
            None
        };
        let object = object.map_or_else(|| decode(definition, entry), Ok)?;
        let mut object = definition.convert_stored(object, version, entry.revision.0)?;
        meta::set_resource_version(&mut object, revision.0);
        out.extend_from_slice(&encode(&object));
        Ok(())
    }

    /// The bytes of an entry that have to be decoded to show it as text in a version; none where its text is known to be that.
    pub(crate) fn decoded_for_text(&self, version: &str, entry: &Entry) -> usize {
        let definition = &*self.definition;
        let is_text = version == definition.storage_version
            && self
                .cache
                .known(entry)
                .is_some_and(|index| index.verbatim(definition.scheme.generation()) == Some(true));
        if is_text { 0 } else { entry.value.len() }
    }

    /// Reports whether the text of an entry is what decoding and encoding it yields; returns the object too, if it had
    /// to be decoded.
    pub(crate) fn is_verbatim(&self, entry: &Entry) -> Result<(bool, Option<Value>)> {
        let definition = &*self.definition;
        let generation = definition.scheme.generation();
        let (index, decoded) = self.cache.find(definition, entry)?;
        if let Some(verbatim) = index.verbatim(generation) {
            return Ok((verbatim, decoded));
        }
        let object = decoded.map_or_else(|| decode(definition, entry), Ok)?;
        let mut stored = object.clone();
        meta::remove(&mut stored, "resourceVersion");
        let verbatim = encode(&stored) == entry.value;
        index.set_verbatim(generation, verbatim);
        Ok((verbatim, Some(object)))
    }

    /// The watch event of an entry, encoded once for all watches.
    pub(crate) fn line(&self, kind: WatchKind, version: &str, entry: &Entry, revision: Revision) -> Result<Bytes> {
        if let Some(line) = self.recent_line(kind, version, revision) {
            return Ok(line);
        }
        let mut line = Vec::with_capacity(entry.value.len() + 96);
        line.extend_from_slice(br#"{"type":""#);
        line.extend_from_slice(kind.name().as_bytes());
        line.extend_from_slice(br#"","object":"#);
        self.render(version, entry, revision, &mut line)?;
        line.extend_from_slice(b"}\n");
        let line = Bytes::from(line);
        let resource = self.prefix.clone();
        self.recent.keep(Recent { resource, kind, version: version.into(), revision, line: line.clone() });
        Ok(line)
    }

    /// The watch event of an entry, if another watch has sent it not long ago.
    pub(crate) fn recent_line(&self, kind: WatchKind, version: &str, revision: Revision) -> Option<Bytes> {
        self.recent.find(&self.prefix, kind, version, revision)
    }
}

/// A line of a watch that other watches of the same objects can send as well.
struct Recent {
    /// The resource, by what its objects begin with: nothing else has the same one.
    resource: Prefix,
    kind: WatchKind,
    version: Arc<str>,
    revision: Revision,
    line: Bytes,
}

/// The lines that watches sent last, of all resources.
#[derive(Default)]
pub(crate) struct RecentLines(Mutex<(VecDeque<Recent>, usize)>);

impl RecentLines {
    fn find(&self, resource: &Prefix, kind: WatchKind, version: &str, revision: Revision) -> Option<Bytes> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |line: &&Recent| {
            line.revision == revision
                && Arc::ptr_eq(&line.resource.0, &resource.0)
                && line.kind == kind
                && *line.version == *version
        };
        recent.0.iter().rev().find(same).map(|recent| recent.line.clone())
    }

    fn keep(&self, line: Recent) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (lines, bytes) = &mut *recent;
        *bytes += line.line.len();
        lines.push_back(line);
        while lines.len() > MAX_RECENT || *bytes > MAX_RECENT_BYTES {
            let Some(oldest) = lines.pop_front() else { break };
            *bytes -= oldest.line.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn type_and_metadata_come_first() {
        let check = |text: &str, expected: &str| {
            let object = json::parse(text.as_bytes()).unwrap();
            assert_eq!(encode(&object), expected);
            assert_eq!(json::parse(expected.as_bytes()).unwrap(), object);
        };
        check(
            r#"{"data":{"a":"<"},"kind":"K","metadata":{"name":"n"},"apiVersion":"v1"}"#,
            r#"{"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"data":{"a":"<"}}"#,
        );
        check("{}", "{}");
        check("7", "7");
    }

    #[test]
    fn a_resource_version_is_put_in() {
        let prefix = Prefix(br#"{"kind":"K","metadata":{"#.as_slice().into());
        let spliced = |text: &str| {
            let mut out = Vec::new();
            prefix.splice(text.as_bytes(), Revision(7), "", &mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(
            spliced(r#"{"kind":"K","metadata":{"name":"n"}}"#).unwrap(),
            r#"{"kind":"K","metadata":{"resourceVersion":"7","name":"n"}}"#
        );
        assert_eq!(
            spliced(r#"{"kind":"K","metadata":{}}"#).unwrap(),
            r#"{"kind":"K","metadata":{"resourceVersion":"7"}}"#
        );
        assert_eq!(spliced(r#"{"kind":"L","metadata":{}}"#), None);
    }

    #[test]
    fn recent_lines_are_few() {
        let recent = RecentLines::default();
        let prefix = Prefix(b"{".as_slice().into());
        let keep = |revision: u64, size: usize| {
            let line = Bytes::from(vec![b' '; size]);
            let revision = Revision(revision);
            recent.keep(Recent {
                resource: prefix.clone(),
                kind: WatchKind::Added,
                version: "v1".into(),
                revision,
                line,
            });
        };
        for revision in 0..=MAX_RECENT as u64 {
            keep(revision, 1);
        }
        let has = |revision: u64| recent.find(&prefix, WatchKind::Added, "v1", Revision(revision)).is_some();
        assert!(!has(0) && has(1) && has(MAX_RECENT as u64));
        assert!(recent.find(&prefix, WatchKind::Modified, "v1", Revision(1)).is_none());
        assert!(recent.find(&prefix, WatchKind::Added, "v2", Revision(1)).is_none());
        let of_another = Prefix(b"{".as_slice().into());
        assert!(recent.find(&of_another, WatchKind::Added, "v1", Revision(1)).is_none());
        keep(1000, MAX_RECENT_BYTES + 1);
        assert!(!has(1000) && !has(1));
    }
}

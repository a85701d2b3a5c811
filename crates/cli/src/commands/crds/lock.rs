//! `lock.yaml`: which definitions are kept, where they come from, and what they were.

use std::fmt::Write as _;

use anyhow::bail;
use ring::digest::{SHA256, digest};
use sprag_analysis::Definition;
use sprag_decode::yaml;
use sprag_value::{Array, Object, Value};

use super::text_at;

const API_VERSION: &str = "sprag.dev/v1alpha1";
const KIND: &str = "DefinitionsLock";

/// The file.
#[derive(Debug, Default)]
pub(super) struct Lock {
    /// By name.
    pub(super) entries: Vec<Entry>,
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Its file in the folder.
    pub(super) file: String,
    /// The versions that it serves.
    pub(super) versions: Vec<String>,
    /// The place it was added from.
    pub(super) source: String,
    /// Of the file's bytes.
    pub(super) digest: String,
}

impl Entry {
    pub(super) fn new(definition: &Definition, source: &str, text: &str) -> Entry {
        let crd = definition.crd();
        let name = format!("{}.{}", crd.names.plural, crd.group);
        let versions = crd.versions.iter().filter(|version| version.served);
        Entry {
            file: format!("{name}.yaml"),
            name,
            versions: versions.map(|version| version.name.to_string()).collect(),
            source: source.to_owned(),
            digest: digest_of(text.as_bytes()),
        }
    }
}

/// The digest of a file.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    let mut text = String::from("sha256:");
    for byte in digest(&SHA256, bytes).as_ref() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Lock {
    /// Adds a definition, in place of the one of its name; says what that is.
    pub(super) fn put(&mut self, entry: Entry) -> &'static str {
        match self.entries.binary_search_by(|known| known.name.cmp(&entry.name)) {
            Ok(at) => {
                let is_same = self.entries[at].digest == entry.digest;
                self.entries[at] = entry;
                if is_same { "unchanged" } else { "updated" }
            }
            Err(at) => {
                self.entries.insert(at, entry);
                "added"
            }
        }
    }

    pub(super) fn read(bytes: &[u8]) -> anyhow::Result<Lock> {
        let value = yaml::decode(bytes)?;
        if text_at(&value, "apiVersion") != API_VERSION || text_at(&value, "kind") != KIND {
            bail!("apiVersion must be {API_VERSION} and kind {KIND}");
        }
        let list = value.get("definitions").and_then(Value::as_array).map(Array::as_slice).unwrap_or_default();
        let mut entries: Vec<Entry> = list.iter().map(entry_of).collect();
        if let Some(entry) = entries.iter().find(|entry| !is_file_name(&entry.file)) {
            bail!("{:?} is not the name of a file in the folder", entry.file);
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Lock { entries })
    }

    pub(super) fn text(&self) -> String {
        let definitions: Value = self.entries.iter().map(value_of).collect();
        let lock = Object::from([
            ("apiVersion", Value::from(API_VERSION)),
            ("kind", Value::from(KIND)),
            ("definitions", definitions),
        ]);
        format!(
            "# Written by `sprag crds add`; `sprag crds check` compares.\n{}",
            yaml::to_string(&Value::Object(lock))
        )
    }
}

fn entry_of(value: &Value) -> Entry {
    let versions = value.get("versions").and_then(Value::as_array).map(Array::as_slice).unwrap_or_default();
    Entry {
        name: text_at(value, "name").to_owned(),
        file: text_at(value, "file").to_owned(),
        versions: versions.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        source: text_at(value, "source").to_owned(),
        digest: text_at(value, "digest").to_owned(),
    }
}

fn value_of(entry: &Entry) -> Value {
    Value::Object(Object::from([
        ("name", Value::from(entry.name.as_str())),
        ("file", Value::from(entry.file.as_str())),
        ("versions", entry.versions.iter().map(String::as_str).collect()),
        ("source", Value::from(entry.source.as_str())),
        ("digest", Value::from(entry.digest.as_str())),
    ]))
}

/// True if a name stays in the folder.
pub(super) fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']) && !name.contains(char::is_control)
}

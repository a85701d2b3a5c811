//! `OpenAPI` documents, built on first request and cached until their definitions change.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use sprag_rest::Definition;
use sprag_value::{Value, json};

use super::typed::CoreTypes;
use super::v2::Part;
use super::v3::document_path;
use super::{Options, openapi_v3, openapi_v3_index, proto, v2};
use crate::groups::{of_group, served_groups, served_versions};
use crate::hash::content_hash;
use crate::resources::served;

/// A document as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The text of JSON, or protobuf. All answers share it.
    pub bytes: Bytes,
    /// The hash of the bytes: the entity tag, without quotes, and what URLs of the index carry.
    pub hash: String,
    /// The same in compressed form, if it can be had.
    compressed: OnceLock<Option<Bytes>>,
}

/// The documents of a set of definitions.
pub struct Documents {
    definitions: Vec<Arc<Definition>>,
    options: Options,
    versions: BTreeMap<String, Arc<Entry>>,
    index: OnceLock<Arc<Document>>,
    everything: OnceLock<Arc<Document>>,
    everything_in_protobuf: OnceLock<Arc<Document>>,
}

/// The document of one version of a group.
struct Entry {
    group: String,
    version: String,
    /// The definitions that the document describes.
    definitions: Vec<Arc<Definition>>,
    document: OnceLock<Arc<Document>>,
    in_protobuf: OnceLock<Arc<Document>>,
    /// Its part of the combined document.
    part: OnceLock<Part>,
}

impl Document {
    fn of(bytes: Vec<u8>) -> Document {
        Document::with_hash(content_hash(&bytes), bytes)
    }

    fn with_hash(hash: String, bytes: Vec<u8>) -> Document {
        Document { bytes: bytes.into(), hash, compressed: OnceLock::new() }
    }

    /// The bytes in compressed form, made for the first answer that needs it.
    pub fn compressed(&self, compress: impl FnOnce(&[u8]) -> Option<Bytes>) -> Option<Bytes> {
        self.compressed.get_or_init(|| compress(&self.bytes)).clone()
    }

    fn of_json(value: &Value) -> Document {
        Document::of(json::to_string(value).into_bytes())
    }
}

impl Documents {
    /// The documents of these definitions; none is made yet.
    pub fn new(definitions: Vec<Arc<Definition>>, options: Options) -> Documents {
        Documents::after(None, definitions, options)
    }

    /// The documents after some definitions have changed; those of versions that have not are kept.
    #[must_use]
    pub fn update(&self, definitions: Vec<Arc<Definition>>) -> Documents {
        Documents::after(Some(self), definitions, self.options.clone())
    }

    fn after(before: Option<&Documents>, definitions: Vec<Arc<Definition>>, options: Options) -> Documents {
        let mut versions = BTreeMap::new();
        for group in std::iter::once("").chain(served_groups(&definitions)) {
            for version in served_versions(&definitions, group) {
                let path = document_path(group, version);
                let entry = Entry::new(&definitions, group, version);
                let kept =
                    before.and_then(|before| before.versions.get(&path)).filter(|old| old.tells_of(&entry.definitions));
                versions.insert(path, kept.cloned().unwrap_or_else(|| Arc::new(entry)));
            }
        }
        Documents {
            definitions,
            options,
            versions,
            index: OnceLock::new(),
            everything: OnceLock::new(),
            everything_in_protobuf: OnceLock::new(),
        }
    }

    /// True if these are still the definitions.
    pub fn tell_of(&self, definitions: &[Arc<Definition>]) -> bool {
        self.definitions.len() == definitions.len()
            && self.definitions.iter().zip(definitions).all(|(cached, now)| Arc::ptr_eq(cached, now))
    }

    /// The document at `/openapi/v3/<path>`: `api/v1` or `apis/<group>/<version>`.
    pub fn v3(&self, path: &str) -> Option<Arc<Document>> {
        let entry = self.versions.get(path)?;
        let document = entry.document.get_or_init(|| {
            let value = openapi_v3(&self.definitions, &entry.group, &entry.version, &self.options);
            Arc::new(Document::of_json(&value.unwrap_or_default()))
        });
        Some(document.clone())
    }

    /// The same in protobuf: gnostic's `openapi.v3.Document`. It has the hash of the document in JSON.
    // As upstream's handler3.newOpenAPIV3Group.
    pub fn v3_protobuf(&self, path: &str) -> Option<Arc<Document>> {
        let entry = self.versions.get(path)?;
        let document = self.v3(path)?;
        let encode = || {
            let value = json::parse(&document.bytes).unwrap_or_default();
            Arc::new(Document::with_hash(document.hash.clone(), proto::encode_v3(&value)))
        };
        Some(entry.in_protobuf.get_or_init(encode).clone())
    }

    /// The document at `/openapi/v3`. All others of version 3 are made for their hashes.
    pub fn index(&self) -> Arc<Document> {
        let hash = |group: &str, version: &str| Some(self.v3(&document_path(group, version))?.hash.clone());
        self.index.get_or_init(|| Arc::new(Document::of_json(&openapi_v3_index(&self.definitions, hash)))).clone()
    }

    /// The document at `/openapi/v2`. What versions of groups add to it is kept while they do not change.
    pub fn v2(&self) -> Arc<Document> {
        let put_together = || {
            let core = CoreTypes::of(&self.definitions);
            let part = |entry: &Entry| {
                let served = served(&entry.definitions, &entry.group, &entry.version);
                Part::new(served, &core, &self.options)
            };
            let parts = self.versions.values().map(|entry| entry.part.get_or_init(|| part(entry)));
            Arc::new(Document::of(v2::document(parts, &self.options).into_bytes()))
        };
        self.everything.get_or_init(put_together).clone()
    }

    /// The document at `/openapi/v2` in protobuf: gnostic's `openapi.v2.Document`.
    pub fn v2_protobuf(&self) -> Arc<Document> {
        let encode = || {
            let value = json::parse(&self.v2().bytes).unwrap_or_default();
            Arc::new(Document::of(proto::encode(&value)))
        };
        self.everything_in_protobuf.get_or_init(encode).clone()
    }
}

impl Entry {
    fn new(definitions: &[Arc<Definition>], group: &str, version: &str) -> Entry {
        let is_told = |definition: &&Arc<Definition>| definition.version(version).is_some_and(|version| version.served);
        Entry {
            group: group.to_owned(),
            version: version.to_owned(),
            definitions: of_group(definitions, group).iter().filter(is_told).cloned().collect(),
            document: OnceLock::new(),
            in_protobuf: OnceLock::new(),
            part: OnceLock::new(),
        }
    }

    fn tells_of(&self, definitions: &[Arc<Definition>]) -> bool {
        self.definitions.len() == definitions.len()
            && self.definitions.iter().zip(definitions).all(|(old, new)| Arc::ptr_eq(old, new))
    }
}

//! The definitions of custom resources that objects are judged by.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use sprag_schema::CustomResource;
use sprag_schema::crd::{Crd, ReadError};
use sprag_value::Value;

use super::definition::{is_definition, read};
use super::{Document, Documents};
use crate::input::{Batch, Batches, Found};
use crate::report::Identity;
use crate::workers;

/// Definitions by group and kind.
#[derive(Default)]
pub(crate) struct Catalog {
    definitions: BTreeMap<(String, String), Definition>,
}

/// A definition, compiled when it is first needed.
pub(crate) struct Definition {
    source: Value,
    crd: Crd,
    versions: OnceLock<Vec<CustomResource>>,
}

impl Definition {
    /// Reads a definition.
    pub(crate) fn read(source: &Value) -> Result<Definition, ReadError> {
        Ok(Definition { crd: read(source)?, source: source.clone(), versions: OnceLock::new() })
    }

    /// The definition as it was written.
    pub(crate) fn source(&self) -> &Value {
        &self.source
    }

    pub(crate) fn crd(&self) -> &Crd {
        &self.crd
    }

    /// The version with this name, or why there is none.
    pub(crate) fn version(&self, name: &str) -> Result<&CustomResource, String> {
        let versions = self.versions.get_or_init(|| {
            CustomResource::versions(&self.crd).into_iter().map(CustomResource::listing_forgiven).collect()
        });
        let index = self.crd.versions.iter().position(|version| version.name.as_str() == name && version.served);
        index.and_then(|index| versions.get(index)).ok_or_else(|| self.no_version(name))
    }

    /// kubectl's words, and what would have been fine.
    fn no_version(&self, name: &str) -> String {
        let Crd { group, names, versions, .. } = &self.crd;
        let served: Vec<&str> =
            versions.iter().filter(|version| version.served).map(|version| version.name.as_str()).collect();
        format!("no matches for kind \"{}\" in version \"{group}/{name}\"; served: {}", names.kind, served.join(", "))
    }
}

impl Catalog {
    /// Reads definitions from the given files, and from the manifests those that the given files do not have.
    pub(crate) fn read(given: Vec<Found>, manifests: &[Found], remarks: &mut Vec<String>) -> Catalog {
        let mut catalog = Catalog::default();
        for (file, definition) in definitions(given, true, remarks) {
            let (key, name) = (key(&definition.crd), definition.crd.names.kind.to_string());
            if catalog.definitions.insert(key, definition).is_some() {
                remarks.push(format!("{file}: {name} is defined again"));
            }
        }
        for (_, definition) in definitions(manifests.to_vec(), false, remarks) {
            catalog.definitions.entry(key(&definition.crd)).or_insert(definition);
        }
        catalog
    }

    /// The definition of a kind.
    pub(crate) fn find(&self, group: &str, kind: &str) -> Option<&Definition> {
        // The core group has no custom resources.
        if group.is_empty() { None } else { self.definitions.get(&(group.to_owned(), kind.to_owned())) }
    }

    /// All definitions, by group and kind.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }
}

fn key(crd: &Crd) -> (String, String) {
    (crd.group.to_string(), crd.names.kind.to_string())
}

/// The definitions in files. Files that were given as definitions are remarked on when they cannot be read; manifests are
/// judged later anyway.
fn definitions(files: Vec<Found>, is_given: bool, remarks: &mut Vec<String>) -> Vec<(String, Definition)> {
    let mut all = Vec::new();
    let never = workers::in_order(
        workers::all_cores(),
        Batches::new(files),
        |batch| of_batch(&batch),
        |(file, found, problems)| {
            all.extend(found.into_iter().map(|definition| (file.clone(), definition)));
            if is_given {
                remarks.extend(problems.into_iter().map(|problem| format!("{file}: {problem}")));
            }
            Ok::<(), std::convert::Infallible>(())
        },
    );
    match never {
        Ok(()) => all,
    }
}

fn of_batch(batch: &Batch) -> (String, Vec<Definition>, Vec<String>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    match &batch.content {
        Err(reason) => problems.push(reason.clone()),
        // Most manifests have no definition; those need not be read twice.
        Ok(bytes) if !has_definition(bytes) => {}
        Ok(bytes) => {
            for document in Documents::new(bytes, batch.line) {
                of_document(&document, &mut found, &mut problems);
            }
        }
    }
    (batch.file.to_string(), found, problems)
}

fn of_document(document: &Document<'_>, found: &mut Vec<Definition>, problems: &mut Vec<String>) {
    let objects = match document.objects() {
        Ok(objects) => objects,
        Err(finding) => return problems.push(finding.message),
    };
    for object in objects.iter().filter(|object| is_definition(&Identity::of(&object.value))) {
        match Definition::read(&object.value) {
            Ok(definition) => found.push(definition),
            Err(error) => problems.push(error.to_string()),
        }
    }
}

fn has_definition(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, sprag_schema::crd::KIND.as_bytes()).is_some()
}

//! The definitions of custom resources that objects are judged by.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sprag_rest::ResourceInfo;
use sprag_schema::crd::{Crd, ReadError, prepare};
use sprag_value::Value;

use super::definition::is_definition;
use super::{Document, Documents, OFFLINE};
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
    /// The source with its defaults.
    complete: Value,
    crd: Crd,
    resource: OnceLock<Arc<ResourceInfo>>,
}

impl Definition {
    /// Reads a definition.
    pub(crate) fn read(source: &Value) -> Result<Definition, ReadError> {
        let mut complete = source.clone();
        prepare::set_defaults(&mut complete);
        Ok(Definition { crd: Crd::read(&complete)?, source: source.clone(), complete, resource: OnceLock::new() })
    }

    /// The definition as it was written.
    pub(crate) fn source(&self) -> &Value {
        &self.source
    }

    pub(crate) fn crd(&self) -> &Crd {
        &self.crd
    }

    /// The resource that it defines.
    pub(crate) fn resource(&self) -> &Arc<ResourceInfo> {
        self.resource
            .get_or_init(|| OFFLINE.resource(sprag_custom::resource_of(&self.crd, &self.complete, OFFLINE.gates())))
    }

    /// Refuses a version that is not served.
    pub(crate) fn check_version(&self, name: &str) -> Result<(), String> {
        let is_served = self.crd.versions.iter().any(|version| version.name.as_str() == name && version.served);
        if is_served { Ok(()) } else { Err(self.no_version(name)) }
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

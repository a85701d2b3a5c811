//! The definitions of custom resources that objects are judged by.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use anyhow::bail;
use sprag_rest::ResourceInfo;
use sprag_schema::crd::{Crd, ReadError, prepare};
use sprag_value::Value;

use super::definition::{is_definition, refusals};
use super::{Document, Documents, OFFLINE, Object};
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
    /// The file it is in.
    file: Arc<str>,
    source: Value,
    /// The source with its defaults.
    complete: Value,
    crd: Crd,
    resource: OnceLock<Arc<ResourceInfo>>,
}

impl Definition {
    /// Reads a definition of a file.
    fn read(source: &Value, file: &Arc<str>) -> Result<Definition, ReadError> {
        let mut complete = source.clone();
        prepare::set_defaults(&mut complete);
        let (crd, file) = (Crd::read(&complete)?, file.clone());
        Ok(Definition { file, crd, source: source.clone(), complete, resource: OnceLock::new() })
    }

    /// The name of the file that it is in.
    pub(crate) fn file(&self) -> &Arc<str> {
        &self.file
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
            .get_or_init(|| OFFLINE.resource(sprag_crd::resource_of(&self.crd, &self.complete, OFFLINE.gates())))
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

/// The selection of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// Those that the API server takes; any other is an error.
    Accepted,
    /// All that can be read; what cannot be read is an error.
    Readable,
    /// All readable definitions. Errors of the others are reported elsewhere.
    Any,
}

impl Catalog {
    /// Reads definitions from files.
    pub(crate) fn read(files: Vec<Found>, take: Take, warnings: &mut Vec<String>) -> anyhow::Result<Catalog> {
        let mut catalog = Catalog::default();
        for definition in definitions(files, take)? {
            let (file, name) = (definition.file.clone(), definition.crd.names.kind.to_string());
            if catalog.definitions.insert(key(&definition.crd), definition).is_some() {
                warnings.push(format!("{file}: {name} is defined again"));
            }
        }
        Ok(catalog)
    }

    /// The definitions among manifests, which are judged anyway: the first one of each kind.
    pub(crate) fn among(manifests: Vec<Found>) -> Catalog {
        let mut catalog = Catalog::default();
        for definition in read_all(manifests, Take::Any).0 {
            catalog.definitions.entry(key(&definition.crd)).or_insert(definition);
        }
        catalog
    }

    /// True if there are no definitions.
    pub(crate) fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// The kinds of a group that are defined.
    pub(super) fn kinds<'c>(&'c self, group: &'c str) -> impl Iterator<Item = &'c str> {
        self.definitions.keys().filter(move |(known, _)| known == group).map(|(_, kind)| kind.as_str())
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

/// The definitions in files, in their order; an error lists everything that is wrong.
fn definitions(files: Vec<Found>, take: Take) -> anyhow::Result<Vec<Definition>> {
    let (all, problems) = read_all(files, take);
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(all)
}

/// The definitions in files, in their order, and what is wrong with others.
fn read_all(files: Vec<Found>, take: Take) -> (Vec<Definition>, Vec<String>) {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    let never = workers::in_order(
        workers::all_cores(),
        Batches::new(files).heaps(),
        |heap| heap.iter().map(|batch| of_batch(batch, take)).collect::<Vec<_>>(),
        |heap| {
            for (found, found_problems) in heap {
                all.extend(found);
                problems.extend(found_problems);
            }
            Ok::<(), std::convert::Infallible>(())
        },
    );
    let Ok(()) = never;
    (all, problems)
}

fn of_batch(batch: &Batch, take: Take) -> (Vec<Definition>, Vec<String>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    match &batch.content {
        Err(reason) => problems.push(format!("{}: {reason}", batch.file)),
        // Most manifests have no definition; those need not be read twice.
        Ok(bytes) if !has_definition(bytes) => {}
        Ok(bytes) => {
            for document in Documents::new(bytes, batch.line) {
                of_document(&document, &batch.file, take, &mut found, &mut problems);
            }
        }
    }
    (found, problems)
}

fn of_document(
    document: &Document<'_>,
    file: &Arc<str>,
    take: Take,
    found: &mut Vec<Definition>,
    problems: &mut Vec<String>,
) {
    let objects = match document.objects() {
        Ok(objects) => objects,
        Err(finding) => {
            let line = finding.place.map(|place| format!(":{}", place.line)).unwrap_or_default();
            return problems.push(format!("{file}{line}: {}", finding.message));
        }
    };
    for object in objects.iter().filter(|object| is_definition(&Identity::of(&object.value))) {
        let mut problem = |field: &str, text: &str| problems.push(format!("{}: {text}", position(file, object, field)));
        if take == Take::Accepted {
            let name = Identity::of(&object.value).name;
            for (field, text) in refusals(object) {
                problem(&field, &format!("the API server would refuse the definition {name}: {text}"));
            }
        }
        match Definition::read(&object.value, file) {
            Ok(definition) => found.push(definition),
            Err(error) => problem("", &error.to_string()),
        }
    }
}

/// The file and line of a field.
fn position(file: &str, object: &Object<'_, '_>, field: &str) -> String {
    match object.place(field) {
        Some(place) => format!("{file}:{}", place.line),
        None => file.to_owned(),
    }
}

fn has_definition(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, sprag_schema::crd::KIND.as_bytes()).is_some()
}

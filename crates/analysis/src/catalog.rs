//! The definitions of custom resources that objects are judged by.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sprag_rest::{Outcome, Release, ResourceInfo};
use sprag_schema::crd::{Crd, ReadError, prepare};
use sprag_value::Value;

use crate::batch::{Batch, Batches};
use crate::built_in::BuiltIn;
use crate::definition::{is_definition, is_stored, judge, refusals};
use crate::document::{Document, Documents, Object};
use crate::finding::Origin;
use crate::known::Known;
use crate::report::Identity;
use crate::snapshot::SnapshotError;
use crate::source::Source;
use crate::workers;

/// The verdict on a definition.
type Judged = sprag_rest::Result<Outcome>;

/// Definitions by group and kind, in the order they were found in.
///
/// Of several definitions of one kind, the first that the API server accepts and that serves the version of an object is its owner.
#[derive(Clone, Default)]
pub struct Catalog {
    definitions: BTreeMap<(String, String), Vec<Arc<Definition>>>,
}

/// A definition, compiled when it is first needed.
pub struct Definition {
    /// The file it is in.
    file: Arc<str>,
    source: Value,
    /// The source with its defaults.
    complete: Value,
    crd: Crd,
    /// The resource that it defines, by release.
    resource: [OnceLock<Arc<ResourceInfo>>; Release::ALL.len()],
    /// The verdict of the API server on it as a new one, by release.
    outcome: [OnceLock<Judged>; Release::ALL.len()],
    /// True if the API server of a release accepts it.
    is_accepted: [OnceLock<bool>; Release::ALL.len()],
}

impl Definition {
    /// Reads a definition of a file.
    pub(crate) fn read(source: &Value, file: &Arc<str>) -> Result<Definition, ReadError> {
        let mut complete = source.clone();
        prepare::set_defaults(&mut complete);
        let crd = Crd::read(&complete)?;
        Ok(Definition {
            file: file.clone(),
            source: source.clone(),
            complete,
            crd,
            resource: Default::default(),
            outcome: Default::default(),
            is_accepted: Default::default(),
        })
    }

    /// The same, not compiled yet: for other gates or another release.
    #[must_use]
    pub fn renewed(&self) -> Definition {
        Definition {
            file: self.file.clone(),
            source: self.source.clone(),
            complete: self.complete.clone(),
            crd: self.crd.clone(),
            resource: Default::default(),
            outcome: Default::default(),
            is_accepted: Default::default(),
        }
    }

    /// The name of the file that it is in.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The definition as it was written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The definition as it is read.
    pub fn crd(&self) -> &Crd {
        &self.crd
    }

    /// The resource that it defines. All calls for a release have to be with the same gates.
    pub fn resource(&self, built_in: &BuiltIn) -> &Arc<ResourceInfo> {
        let offline = built_in.offline();
        let define = || offline.resource(sprag_crd::resource_of(&self.crd, &self.complete, offline.gates()));
        self.resource[built_in.release() as usize].get_or_init(define)
    }

    /// The resource of an object in its version, which has to be served.
    pub(crate) fn known<'a>(&'a self, identity: &'a Identity, built_in: &'a BuiltIn) -> Result<Known<'a>, String> {
        self.check_version(identity.version())?;
        Ok(self.known_as(identity.version(), built_in))
    }

    /// The same in any version.
    pub(crate) fn known_as<'a>(&'a self, version: &'a str, built_in: &'a BuiltIn) -> Known<'a> {
        let resource = self.resource(built_in);
        Known { offline: built_in.offline(), resource, version, origin: Origin::Schema }
    }

    /// Refuses a version that is not served.
    pub fn check_version(&self, name: &str) -> Result<(), String> {
        if self.serves(name) { Ok(()) } else { Err(self.no_version(name)) }
    }

    fn serves(&self, name: &str) -> bool {
        self.crd.versions.iter().any(|version| version.name.as_str() == name && version.served)
    }

    /// The verdict of the API server on it as a new one; none for one that comes from a server.
    pub(crate) fn outcome(&self, built_in: &BuiltIn) -> Option<&Judged> {
        let judge = || judge(&self.source, None, built_in);
        (!is_stored(&self.source)).then(|| self.outcome[built_in.release() as usize].get_or_init(judge))
    }

    fn is_accepted(&self, built_in: &BuiltIn) -> bool {
        let accepts = || match self.outcome(built_in) {
            Some(outcome) => outcome.as_ref().is_ok_and(|outcome| outcome.judged.errors.is_empty()),
            None => refusals(&Object::detached(self.source.clone()), built_in).is_empty(),
        };
        *self.is_accepted[built_in.release() as usize].get_or_init(accepts)
    }

    /// The versions that it serves, for people.
    pub fn served_versions(&self) -> String {
        let served = self.crd.versions.iter().filter(|version| version.served);
        served.map(|version| version.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// kubectl's words, and what would have been fine.
    fn no_version(&self, name: &str) -> String {
        let Crd { group, names, .. } = &self.crd;
        let served = self.served_versions();
        format!("no matches for kind \"{}\" in version \"{group}/{name}\"; served: {served}", names.kind)
    }
}

/// The selection of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Those that the API server takes; any other is an error.
    Accepted,
    /// All that can be read; what cannot be read is an error.
    Readable,
    /// All readable definitions. Errors of the others are reported elsewhere.
    Any,
}

impl Catalog {
    /// Reads the definitions of a source with so many threads.
    pub fn read(
        source: &dyn Source,
        take: Take,
        built_in: &BuiltIn,
        threads: usize,
        warnings: &mut Vec<String>,
    ) -> Result<Catalog, SnapshotError> {
        let (definitions, problems) = Reading { take, built_in, threads }.all(source);
        if !problems.is_empty() {
            return Err(SnapshotError::Definitions(problems));
        }
        let catalog = Catalog::of(definitions);
        warnings.extend(catalog.definitions.values().filter_map(|all| doubled(all)));
        Ok(catalog)
    }

    /// Takes definitions in the order of their files.
    pub fn of(definitions: impl IntoIterator<Item = Arc<Definition>>) -> Catalog {
        let mut catalog = Catalog::default();
        for definition in definitions {
            let all = catalog.definitions.entry(key(&definition.crd)).or_default();
            // The same definition twice is one.
            if all.iter().all(|known| known.source != definition.source) {
                all.push(definition);
            }
        }
        catalog
    }

    /// The definitions among manifests, which are judged anyway.
    pub fn among(manifests: &dyn Source, built_in: &BuiltIn, threads: usize) -> Catalog {
        Catalog::of(Catalog::definitions_among(manifests, built_in, threads))
    }

    /// The same in the order of the manifests, for those who keep them by file.
    pub fn definitions_among(manifests: &dyn Source, built_in: &BuiltIn, threads: usize) -> Vec<Arc<Definition>> {
        Reading { take: Take::Any, built_in, threads }.all(manifests).0
    }

    /// Notes on kinds that objects were judged by and that are defined in other ways, too.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let is_used = |all: &&Vec<Arc<Definition>>| {
            all.iter().any(|definition| definition.resource.iter().any(|resource| resource.get().is_some()))
        };
        self.definitions.values().filter(is_used).filter_map(|all| doubled(all))
    }

    /// True if there are no definitions.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// The kinds of a group that are defined.
    pub(crate) fn kinds<'c>(&'c self, group: &'c str) -> impl Iterator<Item = &'c str> {
        self.definitions.keys().filter(move |(known, _)| known == group).map(|(_, kind)| kind.as_str())
    }

    /// The first definition of a kind.
    pub fn find(&self, group: &str, kind: &str) -> Option<&Definition> {
        self.candidates(group, kind).first().map(Arc::as_ref)
    }

    /// The owner of an object's kind among these definitions and others; if nothing serves its version, the first definition that the
    /// API server accepts.
    pub(crate) fn owner<'c>(
        &'c self,
        others: &'c Catalog,
        identity: &Identity,
        built_in: &BuiltIn,
    ) -> Option<&'c Definition> {
        let accepted = || {
            let of = |catalog: &'c Catalog| catalog.candidates(identity.group(), &identity.kind).iter();
            of(self).chain(of(others)).map(Arc::as_ref).filter(|definition| definition.is_accepted(built_in))
        };
        accepted().find(|definition| definition.serves(identity.version())).or_else(|| accepted().next())
    }

    fn candidates(&self, group: &str, kind: &str) -> &[Arc<Definition>] {
        // The core group has no custom resources.
        if group.is_empty() {
            return &[];
        }
        self.definitions.get(&(group.to_owned(), kind.to_owned())).map(Vec::as_slice).unwrap_or_default()
    }

    /// The definition that an object is.
    pub(crate) fn same(&self, object: &Value) -> Option<&Definition> {
        let text = |path: &[&str]| object.lookup(path).and_then(Value::as_str).unwrap_or_default();
        let all = self.candidates(text(&["spec", "group"]), text(&["spec", "names", "kind"]));
        all.iter().find(|definition| definition.source == *object).map(Arc::as_ref)
    }

    /// The first definition of each kind, by group and kind.
    pub fn all(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values().filter_map(|all| all.first()).map(Arc::as_ref)
    }
}

/// The note on a kind that is defined in several ways.
fn doubled(all: &[Arc<Definition>]) -> Option<String> {
    let (first, others) = all.split_first()?;
    let spec = |definition: &Arc<Definition>| definition.complete.get("spec").cloned();
    let other = others.iter().find(|other| spec(other) != spec(first))?;
    let Crd { group, names, .. } = &first.crd;
    let text = "each object counts by the first that the API server accepts and that serves its version";
    Some(format!("{} ({group}) is defined in {} and otherwise in {}: {text}", names.kind, first.file, other.file))
}

fn key(crd: &Crd) -> (String, String) {
    (crd.group.to_string(), crd.names.kind.to_string())
}

/// The way in which definitions are read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    take: Take,
    built_in: &'a BuiltIn,
    threads: usize,
}

/// Definitions, and what is wrong with others.
type Found = (Vec<Arc<Definition>>, Vec<String>);

impl Reading<'_> {
    /// The definitions of a source, in their order.
    fn all(&self, source: &dyn Source) -> Found {
        let mut all = Found::default();
        let never = workers::in_order(
            self.threads,
            Batches::of(source).chunks(),
            |chunk| chunk.iter().map(|batch| self.of_batch(batch)).collect::<Vec<_>>(),
            |chunk| {
                for (definitions, problems) in chunk {
                    all.0.extend(definitions);
                    all.1.extend(problems);
                }
                Ok::<(), std::convert::Infallible>(())
            },
        );
        let Ok(()) = never;
        all
    }

    fn of_batch(&self, batch: &Batch) -> Found {
        let mut found = Found::default();
        match &batch.content {
            Err(reason) => found.1.push(format!("{}: {reason}", batch.file)),
            // Most manifests have no definition; those need not be read twice.
            Ok(bytes) if !has_definition(bytes) => {}
            Ok(bytes) => {
                for document in Documents::new(bytes, batch.line) {
                    self.of_document(&document, &batch.file, &mut found);
                }
            }
        }
        found
    }

    fn of_document(&self, document: &Document<'_>, file: &Arc<str>, (found, problems): &mut Found) {
        let objects = match document.objects() {
            Ok(objects) => objects,
            Err(finding) => {
                let line = finding.place.map(|place| format!(":{}", place.line)).unwrap_or_default();
                return problems.push(format!("{file}{line}: {}", finding.message));
            }
        };
        for object in objects.iter().filter(|object| is_definition(&Identity::of(&object.value))) {
            let mut problem =
                |field: &str, text: &str| problems.push(format!("{}: {text}", position(file, object, field)));
            if self.take == Take::Accepted {
                let name = Identity::of(&object.value).name;
                let server = match self.built_in.release() {
                    Release::NEWEST => "the API server".to_owned(),
                    release => format!("the API server of Kubernetes {release}"),
                };
                for (field, text) in refusals(object, self.built_in) {
                    problem(&field, &format!("{server} would refuse the definition {name}: {text}"));
                }
            }
            match Definition::read(&object.value, file) {
                Ok(definition) => found.push(Arc::new(definition)),
                Err(error) => problem("", &error.to_string()),
            }
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

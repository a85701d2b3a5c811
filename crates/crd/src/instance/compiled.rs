//! A definition that is compiled when the first object needs it.

use std::sync::OnceLock;

use sprag_rest::{FeatureGates, Release};
use sprag_schema::CustomResource;
use sprag_schema::crd::Crd;
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

/// All versions of a custom resource.
pub struct Compiled {
    definition: Value,
    ratcheting: bool,
    release: Release,
    versions: OnceLock<Vec<CompiledVersion>>,
}

/// One version of a custom resource.
pub(crate) struct CompiledVersion {
    name: String,
    pub(crate) resource: CustomResource,
    shapes: OnceLock<Option<(Shapes, TypeId)>>,
}

/// The feature that lets objects keep what their schema has come to refuse.
const RATCHETING: &str = "CRDValidationRatcheting";
/// The fields of a definition that compilation depends on.
const SOURCES: [&[&str]; 4] =
    [&["spec", "versions"], &["spec", "group"], &["spec", "scope"], &["spec", "names", "kind"]];

impl Compiled {
    /// Takes a definition; nothing is compiled yet.
    pub fn new(definition: &Value, gates: &FeatureGates) -> Compiled {
        let ratcheting = !gates.is_known(RATCHETING) || gates.enabled(RATCHETING);
        Compiled { definition: definition.clone(), ratcheting, release: gates.release(), versions: OnceLock::new() }
    }

    /// True if compiling another definition would yield the same.
    pub fn fits(&self, definition: &Value) -> bool {
        SOURCES.iter().all(|path| self.definition.lookup(path) == definition.lookup(path))
    }

    /// The schema of a version as its author wrote it.
    pub(crate) fn source(&self, version: &str) -> Option<&Value> {
        let versions = self.definition.lookup(&["spec", "versions"])?.as_array()?;
        let version = versions.iter().find(|entry| entry.get("name").and_then(Value::as_str) == Some(version))?;
        version.lookup(&["schema", "openAPIV3Schema"])
    }

    /// The generation of the definition it was made of.
    pub(crate) fn generation(&self) -> u64 {
        let generation = self.definition.lookup(&["metadata", "generation"]).and_then(Value::as_i64);
        generation.and_then(|generation| u64::try_from(generation).ok()).unwrap_or(0)
    }

    pub(crate) fn version(&self, name: &str) -> Option<&CompiledVersion> {
        self.versions.get_or_init(|| self.compile()).iter().find(|version| version.name == name)
    }

    fn compile(&self) -> Vec<CompiledVersion> {
        // Definitions that cannot be decoded are never accepted, so none reaches this point.
        let Ok(crd) = Crd::read(&self.definition) else { return Vec::new() };
        let resources = CustomResource::versions(&crd, self.release).into_iter();
        let compiled = |(resource, version): (CustomResource, &sprag_schema::crd::Version)| CompiledVersion {
            name: version.name.to_string(),
            resource: resource.with_ratcheting(self.ratcheting),
            shapes: OnceLock::new(),
        };
        resources.zip(&crd.versions).map(compiled).collect()
    }
}

impl CompiledVersion {
    /// The type of the objects, for patches and managed fields.
    pub(crate) fn shape(&self) -> Option<(&Shapes, TypeId)> {
        let shapes = self.shapes.get_or_init(|| self.resource.schema().map(|schema| schema.shapes()));
        shapes.as_ref().map(|(shapes, root)| (shapes, *root))
    }
}

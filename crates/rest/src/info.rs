//! A definition with what every write needs of it, worked out once.

use std::sync::Arc;

use crate::counters::{Counters, GuardedScheme};
use crate::definition::Definition;
use crate::gates::FeatureGates;
use crate::managed::ResetSets;

/// A definition with derived data: `apiVersion` per version, and reset fields.
pub struct ResourceInfo {
    /// The definition.
    pub definition: Arc<Definition>,
    api_versions: Vec<String>,
    pub(crate) resets: ResetSets,
}

impl ResourceInfo {
    /// Works out what writes need to know of a definition under these feature gates. Panics of its scheme are counted and
    /// become errors.
    pub fn new(mut definition: Definition, gates: &FeatureGates, counters: &Arc<Counters>) -> ResourceInfo {
        let scheme = definition.scheme.with_gates(gates).unwrap_or(definition.scheme);
        definition.scheme = Arc::new(GuardedScheme::new(scheme, counters.clone()));
        ResourceInfo {
            resets: ResetSets::new(&definition, gates),
            api_versions: definition.versions.iter().map(|version| definition.api_version(&version.name)).collect(),
            definition: Arc::new(definition),
        }
    }

    /// The `apiVersion` of objects in a version; empty for an unknown version.
    pub fn api_version(&self, version: &str) -> &str {
        let at = self.definition.versions.iter().position(|known| known.name == version);
        at.and_then(|at| self.api_versions.get(at)).map(String::as_str).unwrap_or_default()
    }
}

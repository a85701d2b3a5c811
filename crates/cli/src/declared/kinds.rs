//! Declared types by the group, version and kind of their objects.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use sprag_build::load::Loaded;
use sprag_idl::model::{Package, TypeKind};
use sprag_plan::DefId;
use sprag_rest::{FeatureGates, Offline, ProgramConfig, ResourceInfo};
use sprag_rules::Registry;
use sprag_rules::types::Universe;

use super::{Declared, PassAll, set_roots};

/// A struct with one of these members is a kind.
const MEMBERS: [&str; 2] = ["metadata", "spec"];

/// The kinds that the given packages declare.
pub(crate) struct Kinds {
    pub(crate) declared: Declared,
    offline: Offline,
    config: ProgramConfig,
    /// The resources that were asked for, by group, version and kind.
    resources: Mutex<BTreeMap<[String; 3], Arc<ResourceInfo>>>,
}

impl Kinds {
    /// All kinds in the packages that were asked for.
    pub(crate) fn new(mut loaded: Loaded, registry: &Registry, gates: FeatureGates) -> Kinds {
        let mut kinds = Vec::new();
        for package in loaded.packages.iter().filter(|package| loaded.is_given(package)) {
            kinds.extend(names(package).map(|name| (package.path.clone(), name)));
        }
        set_roots(&mut loaded.packages, |package, name| {
            kinds.iter().any(|(path, kind)| *path == package.path && kind == name)
        });
        let declared = Declared::new(loaded.packages, registry, None);
        let config = ProgramConfig::new(declared.program.clone(), Arc::new(PassAll));
        Kinds { config, declared, offline: Offline::new(gates), resources: Mutex::default() }
    }

    /// Judges objects of the kinds.
    pub(crate) fn offline(&self) -> &Offline {
        &self.offline
    }

    /// The resource of a kind.
    pub(crate) fn find(&self, group: &str, version: &str, kind: &str) -> Option<Arc<ResourceInfo>> {
        let mut resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        let key = [group, version, kind].map(str::to_owned);
        if let Some(known) = resources.get(&key) {
            return Some(known.clone());
        }
        let resource = self.declared.program.find(group, version, kind)?;
        let found = self.offline.resource(self.config.define(group, version, resource));
        resources.insert(key, found.clone());
        Some(found)
    }
}

fn names(package: &Package) -> impl Iterator<Item = String> {
    let is_kind = |kind: &TypeKind| match kind {
        TypeKind::Struct(fields) => fields.iter().any(|field| MEMBERS.contains(&field.path_name())),
        _ => false,
    };
    package.types.iter().filter(move |ty| is_kind(&ty.kind)).map(|ty| ty.name.clone())
}

/// Whether the values of a type are whole objects.
pub(crate) fn is_kind(universe: &Universe, def: DefId) -> bool {
    universe.fields(def).iter().any(|field| MEMBERS.contains(&field.field.path_name()))
}

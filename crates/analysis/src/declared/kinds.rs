//! Declared types by the group, version and kind of their objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use sprag_idl::model::{Field, Language, Package, TypeDef, TypeExpr, TypeKind};
use sprag_program::DefId;
use sprag_rest::{GateError, Offline, ProgramConfig, ResourceInfo};
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Registry};

use super::{Declared, PassAll, set_roots};
use crate::switches::{Settled, Switches, policy};

/// The kinds that the given packages declare.
pub struct Kinds {
    /// The types with their rules.
    pub declared: Declared,
    offline: Offline,
    config: ProgramConfig,
    unset: BTreeSet<String>,
    asked: Mutex<Asked>,
}

/// The kinds that were asked for.
#[derive(Default)]
struct Asked {
    /// By group, version and kind.
    resources: BTreeMap<[String; 3], Arc<ResourceInfo>>,
    /// Notes on parts of them that are not validated.
    notes: Vec<String>,
}

impl Kinds {
    /// All kinds in the packages that are given; others are there because those name them.
    pub fn new(
        mut packages: Vec<Package>,
        given: &BTreeSet<String>,
        registry: &Registry,
        dialect: Option<Dialect>,
        switches: &Switches,
    ) -> Result<Kinds, GateError> {
        let kinds = all_kinds(&packages, given);
        set_roots(&mut packages, |package, name| kinds.contains(&(package.path.clone(), name.to_owned())));
        let declared = Declared::new(packages, registry, dialect);
        let used = declared.program.resources().iter().flat_map(|resource| declared.program.options(resource.def));
        let Settled { gates, unset } = switches.settle(&used.collect())?;
        let config = ProgramConfig::new(declared.program.clone(), Arc::new(PassAll)).policy(policy(&gates));
        let offline = Offline::new(gates).without_managed_fields();
        Ok(Kinds { config, declared, offline, unset, asked: Mutex::default() })
    }

    /// Judges objects of the kinds.
    pub fn offline(&self) -> &Offline {
        &self.offline
    }

    /// The resource of a kind.
    pub fn find(&self, group: &str, version: &str, kind: &str) -> Option<Arc<ResourceInfo>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let key = [group, version, kind].map(str::to_owned);
        if let Some(known) = asked.resources.get(&key) {
            return Some(known.clone());
        }
        let resource = self.declared.program.find(group, version, kind)?;
        let found = self.offline.resource(self.config.define(group, version, resource));
        asked.resources.insert(key, found.clone());
        let name = format!("{kind} ({})", sprag_rest::api_version(group, version));
        let mut notes = self.declared.notes(resource.def, &self.unset);
        notes.extend(self.declared.hook_note(resource.def));
        if resource.group.is_none() {
            notes.push(
                "its package names no API group (+groupName), so objects of any group are taken for it".to_owned(),
            );
        }
        asked.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        Some(found)
    }

    /// Returns notes on parts of the requested kinds that are not validated, sorted.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.asked.lock().unwrap_or_else(PoisonError::into_inner).notes.clone();
        notes.sort();
        notes
    }
}

/// The kinds that the given packages declare, by package path and name.
pub fn all_kinds(packages: &[Package], given: &BTreeSet<String>) -> BTreeSet<(String, String)> {
    let given = || packages.iter().filter(|package| given.contains(&package.path));
    let mut kinds: BTreeSet<(String, String)> =
        given().flat_map(|package| kinds_of(package).map(|ty| (package.path.clone(), ty.name.clone()))).collect();
    // `type Widget v1.Widget` is a kind as well.
    for package in given() {
        for ty in package.types.iter().filter(|ty| ty.exported) {
            let TypeKind::Typedef(TypeExpr::Named(target)) = &ty.kind else { continue };
            let home = target.package.as_ref().unwrap_or(&package.path);
            let is_kind = packages
                .iter()
                .filter(|other| other.path == *home)
                .any(|other| kinds_of(other).any(|kind| kind.name == target.name));
            if is_kind {
                kinds.insert((package.path.clone(), ty.name.clone()));
            }
        }
    }
    kinds
}

fn kinds_of(package: &Package) -> impl Iterator<Item = &TypeDef> {
    package.types.iter().filter(|ty| match &ty.kind {
        TypeKind::Struct(fields) => ty.exported && declares_kind(package.language, &fields.iter().collect::<Vec<_>>()),
        _ => false,
    })
}

/// True if the values of a type are whole objects.
pub fn is_kind(universe: &Universe, def: DefId) -> bool {
    let fields: Vec<&Field> = universe.fields(def).iter().map(|field| &field.field).collect();
    declares_kind(universe.package_of(def).language, &fields)
}

/// True if a struct with these fields is a kind: in Go it embeds `TypeMeta`, and `ListMeta` only if it is a list of a kind; in Rust
/// it has `ObjectMeta` as its metadata, because objects say their type whether it is a member or not.
fn declares_kind(language: Language, fields: &[&Field]) -> bool {
    let has = |wanted: &str, is_placed: fn(&Field) -> bool| {
        fields.iter().any(|field| is_placed(field) && type_name(&field.ty) == Some(wanted))
    };
    match language {
        Language::Go => has("TypeMeta", |field| field.embedded) && !has("ListMeta", |field| field.embedded),
        Language::Rust => has("ObjectMeta", |field| field.path_name() == "metadata"),
    }
}

fn type_name(ty: &TypeExpr) -> Option<&str> {
    match ty {
        TypeExpr::Named(name) => Some(&name.name),
        TypeExpr::Pointer(inner) | TypeExpr::Boxed(inner) => type_name(inner),
        _ => None,
    }
}

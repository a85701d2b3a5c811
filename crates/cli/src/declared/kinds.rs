//! Declared types by the group, version and kind of their objects.

use sprag_build::load::Loaded;
use sprag_idl::model::{Package, TypeKind};
use sprag_plan::DefId;
use sprag_rules::Dialect;

use super::{Declared, set_roots};

/// A struct with one of these members is a kind.
const MEMBERS: [&str; 2] = ["metadata", "spec"];

/// The kinds that the given packages declare.
pub(crate) struct Kinds {
    pub(crate) declared: Declared,
}

impl Kinds {
    /// All kinds in the packages that were asked for.
    pub(crate) fn new(mut loaded: Loaded, dialect: Option<Dialect>) -> Kinds {
        let mut kinds = Vec::new();
        for package in loaded.packages.iter().filter(|package| loaded.is_given(package)) {
            kinds.extend(names(package).map(|name| (package.path.clone(), name)));
        }
        set_roots(&mut loaded.packages, |package, name| {
            kinds.iter().any(|(path, kind)| *path == package.path && kind == name)
        });
        Kinds { declared: Declared::new(loaded.packages, dialect) }
    }

    /// The type of a kind.
    pub(crate) fn find(&self, group: &str, version: &str, kind: &str) -> Option<DefId> {
        self.declared.program.find(group, version, kind).map(|resource| resource.def)
    }
}

fn names(package: &Package) -> impl Iterator<Item = String> {
    let is_kind = |kind: &TypeKind| match kind {
        TypeKind::Struct(fields) => fields.iter().any(|field| MEMBERS.contains(&field.path_name())),
        _ => false,
    };
    package.types.iter().filter(move |ty| is_kind(&ty.kind)).map(|ty| ty.name.clone())
}

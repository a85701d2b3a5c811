//! Declared types by the group, version and kind of their objects.

use sprag_build::load::Loaded;
use sprag_idl::model::{Package, TypeKind};
use sprag_plan::DefId;
use sprag_rules::Dialect;

use super::{Declared, set_roots};

/// The tag that names the group of a package.
const GROUP_TAG: &str = "groupName=";

/// A struct with one of these members is a kind.
const MEMBERS: [&str; 2] = ["metadata", "spec"];

/// The kinds that the given packages declare.
pub(crate) struct Kinds {
    pub(crate) declared: Declared,
    kinds: Vec<Kind>,
}

struct Kind {
    /// Unknown where the package does not say.
    group: Option<String>,
    /// Unknown where the package is not named like a version.
    version: Option<String>,
    name: String,
    def: DefId,
}

impl Kinds {
    /// All kinds in the packages that were asked for.
    pub(crate) fn new(mut loaded: Loaded, dialect: Option<Dialect>) -> Kinds {
        let mut kinds = Vec::new();
        for package in loaded.packages.iter().filter(|package| loaded.is_given(package)) {
            kinds.extend(
                names(package).map(|name| (package.path.clone(), group(package), version(&package.path), name)),
            );
        }
        set_roots(&mut loaded.packages, |package, name| {
            kinds.iter().any(|(path, _, _, kind)| *path == package.path && kind == name)
        });
        let declared = Declared::new(loaded.packages, dialect);
        let kinds = kinds.into_iter().filter_map(|(path, group, version, name)| {
            let def = declared.universe.find(&path, &name)?;
            Some(Kind { group, version, name, def })
        });
        Kinds { kinds: kinds.collect(), declared }
    }

    /// The type of a kind.
    pub(crate) fn find(&self, group: &str, version: &str, kind: &str) -> Option<DefId> {
        let fits = |known: &Option<String>, wanted: &str| known.as_deref().is_none_or(|known| known == wanted);
        let candidates = self
            .kinds
            .iter()
            .filter(|known| known.name == kind && fits(&known.version, version) && fits(&known.group, group));
        candidates.max_by_key(|known| (known.group.is_some(), known.version.is_some())).map(|known| known.def)
    }
}

fn names(package: &Package) -> impl Iterator<Item = String> {
    let is_kind = |kind: &TypeKind| match kind {
        TypeKind::Struct(fields) => fields.iter().any(|field| MEMBERS.contains(&field.path_name())),
        _ => false,
    };
    package.types.iter().filter(move |ty| is_kind(&ty.kind)).map(|ty| ty.name.clone())
}

fn group(package: &Package) -> Option<String> {
    package.tags.iter().find_map(|line| line.text.strip_prefix(GROUP_TAG)).map(|group| group.trim().to_owned())
}

/// The last part of a package's path, if it looks like `v1` or `v2beta3`.
fn version(path: &str) -> Option<String> {
    let last = path.rsplit(['/', ':']).next()?;
    let is_version = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    is_version.then(|| last.to_owned())
}

//! Finds imported packages on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::files::{canonical, go_files, small_text};
use super::go_mod::{Module, Version};
use super::import_path::{container, elements, escaped, joined, trailing, vendored};
use super::{LoadError, rust};

/// Maximum number of elements of an import path.
const MAX_ELEMENTS: usize = 32;

/// A package's path, and from where its imports are looked for.
#[derive(Clone, Debug)]
pub(super) struct Home {
    /// Import path, or module path in Rust.
    pub(super) path: String,
    pub(super) place: Place,
}

/// The location of a package.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// In a Go module, or beside others in a directory in which import paths start.
    Go { module: Option<Rc<Module>>, container: Option<PathBuf> },
    /// In a crate.
    Rust(rust::Crate),
}

/// Files that make up a package.
pub(super) enum Found {
    Go(Vec<PathBuf>),
    Rust(PathBuf),
}

/// Finds packages, remembering the `go.mod` files it has seen.
pub(super) struct Finder {
    modules: BTreeMap<PathBuf, Option<Rc<Module>>>,
    module_cache: Option<PathBuf>,
    follow_links: bool,
}

impl Finder {
    pub(super) fn new(module_cache: Option<PathBuf>, follow_links: bool) -> Finder {
        Finder { modules: BTreeMap::new(), module_cache, follow_links }
    }

    /// The import path of a Go directory, which is the given one or below it, and where it belongs.
    pub(super) fn home(&mut self, dir: &Path, given: &Path) -> Result<Home, LoadError> {
        let dir = canonical(dir)?;
        if let Some((path, vendor)) = vendored(&dir) {
            return Ok(Home { path, place: Place::Go { module: None, container: Some(vendor) } });
        }
        if let Some(module) = self.module_above(&dir) {
            let below = dir.strip_prefix(&module.root).map(elements).unwrap_or_default();
            let path = joined(&[std::slice::from_ref(&module.path), below.as_slice()].concat());
            let container = container(&module.root, &module.path);
            return Ok(Home { path, place: Place::Go { module: Some(module), container } });
        }
        if let Some(path) = trailing(&dir) {
            let container = container(&dir, &path);
            return Ok(Home { path, place: Place::Go { module: None, container } });
        }
        let given = canonical(given)?;
        let base = if given.is_dir() { given.parent() } else { dir.parent() };
        let below = base.and_then(|base| dir.strip_prefix(base).ok()).unwrap_or(&dir);
        Ok(Home { path: joined(&elements(below)), place: Place::Go { module: None, container: None } })
    }

    /// The files of an imported package, as the importing one sees it, and its own home.
    pub(super) fn find(&mut self, import: &str, from: &Home) -> Result<Option<(Found, Home)>, LoadError> {
        let (module, container) = match &from.place {
            Place::Rust(home) => return Ok(home.find(import)),
            Place::Go { module, container } => (module.as_deref(), container.as_deref()),
        };
        let Some(dir) = self.go_dir(import, module, container) else { return Ok(None) };
        if let Some(module) = module {
            self.stay_inside(&dir, module)?;
        }
        let files = go_files(&dir)?;
        let place = self.home(&dir, &dir)?.place;
        Ok(Some((Found::Go(files), Home { path: import.to_owned(), place })))
    }

    fn go_dir(&self, import: &str, module: Option<&Module>, container: Option<&Path>) -> Option<PathBuf> {
        let wanted: Vec<&str> = import.split('/').collect();
        let is_plain = |element: &&str| !element.is_empty() && !element.starts_with('.');
        if wanted.len() > MAX_ELEMENTS || !wanted.iter().all(is_plain) {
            return None;
        }
        let own = module.and_then(|module| module.dir_of(import)).filter(|dir| is_package(dir));
        let none = BTreeMap::new();
        let requires = module.map_or(&none, |module| &module.requires);
        let below_root =
            module.into_iter().flat_map(|module| ["vendor", "staging/src"].map(|dir| module.root.join(dir)));
        let mut starts = below_root.chain(container.map(Path::to_owned)).chain(self.module_cache.clone());
        own.or_else(|| starts.find_map(|start| descend(&start, "", &wanted, requires)))
    }

    /// Rejects a package outside of the repository of the module, whether a `replace` or a link leads there: the author of a
    /// `go.mod` could print types that are not theirs.
    fn stay_inside(&self, dir: &Path, module: &Module) -> Result<(), LoadError> {
        let Some(repository) = module.root.ancestors().find(|folder| folder.join(".git").exists()) else {
            return Ok(());
        };
        let cache = self.module_cache.as_deref().and_then(|cache| cache.canonicalize().ok());
        let target = canonical(dir)?;
        let is_inside = |folder: &Path| target.starts_with(folder);
        if self.follow_links || is_inside(&canonical(repository)?) || cache.as_deref().is_some_and(is_inside) {
            return Ok(());
        }
        Err(LoadError::LeadsOut { path: dir.to_owned(), tree: repository.to_owned() })
    }

    /// The nearest module at or above a directory.
    fn module_above(&mut self, dir: &Path) -> Option<Rc<Module>> {
        dir.ancestors().find_map(|root| self.module_at(root))
    }

    fn module_at(&mut self, root: &Path) -> Option<Rc<Module>> {
        if let Some(known) = self.modules.get(root) {
            return known.clone();
        }
        let text = small_text(&root.join("go.mod"));
        let module = text.and_then(|text| Module::parse(&text, root)).map(Rc::new);
        self.modules.insert(root.to_owned(), module.clone());
        module
    }
}

fn is_package(dir: &Path) -> bool {
    go_files(dir).is_ok_and(|files| !files.is_empty())
}

/// Follows an import path's elements through directories, some of which carry a version.
fn descend(dir: &Path, done: &str, wanted: &[&str], requires: &BTreeMap<String, String>) -> Option<PathBuf> {
    let Some((first, rest)) = wanted.split_first() else { return is_package(dir).then(|| dir.to_owned()) };
    let path = if done.is_empty() { (*first).to_owned() } else { format!("{done}/{first}") };
    let name = escaped(first);
    let required = requires.get(&path).map(|version| dir.join(format!("{name}@{version}")));
    let plain = [dir.join(first), dir.join(&name)];
    let mut likely = required.into_iter().chain(plain).filter(|dir| dir.is_dir());
    likely
        .find_map(|dir| descend(&dir, &path, rest, requires))
        .or_else(|| versions(dir, &name).iter().find_map(|dir| descend(dir, &path, rest, requires)))
}

/// The versions of a module in a directory, latest first.
fn versions(dir: &Path, name: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<(Version, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let file_name = entry.file_name();
            let version = file_name.to_str()?.strip_prefix(name)?.strip_prefix('@')?;
            Some((Version::parse(version)?, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

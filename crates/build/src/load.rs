//! From paths to packages: which files belong to them, which import paths they have, what they import.
//!
//! A path is a Go package directory, one Go file, a Rust file, or a Rust source directory; with
//! [`LoadOptions::recursive`] also a tree of any of these. Packages that the given ones name in their types are
//! looked for on disk and read as well, reduced to the types that are reached. Of `k8s.io/apimachinery`, object metadata and
//! what goes with it is known without its source; what else is not found stays unknown.

mod by_hand;
mod consts;
mod files;
mod find;
mod go_mod;
mod import_path;
pub(crate) mod known;
mod reach;
mod rust;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sprag_idl::model::Package;
use sprag_idl::{FileId, Finding, GoPackageInput, RustModuleInput, Sources, read_go_with, read_rust, rust_parts};

use self::files::{Disk, Unit};
use self::find::{Finder, Found, Home, Place};
use self::reach::Reached;

/// Maximum number of source files per call.
pub const MAX_FILES: usize = 20_000;

/// Maximum size of a source file in bytes.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Maximum depth of the search for source files.
pub const MAX_DIR_DEPTH: usize = 64;

/// Choices of a load.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Also read the directories below the given ones.
    pub recursive: bool,
    /// A Go module cache to look for imported packages in, after the places next to the given paths.
    pub module_cache: Option<PathBuf>,
    /// Read source files through links that lead out of their tree: the nearest folder above with a `go.mod`, a `Cargo.toml` or
    /// a repository. Files that are given by name are read anyhow.
    pub follow_links: bool,
    /// The cargo features that are on: parts of Rust modules behind others are left out. `None` reads all.
    pub features: Option<BTreeSet<String>>,
    /// Texts that count in place of those of files, by path: what an editor has not saved.
    pub unsaved: BTreeMap<PathBuf, Arc<str>>,
}

/// Packages and the files behind them.
#[derive(Debug)]
pub struct Loaded {
    /// The files; spans index into it.
    pub sources: Sources,
    /// The given packages in the order of their paths, then the imported ones sorted by import path.
    pub packages: Vec<Package>,
    /// Errors and warnings about the given packages.
    pub findings: Vec<Finding>,
    /// The import paths of the packages that were asked for; others are imported by those.
    pub given: BTreeSet<String>,
}

impl Loaded {
    /// True if a package was asked for, not just imported by one that was.
    pub fn is_given(&self, package: &Package) -> bool {
        self.given.contains(&package.path)
    }

    /// Drops every type that this one does not reach, so that nothing is found about them.
    pub fn narrow(&mut self, package: &str, name: &str) {
        reach::narrow(&mut self.packages, package, name);
    }
}

/// Errors of loading types.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or directory could not be read.
    #[error("{}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// A given path holds no source.
    #[error("{}: no Go or Rust source files here", .0.display())]
    NoSources(PathBuf),
    /// A file is neither Go nor Rust source.
    #[error("{}: neither a Go nor a Rust source file", .0.display())]
    NotSource(PathBuf),
    /// Two given paths are the same package.
    #[error("{} and {} are both package {package}", first.display(), second.display())]
    SamePackage {
        /// The import path.
        package: String,
        /// One of the directories or files.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// There are too many source files.
    #[error("more than {MAX_FILES} source files")]
    TooManyFiles,
    /// A file is too large.
    #[error("{}: larger than {MAX_FILE_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
    /// A source file is a link that leads out of its tree, or an imported package is outside of the repository.
    #[error(
        "{}: leads out of {}: put it there, name it itself, or allow that with --follow-links",
        path.display(),
        tree.display()
    )]
    LeadsOut {
        /// The link or package.
        path: PathBuf,
        /// The tree that it is not in.
        tree: PathBuf,
    },
    /// A directory is nested too deep.
    #[error("{}: more than {MAX_DIR_DEPTH} directories deep", .0.display())]
    TooDeep(PathBuf),
}

/// Reads the packages at these paths, and what they import.
pub fn load(paths: &[PathBuf], options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut loader = Loader {
        disk: Disk::new(paths, options),
        finder: Finder::new(options.module_cache.clone(), options.follow_links),
        sources: Sources::default(),
        features: options.features.as_ref().map(|on| on.iter().map(|name| feature_name(name)).collect()),
        read: BTreeMap::new(),
    };
    let given = loader.given(paths, options)?;
    let mut findings: Vec<Finding> = given.iter().flat_map(|read| read.findings.clone()).collect();
    let names: BTreeSet<String> = given.iter().map(|read| read.package.path.clone()).collect();
    let Reached { packages, inputs, unknown } = reach::follow(&mut loader, given)?;
    findings.extend(unknown);
    Ok(Loaded { sources: loader.sources, packages, findings, given: names.into_iter().chain(inputs).collect() })
}

/// The state of a load.
struct Loader {
    disk: Disk,
    finder: Finder,
    sources: Sources,
    features: Option<BTreeSet<String>>,
    /// The packages that were read or looked for, by import path; `None` when there is no such package.
    read: BTreeMap<String, Option<Read>>,
}

/// A package that was read, and where from.
#[derive(Clone)]
struct Read {
    package: Package,
    home: Home,
    /// Files of Rust modules that are part of it.
    parts: Vec<PathBuf>,
    files: Vec<FileId>,
    /// Errors and warnings about it.
    findings: Vec<Finding>,
    /// True if constants of other packages were looked for.
    has_consts: bool,
    /// True if this is what is known without a source: other types of the package may exist.
    is_known: bool,
}

impl Loader {
    fn given(&mut self, paths: &[PathBuf], options: &LoadOptions) -> Result<Vec<Read>, LoadError> {
        let mut given: Vec<(PathBuf, String)> = Vec::new();
        for (unit, path) in files::all_units(paths, options.recursive)? {
            let place = unit.place().to_owned();
            let read = self.read_given(&unit, path)?;
            let package = read.package.path.clone();
            if let Some((first, _)) = given.iter().find(|(_, known)| *known == package) {
                return Err(LoadError::SamePackage { package, first: first.clone(), second: place });
            }
            self.read.insert(package.clone(), Some(read));
            given.push((place, package));
        }
        // A directory has the parts of a module beside the module.
        let reads = given.iter().filter_map(|(_, package)| self.read.get(package)?.as_ref());
        let parts: BTreeSet<PathBuf> = reads.flat_map(|read| &read.parts).cloned().collect();
        given.retain(|(place, _)| !parts.contains(place));
        for (_, package) in &given {
            self.resolve_consts(package, 0)?;
        }
        Ok(given.iter().filter_map(|(_, package)| self.read.get(package).cloned().flatten()).collect())
    }

    fn read_given(&mut self, unit: &Unit, given: &Path) -> Result<Read, LoadError> {
        match unit {
            Unit::Go { dir, files } => {
                let home = self.finder.home(dir, given)?;
                self.read_go(home, files)
            }
            Unit::Rust { file } => self.read_rust(rust::home(file, given)?, file),
        }
    }

    /// A package that another one imports, with its constants; read once.
    fn imported(&mut self, path: &str, from: &Home, depth: usize) -> Result<Option<&Read>, LoadError> {
        if !self.read.contains_key(path) {
            let read = match self.finder.find(path, from)? {
                Some((Found::Go(files), home)) => Some(self.read_go(home, &files)?),
                Some((Found::Rust(file), home)) => Some(self.read_rust(home, &file)?),
                None => self.read_known(path),
            };
            self.read.insert(path.to_owned(), read);
        }
        self.resolve_consts(path, depth)?;
        Ok(self.read.get(path).and_then(Option::as_ref))
    }

    fn read_go(&mut self, home: Home, files: &[PathBuf]) -> Result<Read, LoadError> {
        let files = files.iter().map(|file| self.add_file(file)).collect::<Result<Vec<_>, _>>()?;
        let (package, findings) = self.parse_go(&home, &files, &[]);
        Ok(Read { package, home, parts: Vec::new(), files, findings, has_consts: false, is_known: false })
    }

    /// A package that is known without its source.
    fn read_known(&mut self, path: &str) -> Option<Read> {
        let file = self.sources.add(format!("{}{path}", known::PREFIX), known::source(path)?);
        let home = Home { path: path.to_owned(), place: Place::Go { module: None, container: None } };
        let (package, findings) = self.parse_go(&home, &[file], &[]);
        let files = vec![file];
        Some(Read { package, home, parts: Vec::new(), files, findings, has_consts: true, is_known: true })
    }

    fn parse_go(&self, home: &Home, files: &[FileId], others: &[&Package]) -> (Package, Vec<Finding>) {
        let input = GoPackageInput { path: &home.path, files };
        let (mut package, mut findings) = read_go_with(input, &self.sources, others);
        by_hand::mark(&mut package, files, &self.sources, &mut findings);
        (package, findings)
    }

    fn read_rust(&mut self, home: Home, file: &Path) -> Result<Read, LoadError> {
        let mut files = vec![self.add_file(file)?];
        let parts = self.parts(file, files[0]);
        for part in &parts {
            files.push(self.add_file(part)?);
        }
        let (package, findings) = read_rust(RustModuleInput { path: &home.path, files: &files }, &self.sources);
        Ok(Read { package, home, parts, files, findings, has_consts: true, is_known: false })
    }

    /// The files of the child modules whose types belong to a module, but for those behind features that are off.
    fn parts(&self, file: &Path, id: FileId) -> Vec<PathBuf> {
        let text = self.sources.get(id).map_or("", |source| source.text.as_str());
        let is_on = |feature: &str| self.features.as_ref().is_none_or(|on| on.contains(&feature_name(feature)));
        let parts = rust_parts(text).into_iter().filter(|part| part.feature.as_deref().is_none_or(is_on));
        parts.map(|part| rust::child(file, &part.name)).collect()
    }

    fn add_file(&mut self, file: &Path) -> Result<FileId, LoadError> {
        let text = self.disk.read(file)?;
        Ok(self.sources.add(file.display().to_string(), text))
    }
}

/// A feature as cargo spells it in the environment of build scripts.
fn feature_name(feature: &str) -> String {
    feature.to_uppercase().replace('-', "_")
}

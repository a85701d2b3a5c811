//! Finds the files of the packages at a path, and reads them within limits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{LoadError, LoadOptions, MAX_DIR_DEPTH, MAX_FILE_BYTES, MAX_FILES};

/// The files of one package.
pub(super) enum Unit {
    /// A Go package: files of one directory.
    Go { dir: PathBuf, files: Vec<PathBuf> },
    /// A Rust module: one file.
    Rust { file: PathBuf },
}

impl Unit {
    /// The directory or file that a user would name.
    pub(super) fn place(&self) -> &Path {
        match self {
            Unit::Go { dir, .. } => dir,
            Unit::Rust { file } => file,
        }
    }

    fn merge(&mut self, other: Unit) {
        if let (Unit::Go { files, .. }, Unit::Go { files: more, .. }) = (self, other) {
            let known: BTreeSet<_> = files.iter().filter_map(|file| file.file_name().map(ToOwned::to_owned)).collect();
            files.extend(more.into_iter().filter(|file| file.file_name().is_none_or(|name| !known.contains(name))));
        }
    }
}

/// Files that mark the top of a source tree.
const TREE_MARKS: [&str; 3] = ["go.mod", "Cargo.toml", ".git"];

/// Access to the disk that counts what it reads.
pub(super) struct Disk {
    files: usize,
    given: Vec<PathBuf>,
    follow_links: bool,
    /// Texts in place of those of files.
    unsaved: BTreeMap<PathBuf, Arc<str>>,
}

impl Disk {
    pub(super) fn new(given: &[PathBuf], options: &LoadOptions) -> Disk {
        let LoadOptions { follow_links, unsaved, .. } = options;
        Disk { files: 0, given: given.to_vec(), follow_links: *follow_links, unsaved: unsaved.clone() }
    }

    /// The text of a file.
    pub(super) fn read(&mut self, path: &Path) -> Result<String, LoadError> {
        self.files += 1;
        if self.files > MAX_FILES {
            return Err(LoadError::TooManyFiles);
        }
        if let Some(text) = self.unsaved.get(path) {
            return Ok(text.to_string());
        }
        if !self.follow_links && !self.given.iter().any(|given| given == path) {
            self.stay_inside(path)?;
        }
        let file = fs::File::open(path).map_err(|error| io_error(path, error))?;
        let mut text = String::new();
        let read = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text);
        let bytes = read.map_err(|error| io_error(path, error))?;
        if u64::try_from(bytes).is_ok_and(|bytes| bytes > MAX_FILE_BYTES) {
            return Err(LoadError::TooLarge(path.to_owned()));
        }
        Ok(text)
    }

    /// Refuses a file that a link leads out of its tree: source that others sent may show what it leads to.
    fn stay_inside(&self, path: &Path) -> Result<(), LoadError> {
        let tree = self.tree(path);
        let below = path.ancestors().take_while(|above| *above != tree);
        if !below.into_iter().any(Path::is_symlink) {
            return Ok(());
        }
        let is_inside = match (path.canonicalize(), tree.canonicalize()) {
            (Ok(target), Ok(tree)) => target.starts_with(tree),
            // A dangling link is reported when it is read.
            _ => true,
        };
        if is_inside { Ok(()) } else { Err(LoadError::LeadsOut { path: path.to_owned(), tree: tree.to_owned() }) }
    }

    /// The tree that a file is in: the nearest folder above it that is the top of one, or else the given folder it is in.
    fn tree<'p>(&'p self, path: &'p Path) -> &'p Path {
        let is_top = |folder: &&Path| !folder.is_symlink() && TREE_MARKS.iter().any(|mark| folder.join(mark).exists());
        let given = || self.given.iter().map(PathBuf::as_path).find(|given| path.starts_with(given));
        let folders = || path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        folders().find(is_top).or_else(given).or_else(|| folders().next()).unwrap_or(Path::new("."))
    }
}

/// The text of a file if there is one, neither a pipe nor a device, that is not too large.
pub(super) fn small_text(path: &Path) -> Option<String> {
    let is_readable = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_FILE_BYTES);
    is_readable.then(|| fs::read_to_string(path).ok()).flatten()
}

/// The packages at all paths, each once, with the path that led to it; files of one directory make one package.
pub(super) fn all_units(paths: &[PathBuf], recursive: bool) -> Result<Vec<(Unit, &Path)>, LoadError> {
    let mut all: Vec<(Unit, &Path)> = Vec::new();
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in paths {
        for unit in units(path, recursive)? {
            let place = canonical(unit.place())?;
            if let Some(&at) = places.get(&place) {
                all[at].0.merge(unit);
            } else {
                places.insert(place, all.len());
                all.push((unit, path));
            }
        }
    }
    Ok(all)
}

/// The packages at a path, in the order of their names.
fn units(path: &Path, recursive: bool) -> Result<Vec<Unit>, LoadError> {
    let kind = fs::metadata(path).map_err(|error| io_error(path, error))?;
    if !kind.is_dir() {
        return Ok(vec![file_unit(path)?]);
    }
    let mut units = Vec::new();
    let listing = Listing::of(path)?;
    let rust_root = listing.go.is_empty().then(|| rust_root(path, &listing)).flatten();
    if let Some(root) = rust_root {
        collect_rust(&root, 0, &mut units)?;
    } else {
        collect_go(path, recursive, 0, &mut units)?;
    }
    if units.is_empty() {
        return Err(LoadError::NoSources(path.to_owned()));
    }
    Ok(units)
}

/// The Go files of a directory that belong to its package, sorted.
pub(super) fn go_files(dir: &Path) -> Result<Vec<PathBuf>, LoadError> {
    Ok(Listing::of(dir)?.go)
}

/// The path without links and dots.
pub(super) fn canonical(path: &Path) -> Result<PathBuf, LoadError> {
    path.canonicalize().map_err(|error| io_error(path, error))
}

pub(super) fn io_error(path: &Path, error: io::Error) -> LoadError {
    LoadError::Io { path: path.to_owned(), error }
}

/// The content of a directory, sorted by name.
#[derive(Default)]
struct Listing {
    go: Vec<PathBuf>,
    rust: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
}

impl Listing {
    /// Directories behind links are left out: they may lead in circles.
    fn of(dir: &Path) -> Result<Listing, LoadError> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(dir).map_err(|error| io_error(dir, error))? {
            let entry = entry.map_err(|error| io_error(dir, error))?;
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind = entry.file_type().map_err(|error| io_error(&path, error))?;
            if kind.is_dir() {
                if !is_skipped_dir(&name) {
                    listing.dirs.push(path);
                }
            } else if is_go(&name) && is_file(&path, kind) {
                listing.go.push(path);
            } else if has_extension(&name, "rs") && is_file(&path, kind) {
                listing.rust.push(path);
            }
        }
        listing.go.sort();
        listing.rust.sort();
        listing.dirs.sort();
        Ok(listing)
    }
}

/// True unless it is a pipe or a device, which may never end, or a link to one. A link that leads nowhere is reported when it is
/// read.
fn is_file(path: &Path, kind: fs::FileType) -> bool {
    kind.is_file() || (kind.is_symlink() && fs::metadata(path).map_or(true, |target| target.is_file()))
}

/// Directories that neither language's tools take packages from.
fn is_skipped_dir(name: &str) -> bool {
    name.starts_with(['.', '_']) || matches!(name, "testdata" | "vendor" | "target")
}

fn is_go(name: &str) -> bool {
    let is_source = has_extension(name, "go") && !name.starts_with(['.', '_']);
    is_source && !name.ends_with("_test.go") && !name.starts_with("zz_generated")
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

fn file_unit(path: &Path) -> Result<Unit, LoadError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("go") => {
            let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Ok(Unit::Go { dir: dir.to_owned(), files: vec![path.to_owned()] })
        }
        Some("rs") => Ok(Unit::Rust { file: path.to_owned() }),
        _ => Err(LoadError::NotSource(path.to_owned())),
    }
}

/// The directory of Rust modules that a directory is or has.
fn rust_root(dir: &Path, listing: &Listing) -> Option<PathBuf> {
    if dir.join("Cargo.toml").is_file() {
        return Some(dir.join("src")).filter(|src| src.is_dir());
    }
    (!listing.rust.is_empty()).then(|| dir.to_owned())
}

fn collect_go(dir: &Path, recursive: bool, depth: usize, units: &mut Vec<Unit>) -> Result<(), LoadError> {
    check_depth(dir, depth)?;
    let listing = Listing::of(dir)?;
    if !listing.go.is_empty() {
        units.push(Unit::Go { dir: dir.to_owned(), files: listing.go });
    }
    if recursive {
        for child in &listing.dirs {
            collect_go(child, recursive, depth + 1, units)?;
        }
    }
    Ok(())
}

/// The modules of a crate are one tree, whether or not the caller asked for directories below.
fn collect_rust(dir: &Path, depth: usize, units: &mut Vec<Unit>) -> Result<(), LoadError> {
    check_depth(dir, depth)?;
    let listing = Listing::of(dir)?;
    let has_lib = listing.rust.iter().any(|file| file.ends_with("lib.rs"));
    let is_module = |file: &PathBuf| !(has_lib && file.ends_with("main.rs"));
    units.extend(listing.rust.into_iter().filter(is_module).map(|file| Unit::Rust { file }));
    for child in listing.dirs.iter().filter(|child| depth > 0 || !child.ends_with("bin")) {
        collect_rust(child, depth + 1, units)?;
    }
    Ok(())
}

fn check_depth(dir: &Path, depth: usize) -> Result<(), LoadError> {
    if depth > MAX_DIR_DEPTH { Err(LoadError::TooDeep(dir.to_owned())) } else { Ok(()) }
}

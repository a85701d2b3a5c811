//! Finds the files of the paths on a command line, in an order that is the same on every run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sprag_regexp::Regexp;

use super::git::{Blobs, Repository};
use super::ignore_files::IgnoreFiles;
use super::layout::{Layout, MAX_KUSTOMIZATION, is_kustomization};
use super::limited::read_at_most;
use super::{Place, ReadError, glob, read_limited};
use crate::source::{Source, Text};
use crate::standing::{Passed, Standing};

/// The name of standard input in reports, as in kubeconform.
pub const STDIN: &str = "stdin";

/// Names of files that hold objects end like this, in any case.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";

/// Options of file discovery.
pub struct Discovery<'a> {
    /// Also look into the folders below a folder.
    pub recursive: bool,
    /// Paths to ignore.
    pub ignored: &'a IgnorePatterns,
    /// True if a folder without files is fine.
    pub allow_empty: bool,
    /// True to read through links that lead out of the folder they are found in: in a pull request they may lead to
    /// anything on the machine. Files that are named themselves are read anyhow.
    pub follow_links: bool,
}

/// The paths that are passed over inside of folders: those of regular expressions, and unless all is read those of ignore files,
/// folders whose name begins with a dot, and what Helm and kustomize have beside manifests.
#[derive(Default)]
pub struct IgnorePatterns {
    patterns: Vec<Regexp>,
    reads_all: bool,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The name shown for it.
    pub name: String,
    /// Its content.
    pub content: Content,
    /// The way it came to be read.
    pub standing: Standing,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// It has been read already, because it can be read only once: standard input or a pipe.
    Held(Arc<[u8]>),
    /// A file of the file system.
    File(PathBuf),
    /// The name of an object in the git repository.
    Blob(String),
    /// It cannot be read, for this reason.
    Unreadable(String),
}

impl IgnorePatterns {
    /// Compiles the patterns, which are written as in Go.
    pub fn new(patterns: &[String]) -> Result<IgnorePatterns, ReadError> {
        let compile =
            |text: &String| Regexp::new(text).map_err(|error| ReadError::new(format!("pattern {text:?}: {error}")));
        Ok(IgnorePatterns { patterns: patterns.iter().map(compile).collect::<Result<_, _>>()?, reads_all: false })
    }

    /// The same patterns alone: neither ignore files nor names of folders count.
    #[must_use]
    pub fn reading_all(self, reads_all: bool) -> IgnorePatterns {
        IgnorePatterns { reads_all, ..self }
    }

    fn matches(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(path))
    }
}

impl Discovery<'_> {
    /// The files to read at the given places: those of a folder sorted by path, each file once.
    pub fn find(&self, places: &[Place]) -> Result<Vec<Found>, ReadError> {
        let mut files = self.find_all(places)?.0;
        files.retain(|file| !matches!(file.standing, Standing::Passed(_)));
        Ok(files)
    }

    /// The same with what is passed over, and with the charts and kustomizations that were found.
    pub fn find_all(&self, places: &[Place]) -> Result<(Vec<Found>, Layout), ReadError> {
        self.find_all_within(places, usize::MAX)
    }

    /// The same for no more than so many files of each folder.
    pub fn find_all_within(&self, places: &[Place], limit: usize) -> Result<(Vec<Found>, Layout), ReadError> {
        let mut files = Vec::new();
        for place in places {
            match place {
                Place::Stdin => files.push(Found::held(STDIN.to_owned(), io::stdin().lock())?),
                Place::Path(path) => {
                    let found = glob::expand(path)?;
                    let top = (found != [path.clone()]).then(|| glob::folder(path));
                    for path in found {
                        match &top {
                            Some(top) if self.leads_out(&path, top) => files.push(Found::link_out(&path)),
                            _ => self.path(&path, limit, &mut files)?,
                        }
                    }
                }
                Place::Git(revision, path) => {
                    let repository = Repository::open()?;
                    let commit = repository.commit(revision)?;
                    let found = self.commit(&repository, &commit, path)?;
                    if found.is_empty() {
                        return Err(ReadError::new(format!("{place}: no such file or folder in that revision")));
                    }
                    files.extend(
                        found.into_iter().map(|file| Found { name: format!("git:{revision}:{}", file.name), ..file }),
                    );
                }
            }
        }
        let mut seen = BTreeSet::new();
        // A file that was named counts as such, wherever else it was found.
        let is_named = |file: &&Found| file.standing == Standing::Named;
        let named: BTreeSet<String> = files.iter().filter(is_named).map(|file| file.name.clone()).collect();
        files.retain(|file| matches!(file.content, Content::Held(_)) || seen.insert(file.name.clone()));
        files.iter_mut().filter(|file| named.contains(&file.name)).for_each(|file| file.standing = Standing::Named);
        let layout = self.pass_over(&mut files);
        Ok((files, layout))
    }

    /// Marks what belongs to charts and kustomizations and is no manifest.
    fn pass_over(&self, files: &mut [Found]) -> Layout {
        if self.ignored.reads_all {
            return Layout::default();
        }
        let found: BTreeMap<&str, &Content> = files
            .iter()
            .filter(|file| file.standing == Standing::Found)
            .map(|file| (&*file.name, &file.content))
            .collect();
        let mut blobs = None;
        let layout = Layout::of(found.keys().copied(), |name| content(found.get(name)?, &mut blobs));
        for file in files.iter_mut().filter(|file| file.standing == Standing::Found) {
            if let Some(passed) = layout.passed(&file.name) {
                file.standing = Standing::Passed(passed);
            }
        }
        layout
    }

    /// The files of a commit at or below a path, named as in the working directory.
    pub fn commit(&self, repository: &Repository, commit: &str, path: &Path) -> Result<Vec<Found>, ReadError> {
        let files = repository.files(commit, path)?;
        let top = repository.depth(path)?;
        let wanted = files.into_iter().filter(|file| {
            let below = file.path.split('/').count() - top;
            below == 0 || (is_meant(Path::new(&file.path)) && (self.recursive || below == 1))
        });
        let found = wanted.map(|file| {
            let standing = if file.path.split('/').count() == top { Standing::Named } else { Standing::Found };
            Found { name: repository.shown(&file.path), content: Content::Blob(file.blob), standing }
        });
        Ok(found.filter(|file| !self.ignored.matches(&file.name)).collect())
    }

    fn path(&self, path: &Path, limit: usize, files: &mut Vec<Found>) -> Result<(), ReadError> {
        let kind = fs::metadata(path).map_err(ReadError::about(path.display()))?;
        if kind.is_dir() {
            let start = files.len();
            self.folder(path, limit, files);
            if let Some(Found { name, content: Content::Unreadable(reason), .. }) = files.get(start)
                && *name == path.display().to_string()
            {
                return Err(ReadError::new(format!("{name}: {reason}")));
            }
            let is_read = |file: &Found| !matches!(file.standing, Standing::Passed(_));
            if !files[start..].iter().any(is_read) && !self.allow_empty {
                return Err(ReadError::new(self.empty_folder(path)));
            }
        } else if kind.is_file() {
            files.push(Found::file(path));
        } else {
            let name = path.display().to_string();
            let file = File::open(path).map_err(ReadError::about(&name))?;
            files.push(Found::held(name, file)?);
        }
        Ok(())
    }

    fn empty_folder(&self, folder: &Path) -> String {
        let has_folders = fs::read_dir(folder)
            .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())));
        let hint = if has_folders && !self.recursive { "; -R also reads the folders below" } else { "" };
        format!("{}: no .yaml, .yml or .json files in this folder{hint}", folder.display())
    }

    /// Links to folders are not followed, as kubectl does not, so there are no loops.
    fn folder(&self, folder: &Path, limit: usize, files: &mut Vec<Found>) {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let rules = if self.ignored.reads_all { IgnoreFiles::default() } else { IgnoreFiles::above(&whole) };
        let mut work = vec![Step::Folder { path: folder.to_owned(), whole, rules }];
        let most = files.len().saturating_add(limit);
        let mut looked_at = 0;
        while let Some(step) = work.pop().filter(|_| files.len() < most && looked_at < limit) {
            looked_at += 1;
            match step {
                Step::File(path) if path.is_symlink() && self.leads_out(&path, folder) => {
                    files.push(Found::link_out(&path));
                }
                Step::File(path) => files.push(Found::in_folder(&path, Standing::Found)),
                Step::Ignored(path) => files.push(Found::in_folder(&path, Standing::Passed(Passed::Ignored))),
                Step::Folder { path, whole, rules } => match self.entries(&path, &whole, rules) {
                    Ok(entries) => work.extend(entries.into_iter().rev()),
                    Err(error) => {
                        let content = Content::Unreadable(error.to_string());
                        let name = path.display().to_string();
                        files.push(Found { name, content, standing: Standing::Named });
                    }
                },
            }
        }
    }

    /// True if a path in a folder leads out of it.
    fn leads_out(&self, path: &Path, folder: &Path) -> bool {
        match (folder.canonicalize(), path.canonicalize()) {
            (Ok(folder), Ok(target)) => !self.follow_links && !target.starts_with(folder),
            // A link that leads nowhere is reported when it is read.
            _ => false,
        }
    }

    /// What there is to do in a folder; `whole` is its path without links.
    fn entries(&self, folder: &Path, whole: &Path, rules: IgnoreFiles) -> io::Result<Vec<Step>> {
        let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
        let mut rules = rules;
        if !self.ignored.reads_all {
            if has(".gitignore") {
                rules = rules.with(whole, ".gitignore");
            }
            if has(".helmignore") && has(CHART) {
                rules = rules.with(whole, ".helmignore");
            }
        }
        let mut steps = Vec::new();
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type()?;
            let whole = whole.join(entry.file_name());
            if kind.is_dir() {
                if self.recursive {
                    steps.push(self.below(path, whole, &rules));
                }
            } else if is_meant(&path) && !self.ignored.matches(&path.to_string_lossy()) && is_file(&path, kind) {
                steps.push(if rules.ignores(&whole, false) { Step::Ignored(path) } else { Step::File(path) });
            }
        }
        steps.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(steps)
    }

    /// A folder in a folder. That of git is never read.
    fn below(&self, path: PathBuf, whole: PathBuf, rules: &IgnoreFiles) -> Step {
        let name = path.file_name().unwrap_or_default();
        let is_hidden = name.to_string_lossy().starts_with('.') && !self.ignored.reads_all;
        // The code of others, which Go keeps there.
        let is_vendored = name == "vendor" && path.join("modules.txt").is_file() && !self.ignored.reads_all;
        if name == ".git" || is_hidden || is_vendored || rules.ignores(&whole, true) {
            return Step::Ignored(path);
        }
        Step::Folder { path, whole, rules: rules.clone() }
    }
}

impl Found {
    fn held(name: String, reader: impl io::Read) -> Result<Found, ReadError> {
        let bytes = read_limited(reader).map_err(ReadError::about(&name))?;
        Ok(Found { name, content: Content::Held(bytes.into()), standing: Standing::Named })
    }

    fn link_out(path: &Path) -> Found {
        let why = "a link that leads out of the folder: name the file itself, or validate with --follow-links";
        Found { content: Content::Unreadable(why.to_owned()), ..Found::file(path) }
    }

    fn file(path: &Path) -> Found {
        Found::in_folder(path, Standing::Named)
    }

    fn in_folder(path: &Path, standing: Standing) -> Found {
        // Paths below the working directory are shown without `./`.
        let shown = path.strip_prefix(".").unwrap_or(path);
        Found { name: shown.display().to_string(), content: Content::File(path.to_owned()), standing }
    }
}

impl Source for Vec<Found> {
    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    fn texts(&self) -> Box<dyn Iterator<Item = Text> + Send> {
        let mut reader = Reader::default();
        Box::new(self.clone().into_iter().map(move |found| Text {
            // Templates are rendered to standard input only; a file is where its text is.
            is_rendered: found.name == STDIN || found.standing == Standing::Rendered,
            reader: match found.standing {
                Standing::Passed(_) => Ok(Box::new(io::empty())),
                _ => reader.open(&found.content),
            },
            standing: found.standing,
            name: found.name.into(),
        }))
    }
}

/// Opens contents.
#[derive(Default)]
struct Reader {
    /// The one git process that all contents of a revision come from.
    blobs: Option<Blobs>,
}

impl Reader {
    fn open(&mut self, content: &Content) -> io::Result<Box<dyn Read + Send>> {
        Ok(match content {
            Content::Held(bytes) => Box::new(Cursor::new(bytes.clone())),
            Content::File(path) => Box::new(File::open(path)?),
            Content::Blob(blob) => Box::new(Cursor::new(self.blobs()?.read(blob)?)),
            Content::Unreadable(reason) => return Err(io::Error::other(reason.clone())),
        })
    }

    fn blobs(&mut self) -> io::Result<&mut Blobs> {
        match &mut self.blobs {
            Some(blobs) => Ok(blobs),
            empty => {
                let blobs = Repository::open().and_then(|repository| repository.blobs());
                Ok(empty.insert(blobs.map_err(io::Error::other)?))
            }
        }
    }
}

enum Step {
    File(PathBuf),
    Ignored(PathBuf),
    Folder { path: PathBuf, whole: PathBuf, rules: IgnoreFiles },
}

impl Step {
    fn path(&self) -> &Path {
        match self {
            Step::File(path) | Step::Ignored(path) | Step::Folder { path, .. } => path,
        }
    }
}

pub(super) fn has_extension(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

/// True for the names of files that are read in folders.
fn is_meant(path: &Path) -> bool {
    has_extension(path) || path.file_name().is_some_and(|name| is_kustomization(&name.to_string_lossy()))
}

/// The start of a small file; nothing if it cannot be read, which is reported when it is read as a manifest.
fn content(content: &Content, blobs: &mut Option<Blobs>) -> Option<Vec<u8>> {
    match content {
        Content::Held(bytes) => Some(bytes.to_vec()),
        Content::File(path) => read_at_most(MAX_KUSTOMIZATION, File::open(path).ok()?).ok(),
        Content::Blob(name) => {
            let blobs = match blobs {
                Some(blobs) => blobs,
                empty => empty.insert(Repository::open().and_then(|repository| repository.blobs()).ok()?),
            };
            blobs.read(name).ok()
        }
        Content::Unreadable(_) => None,
    }
}

/// Reports whether an entry of a folder is a file or a link that does not lead to anything else. A link that leads
/// nowhere counts: it is reported when it is read.
fn is_file(path: &Path, kind: fs::FileType) -> bool {
    kind.is_file() || (kind.is_symlink() && fs::metadata(path).map_or(true, |target| target.is_file()))
}

//! The files below a folder that is open in the editor, and the definitions in them.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use sprag_analysis::files::{Content, Discovery, Found, IgnorePatterns, Layout, Place};
use sprag_analysis::workers;
use sprag_analysis::{BuiltIn, Catalog, Definition, Passed, Standing};

/// Maximum number of files in folders that are looked at; what is beyond counts as not there.
const MAX_FILES: usize = 100_000;

/// Larger files are not searched for definitions.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// A folder with its files.
pub(crate) struct Workspace {
    root: PathBuf,
    /// What definitions are compiled by.
    built_in: Arc<BuiltIn>,
    files: BTreeMap<PathBuf, Known>,
    layout: Layout,
}

/// A file as it was when it was looked at last.
struct Known {
    stamp: Option<Stamp>,
    standing: Standing,
    definitions: Vec<Arc<Definition>>,
}

/// Size and time of a file. One that has the same was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Stamp {
    /// The stamp of a file, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Stamp> {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Stamp { bytes: file.len(), changed: file.modified().ok() })
    }
}

impl Workspace {
    /// A folder that was not looked at yet.
    pub(crate) fn new(root: PathBuf, built_in: Arc<BuiltIn>) -> Workspace {
        Workspace { root, built_in, files: BTreeMap::new(), layout: Layout::default() }
    }

    /// What definitions are compiled by.
    pub(crate) fn built_in(&self) -> &Arc<BuiltIn> {
        &self.built_in
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Looks at the files, and reads those that changed. Returns true if definitions may have changed.
    pub(crate) fn refresh(&mut self, ignored: &IgnorePatterns) -> bool {
        let discovery = Discovery { recursive: true, ignored, allow_empty: true, follow_links: false };
        let found = discovery.find_all_within(&[Place::Path(self.root.clone())], MAX_FILES);
        let (found, layout) = found.unwrap_or_default();
        self.layout = layout;
        let mut before = std::mem::take(&mut self.files);
        let mut changed = Vec::new();
        for file in found {
            let Content::File(path) = &file.content else { continue };
            let stamp = Stamp::of(path);
            let known = before.remove(path);
            let is_same = known.as_ref().is_some_and(|known| known.stamp == stamp && known.standing == file.standing);
            let definitions = known.map(|known| known.definitions).unwrap_or_default();
            self.files.insert(path.clone(), Known { stamp, standing: file.standing, definitions });
            if !is_same {
                changed.push(file);
            }
        }
        let is_gone = before.values().any(|known| !known.definitions.is_empty());
        self.read(changed) || is_gone
    }

    /// Reads the definitions of files again. Returns true if there were or are any.
    fn read(&mut self, changed: Vec<Found>) -> bool {
        let mut had_any = false;
        for file in &changed {
            if let Content::File(path) = &file.content
                && let Some(known) = self.files.get_mut(path)
            {
                had_any |= !std::mem::take(&mut known.definitions).is_empty();
            }
        }
        let is_small = |file: &Found| {
            let known = match &file.content {
                Content::File(path) => self.files.get(path),
                _ => None,
            };
            known.and_then(|known| known.stamp).is_some_and(|stamp| stamp.bytes <= MAX_FILE_BYTES)
        };
        let is_read = |file: &Found| !matches!(file.standing, Standing::Passed(_)) && is_small(file);
        let files: Vec<Found> = changed.into_iter().filter(is_read).collect();
        // The name of a file is its path: the root is absolute.
        for definition in Catalog::definitions_among(&files, &self.built_in, workers::all_cores()) {
            if let Some(known) = self.files.get_mut(Path::new(&**definition.file())) {
                known.definitions.push(definition);
                had_any = true;
            }
        }
        had_any
    }

    /// The definitions of all files in their order, where those of open texts count in place of those on disk.
    pub(crate) fn definitions<'a>(&'a self, open: &'a HashMap<PathBuf, Vec<Arc<Definition>>>) -> Vec<Arc<Definition>> {
        let on_disk = self.files.iter().filter(|(path, _)| !open.contains_key(*path));
        let on_disk = on_disk.map(|(path, known)| (path, &known.definitions));
        let here = open.iter().filter(|(path, _)| path.starts_with(&self.root));
        let all: BTreeMap<&PathBuf, &Vec<Arc<Definition>>> = on_disk.chain(here).collect();
        all.into_values().flatten().cloned().collect()
    }

    /// The way in which `sprag validate` would read a file when it is given the folder.
    pub(crate) fn standing(&self, path: &Path) -> Standing {
        if let Some(known) = self.files.get(path) {
            return known.standing;
        }
        let is_ignored =
            |folder: &Path| self.files.get(folder).is_some_and(|known| matches!(known.standing, Standing::Passed(_)));
        let below = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root));
        if below.into_iter().any(is_ignored) {
            return Standing::Passed(Passed::Ignored);
        }
        self.layout.passed(&path.to_string_lossy()).map_or(Standing::Found, Standing::Passed)
    }

    /// All manifests, for those who read them as a whole.
    pub(crate) fn manifests(&self) -> Vec<Found> {
        let read = self.files.iter().filter(|(_, known)| !matches!(known.standing, Standing::Passed(_)));
        let found = read.map(|(path, known)| Found {
            name: path.display().to_string(),
            content: Content::File(path.clone()),
            standing: known.standing,
        });
        found.collect()
    }
}

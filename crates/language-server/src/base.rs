//! Objects as they were in a commit, which those in the editor are updates of.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sprag_analysis::files::git::{Blobs, Repository, Revision, is_repository_of};
use sprag_analysis::{Identity, OldKey, OldObjects, Texts};
use sprag_value::Value;

/// The revision that counts where settings name none.
const LAST_COMMIT: &str = "HEAD";

/// Maximum number of files whose objects are held.
const MAX_HELD: usize = 64;

/// Larger files of a commit are not looked at.
const MAX_BYTES: usize = 8 << 20;

/// Names of files that hold objects end like this.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The objects of a commit, by file and by what they are.
pub(crate) struct Base {
    repository: Repository,
    revision: Option<Revision>,
    commit: String,
    /// The one git process that contents come from.
    blobs: Option<Blobs>,
    /// Files with the names of their contents, in git's order.
    files: Vec<(String, String)>,
    by_path: HashMap<String, usize>,
    held: HashMap<usize, Arc<OldObjects>>,
    /// The files that objects are in, by the hashes of their keys; filled file by file.
    index: HashMap<u64, usize>,
    indexed: usize,
}

impl Base {
    /// The repository around a folder; none where there is none, no commit, or one that `.git` leads to somewhere else.
    pub(crate) fn open(folder: &Path, revision: Option<Revision>) -> Option<Base> {
        let repository = Repository::around(folder).ok()?;
        if !is_repository_of(folder, repository.top()).unwrap_or(false) {
            return None;
        }
        let mut base = Base {
            repository,
            revision,
            commit: String::new(),
            blobs: None,
            files: Vec::new(),
            by_path: HashMap::new(),
            held: HashMap::new(),
            index: HashMap::new(),
            indexed: 0,
        };
        base.refresh();
        (!base.commit.is_empty()).then_some(base)
    }

    /// The revision that was asked for.
    pub(crate) fn revision(&self) -> Option<&Revision> {
        self.revision.as_ref()
    }

    /// Looks at which commit it is. Returns true if it is another one than before.
    pub(crate) fn refresh(&mut self) -> bool {
        let revision = self.revision.clone().or_else(|| LAST_COMMIT.parse().ok());
        let commit = revision.and_then(|revision| self.repository.commit(&revision).ok()).unwrap_or_default();
        if commit == self.commit {
            return false;
        }
        self.commit = commit;
        self.blobs = None;
        self.held.clear();
        self.index.clear();
        self.indexed = 0;
        let all = self.repository.files(&self.commit, self.repository.top()).unwrap_or_default();
        let is_meant =
            |path: &str| Path::new(path).extension().is_some_and(|end| EXTENSIONS.iter().any(|known| end == *known));
        self.files = all.into_iter().filter(|file| is_meant(&file.path)).map(|file| (file.path, file.blob)).collect();
        self.by_path = self.files.iter().enumerate().map(|(at, (path, _))| (path.clone(), at)).collect();
        true
    }

    /// The object that one of a file replaces: that of the same file, or else of any other.
    pub(crate) fn find(&mut self, path: Option<&PathBuf>, identity: &Identity) -> Option<Value> {
        let below = path.and_then(|path| path.strip_prefix(self.repository.top()).ok());
        let same = below.and_then(|path| self.by_path.get(&*path.to_string_lossy())).copied();
        if let Some(found) =
            same.and_then(|file| self.objects(file)).and_then(|objects| objects.find(identity).cloned())
        {
            return Some(found);
        }
        let file = self.index.get(&hash(&OldKey::of(identity))).copied()?;
        self.objects(file)?.find(identity).cloned()
    }

    /// Notes the objects of some more files. Returns false if all were noted before.
    pub(crate) fn note_more(&mut self, files: usize) -> bool {
        let end = (self.indexed + files).min(self.files.len());
        if end == self.indexed {
            return false;
        }
        for file in self.indexed..end {
            if let Some(objects) = self.read(file) {
                self.index.extend(objects.keys().map(|key| (hash(key), file)));
            }
        }
        self.indexed = end;
        true
    }

    /// True once the objects of all files are noted.
    pub(crate) fn is_noted(&self) -> bool {
        self.indexed == self.files.len()
    }

    fn objects(&mut self, file: usize) -> Option<Arc<OldObjects>> {
        if let Some(held) = self.held.get(&file) {
            return Some(held.clone());
        }
        let objects = Arc::new(self.read(file)?);
        if self.held.len() >= MAX_HELD {
            self.held.clear();
        }
        self.held.insert(file, objects.clone());
        Some(objects)
    }

    fn read(&mut self, file: usize) -> Option<OldObjects> {
        let (path, blob) = self.files.get(file)?;
        let blobs = match &mut self.blobs {
            Some(blobs) => blobs,
            empty => empty.insert(self.repository.blobs().ok()?),
        };
        let Ok(bytes) = blobs.read(blob) else {
            // The process may have ended; the next read starts another one.
            self.blobs = None;
            return None;
        };
        if bytes.len() > MAX_BYTES {
            return None;
        }
        let texts = Texts::new([(path.as_str(), bytes)]);
        Some(OldObjects::read(&texts, 1, &mut Vec::new()))
    }
}

fn hash(key: &OldKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

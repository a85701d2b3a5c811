//! The folder of a store: names, the lock, and changes that survive a crash whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::frame::{FileHead, FileKind};
use crate::{Error, Result, Revision};

const LOCK: &str = "lock";
const CLEAN: &str = "clean";
const UNFINISHED: &str = "tmp";
/// File modes for the owner only, and the permission bits of group and others.
const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
const OTHERS: u32 = 0o077;

/// A folder that belongs to this process.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Holds the lock.
    lock: File,
}

/// The files of a store, oldest first.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) snapshots: Vec<(Revision, PathBuf)>,
    pub(super) logs: Vec<(Revision, PathBuf)>,
    /// Files that were never finished.
    unfinished: Vec<PathBuf>,
}

impl Listing {
    /// The files in a folder, which may belong to another process.
    pub(super) fn of(folder: &Path) -> Result<Listing> {
        let mut listing = Listing::default();
        for item in fs::read_dir(folder).map_err(Error::io("list", folder))? {
            let path = item.map_err(Error::io("list", folder))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            match name.split_once('.') {
                Some((_, end)) if end.ends_with(UNFINISHED) => listing.unfinished.push(path),
                Some((revision, "log")) => listing.logs.extend(numbered(revision, &path)),
                Some((revision, "snapshot")) => listing.snapshots.extend(numbered(revision, &path)),
                _ => {}
            }
        }
        listing.logs.sort();
        listing.snapshots.sort();
        Ok(listing)
    }

    /// True if there is no store.
    pub(super) fn is_empty(&self) -> bool {
        self.logs.is_empty() && self.snapshots.is_empty()
    }
}

impl Folder {
    /// Creates the folder if missing, and locks it.
    pub(super) fn open(path: &Path) -> Result<Folder> {
        create_folder(path)?;
        let lock_path = path.join(LOCK);
        let options = private().create(true).truncate(false).read(true).write(true).open(&lock_path);
        let mut lock = options.map_err(Error::io("open", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(&lock_path).ok().and_then(|text| text.trim().parse().ok());
                return Err(Error::Locked { path: lock_path, holder });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &lock_path)(error)),
        }
        // Only for the message above: a full disk must not keep the store from being opened.
        let _ = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
        tighten(path)?;
        Ok(Folder { path: path.to_owned(), lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Lists the files. Unfinished ones are removed.
    pub(super) fn list(&self) -> Result<Listing> {
        let listing = Listing::of(&self.path)?;
        listing.unfinished.iter().try_for_each(|path| remove(path))?;
        Ok(listing)
    }

    /// Leaves word that everything up to a revision is in the files.
    pub(super) fn mark_clean(&self, revision: Revision) -> Result<()> {
        let finish = |file: &mut File| writeln!(file, "{revision}");
        create_whole(&self.path.join(CLEAN), finish).map(drop)
    }

    /// The word that was left, taken away.
    pub(super) fn take_clean_mark(&self) -> Result<Option<Revision>> {
        let path = self.path.join(CLEAN);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let revision = text.trim().parse().map_err(|_| Error::corrupt(&path, 0, "not a revision"))?;
        remove(&path)?;
        sync_folder(&self.path)?;
        Ok(Some(Revision(revision)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing the file would do, were there not programs that this process is just starting, which have it open too.
        let _ = self.lock.unlock();
    }
}

/// The path of a log or snapshot.
pub(super) fn path_of(folder: &Path, kind: FileKind, revision: Revision) -> PathBuf {
    let end = match kind {
        FileKind::Log => "log",
        FileKind::Snapshot => "snapshot",
    };
    folder.join(format!("{:020}.{end}", revision.0))
}

/// Makes a file that begins with a head; it appears under its name only when it is whole and on disk.
pub(super) fn create(
    path: &Path,
    head: &FileHead,
    fill: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<File> {
    create_whole(path, |file| file.write_all(&head.encode()).and_then(|()| fill(file)))
}

/// Makes a file that only its owner can read; it appears under its name only when it is whole and on disk.
pub(super) fn create_whole(path: &Path, fill: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<File> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{UNFINISHED}"));
    let unfinished = PathBuf::from(unfinished);
    let written = (|| {
        let options = private().create(true).truncate(true).read(true).write(true).open(&unfinished);
        let mut file = options.map_err(Error::io("create", &unfinished))?;
        fill(&mut file).and_then(|()| file.sync_all()).map_err(Error::io("write", &unfinished))?;
        fs::rename(&unfinished, path).map_err(Error::io("rename", &unfinished))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        sync_folder(parent.unwrap_or(Path::new(".")))?;
        Ok(file)
    })();
    if written.is_err() {
        // The next opening would remove it as well.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

pub(super) fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(Error::io("remove", path))
}

/// Makes a folder that survives a crash.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    let created = fs::DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(path);
    created.map_err(Error::io("create", path))?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent),
        _ => Ok(()),
    }
}

pub(super) fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(Error::io("sync", path))
}

/// Options that create files readable by their owner only, because objects hold secrets.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(PRIVATE_FILE);
    options
}

/// Takes from others the right to read a store that was made without this care.
fn tighten(folder: &Path) -> Result<()> {
    let restrict = |path: &Path, mode: u32| {
        let open = fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode() & OTHERS);
        if open == 0 {
            return;
        }
        match fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
            Ok(()) => tracing::warn!(path = %path.display(), "others could read this; now only its owner can"),
            Err(error) => tracing::warn!(path = %path.display(), %error, "others can read this"),
        }
    };
    restrict(folder, PRIVATE_FOLDER);
    for item in fs::read_dir(folder).map_err(Error::io("list", folder))? {
        let item = item.map_err(Error::io("list", folder))?;
        if item.file_type().is_ok_and(|kind| kind.is_file()) {
            restrict(&item.path(), PRIVATE_FILE);
        }
    }
    Ok(())
}

fn numbered(revision: &str, path: &Path) -> Option<(Revision, PathBuf)> {
    Some((Revision(revision.parse().ok()?), path.to_owned()))
}

//! The folder of a store: names, the lock, and changes that survive a crash whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::frame::{FileHead, FileKind};
use crate::{Error, Result, Revision};

const LOCK: &str = "lock";
const CLEAN: &str = "clean";
const UNFINISHED: &str = "tmp";

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
}

impl Folder {
    /// Makes the folder if there is none, and locks it.
    pub(super) fn open(path: &Path) -> Result<Folder> {
        create_folder(path)?;
        let lock_path = path.join(LOCK);
        let options = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&lock_path);
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
        Ok(Folder { path: path.to_owned(), lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is there. Files that were never finished are removed.
    pub(super) fn list(&self) -> Result<Listing> {
        let mut listing = Listing::default();
        for item in fs::read_dir(&self.path).map_err(Error::io("list", &self.path))? {
            let path = item.map_err(Error::io("list", &self.path))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            match name.split_once('.') {
                Some((_, UNFINISHED)) => remove(&path)?,
                Some((revision, "log")) => listing.logs.extend(numbered(revision, &path)),
                Some((revision, "snapshot")) => listing.snapshots.extend(numbered(revision, &path)),
                _ => {}
            }
        }
        listing.logs.sort();
        listing.snapshots.sort();
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
    folder: &Path,
    head: &FileHead,
    fill: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(File, PathBuf)> {
    let path = path_of(folder, head.kind, head.revision);
    let file = create_whole(&path, |file| file.write_all(&head.encode()).and_then(|()| fill(file)))?;
    Ok((file, path))
}

fn create_whole(path: &Path, fill: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<File> {
    let unfinished = path.with_extension(UNFINISHED);
    let written = (|| {
        let options = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&unfinished);
        let mut file = options.map_err(Error::io("create", &unfinished))?;
        fill(&mut file).and_then(|()| file.sync_all()).map_err(Error::io("write", &unfinished))?;
        fs::rename(&unfinished, path).map_err(Error::io("rename", &unfinished))?;
        sync_folder(path.parent().unwrap_or(Path::new(".")))?;
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
    fs::create_dir_all(path).map_err(Error::io("create", path))?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent),
        _ => Ok(()),
    }
}

pub(super) fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(Error::io("sync", path))
}

fn numbered(revision: &str, path: &Path) -> Option<(Revision, PathBuf)> {
    Some((Revision(revision.parse().ok()?), path.to_owned()))
}

//! The whole state at one revision in one file.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use super::files;
use super::frame::{FileHead, FileKind, FrameBuilder, Record, records};
use super::reader::{Frames, Next};
use crate::mvcc::{Core, State};
use crate::{Entry, Error, Key, Result, Revision, Scope};

/// Entries are read in portions, so that writers never wait long.
const PORTION: usize = 1000;
/// A frame is written once it has this many bytes.
const FRAME_BYTES: usize = 1 << 20;

/// A revision that stays readable as long as this lives.
pub(super) struct Pin {
    core: Arc<Core>,
    revision: Revision,
}

impl Pin {
    /// Pins the oldest revision that can be read.
    pub(super) fn oldest(core: &Arc<Core>) -> Pin {
        Pin::new(core, State::compacted)
    }

    /// Pins the newest revision.
    pub(super) fn newest(core: &Arc<Core>) -> Pin {
        Pin::new(core, State::revision)
    }

    fn new(core: &Arc<Core>, choose: impl Fn(&State) -> Revision) -> Pin {
        let mut state = core.write();
        let revision = choose(&state);
        state.pin(revision);
        Pin { core: core.clone(), revision }
    }

    pub(super) fn revision(&self) -> Revision {
        self.revision
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.core.write().unpin(self.revision);
    }
}

/// Writes what the store was at the pinned revision; returns the file and its length.
pub(super) fn write(folder: &Path, pin: &Pin, salt: u64) -> Result<(PathBuf, u64)> {
    let path = files::path_of(folder, FileKind::Snapshot, pin.revision);
    let len = write_file(&path, pin, salt)?;
    Ok((path, len))
}

/// The same to any file; returns its length.
pub(super) fn write_file(path: &Path, pin: &Pin, salt: u64) -> Result<u64> {
    let head = FileHead { kind: FileKind::Snapshot, revision: pin.revision, salt };
    let mut failure = None;
    let created = files::create(path, &head, |file| {
        let mut frames = Writer { file, salt, frame: FrameBuilder::new(), records: 0 };
        let filled = fill(pin, &mut frames, path).and_then(|()| frames.finish().map_err(Error::io("write", path)));
        filled.map_err(|error| {
            failure = Some(error);
            io::Error::other("a snapshot could not be written")
        })
    });
    match (created, failure) {
        (_, Some(failure)) | (Err(failure), None) => Err(failure),
        (Ok(file), None) => Ok(file.metadata().map_err(Error::io("read", path))?.len()),
    }
}

/// Makes a copy of a snapshot the snapshot of a folder.
pub(super) fn copy(from: &Path, folder: &Path, revision: Revision) -> Result<()> {
    let mut source = File::open(from).map_err(Error::io("open", from))?;
    let to = files::path_of(folder, FileKind::Snapshot, revision);
    files::create_whole(&to, |file| io::copy(&mut source, file).map(drop)).map(drop)
}

fn fill(pin: &Pin, frames: &mut Writer<'_>, path: &Path) -> Result<()> {
    let tables = pin.core.read().table_names();
    for table in tables {
        let scope = Scope::of_table(&table);
        let mut after = None;
        loop {
            let entries = pin.core.read().portion(&scope, after.as_ref(), pin.revision, PORTION);
            for entry in &entries {
                frames.push(entry).map_err(Error::io("write", path))?;
            }
            let Some(last) = entries.last().filter(|_| entries.len() == PORTION) else { break };
            after = Some(last.key.clone());
        }
    }
    Ok(())
}

/// Collects entries into frames of a file.
struct Writer<'f> {
    file: &'f mut File,
    salt: u64,
    frame: FrameBuilder,
    records: u64,
}

impl Writer<'_> {
    fn push(&mut self, entry: &Entry) -> io::Result<()> {
        self.frame.push(Record::Put {
            revision: entry.revision,
            created: entry.created,
            deadline: entry.deadline,
            key: entry.key.as_str(),
            value: &entry.value,
        });
        self.records += 1;
        if self.frame.len() < FRAME_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(self.frame.finish(self.salt, 0))?;
        self.frame.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.frame.push(Record::End { records: self.records });
        self.flush()
    }
}

/// Reads a snapshot into an empty state; returns the revision at which it is true and the length of the file.
pub(super) fn read(path: &Path, state: &mut State) -> Result<(Revision, u64)> {
    let mut frames = Frames::open(path, FileKind::Snapshot)?;
    let revision = frames.head().revision;
    let len = frames.len();
    let mut count = 0;
    loop {
        let frame = match frames.next()? {
            Next::Frame(frame) => frame,
            Next::Blank => return Err(Error::corrupt(path, frames.offset(), "the end of the snapshot is missing")),
            Next::Broken(broken) => return Err(broken.into_error(path)),
        };
        for record in records(frame.body) {
            let damaged = |at: usize, detail: &str| Error::corrupt(path, frame.offset + at as u64, detail);
            match record.map_err(|at| damaged(at, "a record makes no sense"))? {
                Record::Put { revision, created, deadline, key, value } => {
                    let key = Key::parse(key).map_err(|error| damaged(0, &error.to_string()))?;
                    let value = Bytes::copy_from_slice(value);
                    state.restore(Arc::new(Entry { key, value, created, revision, deadline }));
                    count += 1;
                }
                Record::End { records } if records == count => {
                    state.restored_at(revision);
                    return Ok((revision, len));
                }
                _ => return Err(damaged(0, "a record that does not belong here")),
            }
        }
    }
}

//! The log file that is written to.

use std::io;
use std::path::{Path, PathBuf};

use super::files;
use super::frame::{FileHead, FileKind, PAGE};
use super::medium::{LogFile, Medium};
use crate::{Error, MAX_WRITE_BYTES, Result, Revision};

/// A log grows by this much at a time. The new part is written as zeros first: a commit into space that already exists changes
/// no metadata, which makes it a third faster.
const GROWTH: u64 = 1 << 20;

static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// An open log file and the place where its next frame goes.
pub(super) struct Segment {
    medium: Box<dyn Medium>,
    path: PathBuf,
    salt: u64,
    /// Everything before is on disk.
    end: u64,
    /// Everything from `end` to here is zeros.
    allocated: u64,
    /// A write failed, and what it left behind could not be removed yet.
    torn: bool,
}

impl Segment {
    /// A new log for what comes after a revision.
    pub(super) fn create(folder: &Path, revision: Revision, salt: u64) -> Result<Segment> {
        let head = FileHead { kind: FileKind::Log, revision, salt };
        let path = files::path_of(folder, FileKind::Log, revision);
        let file = files::create(&path, &head, |_| Ok(()))?;
        let end = PAGE as u64;
        Ok(Segment::at(Box::new(LogFile::new(file, &path)), path, salt, end, end))
    }

    /// A log that has frames up to `end` and zeros up to `allocated`.
    pub(super) fn at(medium: Box<dyn Medium>, path: PathBuf, salt: u64, end: u64, allocated: u64) -> Segment {
        Segment { medium, path, salt, end, allocated, torn: false }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn salt(&self) -> u64 {
        self.salt
    }

    /// The size in bytes.
    pub(super) fn len(&self) -> u64 {
        self.end
    }

    /// Puts a frame on disk. After an error nothing of it is there, and the next call tries again.
    pub(super) fn append(&mut self, frame: &[u8]) -> Result<()> {
        self.repair()?;
        self.torn = true;
        if let Err(error) = self.write(frame) {
            let error = Error::io("write", &self.path)(error);
            // Should this fail as well, the next call has to succeed with it before it writes.
            let _ = self.repair();
            return Err(error);
        }
        self.torn = false;
        self.end += frame.len() as u64;
        Ok(())
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        let end = self.end + frame.len() as u64;
        if end > self.allocated {
            self.grow(end.next_multiple_of(GROWTH))?;
        }
        self.medium.commit(frame, self.end)
    }

    /// Sets space aside, which commits take for granted.
    fn grow(&mut self, to: u64) -> io::Result<()> {
        while self.allocated < to {
            let most = usize::try_from(to - self.allocated).unwrap_or(usize::MAX);
            let zeros = &ZEROS[..ZEROS.len().min(most)];
            self.medium.write_all_at(zeros, self.allocated)?;
            self.allocated += zeros.len() as u64;
        }
        self.medium.sync()
    }

    /// Makes sure that the next commit has room, even if it is as large as a write may be.
    pub(super) fn make_room(&mut self) -> Result<()> {
        self.repair()?;
        self.torn = true;
        let to = (self.end + MAX_WRITE_BYTES as u64).next_multiple_of(GROWTH).max(self.allocated);
        if let Err(error) = self.grow(to) {
            let error = Error::io("write", &self.path)(error);
            let _ = self.repair();
            return Err(error);
        }
        self.torn = false;
        Ok(())
    }

    /// Removes what a failed write left behind.
    fn repair(&mut self) -> Result<()> {
        if self.torn {
            self.medium.set_len(self.end).and_then(|()| self.medium.sync()).map_err(Error::io("repair", &self.path))?;
            self.allocated = self.end;
            self.torn = false;
        }
        Ok(())
    }

    /// Gives back what was set aside for later frames.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.torn = true;
        self.repair()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A disk with little room, whose syncs fail on demand.
    #[derive(Clone, Default)]
    struct SmallDisk(Arc<Mutex<Disk>>);

    #[derive(Default)]
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
        broken: bool,
    }

    impl Medium for SmallDisk {
        fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
            let mut disk = self.0.lock().unwrap();
            let offset = usize::try_from(offset).unwrap();
            let end = (offset + bytes.len()).min(disk.room.max(disk.bytes.len()));
            if end > disk.bytes.len() {
                disk.bytes.resize(end, 0);
            }
            let fits = end.saturating_sub(offset).min(bytes.len());
            disk.bytes[offset..offset + fits].copy_from_slice(&bytes[..fits]);
            if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn sync(&self) -> io::Result<()> {
            if self.0.lock().unwrap().broken { Err(io::Error::other("broken")) } else { Ok(()) }
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.0.lock().unwrap().bytes.resize(usize::try_from(len).unwrap(), 0);
            Ok(())
        }
    }

    fn segment(disk: &SmallDisk) -> Segment {
        Segment::at(Box::new(disk.clone()), PathBuf::from("test.log"), 1, 0, 0)
    }

    #[test]
    fn a_full_disk_leaves_nothing_behind_and_recovers() {
        let disk = SmallDisk::default();
        let mut log = segment(&disk);
        disk.0.lock().unwrap().room = PAGE;
        let error = log.append(&[7; PAGE]).unwrap_err();
        assert!(error.is_full(), "{error}");
        assert!(disk.0.lock().unwrap().bytes.is_empty());
        disk.0.lock().unwrap().room = usize::MAX;
        log.append(&[8; PAGE]).unwrap();
        assert_eq!(disk.0.lock().unwrap().bytes[..PAGE], [8; PAGE]);
        assert_eq!(log.len(), PAGE as u64);
    }

    #[test]
    fn there_is_room_again_when_the_largest_write_has_some() {
        let disk = SmallDisk::default();
        let mut log = segment(&disk);
        disk.0.lock().unwrap().room = MAX_WRITE_BYTES;
        assert!(log.make_room().unwrap_err().is_full());
        assert!(disk.0.lock().unwrap().bytes.is_empty());
        disk.0.lock().unwrap().room = 2 * MAX_WRITE_BYTES;
        log.make_room().unwrap();
        disk.0.lock().unwrap().room = 0;
        log.append(&vec![8; MAX_WRITE_BYTES / PAGE * PAGE]).unwrap();
    }

    #[test]
    fn nothing_is_written_until_a_failed_sync_is_repaired() {
        let disk = SmallDisk::default();
        disk.0.lock().unwrap().room = usize::MAX;
        let mut log = segment(&disk);
        log.append(&[1; PAGE]).unwrap();
        disk.0.lock().unwrap().broken = true;
        assert!(log.append(&[2; PAGE]).is_err());
        assert!(log.append(&[3; PAGE]).is_err());
        assert_eq!(disk.0.lock().unwrap().bytes, [1; PAGE]);
        disk.0.lock().unwrap().broken = false;
        log.append(&[4; PAGE]).unwrap();
        assert_eq!(disk.0.lock().unwrap().bytes[..2 * PAGE], [[1; PAGE], [4; PAGE]].concat());
    }
}

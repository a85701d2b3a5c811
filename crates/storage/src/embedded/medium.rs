//! The file of a log. Frames go past the cache of the file system where it lets them, and are on disk when their write
//! returns: they are read again only when the store is opened. A disk that can put single writes through does not flush all
//! the others then.
//!
//! A fast path. Skips: the copy into the page cache and the separate sync of a commit (`O_DIRECT` and `O_DSYNC`).
//! Safe: a write that fails this way is done again the ordinary way, which reports the error if the disk is to blame.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::frame::PAGE;

/// Longer frames go through the cache, so that a large object leaves no large buffer behind.
const MAX_DIRECT: usize = 256 << 10;

/// The file operations of a log.
pub(super) trait Medium: Send {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Puts everything that was written on disk.
    fn sync(&self) -> io::Result<()>;

    fn set_len(&self, len: u64) -> io::Result<()>;

    /// True if there is a shorter way to [`commit`](Medium::commit) these pages and they went it.
    fn commit_direct(&mut self, _pages: &[u8], _offset: u64) -> bool {
        false
    }

    /// Puts whole pages on disk, into space that is there already.
    fn commit(&mut self, pages: &[u8], offset: u64) -> io::Result<()> {
        if self.commit_direct(pages, offset) {
            return Ok(());
        }
        self.write_all_at(pages, offset)?;
        self.sync()
    }
}

pub(super) struct LogFile {
    file: File,
    /// The same file past the cache and through to the disk, where there is such a way.
    direct: Option<File>,
    /// Holds pages where `direct` can take them from.
    aligned: Vec<u8>,
}

impl LogFile {
    pub(super) fn new(file: File, path: &Path) -> LogFile {
        LogFile { file, direct: open_direct(path), aligned: Vec::new() }
    }
}

impl Medium for LogFile {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    /// File systems differ in what they ask for, so a failure only says that this is not the way; should it be the disk that
    /// fails, so will the other one.
    fn commit_direct(&mut self, pages: &[u8], offset: u64) -> bool {
        let Some(direct) = self.direct.as_ref().filter(|_| pages.len() <= MAX_DIRECT) else { return false };
        let is_done = direct.write_all_at(align(&mut self.aligned, pages), offset).is_ok();
        if !is_done {
            self.direct = None;
        }
        is_done
    }
}

#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A file system without this way says so here, or at the first write.
    File::options().write(true).custom_flags(libc::O_DIRECT | libc::O_DSYNC).open(path).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_direct(_: &Path) -> Option<File> {
    None
}

/// A copy of the pages that begins at the start of a page in memory.
fn align<'b>(buffer: &'b mut Vec<u8>, pages: &[u8]) -> &'b [u8] {
    let room = pages.len() + PAGE;
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let start = buffer.as_ptr().align_offset(PAGE).min(PAGE);
    let aligned = &mut buffer[start..start + pages.len()];
    aligned.copy_from_slice(pages);
    aligned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn pages_end_up_in_the_file_whichever_way_they_go() {
        let folder = Scratch::new("log-file").unwrap();
        let path = folder.path().join("log");
        let mut log = LogFile::new(File::create_new(&path).unwrap(), &path);
        let page = PAGE as u64;
        log.write_all_at(&[0; 4 * PAGE], 0).unwrap();
        log.commit(&[1; PAGE], 0).unwrap();
        log.commit(&[2; 2 * PAGE], page).unwrap();
        log.direct = Some(File::open(&path).unwrap());
        log.commit(&[3; PAGE], 3 * page).unwrap();
        assert!(log.direct.is_none());
        let expected = [&[1; PAGE][..], &[2; 2 * PAGE], &[3; PAGE]].concat();
        assert_eq!(std::fs::read(&path).unwrap(), expected);
    }
}

//! Reading files frame by frame.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::frame::{FileHead, FileKind, FrameHead, HEAD, MAX_BODY, PAGE};
use crate::{Error, Result};

/// So many bytes are read at once: a log may have a frame for each write.
const AHEAD: usize = 256 << 10;

/// A file and the place of its next frame.
pub(super) struct Frames {
    file: File,
    path: PathBuf,
    head: FileHead,
    offset: u64,
    len: u64,
    /// Bytes of the file from a place on.
    ahead: Vec<u8>,
    ahead_from: u64,
}

/// The result of reading the next frame.
pub(super) enum Next<'a> {
    /// A whole frame.
    Frame(Frame<'a>),
    /// Nothing but zeros, or the end of the file.
    Blank,
    /// Something that is not a whole frame.
    Broken(Broken),
}

pub(super) struct Frame<'a> {
    pub(super) head: FrameHead,
    pub(super) body: &'a [u8],
    /// The offset of the body in the file.
    pub(super) offset: u64,
}

/// A place that should hold a frame and does not.
pub(super) struct Broken {
    offset: u64,
    /// The end of the frame, if its header is readable.
    end: Option<u64>,
    detail: &'static str,
}

impl Frames {
    pub(super) fn open(path: &Path, kind: FileKind) -> Result<Frames> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        let len = file.metadata().map_err(Error::io("read", path))?.len();
        let mut page = [0; PAGE];
        let got = read_at(&file, &mut page, 0).map_err(Error::io("read", path))?;
        let head = FileHead::decode(kind, &page[..got]).map_err(|detail| Error::corrupt(path, 0, detail))?;
        let offset = PAGE as u64;
        Ok(Frames { file, path: path.to_owned(), head, offset, len, ahead: Vec::new(), ahead_from: offset })
    }

    pub(super) fn head(&self) -> FileHead {
        self.head
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The offset of the next frame.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The length of the file.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn next(&mut self) -> Result<Next<'_>> {
        let offset = self.offset;
        let broken = |end, detail| Ok(Next::Broken(Broken { offset, end, detail }));
        let salt = self.head.salt;
        let page = self.read(PAGE)?;
        if page.iter().all(|&byte| byte == 0) {
            return Ok(Next::Blank);
        }
        let Some(head) = FrameHead::decode(salt, page) else {
            return broken(None, "the head of a frame is not what was written");
        };
        let end = offset + head.extent() as u64;
        let whole = HEAD + head.body_len;
        if self.read(whole)?.len() < whole {
            return broken(Some(end), "a frame is cut short");
        }
        self.offset = end;
        let start = usize::try_from(offset - self.ahead_from).unwrap_or(usize::MAX);
        let body = self.ahead.get(start + HEAD..start + whole).unwrap_or_default();
        if !head.matches(body) {
            self.offset = offset;
            return broken(Some(end), "wrong checksum");
        }
        Ok(Next::Frame(Frame { head, body, offset: offset + HEAD as u64 }))
    }

    /// The next bytes of the file from the place of the frame on: so many, or all that are left.
    fn read(&mut self, bytes: usize) -> Result<&[u8]> {
        let known = self.offset.checked_sub(self.ahead_from).and_then(|start| usize::try_from(start).ok());
        let mut start = known.unwrap_or(usize::MAX);
        if start.checked_add(bytes).is_none_or(|end| end > self.ahead.len()) {
            self.ahead.resize(bytes.max(AHEAD), 0);
            let got = read_at(&self.file, &mut self.ahead, self.offset).map_err(Error::io("read", &self.path))?;
            self.ahead.truncate(got);
            self.ahead_from = self.offset;
            start = 0;
        }
        let end = self.ahead.len().min(start + bytes);
        Ok(&self.ahead[start..end])
    }

    /// Decides what a place without a frame means at the end of the last log. A commit that was under way when the process or
    /// the machine stopped can leave a part of one frame, and nothing behind it. Returns how many bytes there are of such a
    /// part; anything else is damage.
    pub(super) fn judge_tail(&self, broken: Option<&Broken>) -> Result<Option<u64>> {
        let start = self.offset;
        let (end, detail) = match broken {
            Some(broken) => (broken.end, broken.detail),
            None => (None, "a frame is missing"),
        };
        let one_frame = end.unwrap_or(start + (HEAD + MAX_BODY).next_multiple_of(PAGE) as u64);
        let mut leftover = broken.map(|_| end.unwrap_or(start + PAGE as u64).min(self.len) - start);
        let mut offset = end.unwrap_or(start + PAGE as u64);
        let mut page = [0; PAGE];
        while offset < self.len {
            let got = read_at(&self.file, &mut page, offset).map_err(Error::io("read", &self.path))?;
            if page[..got].iter().any(|&byte| byte != 0) {
                let another = FrameHead::decode(self.head.salt, &page[..got]).is_some();
                if another || offset >= one_frame {
                    let detail = format!("{detail}, and more was written behind it (byte {offset})");
                    return Err(Error::corrupt(&self.path, start, detail));
                }
                leftover = Some(offset + got as u64 - start);
            }
            offset += PAGE as u64;
        }
        Ok(leftover)
    }
}

impl Broken {
    pub(super) fn into_error(self, path: &Path) -> Error {
        Error::corrupt(path, self.offset, self.detail)
    }
}

/// Reads as much as there is.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match file.read_at(&mut buffer[got..], offset + got as u64) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

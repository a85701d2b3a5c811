//! Reading no more than is sensible.

use std::io::{self, Read};

/// The largest file that is read as a whole; streams of documents may be longer.
pub(super) const MAX_FILE_BYTES: u64 = 256 << 20;

/// Reads everything, or fails when there is more than [`MAX_FILE_BYTES`].
pub fn read_limited(reader: impl Read) -> io::Result<Vec<u8>> {
    read_at_most(MAX_FILE_BYTES, reader)
}

/// Reads everything, or fails when there is more.
pub(super) fn read_at_most(limit: u64, reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
}

/// Returns the error for a larger file.
pub(super) fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", limit >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_limit_is_refused() {
        assert_eq!(read_at_most(3, &b"abc"[..]).unwrap(), b"abc");
        let error = read_at_most(1 << 20, io::repeat(b'a')).unwrap_err();
        assert_eq!(error.to_string(), "larger than 1 MiB");
    }
}

//! The format of log segments and snapshots.
//!
//! Both begin with a page that says what the file is. Frames follow, each starting on a page of its own, so that a
//! write that is cut short cannot touch what was acknowledged before it:
//!
//! ```text
//! frame   magic u32 | crc of the next 20 bytes u32 | body length u32 | body crc u32 | time u64 | records u32 | body | zeros
//! record  kind u8 | revision u64 | created u64 | deadline u64 | key length u32 | value length u32 | key | value
//! ```
//!
//! Numbers are little-endian. The checksum of a frame's head covers a number that is different for every file, so that no
//! value can look like a frame.

use crate::Revision;

/// Frames start on multiples of this.
pub(super) const PAGE: usize = 4096;
/// The most bytes of records in one frame.
pub(super) const MAX_BODY: usize = 8 << 20;
/// The length of a frame's head.
pub(super) const HEAD: usize = 28;

const FRAME_MAGIC: u32 = 0x6d72_6653;
const VERSION: u32 = 1;
const RECORD_HEAD: usize = 33;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Log,
    Snapshot,
}

/// The first page of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileHead {
    pub(super) kind: FileKind,
    /// Log: the last revision before it. Snapshot: when it is true.
    pub(super) revision: Revision,
    /// Sets the checksums of this file apart from those of all others.
    pub(super) salt: u64,
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub(super) body_len: usize,
    body_crc: u32,
    /// The time at which it was written.
    pub(super) at: u64,
    pub(super) records: u32,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    Put {
        revision: Revision,
        created: Revision,
        deadline: u64,
        key: &'a str,
        value: &'a [u8],
    },
    Delete {
        revision: Revision,
        key: &'a str,
    },
    Compact {
        before: Revision,
    },
    /// The last record of a snapshot: how many came before.
    End {
        records: u64,
    },
}

impl FileKind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            FileKind::Log => b"SPRAGLOG",
            FileKind::Snapshot => b"SPRAGSNP",
        }
    }
}

impl FileHead {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut page = Vec::with_capacity(PAGE);
        page.extend_from_slice(self.kind.magic());
        page.extend_from_slice(&VERSION.to_le_bytes());
        page.extend_from_slice(&self.revision.0.to_le_bytes());
        page.extend_from_slice(&self.salt.to_le_bytes());
        page.extend_from_slice(&crc32fast::hash(&page).to_le_bytes());
        page.resize(PAGE, 0);
        page
    }

    pub(super) fn decode(kind: FileKind, page: &[u8]) -> Result<FileHead, String> {
        let mut rest = page.strip_prefix(kind.magic()).ok_or("not a file of this kind")?;
        let version = take_u32(&mut rest).ok_or("too short")?;
        if version != VERSION {
            return Err(format!("format version {version}, this program knows {VERSION}"));
        }
        let revision = Revision(take_u64(&mut rest).ok_or("too short")?);
        let salt = take_u64(&mut rest).ok_or("too short")?;
        let covered = page.get(..page.len() - rest.len()).unwrap_or_default();
        if take_u32(&mut rest) != Some(crc32fast::hash(covered)) {
            return Err("wrong checksum of the first page".into());
        }
        Ok(FileHead { kind, revision, salt })
    }
}

impl FrameHead {
    /// The head at the beginning of a page, if there is one.
    pub(super) fn decode(salt: u64, page: &[u8]) -> Option<FrameHead> {
        let mut rest = page.get(..HEAD)?;
        if take_u32(&mut rest)? != FRAME_MAGIC || take_u32(&mut rest)? != salted(salt, rest) {
            return None;
        }
        let body_len = usize::try_from(take_u32(&mut rest)?).ok().filter(|&len| len <= MAX_BODY)?;
        let body_crc = take_u32(&mut rest)?;
        Some(FrameHead { body_len, body_crc, at: take_u64(&mut rest)?, records: take_u32(&mut rest)? })
    }

    pub(super) fn matches(&self, body: &[u8]) -> bool {
        body.len() == self.body_len && crc32fast::hash(body) == self.body_crc
    }

    /// The size of the frame in the file.
    pub(super) fn extent(&self) -> usize {
        (HEAD + self.body_len).next_multiple_of(PAGE)
    }
}

/// Collects records into a frame.
#[derive(Debug)]
pub(super) struct FrameBuilder {
    bytes: Vec<u8>,
    records: u32,
}

impl FrameBuilder {
    pub(super) fn new() -> FrameBuilder {
        FrameBuilder { bytes: vec![0; HEAD], records: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.resize(HEAD, 0);
        self.records = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The size of the records in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - HEAD
    }

    /// Adds a record. Keys and values have limits far below what the format can hold.
    pub(super) fn push(&mut self, record: Record<'_>) {
        let (kind, revision, created, deadline, key, value) = match record {
            Record::Put { revision, created, deadline, key, value } => (1, revision.0, created.0, deadline, key, value),
            Record::Delete { revision, key } => (2, revision.0, 0, 0, key, &[][..]),
            Record::Compact { before } => (3, before.0, 0, 0, "", &[][..]),
            Record::End { records } => (4, records, 0, 0, "", &[][..]),
        };
        self.bytes.push(kind);
        for number in [revision, created, deadline] {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        for length in [key.len(), value.len()] {
            self.bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        }
        self.bytes.extend_from_slice(key.as_bytes());
        self.bytes.extend_from_slice(value);
        self.records += 1;
    }

    /// The whole frame, padded to full pages.
    pub(super) fn finish(&mut self, salt: u64, at: u64) -> &[u8] {
        let body_len = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(&body_len.to_le_bytes());
        head.extend_from_slice(&crc32fast::hash(&self.bytes[HEAD..]).to_le_bytes());
        head.extend_from_slice(&at.to_le_bytes());
        head.extend_from_slice(&self.records.to_le_bytes());
        self.bytes[..4].copy_from_slice(&FRAME_MAGIC.to_le_bytes());
        self.bytes[4..8].copy_from_slice(&salted(salt, &head).to_le_bytes());
        self.bytes[8..HEAD].copy_from_slice(&head);
        self.bytes.resize(self.bytes.len().next_multiple_of(PAGE), 0);
        &self.bytes
    }
}

/// The records of a body; an error names the byte of the body at which it does not make sense.
pub(super) fn records(body: &[u8]) -> impl Iterator<Item = Result<Record<'_>, usize>> {
    let mut rest = body;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let offset = body.len() - rest.len();
        let record = take_record(&mut rest);
        if record.is_none() {
            rest = &[];
        }
        Some(record.ok_or(offset))
    })
}

fn take_record<'a>(rest: &mut &'a [u8]) -> Option<Record<'a>> {
    let (&kind, mut numbers) = rest.get(..RECORD_HEAD)?.split_first()?;
    let revision = Revision(take_u64(&mut numbers)?);
    let created = Revision(take_u64(&mut numbers)?);
    let deadline = take_u64(&mut numbers)?;
    let key_len = usize::try_from(take_u32(&mut numbers)?).ok()?;
    let value_len = usize::try_from(take_u32(&mut numbers)?).ok()?;
    let (key, behind) = rest.get(RECORD_HEAD..)?.split_at_checked(key_len)?;
    let (value, behind) = behind.split_at_checked(value_len)?;
    let key = std::str::from_utf8(key).ok()?;
    *rest = behind;
    match kind {
        1 => Some(Record::Put { revision, created, deadline, key, value }),
        2 => Some(Record::Delete { revision, key }),
        3 => Some(Record::Compact { before: revision }),
        4 => Some(Record::End { records: revision.0 }),
        _ => None,
    }
}

fn salted(salt: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&salt.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u32::from_le_bytes(*number))
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_frame_comes_back() {
        let put = Record::Put {
            revision: Revision(7),
            created: Revision(3),
            deadline: 9,
            key: "/-/pods/n/a/b",
            value: &[1, 2, 3],
        };
        let all = [
            put,
            Record::Delete { revision: Revision(8), key: "/-/pods/n/a/b" },
            Record::Compact { before: Revision(5) },
            Record::End { records: 3 },
        ];
        let mut builder = FrameBuilder::new();
        for record in all {
            builder.push(record);
        }
        let bytes = builder.finish(42, 1000);
        assert_eq!(bytes.len(), PAGE);
        let head = FrameHead::decode(42, bytes).unwrap();
        assert_eq!((head.at, head.records, head.extent()), (1000, 4, PAGE));
        let body = &bytes[HEAD..HEAD + head.body_len];
        assert!(head.matches(body));
        assert_eq!(records(body).collect::<Result<Vec<_>, _>>(), Ok(all.to_vec()));
        assert_eq!(FrameHead::decode(43, bytes), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_records_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(records(&bytes).count() <= bytes.len());
        }

        #[test]
        fn one_wrong_bit_is_seen(at in 0..HEAD + 60, bit in 0..8) {
            let mut builder = FrameBuilder::new();
            builder.push(Record::Delete { revision: Revision(2), key: "/-/pods/c/abcdefghijklmnop" });
            let mut bytes = builder.finish(1, 2).to_vec();
            let len = FrameHead::decode(1, &bytes).unwrap().body_len;
            bytes[at] ^= 1u8 << bit;
            let whole = FrameHead::decode(1, &bytes).is_some_and(|head| head.matches(&bytes[HEAD..HEAD + len]));
            prop_assert_eq!(whole, at >= HEAD + len);
        }
    }
}

//! Programs as bytes: embedded in a binary, or kept as a bundle of a folder of types.
//!
//! The form is a header (magic, version, number of bytes once decompressed), then DEFLATE data: the texts, each once; the
//! sizes of the tables that ids point into; the parts. Numbers are varints. A reader takes exactly one version of the format,
//! checks every id against its table, and bounds what it allocates, so a damaged or hostile bundle is an error.

mod buffer;
mod cycles;
mod parts;
mod rule;
mod shape;

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use crate::program::ProgramParts;
use crate::wire::buffer::{Reader, Sizes, Wire, Writer};
use crate::wire::cycles::has_endless_validator;

/// The first bytes of a program.
const MAGIC: &[u8; 4] = b"SPRG";
/// The version of the format. Any change to what is written raises it.
const VERSION: u16 = 7;
/// The largest program, decompressed.
const MAX_BYTES: usize = 16 << 20;

/// A reason why bytes are not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes do not begin like a program.
    #[error("not a program: it does not begin with SPRG")]
    NotAProgram,
    /// The format is another version's.
    #[error("the program has format {found}, this version of sprag reads format {VERSION}: build it again")]
    OtherVersion {
        /// The format of the bytes.
        found: u16,
    },
    /// The compressed data is broken.
    #[error("the program is damaged: {0}")]
    Compression(String),
    /// The program is too large.
    #[error("the program is larger than {limit} bytes")]
    TooLarge {
        /// The most that is read.
        limit: usize,
    },
    /// A part of the program is not what it should be.
    #[error("the program is damaged: {0}")]
    Damaged(&'static str),
    /// The shapes do not fit together.
    #[error("the program is damaged: {0}")]
    Shapes(sprag_shape::ShapeError),
}

impl ProgramParts {
    /// The parts as bytes, which [`Program::from_bytes`](crate::Program::from_bytes) reads.
    #[expect(clippy::missing_panics_doc, reason = "writing to memory does not fail")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        Wire::write(self, &mut writer);
        let plain = writer.finish(&Sizes::of(self));
        let mut out = Vec::from(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(u32::try_from(plain.len()).unwrap_or(u32::MAX).to_le_bytes());
        let mut encoder = DeflateEncoder::new(out, Compression::best());
        let written = encoder.write_all(&plain).and_then(|()| encoder.finish());
        written.expect("writing to memory does not fail")
    }

    /// Reads what [`ProgramParts::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<ProgramParts, WireError> {
        let plain = plain(bytes)?;
        let (reader, sizes) = Reader::new(&plain)?;
        ProgramParts::read_from(reader, &sizes)
    }

    /// The same for a program that is part of the binary and needed as long as the process lives: its texts are kept once, and
    /// the types borrow them.
    pub fn embedded(bytes: &'static [u8]) -> Result<ProgramParts, WireError> {
        let (reader, sizes) = Reader::new(plain(bytes)?.leak())?;
        ProgramParts::read_from(reader.lasting(), &sizes)
    }

    fn read_from(mut reader: Reader<'_>, sizes: &Sizes) -> Result<ProgramParts, WireError> {
        let parts = ProgramParts::read(&mut reader)?;
        if Sizes::of(&parts) != *sizes || !reader.is_empty() {
            return Err(WireError::Damaged("a table does not have the announced size"));
        }
        let shapes = parts.types.iter().map(|ty| ty.shape).chain(parts.resources.iter().map(|resource| resource.shape));
        if shapes.max().is_some_and(|last| last.0 as usize >= parts.shapes.types().len()) {
            return Err(WireError::Damaged("an id is not in its table"));
        }
        if parts.plan.types.len() > parts.defs.len() || has_endless_validator(&parts) {
            return Err(WireError::Damaged("the rules do not fit the types"));
        }
        if let Some(error) = parts.shapes.check().into_iter().next() {
            return Err(WireError::Shapes(error));
        }
        Ok(parts)
    }
}

/// Returns the decompressed bytes after the header.
fn plain(bytes: &[u8]) -> Result<Vec<u8>, WireError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(WireError::NotAProgram)?;
    let (version, data) = rest.split_first_chunk::<2>().ok_or(WireError::NotAProgram)?;
    let found = u16::from_le_bytes(*version);
    if found != VERSION {
        return Err(WireError::OtherVersion { found });
    }
    let (size, data) = data.split_first_chunk::<4>().ok_or(WireError::NotAProgram)?;
    inflate(data, u32::from_le_bytes(*size))
}

fn inflate(data: &[u8], size: u32) -> Result<Vec<u8>, WireError> {
    let size = usize::try_from(size).ok().filter(|size| *size <= MAX_BYTES);
    let mut plain = vec![0; size.ok_or(WireError::TooLarge { limit: MAX_BYTES })?];
    let mut decoder = DeflateDecoder::new(data);
    decoder.read_exact(&mut plain).map_err(|error| WireError::Compression(error.to_string()))?;
    match decoder.read(&mut [0]) {
        Ok(0) => Ok(plain),
        Ok(_) => Err(WireError::Damaged("it is longer than announced")),
        Err(error) => Err(WireError::Compression(error.to_string())),
    }
}

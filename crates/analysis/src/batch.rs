//! Texts cut into batches of whole documents, so that one long stream keeps every worker busy and none is held in memory
//! as a whole.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;
use sprag_decode::Format;

use crate::encoding::{self, Mark};
use crate::source::{Source, Text};
use crate::standing::{Passed, Standing};

/// The largest document that is read. kubeconform has the same limit.
const MAX_DOCUMENT_BYTES: usize = 256 << 20;

/// Maximum number of values in the documents of a batch, as far as their separators tell: each takes up to 150 bytes of memory.
/// Only documents of more than 16 MB can have so many.
const MAX_VALUES: usize = 16_000_000;

/// A batch ends with the first document that reaches this size.
const BATCH_BYTES: usize = 128 << 10;

/// A document that is longer says before that what it is.
const LONG_BYTES: usize = 1 << 20;

/// Most files are read in one go when there is so much room.
const USUAL_BYTES: usize = 8 << 10;

/// Some documents of one text.
#[derive(Debug)]
pub struct Batch {
    /// The name of the text, as that of its file.
    pub file: Arc<str>,
    /// The number of the first line.
    pub line: usize,
    /// The documents, or why there are no more.
    pub content: Result<Vec<u8>, String>,
    /// True if the text ends here.
    pub last: bool,
    /// True if the text is the output of a program that renders templates.
    pub is_rendered: bool,
    /// The way the text came to be read.
    pub standing: Standing,
}

/// The batches of texts, in their order.
pub struct Batches {
    texts: Box<dyn Iterator<Item = Text> + Send>,
    open: Option<Stream>,
}

impl Batches {
    /// The batches of what a source has.
    pub fn of(source: &dyn Source) -> Batches {
        Batches { texts: source.texts(), open: None }
    }

    /// The same in chunks.
    pub fn chunks(self) -> Chunks {
        Chunks(self)
    }
}

/// Batches in chunks that are worth handing to a worker: many small texts, or a part of a long one.
pub struct Chunks(Batches);

impl Iterator for Chunks {
    type Item = Vec<Batch>;

    fn next(&mut self) -> Option<Vec<Batch>> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while bytes < CHUNK_BYTES
            && let Some(batch) = self.0.next()
        {
            bytes += batch.content.as_ref().map_or(0, Vec::len).max(MIN_BYTES);
            chunk.push(batch);
        }
        (!chunk.is_empty()).then_some(chunk)
    }
}

/// The size of a chunk. One text is enough to keep several workers busy.
const CHUNK_BYTES: usize = 64 << 10;

/// Texts without content take time too.
const MIN_BYTES: usize = 1 << 10;

impl Iterator for Batches {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut stream = if let Some(stream) = self.open.take() {
            stream
        } else {
            let Text { name, reader, is_rendered, standing } = self.texts.next()?;
            if let Standing::Passed(_) = standing {
                return Some(Batch::unread(name, standing));
            }
            match reader {
                Ok(reader) => Stream { is_rendered, standing, ..Stream::new(name, reader) },
                Err(error) => return Some(Batch::failed(name, 1, &error)),
            }
        };
        let batch = stream.next();
        if !batch.last {
            self.open = Some(stream);
        }
        Some(batch)
    }
}

impl Batch {
    fn failed(file: Arc<str>, line: usize, error: &io::Error) -> Batch {
        let content = Err(error.to_string());
        Batch { file, line, content, last: true, is_rendered: false, standing: Standing::Named }
    }

    /// Stands for a file that is not read.
    fn unread(file: Arc<str>, standing: Standing) -> Batch {
        Batch { file, line: 1, content: Ok(Vec::new()), last: true, is_rendered: false, standing }
    }
}

/// One text, being read.
struct Stream {
    file: Arc<str>,
    line: usize,
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The length of the buffer's start that has no place to cut at.
    searched: usize,
    /// True once the first bytes were read.
    is_begun: bool,
    /// The largest document.
    limit: usize,
    is_rendered: bool,
    standing: Standing,
}

impl Stream {
    fn new(file: Arc<str>, reader: Box<dyn Read + Send>) -> Stream {
        Stream {
            file,
            line: 1,
            reader,
            buffer: Vec::new(),
            searched: 0,
            is_begun: false,
            limit: MAX_DOCUMENT_BYTES,
            is_rendered: false,
            standing: Standing::Named,
        }
    }

    fn next(&mut self) -> Batch {
        loop {
            let is_all = match self.fill() {
                Err(error) => return Batch::failed(self.file.clone(), self.line, &error),
                Ok(is_all) => is_all,
            };
            if self.is_no_manifest() {
                return Batch::unread(self.file.clone(), Standing::Passed(Passed::NotManifest));
            }
            if is_all {
                let rest = std::mem::take(&mut self.buffer);
                return self.batch(rest, true);
            }
            if let Some(end) = self.cut() {
                let rest = self.buffer.split_off(end);
                let documents = std::mem::replace(&mut self.buffer, rest);
                self.searched = 0;
                return self.batch(documents, false);
            }
            if self.buffer.len() > self.limit {
                let reason = format!("a document is larger than {} MiB", self.limit >> 20);
                return Batch::failed(self.file.clone(), self.line, &io::Error::other(reason));
            }
        }
    }

    /// True if the beginning of a long file that was found shows that it is something else: it has bytes that no text has, or says
    /// nowhere what it is an object of.
    fn is_no_manifest(&self) -> bool {
        let names = |word: &[u8]| memmem::find(&self.buffer, word).is_some();
        self.standing == Standing::Found
            && self.line == 1
            && (memchr::memchr(0, &self.buffer).is_some()
                || (self.buffer.len() > LONG_BYTES && !names(b"apiVersion") && !names(b"kind")))
    }

    /// Reads about as much as there is already, so that a long document is not copied too often; whether that was all.
    fn fill(&mut self) -> io::Result<bool> {
        let more = self.buffer.len().clamp(BATCH_BYTES, self.limit);
        self.buffer.reserve(USUAL_BYTES);
        let read = (&mut self.reader).take(more as u64).read_to_end(&mut self.buffer)?;
        let is_all = read < more;
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        match Mark::of(&self.buffer) {
            Some(mark) if is_first => self.convert(mark, is_all),
            _ => Ok(is_all),
        }
    }

    /// Converts a text to UTF-8 that begins with a byte order mark; whether it was read to its end.
    #[cold]
    fn convert(&mut self, mark: Mark, is_all: bool) -> io::Result<bool> {
        let is_converted_at_once = mark != Mark::Utf8;
        if is_converted_at_once && !is_all {
            (&mut self.reader).take(self.limit as u64).read_to_end(&mut self.buffer)?;
            if self.buffer.len() > self.limit {
                return Err(io::Error::other(format!("a file in UTF-16 is larger than {} MiB", self.limit >> 20)));
            }
        }
        self.buffer = mark.decode(std::mem::take(&mut self.buffer));
        Ok(is_all || is_converted_at_once)
    }

    /// The start of the last separator that the buffer shows whole. JSON values are not separated, and what comes after
    /// one is read differently.
    fn cut(&mut self) -> Option<usize> {
        if Format::guess(&self.buffer) == Format::Json {
            return None;
        }
        let from = self.searched;
        self.searched = self.buffer.len().saturating_sub(SEPARATOR.len());
        let starts = self.buffer.get(from..)?.windows(SEPARATOR.len() + 1);
        starts.rev().position(is_separator).map(|back| self.buffer.len() - SEPARATOR.len() - back)
    }

    fn batch(&mut self, bytes: Vec<u8>, last: bool) -> Batch {
        let line = self.line;
        if has_more_values(&bytes, MAX_VALUES) {
            let reason = format!("a document has more than {MAX_VALUES} values");
            return Batch::failed(self.file.clone(), line, &io::Error::other(reason));
        }
        self.line += memchr::memchr_iter(b'\n', &bytes).count();
        Batch {
            file: self.file.clone(),
            line,
            content: Ok(encoding::valid(bytes)),
            last,
            is_rendered: self.is_rendered,
            standing: self.standing,
        }
    }
}

/// True if a text may have more values than that: each is behind a comma, a bracket, a brace or a line end.
fn has_more_values(text: &[u8], limit: usize) -> bool {
    text.len() > limit
        && memchr::memchr3_iter(b',', b'[', b'\n', text).count() + memchr::memchr_iter(b'{', text).count() > limit
}

/// The document separator, with the line end before it.
const SEPARATOR: &[u8] = b"\n---";

fn is_separator(window: &[u8]) -> bool {
    window.starts_with(SEPARATOR) && matches!(window.last(), Some(b'\n' | b'\r' | b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn batches(text: String) -> Vec<Batch> {
        let mut stream = Stream::new("a".into(), Box::new(Cursor::new(text)));
        let mut batches = Vec::new();
        loop {
            let batch = stream.next();
            let last = batch.last;
            batches.push(batch);
            if last {
                return batches;
            }
        }
    }

    #[test]
    fn a_long_stream_is_cut_between_documents() {
        let document = format!("---\na: {}\n---x: 1\n", "b".repeat(1000));
        let text = document.repeat(1000);
        let batches = batches(text.clone());
        assert!(batches.len() > 4, "{}", batches.len());
        let mut line = 1;
        let mut joined = Vec::new();
        for batch in &batches {
            let bytes = batch.content.as_ref().unwrap();
            assert_eq!(batch.line, line);
            assert!(bytes.starts_with(b"---\n"));
            line += memchr::memchr_iter(b'\n', bytes).count();
            joined.extend_from_slice(bytes);
        }
        assert_eq!(joined, text.into_bytes());
    }

    #[test]
    fn one_long_document_stays_whole() {
        let text = format!("a: {}\n", "b".repeat(BATCH_BYTES * 5));
        let batches = batches(text.clone());
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].content.as_ref().unwrap(), text.as_bytes());
    }

    #[test]
    fn a_long_text_in_utf16_is_read_whole() {
        let text = format!("a: {}\n---\nb: 1\n", "\u{e4}".repeat(BATCH_BYTES * 5));
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        let mut stream = Stream::new("a".into(), Box::new(Cursor::new(bytes.clone())));
        let batch = stream.next();
        assert!(batch.last && batch.content.unwrap() == text.as_bytes());
        let mut stream = Stream::new("a".into(), Box::new(Cursor::new(bytes)));
        stream.limit = 1 << 20;
        assert_eq!(stream.next().content.unwrap_err(), "a file in UTF-16 is larger than 1 MiB");
    }

    #[test]
    fn an_empty_file_is_one_empty_batch() {
        let batches = batches(String::new());
        assert_eq!((batches.len(), batches[0].content.as_deref()), (1, Ok(&b""[..])));
    }

    #[test]
    fn values_are_counted_by_what_separates_them() {
        assert!(!has_more_values(b"[[],{}]", 4));
        assert!(has_more_values(b"[[],{}]", 3));
        assert!(!has_more_values(b"a: b\n- c: d\n", 2));
        assert!(has_more_values(b"a: b\n- c: d\n", 1));
    }

    #[test]
    fn documents_beyond_the_limit_are_refused() {
        let mut stream = Stream::new("a".into(), Box::new(io::repeat(b'a')));
        stream.limit = 1 << 20;
        let batch = stream.next();
        assert_eq!(batch.content.unwrap_err(), "a document is larger than 1 MiB");
        assert!(batch.last);
    }
}

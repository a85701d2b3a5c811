//! Blocks of PEM text (RFC 7468), found as Go's `pem.Decode` finds them.

use sprag_value::base64;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// A block of PEM text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The type of the content: `CERTIFICATE`.
    pub label: String,
    /// True if it has headers.
    pub has_headers: bool,
    /// The decoded content.
    pub bytes: Vec<u8>,
}

/// The blocks of a text, in their order. What is not a block is passed over.
pub fn blocks(text: &[u8]) -> impl Iterator<Item = Block> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (block, next) = next_block(rest)?;
        rest = next;
        Some(block)
    })
}

/// The first block of a text, and the text behind it.
pub fn next_block(text: &[u8]) -> Option<(Block, &[u8])> {
    let mut start = 0;
    loop {
        let end = start + find(text.get(start..)?, END)?;
        let trailer = end + END.len();
        match read(text, start, end, trailer)? {
            Read::Block(block, next) => return Some((block, &text[next..])),
            Read::Skip => start = trailer,
        }
    }
}

enum Read {
    Block(Block, usize),
    Skip,
}

/// Reads the block that ends at an END line; nothing if the text ends in its headers.
fn read(text: &[u8], start: usize, end: usize, trailer: usize) -> Option<Read> {
    // The last BEGIN line counts: those before have no END.
    let Some(begin) = rfind(&text[start..end], BEGIN).map(|at| start + at) else { return Some(Read::Skip) };
    if begin > start && text[begin - 1] != b'\n' {
        return Some(Read::Skip);
    }
    let (line, mut at) = line(text, begin + BEGIN.len());
    let Some(label) = line.strip_suffix(DASHES) else { return Some(Read::Skip) };
    let mut has_headers = false;
    loop {
        if at >= text.len() {
            return None;
        }
        let (header, next) = self::line(text, at);
        if !header.contains(&b':') {
            break;
        }
        has_headers = true;
        at = next;
    }
    if trailer < at || (has_headers && end < at) {
        return Some(Read::Skip);
    }
    let Some(rest) = text[trailer..].strip_prefix(label).and_then(|rest| rest.strip_prefix(DASHES)) else {
        return Some(Read::Skip);
    };
    if !self::line(rest, 0).0.is_empty() {
        return Some(Read::Skip);
    }
    let body: Vec<u8> = text.get(at..end).unwrap_or_default().iter().copied().filter(|byte| !is_blank(*byte)).collect();
    let Some(bytes) = std::str::from_utf8(&body).ok().and_then(|body| base64::decode(body).ok()) else {
        return Some(Read::Skip);
    };
    let label = String::from_utf8_lossy(label).into_owned();
    let next = self::line(text, trailer).1;
    Some(Read::Block(Block { label, has_headers, bytes }, next))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The line that starts here without blanks at its end, and where the next one starts.
fn line(text: &[u8], start: usize) -> (&[u8], usize) {
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.iter().position(|byte| *byte == b'\n');
    let (line, next) = length.map_or((rest, text.len()), |length| (&rest[..length], start + length + 1));
    let line = if length.is_some() { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
    let kept = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).map_or(0, |at| at + 1);
    (&line[..kept], next)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn rfind(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        blocks(text.as_bytes()).map(|block| format!("{}={}", block.label, block.bytes.len())).collect()
    }

    #[test]
    fn blocks_are_found_between_other_text() {
        assert_eq!(labels(""), [""; 0]);
        let text =
            "hello\n-----BEGIN A-----\nYWJj\nZGVm\n-----END A-----\nbye\n-----BEGIN B-----\r\nYQ==\r\n-----END B-----";
        assert_eq!(labels(text), ["A=6", "B=1"]);
        assert_eq!(labels("-----BEGIN A-----\n-----END A-----\n"), ["A=0"]);
        // BEGIN has to start a line, and END has to match it.
        assert_eq!(labels("x-----BEGIN A-----\nYQ==\n-----END A-----\n"), [""; 0]);
        assert_eq!(labels("-----BEGIN A-----\nYQ==\n-----END B-----\n"), [""; 0]);
        assert_eq!(
            labels("-----BEGIN A-----\nY!\n-----END A-----\n-----BEGIN B-----\nYQ==\n-----END B-----\n"),
            ["B=1"]
        );
    }

    #[test]
    fn headers_are_no_content() {
        let text = b"-----BEGIN A-----\nProc-Type: 4\nOther: x\n\nYWJj\n-----END A-----\n";
        let found: Vec<Block> = blocks(text).collect();
        assert_eq!(found, [Block { label: "A".to_owned(), has_headers: true, bytes: b"abc".to_vec() }]);
    }
}

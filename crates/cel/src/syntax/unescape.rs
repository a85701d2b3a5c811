//! The value of a string or bytes literal.

const UNABLE: &str = "unable to unescape string";

/// The bytes a literal stands for: quotes, prefix `r` and escapes taken off, line ends turned into `\n`.
///
/// In a bytes literal `\x` and octal escapes are single bytes; in a string they are code points.
pub(super) fn unescape(literal: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    let raw = literal.starts_with(['r', 'R']);
    let quoted = if raw { &literal[1..] } else { literal };
    let quotes = if quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\"")) { 3 } else { 1 };
    let body = &quoted[quotes..quoted.len() - quotes];
    let normalized;
    let body = if body.contains('\r') {
        normalized = body.replace("\r\n", "\n").replace('\r', "\n");
        &normalized
    } else {
        body
    };
    if raw || !body.contains('\\') {
        return Ok(body.as_bytes().to_vec());
    }
    let mut value = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        value.extend_from_slice(&rest.as_bytes()[..at]);
        rest = escape(&rest[at + 1..], bytes, &mut value)?;
    }
    value.extend_from_slice(rest.as_bytes());
    Ok(value)
}

/// Decodes one escape whose backslash has been read; returns what follows it.
fn escape<'s>(text: &'s str, bytes: bool, value: &mut Vec<u8>) -> Result<&'s str, &'static str> {
    let kind = text.bytes().next().ok_or("unable to unescape string, found '\\' as last character")?;
    let simple = match kind {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'\'' | b'"' | b'`' | b'?' => kind,
        _ => return code(kind, text, bytes, value),
    };
    value.push(simple);
    Ok(&text[1..])
}

fn code<'s>(kind: u8, text: &'s str, bytes: bool, value: &mut Vec<u8>) -> Result<&'s str, &'static str> {
    let (from, len, radix) = match kind {
        b'x' | b'X' => (1, 2, 16),
        b'u' if !bytes => (1, 4, 16),
        b'U' if !bytes => (1, 8, 16),
        b'0'..=b'3' => (0, 3, 8),
        _ => return Err(UNABLE),
    };
    let digits = text.get(from..from + len).ok_or(UNABLE)?;
    let code = u32::from_str_radix(digits, radix).map_err(|_| UNABLE)?;
    match u8::try_from(code) {
        Ok(byte) if bytes => value.push(byte),
        _ => {
            let char = char::from_u32(code).ok_or("invalid unicode code point")?;
            value.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Ok(&text[from + len..])
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[track_caller]
    fn check(literal: &str, bytes: bool, expected: Result<&[u8], &str>) {
        assert_eq!(unescape(literal, bytes).as_deref(), expected.as_deref());
    }

    #[test]
    fn escapes_stand_for_code_points_in_strings() {
        check(r"'\x41\101\u00ff\U0001F431\n\?'", false, Ok("AA\u{ff}\u{1f431}\n?".as_bytes()));
        check(r"'\xff'", false, Ok("\u{ff}".as_bytes()));
    }

    #[test]
    fn escapes_stand_for_bytes_in_bytes() {
        check(r"'\xff\377'", true, Ok(&[0xff, 0xff]));
        check(r"'\u00ff'", true, Err("unable to unescape string"));
    }

    #[test]
    fn surrogates_are_no_code_points() {
        check(r"'\ud800'", false, Err("invalid unicode code point"));
    }

    #[test]
    fn raw_strings_keep_backslashes_and_lose_carriage_returns() {
        check("r'a\\n'", false, Ok(b"a\\n"));
        check("'''a\r\nb\rc'''", false, Ok(b"a\nb\nc"));
        check("''", false, Ok(b""));
    }
}

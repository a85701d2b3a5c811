//! Go's character classes, by way of the identifier tables that Rust's own tooling uses.

use std::fmt::Write;

/// Go's `unicode.IsLetter`, or `_`: what a name may start with.
pub(crate) fn is_letter(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '_' => true,
        _ if c.is_ascii() => false,
        // XID_Start is the letters plus the letter numbers (`Ⅳ`), which Go counts as numbers.
        _ => unicode_ident::is_xid_start(c) && !c.is_numeric(),
    }
}

/// Go's `unicode.IsDigit`: decimal digits of any script.
pub(crate) fn is_digit(c: char) -> bool {
    match c {
        '0'..='9' => true,
        _ if c.is_ascii() => false,
        _ => c.is_numeric() && unicode_ident::is_xid_continue(c) && !unicode_ident::is_xid_start(c),
    }
}

/// A character between single quotes, as Go's `%q` prints it.
pub(crate) fn quote_char(c: char) -> String {
    let mut out = String::from('\'');
    match c {
        '\'' | '\\' => out.extend(['\\', c]),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        _ if is_print(c) => out.push(c),
        _ => push_escape(&mut out, c),
    }
    out.push('\'');
    out
}

/// Go's `unicode.IsPrint`.
fn is_print(c: char) -> bool {
    // A mark is only escaped by `escape_debug` when it has nothing to stand on.
    let standing_on_a_letter: String = ['a', c].iter().collect();
    standing_on_a_letter.escape_debug().eq(['a', c]) || matches!(c, '"' | '\'' | '\\')
}

fn push_escape(out: &mut String, c: char) {
    let code = u32::from(c);
    let written = match code {
        0..0x80 => write!(out, "\\x{code:02x}"),
        0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_match_go() {
        assert!(['a', 'Z', '_', 'é', '中', 'ǅ'].into_iter().all(is_letter));
        assert!(!['0', '-', 'Ⅳ', '\u{301}', '½'].into_iter().any(is_letter));
        assert!(['0', '٣', '９'].into_iter().all(is_digit));
        assert!(!['²', '½', 'Ⅳ', 'a'].into_iter().any(is_digit));
    }

    #[test]
    fn characters_are_quoted_like_go() {
        for (c, quoted) in [
            (',', "','"),
            ('\'', r"'\''"),
            ('"', "'\"'"),
            ('\\', r"'\\'"),
            ('\0', r"'\x00'"),
            ('\x7f', r"'\x7f'"),
            ('\t', r"'\t'"),
            ('\u{a0}', r"'\u00a0'"),
            ('é', "'é'"),
            ('\u{301}', "'\u{301}'"),
            ('\u{200b}', r"'\u200b'"),
            ('\u{10ffff}', r"'\U0010ffff'"),
        ] {
            assert_eq!(quote_char(c), quoted);
        }
    }
}

//! The values of Go literals.

/// The value of a string literal, quotes included; `None` if malformed or not UTF-8.
pub(super) fn unquote(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('`') {
        return Some(raw.strip_suffix('`')?.replace('\r', ""));
    }
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => unescape(&mut chars, '"')?.push_to(&mut out),
            '"' => return None,
            _ => Unit::Char(c).push_to(&mut out),
        }
    }
    String::from_utf8(out).ok()
}

/// The value of a character literal, quotes included.
pub(super) fn char_value(literal: &str) -> Option<i128> {
    let mut chars = literal.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let value = match chars.next()? {
        '\\' => match unescape(&mut chars, '\'')? {
            Unit::Char(c) => i128::from(u32::from(c)),
            Unit::Byte(byte) => i128::from(byte),
        },
        '\'' => return None,
        c => i128::from(u32::from(c)),
    };
    chars.next().is_none().then_some(value)
}

/// The value of an integer literal; `None` for floats, imaginary numbers and what does not fit.
pub(super) fn int_value(literal: &str) -> Option<i128> {
    let plain = literal.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match plain.as_bytes() {
        [b'0', b'x', ..] => (&plain[2..], 16),
        [b'0', b'o', ..] => (&plain[2..], 8),
        [b'0', b'b', ..] => (&plain[2..], 2),
        [b'0', _, ..] => (&plain[1..], 8),
        _ => (&plain[..], 10),
    };
    i128::from_str_radix(digits, radix).ok()
}

/// The value of an escape: a character, or one byte of a string.
enum Unit {
    Char(char),
    Byte(u8),
}

impl Unit {
    fn push_to(self, out: &mut Vec<u8>) {
        match self {
            Unit::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Unit::Byte(byte) => out.push(byte),
        }
    }
}

/// Reads what follows a backslash.
fn unescape(chars: &mut std::str::Chars<'_>, quote: char) -> Option<Unit> {
    let c = chars.next()?;
    Some(Unit::Char(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' => '\\',
        _ if c == quote => quote,
        'x' => return u8::try_from(digits(chars, 2, 16)?).ok().map(Unit::Byte),
        'u' => char::from_u32(digits(chars, 4, 16)?)?,
        'U' => char::from_u32(digits(chars, 8, 16)?)?,
        '0'..='7' => {
            let rest = digits(chars, 2, 8)?;
            return u8::try_from(c.to_digit(8)? * 64 + rest).ok().map(Unit::Byte);
        }
        _ => return None,
    }))
}

fn digits(chars: &mut std::str::Chars<'_>, count: usize, radix: u32) -> Option<u32> {
    (0..count).try_fold(0, |value: u32, _| value.checked_mul(radix)?.checked_add(chars.next()?.to_digit(radix)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        for (literal, value) in [
            (r#""a\tb\"\\""#, Some("a\tb\"\\")),
            (r#""\x41\101\u00e9\U0001f600""#, Some("AAé😀")),
            (r#""\xc3\xa9""#, Some("é")),
            ("`a\\n\r\n`", Some("a\\n\n")),
            (r#""\xff""#, None),
            (r#""\'""#, None),
            (r#""\777""#, None),
            ("\"abc", None),
            ("\"", None),
            ("`", None),
        ] {
            assert_eq!(unquote(literal).as_deref(), value, "{literal}");
        }
    }

    #[test]
    fn characters_and_integers() {
        assert_eq!(char_value("'a'"), Some(97));
        assert_eq!(char_value(r"'\''"), Some(39));
        assert_eq!(char_value(r"'\xff'"), Some(255));
        assert_eq!(char_value("'ab'"), None);
        assert_eq!(char_value("'"), None);
        assert_eq!(int_value("0x_FF"), Some(255));
        assert_eq!(int_value("0o17"), Some(15));
        assert_eq!(int_value("017"), Some(15));
        assert_eq!(int_value("1_000"), Some(1000));
        assert_eq!(int_value("0"), Some(0));
        assert_eq!(int_value("1.5"), None);
        assert_eq!(int_value("1e3"), None);
        assert_eq!(int_value("0x"), None);
    }
}

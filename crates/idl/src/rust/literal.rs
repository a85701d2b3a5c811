//! The values of Rust literals.

/// The value of a string literal, prefix and quotes included; `None` for byte strings and malformed ones.
pub(super) fn unquote(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let inner = raw.trim_matches('#');
        return inner.strip_prefix('"')?.strip_suffix('"').map(str::to_owned);
    }
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            '0' => out.push('\0'),
            c @ ('\\' | '\'' | '"') => out.push(c),
            'x' => out.push(char::from_u32(hex(&mut chars, 2)?).filter(char::is_ascii)?),
            'u' => out.push(braced(&mut chars)?),
            '\n' => chars = chars.as_str().trim_start().chars(),
            _ => return None,
        }
    }
    Some(out)
}

/// The value of an integer literal, with or without a suffix.
pub(super) fn int_value(literal: &str) -> Option<i128> {
    const SUFFIXES: &[&str] = &["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];
    let plain = literal.replace('_', "");
    let (digits, radix) = match plain.get(..2) {
        Some("0x") => (&plain[2..], 16),
        Some("0o") => (&plain[2..], 8),
        Some("0b") => (&plain[2..], 2),
        _ => (&plain[..], 10),
    };
    let digits = SUFFIXES.iter().find_map(|suffix| digits.strip_suffix(suffix)).unwrap_or(digits);
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok()
}

fn hex(chars: &mut std::str::Chars<'_>, count: usize) -> Option<u32> {
    (0..count).try_fold(0, |value: u32, _| Some(value * 16 + chars.next()?.to_digit(16)?))
}

fn braced(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let rest = chars.as_str().strip_prefix('{')?;
    let (digits, after) = rest.split_once('}')?;
    *chars = after.chars();
    char::from_u32(u32::from_str_radix(&digits.replace('_', ""), 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        for (literal, value) in [
            (r#""a\tb\"\\\0""#, Some("a\tb\"\\\0")),
            (r#""\x41\u{e9}\u{1_f600}""#, Some("Aé😀")),
            ("\"a \\\n   b\"", Some("a b")),
            (r###"r##"a"#b"##"###, Some("a\"#b")),
            (r#"b"abc""#, None),
            (r#""\xff""#, None),
            (r#""\q""#, None),
            ("\"abc", None),
            ("\"", None),
            ("r#", None),
        ] {
            assert_eq!(unquote(literal).as_deref(), value, "{literal}");
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int_value("1_000"), Some(1000));
        assert_eq!(int_value("0xFFu8"), Some(255));
        assert_eq!(int_value("0b11"), Some(3));
        assert_eq!(int_value("010"), Some(10));
        assert_eq!(int_value("5i64"), Some(5));
        assert_eq!(int_value("1.5"), None);
        assert_eq!(int_value("'a'"), None);
        assert_eq!(int_value("0x"), None);
    }
}

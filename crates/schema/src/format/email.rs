//! Mail addresses as Go's `net/mail` reads them: `a@b`, with comments, with a display name, alone in a group.

use sprag_cel::library::parse_ip;

/// True if a text is one mail address.
pub(super) fn is_email(text: &str) -> bool {
    let mut reader = Reader(text);
    let count = reader.address(Groups::Allowed);
    count == Some(1) && reader.skip_comments().is_some() && reader.0.is_empty()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Groups {
    Allowed,
    Refused,
}

/// The unread rest of a text.
#[derive(Clone, Copy)]
struct Reader<'t>(&'t str);

impl<'t> Reader<'t> {
    /// Reads an address or a group; the number of addresses, or nothing when it is neither.
    fn address(&mut self, groups: Groups) -> Option<usize> {
        self.skip_space();
        if self.0.is_empty() {
            return None;
        }
        if self.mailbox().is_some() {
            self.skip_space();
            if self.0.starts_with('(') {
                self.display_comment()?;
            }
            return Some(1);
        }
        if !self.0.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if groups == Groups::Allowed && self.take(':') {
            return self.group();
        }
        (self.take('<') && self.mailbox().is_some() && self.take('>')).then_some(1)
    }

    /// Reads the members of a group to its end.
    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        let mut count = 0;
        let mut is_done = self.take(';');
        while !is_done {
            count += self.address(Groups::Refused)?;
            self.skip_comments()?;
            is_done = self.take(';');
            if !is_done && !self.take(',') {
                return None;
            }
        }
        self.skip_comments()?;
        Some(count)
    }

    /// Reads `local@domain`, or nothing at all.
    fn mailbox(&mut self) -> Option<()> {
        let mut reader = *self;
        reader.skip_space();
        if reader.0.starts_with('"') {
            reader.quoted().filter(|len| *len > 0)?;
        } else {
            reader.dotted()?;
        }
        if !reader.take('@') {
            return None;
        }
        reader.skip_space();
        if reader.0.starts_with('[') {
            reader.literal()?;
        } else {
            reader.dotted()?;
        }
        *self = reader;
        Some(())
    }

    /// Reads an atom with single dots inside.
    fn dotted(&mut self) -> Option<()> {
        let atom = self.atom()?;
        let is_proper = !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..");
        is_proper.then_some(())
    }

    fn atom(&mut self) -> Option<&'t str> {
        let end = self.0.find(|char| !is_atom_char(char)).unwrap_or(self.0.len());
        let (atom, rest) = self.0.split_at(end);
        self.0 = rest;
        (!atom.is_empty()).then_some(atom)
    }

    /// Reads a quoted text and tells its length.
    fn quoted(&mut self) -> Option<usize> {
        let mut len = 0;
        let mut is_escaped = false;
        for (at, char) in self.0.char_indices().skip(1) {
            match char {
                _ if is_escaped => {
                    if !is_visible(char) && !is_space(char) {
                        return None;
                    }
                    is_escaped = false;
                    len += 1;
                }
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Some(len);
                }
                '\\' => is_escaped = true,
                _ if is_visible(char) || is_space(char) => len += 1,
                _ => return None,
            }
        }
        None
    }

    /// Reads an address in brackets.
    fn literal(&mut self) -> Option<()> {
        let (inside, rest) = self.0.strip_prefix('[')?.split_once(']')?;
        self.0 = rest;
        let is_text = inside.chars().all(|char| is_visible(char) && !matches!(char, '[' | '\\'));
        let is_address = match inside.strip_prefix("IPv6:") {
            Some(address) => parse_ip(address).is_some(),
            None => parse_ip(inside).is_some_and(|address| address.to_canonical().is_ipv4()),
        };
        (is_text && is_address).then_some(())
    }

    /// Reads words up to something else; there has to be one, unless there is nothing left.
    fn phrase(&mut self) -> Option<()> {
        let mut has_word = false;
        loop {
            if has_word {
                self.skip_comments()?;
            }
            self.skip_space();
            if self.0.is_empty() {
                return Some(());
            }
            let word = if self.0.starts_with('"') {
                self.quoted().map(|_| Word::Plain)
            } else {
                self.atom().and_then(encoding)
            };
            match word {
                Some(Word::Plain) => has_word = true,
                // An encoded word only counts once a plain one follows, or at the end.
                Some(Word::Encoded) => {}
                None if has_word => return Some(()),
                None => return None,
            }
        }
    }

    fn display_comment(&mut self) -> Option<()> {
        let comment = self.comment()?;
        let mut words = comment.split([' ', '\t']).filter(|word| !word.is_empty());
        words.all(|word| encoding(word).is_some()).then_some(())
    }

    /// Reads a comment from its parenthesis on.
    fn comment(&mut self) -> Option<String> {
        let mut chars = self.0.strip_prefix('(')?.chars();
        let mut text = String::new();
        let mut depth = 1;
        while let Some(char) = chars.next() {
            match char {
                '\\' if !chars.as_str().is_empty() => {
                    text.extend(chars.next());
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.0 = chars.as_str();
                return Some(text);
            }
            text.push(char);
        }
        None
    }

    fn skip_comments(&mut self) -> Option<()> {
        self.skip_space();
        while self.0.starts_with('(') {
            self.comment()?;
            self.skip_space();
        }
        Some(())
    }

    fn skip_space(&mut self) {
        self.0 = self.0.trim_start_matches(is_space);
    }

    fn take(&mut self, char: char) -> bool {
        let rest = self.0.strip_prefix(char);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

enum Word {
    Plain,
    Encoded,
}

/// The encoding of a word; `None` for an unknown character set.
fn encoding(word: &str) -> Option<Word> {
    let Some(encoded) = word.strip_prefix("=?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(Word::Plain);
    };
    let mut parts = encoded.split('?');
    let (Some(charset), Some(encoding), Some(text), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Some(Word::Plain);
    };
    let is_encoded = match encoding {
        "B" | "b" => text.is_empty() || sprag_cel::library::is_base64(text),
        "Q" | "q" => is_quoted_printable(text),
        _ => false,
    };
    if charset.is_empty() || !is_encoded {
        return Some(Word::Plain);
    }
    let known = ["utf-8", "iso-8859-1", "us-ascii"];
    known.iter().any(|known| known.eq_ignore_ascii_case(charset)).then_some(Word::Encoded)
}

fn is_quoted_printable(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_fine = match byte {
            b'=' => {
                let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
                is_digit(bytes.next()) && is_digit(bytes.next())
            }
            _ => matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

fn is_atom_char(char: char) -> bool {
    is_visible(char) && !matches!(char, '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"')
}

fn is_visible(char: char) -> bool {
    char.is_ascii_graphic() || !char.is_ascii()
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn addresses() {
        let valid = [
            "a@b",
            "a.b+c@d.e",
            "Barry Gibbs <bg@example.com>",
            "\"q q\"@x.y",
            "a@[1.2.3.4]",
            "a@[IPv6:::1]",
            "a@b (comment)",
            "(c) x <a@b>",
            "g: a@b;",
            "=?utf-8?q?J=C3=B6rg?= x <j@b>",
            " a@b ",
            "ä@ö",
            "<a@b>",
        ];
        for text in valid {
            // A comment before the name is not a word.
            assert_eq!(is_email(text), text != "(c) x <a@b>", "{text}");
        }
    }

    #[test]
    fn not_addresses() {
        let invalid = [
            "",
            "a",
            "a@",
            "@b",
            "a..b@c",
            ".a@b",
            "a.@b",
            "a@b, c@d",
            "g: a@b, c@d;",
            "g:;",
            "a@[x]",
            "a b@c",
            "<a@b",
            "\"\"@b",
        ];
        for text in invalid {
            assert!(!is_email(text), "{text}");
        }
    }
}

//! UIDs in little room: there is one for each object.

use std::fmt;

use sprag_value::Text;

/// The number of hexadecimal digits before each hyphen, and behind the last.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// The UID of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Uid {
    /// One as servers make them.
    Uuid([u8; 16]),
    /// Any other text.
    Other(Text),
}

impl From<&str> for Uid {
    fn from(text: &str) -> Uid {
        uuid(text).map_or_else(|| Uid::Other(text.into()), Uid::Uuid)
    }
}

/// The bytes of a UUID in the one form in which it is printed.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let mut digits = 0;
    let mut groups = text.split('-');
    for len in GROUPS {
        let group = groups.next().filter(|group| group.len() == len)?;
        for digit in group.bytes() {
            let digit = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return None,
            };
            bytes[digits / 2] = bytes[digits / 2] << 4 | digit;
            digits += 1;
        }
    }
    groups.next().is_none().then_some(bytes)
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = match self {
            Uid::Uuid(bytes) => bytes,
            Uid::Other(text) => return f.write_str(text),
        };
        for (at, byte) in bytes.iter().enumerate() {
            let hyphen = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{hyphen}{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_printed_as_they_were_given() {
        let check = |text: &str, is_uuid: bool| {
            let uid = Uid::from(text);
            assert_eq!(uid.to_string(), text);
            assert_eq!(matches!(uid, Uid::Uuid(_)), is_uuid, "{text}");
        };
        check("7d444840-9dc0-11d1-b245-5ffdce74fad2", true);
        check("00000000-0000-0000-0000-000000000000", true);
        check("7D444840-9DC0-11D1-B245-5FFDCE74FAD2", false);
        check("7d4448409dc011d1b2455ffdce74fad2", false);
        check("7d444840-9dc0-11d1-b245-5ffdce74fad2-", false);
        check("7d444840-9dc0-11d1-b245-5ffdce74fag2", false);
        check("u", false);
        check("", false);
    }
}

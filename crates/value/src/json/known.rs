//! Members that objects of one kind have in common, word for word.
//!
//! A fast path. Skips: reading a member again whose text was read before, by comparing the bytes instead; writing a member
//! again that was written before, by comparing the values.
//! Safe: the same bytes at the same depth read as the same value, and values are copied when they are changed. Equal members
//! are written as the same text; texts that were only read are not written, since they may be spelled otherwise.

use std::ops::RangeInclusive;

use super::scan::Scanner;
use super::write::{Escape, write_object};
use crate::Object;

/// Maximum number of remembered texts.
const MOST: usize = 8;
/// The lengths of those: less costs as much to find as to read, more takes up room.
const LENGTHS: RangeInclusive<usize> = 64..=16_384;

/// The member of one name in the objects read last, so that it need not be read again where it is written in the same
/// way. Objects that share it share its parts, too. For [`parse_knowing`](super::parse_knowing).
#[derive(Debug)]
pub struct KnownMember {
    name: &'static str,
    seen: Vec<Seen>,
    /// The entry that is forgotten next.
    oldest: usize,
}

#[derive(Debug)]
struct Seen {
    text: Box<str>,
    /// The number of containers open around it.
    depth: usize,
    object: Object,
    /// True if the text is how the object is written.
    is_written: bool,
}

impl KnownMember {
    /// Nothing is known yet of the member of this name.
    pub const fn new(name: &'static str) -> Self {
        Self { name, seen: Vec::new(), oldest: 0 }
    }

    #[inline]
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    /// The member whose name the scanner just read, if it is known; then the scanner is behind it.
    pub(super) fn find(&self, scanner: &mut Scanner<'_>) -> Option<Object> {
        let seen = self.seen.iter().find(|seen| seen.depth == scanner.depth() && scanner.skip_member(&seen.text))?;
        Some(seen.object.clone())
    }

    /// Remembers what a member was that stands in so many containers.
    pub(super) fn keep(&mut self, text: &str, depth: usize, object: &Object) {
        self.remember(text, depth, object, false);
    }

    /// Appends such a member that stands in so many containers.
    pub fn write(&mut self, out: &mut String, object: &Object, depth: usize) {
        if let Some(seen) = self.seen.iter().find(|seen| seen.is_written && seen.object == *object) {
            out.push_str(&seen.text);
            return;
        }
        let start = out.len();
        write_object(out, object, Escape::Plain);
        let text = &out[start..];
        match self.seen.iter_mut().find(|seen| seen.depth == depth && *seen.text == *text) {
            Some(seen) => seen.is_written = true,
            None => self.remember(text, depth, object, true),
        }
    }

    fn remember(&mut self, text: &str, depth: usize, object: &Object, is_written: bool) {
        if !LENGTHS.contains(&text.len()) {
            return;
        }
        let seen = Seen { text: text.into(), depth, object: object.clone(), is_written };
        if self.seen.len() < MOST {
            self.seen.push(seen);
        } else {
            self.seen[self.oldest] = seen;
            self.oldest = (self.oldest + 1) % MOST;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_knowing};
    use super::*;
    use crate::json;

    fn member(name: usize) -> String {
        format!(
            r#"{{"f:a{name}":{{"k:{{\"name\":\"x\"}}":{{".":{{}}}},"f:long":{{"f:longer":{{}},"f:longest":{{}}}}}}}}"#
        )
    }

    /// Reads a text as ever; says how many members are known then.
    #[track_caller]
    fn check(known: &mut KnownMember, text: &str) -> usize {
        assert_eq!(parse_knowing(text.as_bytes(), known), parse(text.as_bytes()), "{text}");
        known.seen.len()
    }

    #[test]
    fn a_member_is_read_once() {
        let mut known = KnownMember::new("f");
        let fields = member(0);
        for _ in 0..2 {
            assert_eq!(check(&mut known, &format!(r#"{{"e":{fields},"f":{fields},"g":1}}"#)), 1);
        }
        assert_eq!(check(&mut known, r#"{"f":{},"g":[{"f":7}]}"#), 1);
        assert_eq!(check(&mut known, &format!(r#"{{"f":{fields}}} x"#)), 1);
        assert_eq!(check(&mut known, &format!(r#"{{"f":{fields}x}}"#)), 1);
        assert_eq!(check(&mut known, &format!(r#"{{"f" : {fields}}}"#)), 2);
    }

    #[test]
    fn a_member_is_known_at_its_depth() {
        let mut known = KnownMember::new("f");
        let fields = member(0);
        assert_eq!(check(&mut known, &format!(r#"{{"f":{fields}}}"#)), 1);
        assert_eq!(check(&mut known, &format!(r#"[{{"f":{fields}}}]"#)), 2);
        assert_eq!(check(&mut known, &format!(r#"{{"f":{fields},"g":[{{"f":{fields}}}]}}"#)), 3);
    }

    #[test]
    fn a_member_is_written_once() {
        let mut known = KnownMember::new("f");
        let check = |known: &mut KnownMember, text: &str| {
            let object = parse(text.as_bytes()).unwrap();
            let mut out = String::from("x");
            known.write(&mut out, object.as_object().unwrap(), 1);
            assert_eq!(out[1..], json::to_string_plain(&object));
            known.seen.len()
        };
        let fields = json::to_string_plain(&parse(member(0).as_bytes()).unwrap());
        let spaced = fields.replace("},", "} ,");
        assert!(parse_knowing(format!(r#"{{"f":{spaced}}}"#).as_bytes(), &mut known).is_ok());
        for text in [&fields, &fields, &spaced] {
            assert_eq!(check(&mut known, text), 2);
        }
        assert!(parse_knowing(format!(r#"{{"f":{fields}}}"#).as_bytes(), &mut known).is_ok());
        assert_eq!(known.seen.len(), 2);
        assert_eq!(check(&mut known, &member(1)), 3);
        assert_eq!(check(&mut known, "{}"), 3);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut known = KnownMember::new("f");
        for name in 0..3 * MOST {
            let text = format!(r#"{{"f":{}}}"#, member(name));
            assert_eq!(check(&mut known, &text), MOST.min(name + 1));
        }
        let texts: Vec<&str> = known.seen.iter().map(|seen| &*seen.text).collect();
        assert_eq!(texts, (2 * MOST..3 * MOST).map(member).collect::<Vec<_>>());
    }
}

//! The distinguished encoding rules (X.690), read as strictly as Go's `cryptobyte` does.

pub(crate) const BOOLEAN: u8 = 0x01;
/// The tag of an integer.
pub const INTEGER: u8 = 0x02;
/// The tag of a bit string.
pub const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
/// The tag of an object identifier.
pub const OBJECT_ID: u8 = 0x06;
/// The tag of a time with two digits for the year.
pub const UTC_TIME: u8 = 0x17;
/// The tag of a time with four digits for the year.
pub const GENERALIZED_TIME: u8 = 0x18;
/// The tag of a sequence.
pub const SEQUENCE: u8 = 0x30;
/// The tag of a set.
pub const SET: u8 = 0x31;

/// Bytes that are read element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Der<'d>(pub &'d [u8]);

/// An element that may be left out.
pub(crate) enum Optional<'d> {
    Present(Der<'d>),
    Absent,
}

impl<'d> Optional<'d> {
    /// The content of the element if it is there.
    pub(crate) fn found(self) -> Option<Der<'d>> {
        if let Optional::Present(content) = self { Some(content) } else { None }
    }
}

impl<'d> Der<'d> {
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The tag of the next element.
    pub(crate) fn peek(self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next element, whatever it is: its tag, its content and itself as a whole.
    pub(crate) fn any(&mut self) -> Option<(u8, &'d [u8], &'d [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        // Tags with numbers past 30 are not used in certificates.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (&first, rest) = rest.split_first()?;
        let (length, header) = if first < 0x80 {
            (usize::from(first), 2)
        } else {
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) || rest.len() < count {
                return None;
            }
            let length = rest[..count].iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
            let is_minimal = length >= 0x80 && (count == 1 || length >> ((count - 1) * 8) != 0);
            if !is_minimal {
                return None;
            }
            (length, 2 + count)
        };
        let total = header.checked_add(length).filter(|total| *total <= self.0.len())?;
        let (whole, after) = self.0.split_at(total);
        self.0 = after;
        Some((tag, &whole[header..], whole))
    }

    /// The content of the next element if it has this tag.
    pub fn read(&mut self, tag: u8) -> Option<Der<'d>> {
        self.element(tag).map(|(content, _)| content)
    }

    /// The next element if it has this tag: its content and itself as a whole.
    pub(crate) fn element(&mut self, tag: u8) -> Option<(Der<'d>, &'d [u8])> {
        let mut rest = *self;
        let (found, content, whole) = rest.any().filter(|(found, ..)| *found == tag)?;
        debug_assert_eq!(found, tag);
        *self = rest;
        Some((Der(content), whole))
    }

    /// The next element if it has this tag; nothing for bad bytes.
    pub(crate) fn optional(&mut self, tag: u8) -> Option<Optional<'d>> {
        if self.peek() == Some(tag) { self.read(tag).map(Optional::Present) } else { Some(Optional::Absent) }
    }

    /// The bytes of an integer in its shortest form.
    pub(crate) fn integer(&mut self) -> Option<&'d [u8]> {
        let bytes = self.read(INTEGER)?.0;
        let is_minimal = match bytes {
            [] => false,
            [0, next, ..] => next & 0x80 != 0,
            [0xff, next, ..] => next & 0x80 == 0,
            _ => true,
        };
        is_minimal.then_some(bytes)
    }

    /// The bytes of a bit string without unused bits.
    pub(crate) fn bytes_of_bits(&mut self) -> Option<&'d [u8]> {
        let (unused, bytes) = self.bits()?;
        (unused == 0).then_some(bytes)
    }

    /// The number of unused bits of a bit string, and its bytes.
    pub(crate) fn bits(&mut self) -> Option<(u8, &'d [u8])> {
        let (&unused, bytes) = self.read(BIT_STRING)?.0.split_first()?;
        let last = bytes.last().copied().unwrap_or_default();
        let is_valid = unused < 8 && (unused == 0 || !bytes.is_empty()) && last & ((1 << unused) - 1) == 0;
        is_valid.then_some((unused, bytes))
    }

    pub(crate) fn boolean(&mut self) -> Option<bool> {
        match self.read(BOOLEAN)?.0 {
            [0] => Some(false),
            [0xff] => Some(true),
            _ => None,
        }
    }

    /// The bytes of an object identifier.
    pub(crate) fn object_id(&mut self) -> Option<&'d [u8]> {
        let bytes = self.read(OBJECT_ID)?.0;
        // The last byte of a number is the one without the high bit, and numbers do not start with 0x80.
        let is_valid = bytes.last().is_some_and(|last| last & 0x80 == 0)
            && bytes.first() != Some(&0x80)
            && !bytes.windows(2).any(|pair| pair[0] & 0x80 == 0 && pair[1] == 0x80);
        is_valid.then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_as_short_as_they_can_be() {
        assert_eq!(Der(&[4, 1, 7]).read(OCTET_STRING), Some(Der(&[7])));
        assert_eq!(Der(&[4, 0x81, 1, 7]).read(OCTET_STRING), None);
        assert_eq!(Der(&[4, 0x80, 0, 0]).read(OCTET_STRING), None);
        assert_eq!(Der(&[4, 0x82, 0, 0x90]).read(OCTET_STRING), None);
        assert_eq!(Der(&[4, 2, 7]).read(OCTET_STRING), None);
        assert_eq!(Der(&[4, 0xff, 0xff, 0xff]).any(), None);
        let long = [&[4, 0x81, 0x80][..], &[1; 0x80]].concat();
        assert_eq!(Der(&long).read(OCTET_STRING).map(|content| content.0.len()), Some(0x80));
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        assert_eq!(Der(&[2, 1, 0]).integer(), Some(&[0][..]));
        assert_eq!(Der(&[2, 2, 0, 1]).integer(), None);
        assert_eq!(Der(&[2, 2, 0, 0x80]).integer(), Some(&[0, 0x80][..]));
        assert_eq!(Der(&[2, 0]).integer(), None);
    }
}

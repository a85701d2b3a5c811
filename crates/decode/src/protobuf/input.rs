//! The wire format, read.

use super::ProtobufError;

/// The wire types that follow a field's number.
pub(super) const VARINT: u8 = 0;
pub(super) const FIXED64: u8 = 1;
pub(super) const BYTES: u8 = 2;
pub(super) const START_GROUP: u8 = 3;
pub(super) const END_GROUP: u8 = 4;
pub(super) const FIXED32: u8 = 5;

/// The rest of a message.
pub(super) struct Input<'a> {
    rest: &'a [u8],
    /// The length of the message.
    length: usize,
}

/// The number and wire type of a field.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    pub(super) number: u32,
    pub(super) wire_type: u8,
}

impl<'a> Input<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message, length: message.len() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next field; none at the end of the message.
    pub(super) fn tag(&mut self, message: &str) -> Result<Option<Tag>, ProtobufError> {
        if self.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let wire_type = (tag & 7) as u8;
        if wire_type == END_GROUP {
            return Err(ProtobufError::EndOfGroup { message: message.to_owned() });
        }
        // As upstream's generated code: the number is cut to 32 bits before it is looked at.
        #[expect(clippy::cast_possible_truncation, reason = "what upstream does")]
        let number = (tag >> 3) as i32;
        match u32::try_from(number) {
            Ok(number) if number > 0 => Ok(Some(Tag { number, wire_type })),
            _ => Err(ProtobufError::IllegalTag { message: message.to_owned(), number, tag }),
        }
    }

    /// A number of up to ten bytes; bits past the 64th are lost.
    pub(super) fn varint(&mut self) -> Result<u64, ProtobufError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(ProtobufError::UnexpectedEnd)?;
            self.rest = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ProtobufError::Overflow)
    }

    /// Bytes after their length.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], ProtobufError> {
        let length = i64::try_from(self.varint()?).map_err(|_| ProtobufError::NegativeLength)?;
        // As upstream's generated code, in which the end of the bytes is negative when it overflows.
        let position = i64::try_from(self.length - self.rest.len()).unwrap_or(i64::MAX);
        let end = position.checked_add(length).ok_or(ProtobufError::NegativeLength)?;
        self.take(usize::try_from(end - position).map_err(|_| ProtobufError::UnexpectedEnd)?)
    }

    /// Eight bytes.
    pub(super) fn fixed64(&mut self) -> Result<u64, ProtobufError> {
        let bytes = self.take(8)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Four bytes.
    pub(super) fn fixed32(&mut self) -> Result<u32, ProtobufError> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ProtobufError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ProtobufError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Skips the value of an unknown field; groups are skipped to their end.
    // As upstream's skipGenerated.
    pub(super) fn skip(&mut self, tag: Tag) -> Result<(), ProtobufError> {
        let mut wire_type = tag.wire_type;
        let mut open_groups = 0_usize;
        loop {
            match wire_type {
                VARINT => drop(self.varint()?),
                FIXED64 => drop(self.take(8)?),
                BYTES => drop(self.bytes()?),
                START_GROUP => open_groups += 1,
                END_GROUP => open_groups = open_groups.checked_sub(1).ok_or(ProtobufError::UnexpectedEndOfGroup)?,
                FIXED32 => drop(self.take(4)?),
                other => return Err(ProtobufError::IllegalWireType(other)),
            }
            if open_groups == 0 {
                return Ok(());
            }
            wire_type = (self.varint()? & 7) as u8;
        }
    }
}

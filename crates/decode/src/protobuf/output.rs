//! The wire format, written from its end, so that lengths are known when they are written.

use super::input::{BYTES, FIXED32, FIXED64, VARINT};

/// A message that grows at its beginning.
#[derive(Default)]
pub(super) struct Output {
    /// The bytes, the last one first.
    reversed: Vec<u8>,
}

impl Output {
    /// The message.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.reversed.reverse();
        self.reversed
    }

    /// A number in a field.
    pub(super) fn varint(&mut self, number: u32, value: u64) {
        self.raw_varint(value);
        self.tag(number, VARINT);
    }

    /// Eight bytes in a field.
    pub(super) fn fixed64(&mut self, number: u32, value: u64) {
        self.raw(&value.to_le_bytes());
        self.tag(number, FIXED64);
    }

    /// Four bytes in a field.
    pub(super) fn fixed32(&mut self, number: u32, value: u32) {
        self.raw(&value.to_le_bytes());
        self.tag(number, FIXED32);
    }

    /// Bytes in a field.
    pub(super) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.raw(bytes);
        self.head(number, bytes.len());
    }

    /// Writes the header of a field of this many bytes.
    pub(super) fn head(&mut self, number: u32, bytes: usize) {
        self.raw_varint(bytes as u64);
        self.tag(number, BYTES);
    }

    /// The number of bytes so far, for [`Output::close`].
    pub(super) fn len(&self) -> usize {
        self.reversed.len()
    }

    /// Makes a message in a field of what was written since there were `before` bytes.
    pub(super) fn close(&mut self, number: u32, before: usize) {
        self.head(number, self.reversed.len() - before);
    }

    /// Bytes without tag and length.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.reversed.extend(bytes.iter().rev());
    }

    fn tag(&mut self, number: u32, wire_type: u8) {
        self.raw_varint(u64::from(number) << 3 | u64::from(wire_type));
    }

    fn raw_varint(&mut self, mut value: u64) {
        let mut bytes = [0; 10];
        let mut length = 0;
        loop {
            let low = (value & 0x7F) as u8;
            value >>= 7;
            bytes[length] = if value == 0 { low } else { low | 0x80 };
            length += 1;
            if value == 0 {
                break;
            }
        }
        self.raw(&bytes[..length]);
    }
}

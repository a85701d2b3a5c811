//! The wire format of protobuf.

/// The wire layout of a field's value.
#[derive(Clone, Copy)]
enum Layout {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
}

/// The bytes of a message, field after field.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn text(&mut self, number: u32, text: &str) {
        self.tag(number, Layout::Length);
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(super) fn int(&mut self, number: u32, value: i64) {
        self.tag(number, Layout::Varint);
        self.varint(value.cast_unsigned());
    }

    pub(super) fn double(&mut self, number: u32, value: f64) {
        self.tag(number, Layout::Fixed64);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A message inside this one, whose length is only known once it is written.
    pub(super) fn message(&mut self, number: u32, write: impl FnOnce(&mut Writer)) {
        self.tag(number, Layout::Length);
        let start = self.bytes.len();
        write(self);
        let end = self.bytes.len();
        self.varint((end - start) as u64);
        let prefix = self.bytes.len() - end;
        self.bytes[start..].rotate_right(prefix);
    }

    fn tag(&mut self, number: u32, layout: Layout) {
        self.varint(u64::from(number) << 3 | layout as u64);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.bytes.push(value.to_le_bytes()[0]);
    }
}

//! Reading and writing of the simple values that everything else is made of.

use std::borrow::Cow;
use std::collections::HashMap;

use sprag_value::Key;

use crate::program::ProgramParts;
use crate::wire::WireError;
use crate::{Check, DefId, FieldRef, ModeRule, PatternId, TypeId, UnionRule};

/// The most bytes that the values of a program may take in memory.
const MEMORY_LIMIT: usize = 256 << 20;
/// The deepest nesting of checks.
const MAX_DEPTH: usize = 64;

/// A value that can be part of a program.
pub(super) trait Wire: Sized {
    fn write(&self, to: &mut Writer);
    fn read(from: &mut Reader<'_>) -> Result<Self, WireError>;
}

/// Implements [`Wire`] for a struct: its fields in this order.
macro_rules! wire_struct {
    ($ty:ty { $($field:ident),* $(,)? }) => {
        impl Wire for $ty {
            fn write(&self, to: &mut Writer) {
                let Self { $($field),* } = self;
                $($field.write(to);)*
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
                Ok(Self { $($field: Wire::read(from)?),* })
            }
        }
    };
}

/// Implements [`Wire`] for an enum: a byte for the variant, then its values.
macro_rules! wire_enum {
    ($ty:ty { $($tag:literal = $variant:ident $(($($item:ident),*))? $({$($field:ident),*})?),* $(,)? }) => {
        impl Wire for $ty {
            fn write(&self, to: &mut Writer) {
                match self {
                    $(Self::$variant $(($($item),*))? $({$($field),*})? => {
                        to.byte($tag);
                        $($($item.write(to);)*)?
                        $($($field.write(to);)*)?
                    })*
                }
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
                match from.byte()? {
                    $($tag => {
                        $($(let $item = Wire::read(from)?;)*)?
                        $($(let $field = Wire::read(from)?;)*)?
                        Ok(Self::$variant $(($($item),*))? $({$($field),*})?)
                    })*
                    _ => Err(WireError::Damaged(concat!("an unknown variant of ", stringify!($ty)))),
                }
            }
        }
    };
}

pub(super) use {wire_enum, wire_struct};

/// The sizes of the tables that ids point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    types: usize,
    patterns: usize,
    /// The number of members of each declared type.
    members: Vec<usize>,
}

impl Sizes {
    pub(super) fn of(parts: &ProgramParts) -> Sizes {
        Sizes {
            types: parts.types.len(),
            patterns: parts.plan.patterns.len(),
            members: parts.defs.iter().map(|def| def.members.len()).collect(),
        }
    }
}

wire_struct!(Sizes { types, patterns, members });

/// Collects the values of a program; texts go into a table of their own.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    texts: Vec<String>,
    positions: HashMap<String, u64>,
}

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn varint(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.bytes.push(0x80 | number.to_le_bytes()[0]);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }

    fn text(&mut self, text: &str) {
        let position = self.positions.get(text).copied().unwrap_or_else(|| {
            let position = self.texts.len() as u64;
            self.texts.push(text.to_owned());
            self.positions.insert(text.to_owned(), position);
            position
        });
        self.varint(position.into());
    }

    /// The texts, the sizes, and what was written.
    pub(super) fn finish(self, sizes: &Sizes) -> Vec<u8> {
        let mut head = Writer::default();
        head.varint(self.texts.len() as u128);
        for text in &self.texts {
            head.varint(text.len() as u128);
        }
        self.texts.iter().for_each(|text| head.bytes.extend(text.as_bytes()));
        sizes.write(&mut head);
        head.bytes.extend(self.bytes);
        head.bytes
    }
}

impl Reader<'static> {
    /// Lets values borrow their texts.
    pub(super) fn lasting(self) -> Reader<'static> {
        Reader { lasting: self.texts.clone(), ..self }
    }
}

/// Takes the values of a program from bytes.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    texts: Vec<&'b str>,
    /// The same for values that borrow their texts; empty where they have copies.
    lasting: Vec<&'static str>,
    sizes: Sizes,
    /// Bytes of memory that may still be used.
    memory: usize,
    /// Levels of checks that may still be entered.
    depth: usize,
}

impl<'b> Reader<'b> {
    /// A reader that has taken the texts and the sizes.
    pub(super) fn new(bytes: &'b [u8]) -> Result<(Reader<'b>, Sizes), WireError> {
        let texts = Vec::new();
        let lasting = Vec::new();
        let sizes = Sizes::default();
        let mut reader = Reader { bytes, texts, lasting, sizes, memory: MEMORY_LIMIT, depth: MAX_DEPTH };
        let lengths: Vec<usize> = Wire::read(&mut reader)?;
        reader.texts.reserve_exact(lengths.len());
        for length in lengths {
            let text = reader.take(length)?;
            reader.texts.push(std::str::from_utf8(text).map_err(|_| WireError::Damaged("a text is not UTF-8"))?);
        }
        reader.sizes = Wire::read(&mut reader)?;
        let sizes = reader.sizes.clone();
        Ok((reader, sizes))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn byte(&mut self) -> Result<u8, WireError> {
        Ok(self.take(1)?[0])
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], WireError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(WireError::Damaged("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u128, WireError> {
        let mut number = 0u128;
        for shift in (0..u128::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireError::Damaged("a number is too long"))
    }

    fn number<T: TryFrom<u128>>(&mut self) -> Result<T, WireError> {
        T::try_from(self.varint()?).map_err(|_| WireError::Damaged("a number is too large"))
    }

    fn text(&mut self) -> Result<&'b str, WireError> {
        let position = self.number()?;
        self.text_at(position)
    }

    fn text_at(&mut self, position: usize) -> Result<&'b str, WireError> {
        let text = *self.texts.get(position).ok_or(WireError::Damaged("a text is missing"))?;
        self.reserve(text.len())?;
        Ok(text)
    }

    /// Counts memory that is about to be used.
    fn reserve(&mut self, bytes: usize) -> Result<(), WireError> {
        self.memory = self.memory.checked_sub(bytes).ok_or(WireError::TooLarge { limit: MEMORY_LIMIT })?;
        Ok(())
    }

    /// A number below the size of a table.
    fn position(&mut self, size: usize) -> Result<u32, WireError> {
        let position: u32 = self.number()?;
        if (position as usize) < size { Ok(position) } else { Err(WireError::Damaged("an id is not in its table")) }
    }
}

macro_rules! wire_unsigned {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn write(&self, to: &mut Writer) {
                to.varint(u128::from(*self));
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
                from.number()
            }
        }
    )*};
}

wire_unsigned!(u8, u16, u32, u64);

impl Wire for usize {
    fn write(&self, to: &mut Writer) {
        to.varint(*self as u128);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.number()
    }
}

/// Signed numbers are in zigzag form.
impl Wire for i128 {
    fn write(&self, to: &mut Writer) {
        to.varint(((self << 1) ^ (self >> 127)).cast_unsigned());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let number = from.varint()?;
        Ok((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }
}

impl Wire for i32 {
    fn write(&self, to: &mut Writer) {
        i128::from(*self).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        i32::try_from(i128::read(from)?).map_err(|_| WireError::Damaged("a number is too large"))
    }
}

impl Wire for bool {
    fn write(&self, to: &mut Writer) {
        to.byte(u8::from(*self));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(WireError::Damaged("a truth value is neither 0 nor 1")),
        }
    }
}

impl Wire for String {
    fn write(&self, to: &mut Writer) {
        to.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.text().map(str::to_owned)
    }
}

impl Wire for Key {
    fn write(&self, to: &mut Writer) {
        to.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.text().map(Key::from)
    }
}

impl Wire for Cow<'static, str> {
    fn write(&self, to: &mut Writer) {
        to.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let position = from.number()?;
        match from.lasting.get(position).copied() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => from.text_at(position).map(|text| Cow::Owned(text.to_owned())),
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, to: &mut Writer) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        if bool::read(from)? { T::read(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, to: &mut Writer) {
        write_all(self, to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let count: usize = from.number()?;
        from.reserve(count.saturating_mul(size_of::<T>()))?;
        // No more than there can be, and not a place more than there are.
        let mut values = Vec::with_capacity(count.min(from.bytes.len()));
        for _ in 0..count {
            values.push(T::read(from)?);
        }
        Ok(values)
    }
}

impl<T: Wire + Clone> Wire for Cow<'static, [T]> {
    fn write(&self, to: &mut Writer) {
        write_all(self, to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Vec::read(from).map(Cow::Owned)
    }
}

fn write_all<T: Wire>(values: &[T], to: &mut Writer) {
    values.len().write(to);
    for value in values {
        value.write(to);
    }
}

impl Wire for Box<Check> {
    fn write(&self, to: &mut Writer) {
        Check::write(self, to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.depth = from.depth.checked_sub(1).ok_or(WireError::Damaged("checks are nested too deep"))?;
        from.reserve(size_of::<Check>())?;
        let check = Check::read(from)?;
        from.depth += 1;
        Ok(Box::new(check))
    }
}

/// Implements [`Wire`] for boxes, of rules that are large.
macro_rules! wire_boxed {
    ($($ty:ty),*) => {$(
        impl Wire for Box<$ty> {
            fn write(&self, to: &mut Writer) {
                <$ty>::write(self, to);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
                from.reserve(size_of::<$ty>())?;
                <$ty>::read(from).map(Box::new)
            }
        }
    )*};
}

wire_boxed!(UnionRule, ModeRule, sprag_shape::Field);

impl Wire for TypeId {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.position(from.sizes.types).map(TypeId)
    }
}

impl Wire for DefId {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.position(from.sizes.members.len()).map(DefId)
    }
}

impl Wire for PatternId {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.position(from.sizes.patterns).map(PatternId)
    }
}

impl Wire for FieldRef {
    fn write(&self, to: &mut Writer) {
        self.def.write(to);
        self.index.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let def = DefId::read(from)?;
        let index = from.position(from.sizes.members[def.index()])? as usize;
        Ok(FieldRef { def, index })
    }
}

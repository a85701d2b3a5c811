//! Values a program carries with it.

use super::{Timestamp, Val};
use crate::cx::{Cx, Trap};
use crate::syntax::Literal;
use crate::types::Name;

/// A value that owns what it consists of.
#[derive(Clone, Debug)]
pub enum Const {
    /// `null`.
    Null,
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `uint`.
    Uint(u64),
    /// A `double`.
    Double(f64),
    /// A `string`.
    String(Box<str>),
    /// `bytes`.
    Bytes(Box<[u8]>),
    /// A timestamp.
    Timestamp(Timestamp),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A type, by its run-time name.
    Type(Name),
    /// A list.
    List(Box<[Const]>),
    /// A map, sorted by key.
    Map(Box<[(Const, Const)]>),
}

impl Const {
    /// The value as expressions see it.
    #[inline]
    pub fn val(&self) -> Val<'_> {
        match self {
            Self::Null => Val::Null,
            Self::Bool(value) => Val::Bool(*value),
            Self::Int(value) => Val::Int(*value),
            Self::Uint(value) => Val::Uint(*value),
            Self::Double(value) => Val::Double(*value),
            Self::String(text) => Val::String(text),
            Self::Bytes(bytes) => Val::Bytes(bytes),
            Self::Timestamp(time) => Val::Timestamp(*time),
            Self::Duration(nanos) => Val::Duration(*nanos),
            Self::Type(name) => Val::Type(name),
            Self::List(elements) => Val::ConstList(elements),
            Self::Map(entries) => Val::ConstMap(entries),
        }
    }

    /// A copy of a value that needs nothing else; nothing for optionals and values of library types.
    pub(crate) fn copy<'a>(cx: &Cx<'a>, value: Val<'a>) -> Result<Option<Self>, Trap<'a>> {
        Ok(Some(match value {
            Val::Null => Self::Null,
            Val::Bool(value) => Self::Bool(value),
            Val::Int(value) => Self::Int(value),
            Val::Uint(value) => Self::Uint(value),
            Val::Double(value) => Self::Double(value),
            Val::String(text) => Self::String(text.into()),
            Val::Bytes(bytes) => Self::Bytes(bytes.into()),
            Val::Timestamp(time) => Self::Timestamp(time),
            Val::Duration(nanos) => Self::Duration(nanos),
            Val::Type(name) => Self::Type(name.into()),
            Val::Optional(_) | Val::Opaque(_) => return Ok(None),
            Val::ConstList(elements) => Self::List(elements.into()),
            Val::ConstMap(entries) => Self::Map(entries.into()),
            Val::Map(entries) => {
                let mut copies = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let (Some(key), Some(value)) = (Self::copy(cx, *key)?, Self::copy(cx, *value)?) else {
                        return Ok(None);
                    };
                    copies.push((key, value));
                }
                Self::Map(copies.into())
            }
            _ => {
                let Some(list) = value.as_list() else { return Ok(None) };
                let mut elements = Vec::with_capacity(list.len());
                for element in list.iter(cx) {
                    let Some(element) = Self::copy(cx, element?)? else { return Ok(None) };
                    elements.push(element);
                }
                Self::List(elements.into())
            }
        }))
    }
}

impl From<&Literal> for Const {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::String(text.as_str().into()),
            Literal::Bytes(bytes) => Self::Bytes(bytes.clone()),
        }
    }
}

/// A set of constants to test membership in, equal numbers of different types included.
#[derive(Debug, Default)]
pub(crate) struct ConstSet {
    strings: Vec<Box<str>>,
    ints: Vec<i64>,
    uints: Vec<u64>,
    doubles: Vec<f64>,
    bools: Vec<bool>,
}

impl ConstSet {
    /// The set of the elements, if all are of types that the reference puts in sets.
    #[expect(clippy::cast_precision_loss, reason = "the reference converts the same way")]
    pub(crate) fn new(elements: &[Const]) -> Option<Self> {
        let mut set = Self::default();
        for element in elements {
            match element {
                Const::String(text) => set.strings.push(text.clone()),
                Const::Bool(value) => set.bools.push(*value),
                Const::Int(value) => {
                    set.ints.push(*value);
                    set.doubles.push(*value as f64);
                    set.uints.extend(u64::try_from(*value));
                }
                Const::Uint(value) => {
                    set.uints.push(*value);
                    set.doubles.push(*value as f64);
                    set.ints.extend(i64::try_from(*value));
                }
                Const::Double(value) => set.add_double(*value),
                _ => return None,
            }
        }
        set.strings.sort_unstable();
        set.ints.sort_unstable();
        set.uints.sort_unstable();
        set.doubles.sort_unstable_by(f64::total_cmp);
        Some(set)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        clippy::float_cmp,
        reason = "only values that survive the round trip are added"
    )]
    fn add_double(&mut self, value: f64) {
        self.doubles.push(value + 0.0);
        if value > i64::MIN as f64 && value < i64::MAX as f64 && (value as i64) as f64 == value {
            self.ints.push(value as i64);
        }
        if value >= 0.0 && value < u64::MAX as f64 && (value as u64) as f64 == value {
            self.uints.push(value as u64);
        }
    }

    pub(crate) fn contains(&self, value: Val<'_>) -> bool {
        match value {
            Val::String(text) => self.strings.binary_search_by(|known| (**known).cmp(text)).is_ok(),
            Val::Int(value) => self.ints.binary_search(&value).is_ok(),
            Val::Uint(value) => self.uints.binary_search(&value).is_ok(),
            Val::Double(value) if value.is_nan() => false,
            Val::Double(value) => self.doubles.binary_search_by(|known| known.total_cmp(&(value + 0.0))).is_ok(),
            Val::Bool(value) => self.bools.contains(&value),
            _ => false,
        }
    }
}

//! The properties of a value that the checks need.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, Hasher};

use sprag_field::BadValue;
use sprag_value::{ByteString, Duration, IntOrString, KeyHasher, MicroTime, Quantity, RawExtension, Time, Value};

/// A value that an error can show.
pub trait Show {
    /// The value as the error keeps it.
    fn show(&self) -> BadValue;
}

/// A string, or a type that stands for one.
pub trait Text: Show {
    /// The characters.
    fn text(&self) -> &str;
}

/// An integer, or a type that stands for one.
pub trait Integer: Show {
    /// The number.
    fn number(&self) -> i128;
}

/// Semantic equality: what ratcheting and list identities mean by "the same".
///
/// Unset and empty lists are the same, quantities compare by amount. Types that are the same feed the same
/// bytes to [`Same::feed`].
pub trait Same {
    /// True if two values mean the same.
    fn same(&self, other: &Self) -> bool;

    /// Feeds a hasher so that values that are the same hash alike.
    fn feed(&self, hasher: &mut KeyHasher);
}

macro_rules! integers {
    ($($ty:ty => $variant:ident as $wide:ty),*) => {$(
        impl Show for $ty {
            fn show(&self) -> BadValue {
                BadValue::$variant(<$wide>::from(*self))
            }
        }
        impl Integer for $ty {
            fn number(&self) -> i128 {
                i128::from(*self)
            }
        }
        plain!($ty);
    )*};
}

macro_rules! plain {
    ($ty:ty) => {
        impl Same for $ty {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed(&self, hasher: &mut KeyHasher) {
                self.hash(hasher);
            }
        }
    };
}

integers!(
    i8 => Int as i64, i16 => Int as i64, i32 => Int as i64, i64 => Int as i64,
    u8 => Uint as u64, u16 => Uint as u64, u32 => Uint as u64, u64 => Uint as u64
);
plain!(bool);
plain!(Quantity);
plain!(IntOrString);
plain!(Time);
plain!(MicroTime);
plain!(Duration);
plain!(ByteString);
plain!(Cow<'_, str>);
plain!(isize);
plain!(usize);

impl Same for str {
    fn same(&self, other: &Self) -> bool {
        sprag_value::same_text(self, other)
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        self.hash(hasher);
    }
}

impl Same for String {
    fn same(&self, other: &Self) -> bool {
        self.as_str().same(other)
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        self.as_str().feed(hasher);
    }
}

impl Show for bool {
    fn show(&self) -> BadValue {
        BadValue::Bool(*self)
    }
}

impl Show for str {
    fn show(&self) -> BadValue {
        BadValue::Str(self.to_owned())
    }
}

impl Show for String {
    fn show(&self) -> BadValue {
        self.as_str().show()
    }
}

impl Show for Cow<'_, str> {
    fn show(&self) -> BadValue {
        self.as_ref().show()
    }
}

impl Text for Cow<'_, str> {
    fn text(&self) -> &str {
        self
    }
}

impl Show for isize {
    fn show(&self) -> BadValue {
        i64::try_from(*self).map_or(BadValue::Nil, BadValue::Int)
    }
}

impl Integer for isize {
    fn number(&self) -> i128 {
        i128::try_from(*self).unwrap_or(i128::MAX)
    }
}

impl Show for usize {
    fn show(&self) -> BadValue {
        u64::try_from(*self).map_or(BadValue::Nil, BadValue::Uint)
    }
}

impl Integer for usize {
    fn number(&self) -> i128 {
        i128::try_from(*self).unwrap_or(i128::MAX)
    }
}

impl Text for str {
    fn text(&self) -> &str {
        self
    }
}

/// A text of a type that has a name, which errors show as JSON.
#[derive(Clone, Copy, Debug)]
pub struct NamedText<'t>(pub &'t str);

impl Show for NamedText<'_> {
    fn show(&self) -> BadValue {
        BadValue::json_str(self.0)
    }
}

impl Text for NamedText<'_> {
    fn text(&self) -> &str {
        self.0
    }
}

impl Show for sprag_value::Text {
    fn show(&self) -> BadValue {
        self.as_str().show()
    }
}

impl Text for sprag_value::Text {
    fn text(&self) -> &str {
        self
    }
}

impl Text for String {
    fn text(&self) -> &str {
        self
    }
}

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Show for $ty {
            fn show(&self) -> BadValue {
                BadValue::Float(f64::from(*self))
            }
        }
        impl Same for $ty {
            #[expect(clippy::float_cmp, reason = "sameness is exact")]
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed(&self, hasher: &mut KeyHasher) {
                // Zero has two representations that compare equal.
                hasher.write_u64((f64::from(*self) + 0.0).to_bits());
            }
        }
    )*};
}
floats!(f32, f64);

impl<T: Same + ?Sized> Same for Box<T> {
    fn same(&self, other: &Self) -> bool {
        (**self).same(other)
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        (**self).feed(hasher);
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        hasher.write_u8(u8::from(self.is_some()));
        if let Some(value) = self {
            value.feed(hasher);
        }
    }
}

impl<T: Same> Same for [T] {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        hasher.write_usize(self.len());
        for item in self {
            item.feed(hasher);
        }
    }
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.as_slice().same(other)
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        self.as_slice().feed(hasher);
    }
}

impl<K: Same + Ord, V: Same> Same for BTreeMap<K, V> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.0.same(b.0) && a.1.same(b.1))
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        hasher.write_usize(self.len());
        for (key, value) in self {
            key.feed(hasher);
            value.feed(hasher);
        }
    }
}

impl<K: Eq + Hash, V: Same, S: BuildHasher> Same for HashMap<K, V, S> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, a)| other.get(key).is_some_and(|b| a.same(b)))
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        // The iteration order is arbitrary: only the size is the same for all equal maps.
        hasher.write_usize(self.len());
    }
}

impl Same for Value {
    fn same(&self, other: &Self) -> bool {
        self.semantic_eq(other)
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        self.semantic_hash(hasher);
    }
}

impl Same for RawExtension {
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }

    fn feed(&self, hasher: &mut KeyHasher) {
        self.0.feed(hasher);
    }
}

/// A value that errors show as the JSON text Go would print for it.
pub fn show_json<T: serde::Serialize + ?Sized>(value: &T) -> BadValue {
    BadValue::Json(sprag_value::go_json(value))
}

impl Show for Value {
    fn show(&self) -> BadValue {
        show_json(self)
    }
}

impl Show for RawExtension {
    fn show(&self) -> BadValue {
        self.0.show()
    }
}

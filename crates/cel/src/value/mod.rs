//! Values while an expression runs.

mod authz;
mod constant;
mod equal;
mod float;
mod layout;
mod list;
mod map;
mod opaque;
mod order;
mod read;
mod show;
mod time;

use sprag_value::{Array, Object, Value};

use crate::cx::Outcome;
use crate::decl::DeclType;

pub use self::authz::{
    Asker, Authorizer, AuthorizerAnswer, AuthorizerCheck, AuthorizerSubject, AuthorizerTarget, Authz, ResourceTarget,
};
pub use self::constant::Const;
pub(crate) use self::constant::ConstSet;
pub(crate) use self::equal::{contains, equal};
pub(crate) use self::float::{format_float, format_g, parse_float};
pub use self::list::{Keyed, List, Sum};
pub use self::map::Map;
pub(crate) use self::map::{has_equals, key_order, sort_entries};
pub use self::opaque::{Cidr, Format, Opaque, Semver, Url};
pub(crate) use self::order::compare;
pub use self::read::parse_duration;
pub(crate) use self::read::plain;
pub(crate) use self::show::{go_type, show};
pub use self::time::Timestamp;
pub(crate) use self::time::{Civil, MAX_SECONDS, MIN_SECONDS};

/// Lists and maps nested deeper than this cannot be compared or printed; reading JSON stops earlier.
pub const MAX_VALUE_DEPTH: u32 = 1024;

/// A value. It borrows from the input, the program or the scratch memory of the evaluation, and is copied freely.
#[derive(Clone, Copy, Debug)]
pub enum Val<'a> {
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
    String(&'a str),
    /// `bytes`.
    Bytes(&'a [u8]),
    /// A timestamp.
    Timestamp(Timestamp),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A type, by its run-time name.
    Type(&'a str),
    /// A list the expression made. Read lists of any origin with [`Val::as_list`].
    List(&'a [Val<'a>]),
    /// A list the program carries.
    ConstList(&'a [Const]),
    /// A list of the input with its declared type.
    JsonList(&'a Array, &'a DeclType),
    /// A long list that is the sum of two.
    SumList(&'a Sum<'a>),
    /// A list made from one that is a set or has keys.
    KeyedList(&'a Keyed<'a>),
    /// A map the expression made, sorted by key. Read maps of any origin with [`Val::as_map`].
    Map(&'a [(Val<'a>, Val<'a>)]),
    /// A map the program carries, sorted by key.
    ConstMap(&'a [(Const, Const)]),
    /// An object of the input with its declared type.
    JsonMap(&'a Object, &'a DeclType),
    /// An optional value.
    Optional(Option<&'a Val<'a>>),
    /// A value of a Kubernetes library type.
    Opaque(Opaque<'a>),
    /// An object the expression made: `Object{spec: …}`.
    Made(&'a Made<'a>),
    /// The object whose fields [`LazyFields`] computes when they are used.
    Lazy,
}

/// An object that an expression made of a type whose fields anything may be.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// The name of the type.
    pub name: &'a str,
    /// The fields, sorted by name.
    pub fields: &'a [(&'a str, Val<'a>)],
}

impl<'a> Made<'a> {
    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<Val<'a>> {
        let at = self.fields.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        Some(self.fields[at].1)
    }
}

/// Computes the fields of [`Val::Lazy`], each at most once.
pub trait LazyFields<'a> {
    /// The field of this name, if the object has it.
    fn get(&self, name: &str) -> Option<Outcome<'a>>;
}

const _: () = assert!(size_of::<Val<'static>>() == 24, "values are copied all the time and stay small");

impl<'a> Val<'a> {
    /// Its elements, if it is a list.
    #[inline]
    pub fn as_list(self) -> Option<List<'a>> {
        match self {
            Self::List(elements) => Some(List::Made(elements)),
            Self::ConstList(elements) => Some(List::Const(elements)),
            Self::JsonList(array, decl) => Some(List::Json(array, decl)),
            Self::SumList(sum) => Some(List::Sum(sum)),
            Self::KeyedList(keyed) => Some(List::Keyed(keyed)),
            _ => None,
        }
    }

    /// Its entries, if it is a map or an object.
    #[inline]
    pub fn as_map(self) -> Option<Map<'a>> {
        match self {
            Self::Map(entries) => Some(Map::Made(entries)),
            Self::ConstMap(entries) => Some(Map::Const(entries)),
            Self::JsonMap(object, decl) => Some(Map::Json(object, decl)),
            _ => None,
        }
    }

    /// The run-time name of its type, as in `no such overload: f(string, int)`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Type(_) => "type",
            Self::List(_) | Self::ConstList(_) | Self::JsonList(..) | Self::SumList(_) | Self::KeyedList(_) => "list",
            Self::Map(_) | Self::ConstMap(_) | Self::JsonMap(..) => "map",
            Self::Optional(_) => "optional_type",
            Self::Opaque(value) => value.type_name(),
            Self::Made(_) => "Object",
            Self::Lazy => "kubernetes.variables",
        }
    }

    /// Its size where `size()` is defined: characters, bytes, elements, entries.
    #[inline]
    pub fn size(&self) -> Option<usize> {
        match self {
            Self::String(text) => Some(count_chars(text)),
            Self::Bytes(bytes) => Some(bytes.len()),
            Self::List(elements) => Some(elements.len()),
            Self::ConstList(elements) => Some(elements.len()),
            Self::JsonList(array, _) => Some(array.len()),
            Self::SumList(sum) => Some(sum.len()),
            Self::KeyedList(keyed) => Some(keyed.elements.len()),
            Self::Map(entries) => Some(entries.len()),
            Self::ConstMap(entries) => Some(entries.len()),
            Self::JsonMap(object, _) => Some(object.len()),
            _ => None,
        }
    }
}

impl From<bool> for Val<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Val<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<'a> From<&'a Value> for Val<'a> {
    /// The value as it is, without a declared type.
    fn from(value: &'a Value) -> Self {
        plain(value, &crate::decl::DYN)
    }
}

/// The number of characters.
#[inline]
pub(crate) fn count_chars(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

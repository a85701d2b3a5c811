//! The types the checker works with, and their static form in the function tables.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A name that is cheap to clone, whether it was written in a table or made at run time.
#[derive(Clone)]
pub enum Name {
    /// A name from a table.
    Static(&'static str),
    /// A name made at run time.
    Shared(Arc<str>),
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Static(name) => name,
            Self::Shared(name) => name,
        }
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self::Shared(name.into())
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// A type of the checker. Cloning costs at most one reference count.
///
/// Printed as in messages: `list(int)`, `map(string, dyn)`, `timestamp`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Anything; checked at run time.
    Dyn,
    /// Anything, as `google.protobuf.Any`: as `dyn`, but for loops, which cannot run over it.
    Any,
    /// The type of an expression that has been reported already.
    Error,
    /// The type of `null`.
    Null,
    /// `bool`.
    Bool,
    /// `int`, 64 bits signed.
    Int,
    /// `uint`, 64 bits unsigned.
    Uint,
    /// `double`.
    Double,
    /// `string`.
    String,
    /// `bytes`.
    Bytes,
    /// `google.protobuf.Duration`.
    Duration,
    /// `google.protobuf.Timestamp`.
    Timestamp,
    /// The type of types; with the type it stands for when that is known.
    Type(Option<Arc<Type>>),
    /// `list(T)`.
    List(Arc<Type>),
    /// `map(K, V)`.
    Map(Arc<(Type, Type)>),
    /// `optional_type(T)`.
    Optional(Arc<Type>),
    /// A type with fields, known by its name; equal names are equal types.
    Object(Name),
    /// A type without visible structure, known by its name.
    Opaque(Name),
    /// A type parameter of a declaration, such as the `A` of `list(A)`.
    Param(&'static str),
    /// A free type variable of the checker.
    Var(u32),
}

impl Type {
    /// `list(element)`.
    pub fn list(element: Type) -> Self {
        Self::List(Arc::new(element))
    }

    /// `map(key, value)`.
    pub fn map(key: Type, value: Type) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// `optional_type(inner)`.
    pub fn optional(inner: Type) -> Self {
        Self::Optional(Arc::new(inner))
    }

    /// The name values of this type report at run time, which is what `type(x)` compares.
    pub fn name(&self) -> &str {
        match self {
            Self::Dyn => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Error => "error",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "google.protobuf.Duration",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Object(name) | Self::Opaque(name) => name,
            Self::Param(name) => name,
            Self::Var(_) => "_var",
        }
    }
}

/// The longest printed type, in parts. Types can share parts, and print exponentially longer than they are.
const MAX_SHOWN_PARTS: usize = 4096;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(self, &mut { MAX_SHOWN_PARTS }, f)
    }
}

fn write_type(ty: &Type, left: &mut usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if *left == 0 {
        return f.write_str("...");
    }
    *left -= 1;
    let (first, second) = match ty {
        Type::Error => return f.write_str("!error!"),
        Type::Null => return f.write_str("null"),
        Type::Any => return f.write_str("any"),
        Type::Duration => return f.write_str("duration"),
        Type::Timestamp => return f.write_str("timestamp"),
        Type::Var(id) => return write!(f, "_var{id}"),
        Type::Type(Some(inner)) | Type::List(inner) | Type::Optional(inner) => (&**inner, None),
        Type::Map(pair) => (&pair.0, Some(&pair.1)),
        ty => return f.write_str(ty.name()),
    };
    write!(f, "{}(", ty.name())?;
    write_type(first, left, f)?;
    if let Some(second) = second {
        f.write_str(", ")?;
        write_type(second, left, f)?;
    }
    f.write_str(")")
}

/// A type as a function table writes it: [`Type`] without reference counts, so that tables are `static`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sig {
    /// [`Type::Dyn`].
    Dyn,
    /// [`Type::Null`].
    Null,
    /// [`Type::Bool`].
    Bool,
    /// [`Type::Int`].
    Int,
    /// [`Type::Uint`].
    Uint,
    /// [`Type::Double`].
    Double,
    /// [`Type::String`].
    String,
    /// [`Type::Bytes`].
    Bytes,
    /// [`Type::Duration`].
    Duration,
    /// [`Type::Timestamp`].
    Timestamp,
    /// [`Type::Type`] of the given type.
    TypeOf(&'static Sig),
    /// [`Type::List`].
    List(&'static Sig),
    /// [`Type::Map`].
    Map(&'static Sig, &'static Sig),
    /// [`Type::Optional`].
    Optional(&'static Sig),
    /// [`Type::Object`]: `kubernetes.URL`.
    Object(&'static str),
    /// [`Type::Opaque`]: `net.IP`.
    Opaque(&'static str),
    /// A type parameter; equal numbers within one overload stand for one type.
    Param(u8),
}

impl Sig {
    /// The first type parameter, by convention `T` or `A`.
    pub const A: Sig = Sig::Param(0);
    /// The second type parameter.
    pub const B: Sig = Sig::Param(1);
    /// `list(A)`.
    pub const LIST_A: Sig = Sig::List(&Sig::A);
    /// `map(A, B)`.
    pub const MAP_AB: Sig = Sig::Map(&Sig::A, &Sig::B);
    /// `list(string)`.
    pub const LIST_STRING: Sig = Sig::List(&Sig::String);
}

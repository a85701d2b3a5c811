//! The type model: what a package of API types declares, whatever language it was written in.
//!
//! Does not know what any tag means. Readers keep comments and struct tags verbatim, in source order.

use std::collections::BTreeMap;
#[cfg(any(feature = "go", feature = "rust"))]
use std::collections::BTreeSet;

#[cfg(any(feature = "go", feature = "rust"))]
use crate::span::FileId;
use crate::span::Span;

/// The language a package was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Go source.
    Go,
    /// Rust source.
    Rust,
}

/// One package (Go) or module (Rust) of API types.
#[derive(Clone, Debug)]
pub struct Package {
    /// Import path (`k8s.io/api/core/v1`) or module path; unique in a set of packages.
    pub path: String,
    /// The package clause's name, or the module's last segment.
    pub name: String,
    /// The source language.
    pub language: Language,
    /// Package-level tag lines, in order.
    pub tags: Vec<TagLine>,
    /// Import alias to import path.
    pub imports: BTreeMap<String, String>,
    /// Types, in source order.
    pub types: Vec<TypeDef>,
    /// Constants, in source order.
    pub consts: Vec<Const>,
    /// Functions, in source order: only what hooks need.
    pub funcs: Vec<Func>,
    /// Tag lines of comments that belong to none of these, in source order.
    pub unread_tags: Vec<TagLine>,
}

impl Package {
    /// Notes which of all tag lines of the source belong to no declaration.
    #[cfg(any(feature = "go", feature = "rust"))]
    pub(crate) fn find_unread(&mut self, all: Vec<TagLine>) {
        let mut read: BTreeSet<(FileId, u32)> = BTreeSet::new();
        let mut add = |lines: &[TagLine]| read.extend(lines.iter().map(TagLine::place));
        add(&self.tags);
        for ty in &self.types {
            add(&ty.tags);
            add(&ty.detached_tags);
            match &ty.kind {
                TypeKind::Struct(fields) => fields.iter().for_each(|field| add(&field.tags)),
                TypeKind::Enum(set) => set.variants.iter().for_each(|variant| add(&variant.tags)),
                _ => {}
            }
        }
        self.consts.iter().for_each(|item| add(&item.tags));
        self.unread_tags = all.into_iter().filter(|line| !read.contains(&line.place())).collect();
    }
}

/// A comment line that starts with `+`, without that `+`, kept verbatim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagLine {
    /// The text after the `+`, with trailing blanks removed.
    pub text: String,
    /// The position of that text.
    pub span: Span,
}

impl TagLine {
    #[cfg(any(feature = "go", feature = "rust"))]
    fn place(&self) -> (FileId, u32) {
        (self.span.file, self.span.start)
    }
}

/// A named type.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The type's name.
    pub name: String,
    /// The kind of the type.
    pub kind: TypeKind,
    /// Prose of the doc comment, tag lines removed.
    pub doc: String,
    /// Tag lines of the doc comment.
    pub tags: Vec<TagLine>,
    /// Tag lines of a comment block one blank line above the doc comment (or the type).
    pub detached_tags: Vec<TagLine>,
    /// Names of generic parameters.
    pub generics: Vec<String>,
    /// True if other packages can name it.
    pub exported: bool,
    /// The position of its name.
    pub span: Span,
}

/// The kind of a named type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A struct.
    Struct(Vec<Field>),
    /// `type A B` in Go, `struct A(B)` in Rust.
    Typedef(TypeExpr),
    /// `type A = B` in both.
    Alias(TypeExpr),
    /// A Rust enum of unit variants, which is a string on the wire.
    Enum(Enum),
    /// A shape the model cannot describe (a Rust enum with data, a tuple struct), and why; opaque to rules.
    Opaque(String),
}

/// A Rust enum of unit variants.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The variants that stand for one value each.
    pub variants: Vec<Variant>,
    /// The name of the variant that holds any other value: `#[serde(untagged)] Unknown(String)`.
    pub other: Option<String>,
}

/// One variant of a Rust enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The Rust name.
    pub name: String,
    /// The name on the wire.
    pub json: String,
    /// Prose of the doc comment.
    pub doc: String,
    /// Tag lines.
    pub tags: Vec<TagLine>,
    /// The position.
    pub span: Span,
}

/// One field of a struct.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact of the source")]
pub struct Field {
    /// The Go or Rust name.
    pub name: String,
    /// Its name on the wire; `None` when there is no JSON tag (Go) or the field is flattened.
    pub json: Option<String>,
    /// Left out of the wire form altogether (`json:"-"`, `#[serde(skip)]`).
    pub ignored: bool,
    /// Go's `omitempty` or serde's `skip_serializing_if`.
    pub omitempty: bool,
    /// Go's `omitzero`, or serde's `skip_serializing_if` with a function `is_zero`.
    pub omitzero: bool,
    /// Embedded in Go; flattened in Rust.
    pub embedded: bool,
    /// Embedded without a JSON name: its fields are the parent's.
    pub inline: bool,
    /// True if other packages can name it.
    pub exported: bool,
    /// The declared type.
    pub ty: TypeExpr,
    /// Prose of the doc comment.
    pub doc: String,
    /// Tag lines of the doc comment.
    pub tags: Vec<TagLine>,
    /// All Go struct tags (`json`, `protobuf`, `patchStrategy`, …), or serde attributes, by key.
    pub struct_tags: BTreeMap<String, String>,
    /// The position of its name.
    pub span: Span,
}

impl Field {
    /// The JSON name, or the field's own name without one: the name in error paths.
    pub fn path_name(&self) -> &str {
        self.json.as_deref().unwrap_or(&self.name)
    }
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// Its declared type, if any.
    pub ty: Option<TypeExpr>,
    /// Its value; `None` when the expression is beyond the reader.
    pub value: Option<Literal>,
    /// The constant of another package that its value depends on, where that one is not known.
    pub needs: Option<ConstName>,
    /// Tag lines of its doc comment.
    pub tags: Vec<TagLine>,
    /// The whole doc comment, needed to choose between constants of equal value.
    pub comment: String,
    /// The position.
    pub span: Span,
}

/// The name of a constant of another package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConstName {
    /// Import path of its package.
    pub package: String,
    /// Its name.
    pub name: String,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A string.
    String(String),
    /// An integer.
    Int(i128),
    /// A boolean.
    Bool(bool),
}

/// A function, for hooks that are found by name.
#[derive(Clone, Debug)]
pub struct Func {
    /// Its name.
    pub name: String,
    /// Its parameter types, in order.
    pub params: Vec<TypeExpr>,
    /// Its result types, in order.
    pub results: Vec<TypeExpr>,
    /// The position.
    pub span: Span,
}

/// A type as it is written where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeExpr {
    /// A type of the language itself.
    Builtin(Builtin),
    /// A declared type.
    Named(TypeName),
    /// `*T` in Go, `Option<T>` in Rust.
    Pointer(Box<TypeExpr>),
    /// `Box<T>` in Rust; means the same as `T`.
    Boxed(Box<TypeExpr>),
    /// `[]T`, `Vec<T>`.
    List(Box<TypeExpr>),
    /// `[N]T`.
    Array(String, Box<TypeExpr>),
    /// `map[K]V`, `BTreeMap<K, V>`, `HashMap<K, V>`.
    Map(MapKind, Box<TypeExpr>, Box<TypeExpr>),
    /// `interface{…}` or `any`; `serde_json::Value` and the like in Rust.
    Interface,
    /// A kind that API types cannot use: its Go kind name (`Chan`, `Func`) and its text.
    Unsupported(&'static str, String),
}

/// The map type; only generated Rust code depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    /// Go's map.
    Go,
    /// Rust's `BTreeMap`.
    BTree,
    /// Rust's `HashMap`.
    Hash,
}

/// The name of a declared type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName {
    /// Import path of its package; `None` for the package at hand.
    pub package: Option<String>,
    /// Its name.
    pub name: String,
    /// Generic arguments as written, empty for most.
    pub args: Vec<String>,
}

/// A type of the language itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the variants are the languages' own names")]
pub enum Builtin {
    String,
    Bool,
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uintptr,
    Float32,
    Float64,
    Complex,
}

impl Builtin {
    /// The type's Go name (`rune` and `byte` read as what they stand for).
    pub fn go_name(self) -> &'static str {
        match self {
            Builtin::String => "string",
            Builtin::Bool => "bool",
            Builtin::Int => "int",
            Builtin::Int8 => "int8",
            Builtin::Int16 => "int16",
            Builtin::Int32 => "int32",
            Builtin::Int64 => "int64",
            Builtin::Uint => "uint",
            Builtin::Uint8 => "uint8",
            Builtin::Uint16 => "uint16",
            Builtin::Uint32 => "uint32",
            Builtin::Uint64 => "uint64",
            Builtin::Uintptr => "uintptr",
            Builtin::Float32 => "float32",
            Builtin::Float64 => "float64",
            Builtin::Complex => "complex128",
        }
    }

    /// The type that Go declares under a name, as far as API types can use it; `byte` is `uint8`.
    pub fn from_go_name(name: &str) -> Option<Builtin> {
        Some(match name {
            "string" => Builtin::String,
            "bool" => Builtin::Bool,
            "int" => Builtin::Int,
            "int8" => Builtin::Int8,
            "int16" => Builtin::Int16,
            "int32" => Builtin::Int32,
            "int64" => Builtin::Int64,
            "uint" => Builtin::Uint,
            "uint8" | "byte" => Builtin::Uint8,
            "uint16" => Builtin::Uint16,
            "uint32" => Builtin::Uint32,
            "uint64" => Builtin::Uint64,
            "uintptr" => Builtin::Uintptr,
            "float32" => Builtin::Float32,
            "float64" => Builtin::Float64,
            _ => return None,
        })
    }

    /// True if this is an integer type.
    pub fn is_integer(self) -> bool {
        self.int_bits().is_some()
    }

    /// Width in bits and signedness of an integer type (`int` and `uint` are 64 bits wide; `uintptr` is not a number).
    pub fn int_bits(self) -> Option<(u32, bool)> {
        Some(match self {
            Builtin::Int8 => (8, true),
            Builtin::Int16 => (16, true),
            Builtin::Int32 => (32, true),
            Builtin::Int | Builtin::Int64 => (64, true),
            Builtin::Uint8 => (8, false),
            Builtin::Uint16 => (16, false),
            Builtin::Uint32 => (32, false),
            Builtin::Uint | Builtin::Uint64 => (64, false),
            _ => return None,
        })
    }
}

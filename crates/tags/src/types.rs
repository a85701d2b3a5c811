//! The type universe: every type of a set of packages, resolved across packages.
//!
//! Follows the reference generator's view of types: a Go typedef is flattened to what it stands for
//! (`type B A` has A's fields, not A's tags), an alias is the type itself, and a type from a package that is
//! not known is [`Type::Foreign`].

mod known;
mod resolve;

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::model::{Builtin, Const, Enum, Field, Func, Language, TagLine};
use sprag_idl::{Finding, Span};
use sprag_program::{DefId, FieldRef, TypeId};

pub(crate) use self::resolve::GENERIC;
pub use self::resolve::{MAX_TYPE_DEPTH, MAX_TYPEDEF_CHAIN};

/// A resolved type expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A type of the language itself.
    Builtin(Builtin),
    /// A declared type of a known package.
    Def(DefId),
    /// A declared type of an unknown package, as the reference prints it (`time.Duration`).
    Foreign(String),
    /// `*T`, or `Option<T>` around anything but a list or map.
    Pointer(TypeId),
    /// `Box<T>`; means `T`.
    Boxed(TypeId),
    /// `Option<Vec<T>>`, `Option<BTreeMap<K, V>>`; means the list or map, which has an unset form already.
    Nullable(TypeId),
    /// A list.
    List(TypeId),
    /// A fixed-size array.
    Array(String, TypeId),
    /// A map.
    Map(MapForm, TypeId, TypeId),
    /// Any value.
    Interface,
    /// A kind API types cannot use: Go kind name and source text.
    Unsupported(&'static str, String),
}

/// The map type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MapForm {
    /// An ordered map (Go's maps become one).
    Ordered,
    /// A `HashMap`.
    Hash,
}

/// The kind of a type once typedefs are removed, named as the reference names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are Go's own kind names")]
pub enum Kind {
    Builtin,
    Struct,
    Pointer,
    Slice,
    Array,
    Map,
    Interface,
    Other(&'static str),
}

impl Kind {
    /// The name in error texts.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Builtin => "Builtin",
            Kind::Struct => "Struct",
            Kind::Pointer => "Pointer",
            Kind::Slice => "Slice",
            Kind::Array => "Array",
            Kind::Map => "Map",
            Kind::Interface => "Interface",
            Kind::Other(name) => name,
        }
    }
}

/// A type with all typedefs removed, pointers counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// The number of pointers around it.
    pub pointers: u32,
    /// The type inside: never a pointer, typedef, box or nullable.
    pub base: TypeId,
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct Def {
    /// Index of its package.
    pub package: usize,
    /// Its name.
    pub name: String,
    /// The kind of the type.
    pub kind: DefKind,
    /// Prose of its doc comment.
    pub doc: String,
    /// Its own tag lines.
    pub tags: Vec<TagLine>,
    /// Tag lines one blank line above.
    pub detached_tags: Vec<TagLine>,
    /// The definitions it was flattened through, nearest first (`type B A` lists A).
    pub chain: Vec<DefId>,
    /// True if it is just another name for its target, whose tags it does not add to.
    pub alias: bool,
    /// True if other packages can name it.
    pub exported: bool,
    /// The position of its declaration.
    pub span: Span,
}

/// The kind of a declared type.
#[derive(Clone, Debug)]
pub enum DefKind {
    /// A struct, or a Go typedef of one.
    Struct(Vec<FieldDef>),
    /// A typedef; under Go its target is flattened, under Rust it is the newtype's content.
    Typedef(TypeId),
    /// A Rust enum of unit variants: a string on the wire.
    Enum(Enum),
    /// Something rules cannot look into, and why.
    Opaque(String),
}

/// A field of a struct, with its resolved type.
#[derive(Clone, Debug)]
pub struct FieldDef {
    /// The field as read.
    pub field: Field,
    /// Its resolved type.
    pub ty: TypeId,
}

/// A package of a [`Universe`].
#[derive(Clone, Debug)]
pub struct PackageInfo {
    /// Import or module path.
    pub path: String,
    /// Package name.
    pub name: String,
    /// Source language.
    pub language: Language,
    /// True if validators may be generated for its types.
    pub included: bool,
    /// Package-level tag lines.
    pub tags: Vec<TagLine>,
    /// Constants.
    pub consts: Vec<ConstDef>,
    /// Functions.
    pub funcs: Vec<Func>,
    /// Tag lines that belong to no declaration.
    pub unread_tags: Vec<TagLine>,
}

/// A constant with its resolved type.
#[derive(Clone, Debug)]
pub struct ConstDef {
    /// The constant as read.
    pub item: Const,
    /// Its declared type, resolved.
    pub ty: Option<TypeId>,
}

/// All types of a set of packages.
#[derive(Clone, Debug, Default)]
pub struct Universe {
    packages: Vec<PackageInfo>,
    defs: Vec<Def>,
    types: Vec<Type>,
    interned: BTreeMap<Type, TypeId>,
    by_name: BTreeMap<(usize, String), DefId>,
    /// The fields of structs of packages that were not read, as far as they are known.
    known_structs: BTreeMap<TypeId, DefId>,
    findings: Vec<Finding>,
}

impl Universe {
    /// Returns errors in the packages.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// All packages, in the order given.
    pub fn packages(&self) -> &[PackageInfo] {
        &self.packages
    }

    /// All declared types.
    pub fn defs(&self) -> impl Iterator<Item = (DefId, &Def)> {
        (0u32..).map(DefId).zip(&self.defs)
    }

    /// One declared type.
    pub fn def(&self, id: DefId) -> &Def {
        &self.defs[id.index()]
    }

    /// The package a declared type is in.
    pub fn package_of(&self, id: DefId) -> &PackageInfo {
        &self.packages[self.def(id).package]
    }

    /// The declared type with this name in the package with this path.
    pub fn find(&self, package: &str, name: &str) -> Option<DefId> {
        let at = self.packages.iter().position(|info| info.path == package)?;
        self.by_name.get(&(at, name.to_owned())).copied()
    }

    /// All type expressions.
    pub(crate) fn type_ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..u32::try_from(self.types.len()).unwrap_or(u32::MAX)).map(TypeId)
    }

    /// One type expression.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// The id of the type expression that just names a declared type.
    pub fn type_of_def(&self, def: DefId) -> Option<TypeId> {
        self.interned.get(&Type::Def(def)).copied()
    }

    /// The type without typedefs, boxes and nullables; pointers are counted.
    pub fn native(&self, mut id: TypeId) -> Native {
        let mut pointers = 0;
        for _ in 0..2 * MAX_TYPEDEF_CHAIN {
            match self.ty(id) {
                Type::Pointer(inner) => {
                    pointers += 1;
                    id = *inner;
                }
                Type::Boxed(inner) | Type::Nullable(inner) => id = *inner,
                Type::Def(def) => match &self.def(*def).kind {
                    DefKind::Typedef(target) => id = *target,
                    _ => break,
                },
                _ => break,
            }
        }
        Native { pointers, base: id }
    }

    /// The kind of a type with typedefs removed; a pointer to anything is a pointer.
    pub fn kind(&self, id: TypeId) -> Kind {
        let native = self.native(id);
        if native.pointers > 0 { Kind::Pointer } else { self.base_kind(native.base) }
    }

    /// The kind of what a type finally holds, pointers removed.
    pub fn pointee_kind(&self, id: TypeId) -> Kind {
        self.base_kind(self.native(id).base)
    }

    fn base_kind(&self, base: TypeId) -> Kind {
        match self.ty(base) {
            Type::Builtin(_) => Kind::Builtin,
            Type::Def(def) => match self.def(*def).kind {
                DefKind::Struct(_) => Kind::Struct,
                DefKind::Enum(_) => Kind::Builtin,
                _ => Kind::Other("Opaque"),
            },
            Type::Foreign(_) => Kind::Other("Unknown"),
            Type::List(_) => Kind::Slice,
            Type::Array(..) => Kind::Array,
            Type::Map(..) => Kind::Map,
            Type::Interface => Kind::Interface,
            Type::Unsupported("Struct", _) => Kind::Struct,
            Type::Unsupported(kind, _) => Kind::Other(kind),
            Type::Pointer(_) | Type::Boxed(_) | Type::Nullable(_) => Kind::Pointer,
        }
    }

    /// The builtin a type finally holds, pointers and typedefs removed; a Rust enum is a string.
    pub fn builtin(&self, id: TypeId) -> Option<Builtin> {
        match self.ty(self.native(id).base) {
            Type::Builtin(builtin) => Some(*builtin),
            Type::Def(def) if matches!(self.def(*def).kind, DefKind::Enum(_)) => Some(Builtin::String),
            _ => None,
        }
    }

    /// True if a type finally holds a string.
    pub fn is_string(&self, id: TypeId) -> bool {
        self.builtin(id) == Some(Builtin::String)
    }

    /// Element type of a list, or value type of a map, typedefs and pointers removed first.
    pub fn elem(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(self.native(id).base) {
            Type::List(elem) | Type::Array(_, elem) => Some(*elem),
            Type::Map(_, _, value) => Some(*value),
            _ => None,
        }
    }

    /// Key type of a map, typedefs and pointers removed first.
    pub fn key(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(self.native(id).base) {
            Type::Map(_, key, _) => Some(*key),
            _ => None,
        }
    }

    /// The struct a type finally holds.
    pub fn struct_of(&self, id: TypeId) -> Option<DefId> {
        let base = self.native(id).base;
        match self.ty(base) {
            Type::Def(def) if matches!(self.def(*def).kind, DefKind::Struct(_)) => Some(*def),
            Type::Foreign(_) => self.known_structs.get(&base).copied(),
            _ => None,
        }
    }

    /// Fields of a struct; empty for anything else.
    pub fn fields(&self, def: DefId) -> &[FieldDef] {
        match &self.def(def).kind {
            DefKind::Struct(fields) => fields,
            _ => &[],
        }
    }

    /// The declared types that a declared type mentions, in order.
    pub fn defs_in(&self, def: DefId) -> Vec<DefId> {
        let mut types: Vec<TypeId> = match &self.def(def).kind {
            DefKind::Struct(fields) => fields.iter().rev().map(|field| field.ty).collect(),
            DefKind::Typedef(target) => vec![*target],
            _ => Vec::new(),
        };
        let mut found = Vec::new();
        while let Some(ty) = types.pop() {
            match self.ty(ty) {
                Type::Def(def) => found.push(*def),
                Type::Pointer(inner)
                | Type::Boxed(inner)
                | Type::Nullable(inner)
                | Type::List(inner)
                | Type::Array(_, inner) => types.push(*inner),
                Type::Map(_, key, value) => types.extend([*value, *key]),
                _ => {}
            }
        }
        found
    }

    /// The direct field of a struct with this name on the wire.
    pub fn member(&self, def: DefId, json: &str) -> Option<FieldRef> {
        let is_it = |f: &FieldDef| !f.field.inline && !f.field.ignored && f.field.path_name() == json;
        let index = self.fields(def).iter().position(is_it)?;
        Some(FieldRef { def, index })
    }

    /// The field a reference points at.
    pub fn field(&self, at: FieldRef) -> &FieldDef {
        &self.fields(at.def)[at.index]
    }

    /// True if a nil form exists: pointers, lists, maps and interfaces.
    pub fn is_nilable(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Kind::Pointer | Kind::Map | Kind::Slice | Kind::Interface)
    }

    /// True if a type is a pointer as written (typedefs not followed).
    pub fn is_pointer(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Pointer(_) => true,
            Type::Boxed(inner) => self.is_pointer(*inner),
            _ => false,
        }
    }

    /// True if Go could compare values of this type with `==`: scalars and structs of scalars.
    pub fn is_directly_comparable(&self, id: TypeId) -> bool {
        let mut work = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.ty(id) {
                Type::Builtin(_) => {}
                Type::Boxed(inner) | Type::Array(_, inner) => work.push(*inner),
                Type::Def(def) => match &self.def(*def).kind {
                    DefKind::Struct(fields) => work.extend(fields.iter().map(|f| f.ty)),
                    DefKind::Typedef(target) => work.push(*target),
                    DefKind::Enum(_) => {}
                    DefKind::Opaque(_) => return false,
                },
                _ => return false,
            }
        }
        true
    }

    /// The full name of a declared type: `package/path.Name`.
    pub fn def_name(&self, def: DefId) -> String {
        format!("{}.{}", self.package_of(def).path, self.def(def).name)
    }

    /// A type as the reference prints it.
    pub fn type_name(&self, id: TypeId) -> String {
        match self.ty(id) {
            // The reference knows bytes of either sign by one name.
            Type::Builtin(Builtin::Uint8 | Builtin::Int8) => "byte".to_owned(),
            Type::Builtin(builtin) => builtin.go_name().to_owned(),
            Type::Def(def) => self.def_name(*def),
            Type::Foreign(name) => name.clone(),
            Type::Pointer(inner) => format!("*{}", self.type_name(*inner)),
            Type::Boxed(inner) | Type::Nullable(inner) => self.type_name(*inner),
            Type::List(inner) => format!("[]{}", self.type_name(*inner)),
            Type::Array(len, inner) => format!("[{len}]{}", self.type_name(*inner)),
            Type::Map(_, key, value) => format!("map[{}]{}", self.type_name(*key), self.type_name(*value)),
            Type::Interface => "interface{}".to_owned(),
            Type::Unsupported(_, text) => text.clone(),
        }
    }

    /// `src`, or `src -> native` where a typedef or pointer hides the native type; pointers are kept.
    pub fn native_type_name(&self, id: TypeId) -> String {
        let native = self.native(id);
        if native.base == id {
            return self.type_name(id);
        }
        let stars = "*".repeat(native.pointers as usize);
        format!("{} -> {stars}{}", self.type_name(id), self.type_name(native.base))
    }

    /// `src`, or `src -> native` where a typedef or pointer hides the native type; pointers are removed.
    pub fn root_type_name(&self, id: TypeId) -> String {
        let native = self.native(id);
        if native.base == id {
            return self.type_name(id);
        }
        format!("{} -> {}", self.type_name(id), self.type_name(native.base))
    }
}

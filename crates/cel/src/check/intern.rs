//! Types as numbers: each type exists once, so that comparing two is comparing numbers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::types::{Name, Sig, Type};

/// Types nested deeper than this are treated as equal; expressions with such types are rejected.
const MAX_TYPE_DEPTH: u16 = 1000;

/// The number of a type in its [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

/// A type in terms of the numbers of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Dyn,
    Error,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    Type,
    Any,
    TypeOf(TypeId),
    List(TypeId),
    Map(TypeId, TypeId),
    Optional(TypeId),
    /// The name is in [`Types::names`].
    Object(u32),
    Opaque(u32),
    Param(&'static str),
    Var(u32),
}

/// The types that have fixed numbers, in this order.
const FIXED: [Kind; 13] = [
    Kind::Dyn,
    Kind::Error,
    Kind::Null,
    Kind::Bool,
    Kind::Int,
    Kind::Uint,
    Kind::Double,
    Kind::String,
    Kind::Bytes,
    Kind::Duration,
    Kind::Timestamp,
    Kind::Type,
    Kind::Any,
];

impl TypeId {
    pub(crate) const DYN: TypeId = TypeId(0);
    pub(crate) const ERROR: TypeId = TypeId(1);
    pub(crate) const NULL: TypeId = TypeId(2);
    pub(crate) const BOOL: TypeId = TypeId(3);
    pub(crate) const INT: TypeId = TypeId(4);
    pub(crate) const UINT: TypeId = TypeId(5);
    pub(crate) const DOUBLE: TypeId = TypeId(6);
    pub(crate) const STRING: TypeId = TypeId(7);
    pub(crate) const BYTES: TypeId = TypeId(8);
    pub(crate) const DURATION: TypeId = TypeId(9);
    pub(crate) const TIMESTAMP: TypeId = TypeId(10);
    pub(crate) const TYPE: TypeId = TypeId(11);
    pub(crate) const ANY: TypeId = TypeId(12);
}

/// All types of one expression.
pub(crate) struct Types {
    kinds: Vec<Kind>,
    notes: Vec<Note>,
    /// True if a type was nested too deeply.
    pub(crate) too_deep: bool,
    names: Vec<Name>,
    index: HashMap<Kind, TypeId, BuildHasherDefault<FastHasher>>,
}

/// The properties of a type beside its kind.
#[derive(Clone, Copy, Default)]
struct Note {
    /// It has parameters or free variables in it.
    open: bool,
    depth: u16,
}

impl Types {
    pub(crate) fn new() -> Self {
        let notes = vec![Note::default(); FIXED.len()];
        Self { kinds: FIXED.to_vec(), notes, too_deep: false, names: Vec::new(), index: HashMap::default() }
    }

    pub(crate) fn kind(&self, id: TypeId) -> Kind {
        self.kinds[id.0 as usize]
    }

    /// Reports whether the type has parameters or free variables in it.
    pub(crate) fn is_open(&self, id: TypeId) -> bool {
        self.notes[id.0 as usize].open
    }

    fn note(&self, kind: Kind) -> Note {
        let above = |part: TypeId| {
            let Note { open, depth } = self.notes[part.0 as usize];
            Note { open, depth: depth + 1 }
        };
        match kind {
            Kind::Param(_) | Kind::Var(_) => Note { open: true, depth: 0 },
            Kind::TypeOf(part) | Kind::List(part) | Kind::Optional(part) => above(part),
            Kind::Map(key, value) => {
                let key = above(key);
                let value = above(value);
                Note { open: key.open || value.open, depth: key.depth.max(value.depth) }
            }
            _ => Note::default(),
        }
    }

    /// The number of a type with parts.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer types than nodes times a constant")]
    pub(crate) fn add(&mut self, kind: Kind) -> TypeId {
        let note = self.note(kind);
        if note.depth > MAX_TYPE_DEPTH {
            self.too_deep = true;
            return TypeId::DYN;
        }
        match self.index.entry(kind) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let id = TypeId(self.kinds.len() as u32);
                self.notes.push(note);
                self.kinds.push(kind);
                *vacant.insert(id)
            }
        }
    }

    pub(crate) fn list(&mut self, element: TypeId) -> TypeId {
        self.add(Kind::List(element))
    }

    pub(crate) fn map(&mut self, key: TypeId, value: TypeId) -> TypeId {
        self.add(Kind::Map(key, value))
    }

    pub(crate) fn optional(&mut self, inner: TypeId) -> TypeId {
        self.add(Kind::Optional(inner))
    }

    pub(crate) fn name(&self, index: u32) -> &Name {
        &self.names[index as usize]
    }

    #[expect(clippy::cast_possible_truncation, reason = "there are few names")]
    fn name_index(&mut self, name: &Name) -> u32 {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        }) as u32
    }

    pub(crate) fn object(&mut self, name: &Name) -> TypeId {
        let index = self.name_index(name);
        self.add(Kind::Object(index))
    }

    fn opaque(&mut self, name: &Name) -> TypeId {
        let index = self.name_index(name);
        self.add(Kind::Opaque(index))
    }

    /// The number of a declared type.
    pub(crate) fn intern(&mut self, ty: &Type) -> TypeId {
        match ty {
            Type::Dyn => TypeId::DYN,
            Type::Any => TypeId::ANY,
            Type::Error => TypeId::ERROR,
            Type::Null => TypeId::NULL,
            Type::Bool => TypeId::BOOL,
            Type::Int => TypeId::INT,
            Type::Uint => TypeId::UINT,
            Type::Double => TypeId::DOUBLE,
            Type::String => TypeId::STRING,
            Type::Bytes => TypeId::BYTES,
            Type::Duration => TypeId::DURATION,
            Type::Timestamp => TypeId::TIMESTAMP,
            Type::Type(None) => TypeId::TYPE,
            Type::Type(Some(inner)) => {
                let inner = self.intern(inner);
                self.add(Kind::TypeOf(inner))
            }
            Type::List(element) => {
                let element = self.intern(element);
                self.list(element)
            }
            Type::Map(pair) => {
                let key = self.intern(&pair.0);
                let value = self.intern(&pair.1);
                self.map(key, value)
            }
            Type::Optional(inner) => {
                let inner = self.intern(inner);
                self.optional(inner)
            }
            Type::Object(name) => self.object(name),
            Type::Opaque(name) => self.opaque(name),
            Type::Param(name) => self.add(Kind::Param(name)),
            Type::Var(id) => self.add(Kind::Var(*id)),
        }
    }

    /// The number of a table's type, with parameter `n` replaced by the free variable `first + n`.
    pub(crate) fn instantiate(&mut self, sig: Sig, first: u32) -> TypeId {
        match sig {
            Sig::Dyn => TypeId::DYN,
            Sig::Null => TypeId::NULL,
            Sig::Bool => TypeId::BOOL,
            Sig::Int => TypeId::INT,
            Sig::Uint => TypeId::UINT,
            Sig::Double => TypeId::DOUBLE,
            Sig::String => TypeId::STRING,
            Sig::Bytes => TypeId::BYTES,
            Sig::Duration => TypeId::DURATION,
            Sig::Timestamp => TypeId::TIMESTAMP,
            Sig::TypeOf(inner) => {
                let inner = self.instantiate(*inner, first);
                self.add(Kind::TypeOf(inner))
            }
            Sig::List(element) => {
                let element = self.instantiate(*element, first);
                self.list(element)
            }
            Sig::Map(key, value) => {
                let key = self.instantiate(*key, first);
                let value = self.instantiate(*value, first);
                self.map(key, value)
            }
            Sig::Optional(inner) => {
                let inner = self.instantiate(*inner, first);
                self.optional(inner)
            }
            Sig::Object(name) => self.object(&Name::Static(name)),
            Sig::Opaque(name) => self.opaque(&Name::Static(name)),
            Sig::Param(index) => self.add(Kind::Var(first + u32::from(index))),
        }
    }

    /// The type behind a number. Parts that occur several times are shared.
    pub(crate) fn resolve(&self, id: TypeId) -> Type {
        self.resolve_with(id, &mut HashMap::default())
    }

    fn resolve_with(&self, id: TypeId, known: &mut HashMap<TypeId, Type, BuildHasherDefault<FastHasher>>) -> Type {
        let mut part = |id| {
            if let Some(ty) = known.get(&id) {
                return Type::clone(ty);
            }
            let ty = self.resolve_with(id, known);
            known.insert(id, ty.clone());
            ty
        };
        match self.kind(id) {
            Kind::Dyn => Type::Dyn,
            Kind::Any => Type::Any,
            Kind::Error => Type::Error,
            Kind::Null => Type::Null,
            Kind::Bool => Type::Bool,
            Kind::Int => Type::Int,
            Kind::Uint => Type::Uint,
            Kind::Double => Type::Double,
            Kind::String => Type::String,
            Kind::Bytes => Type::Bytes,
            Kind::Duration => Type::Duration,
            Kind::Timestamp => Type::Timestamp,
            Kind::Type => Type::Type(None),
            Kind::TypeOf(inner) => Type::Type(Some(Arc::new(part(inner)))),
            Kind::List(element) => Type::list(part(element)),
            Kind::Map(key, value) => Type::map(part(key), part(value)),
            Kind::Optional(inner) => Type::optional(part(inner)),
            Kind::Object(name) => Type::Object(self.name(name).clone()),
            Kind::Opaque(name) => Type::Opaque(self.name(name).clone()),
            Kind::Param(name) => Type::Param(name),
            Kind::Var(id) => Type::Var(id),
        }
    }

    /// The type as messages write it.
    pub(crate) fn show(&self, id: TypeId) -> Type {
        self.resolve(id)
    }
}

/// A small and fast hasher for small keys made here.
#[derive(Default)]
pub(crate) struct FastHasher(u64);

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value.cast_unsigned() as u64);
    }
}

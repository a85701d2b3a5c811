//! The Rust representation of types: the layers around a value, and the value itself.

use std::cell::RefCell;
use std::collections::BTreeSet;

use sprag_idl::model::{Builtin, Language};
use sprag_program::{DefId, FieldRef, TypeId};
use sprag_tags::types::{DefKind, Kind, Type, Universe};

use crate::embed::Members;
use crate::known::{self, Known};

/// One layer around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// `Option<_>`.
    Option,
    /// `Box<_>`.
    Box,
    /// A tuple struct with one field.
    Newtype,
    /// A dynamic value, which is unset when it is null.
    NonNull,
}

/// A value inside all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Text,
    Enum,
    Int,
    Float,
    Bool,
    Bytes,
    Struct(DefId),
    List(TypeId),
    Map(TypeId, TypeId),
    /// A dynamic value.
    Any,
    /// Something that is only compared and printed.
    Opaque,
}

/// The comparison of two values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// By the trait.
    Trait,
    /// A list or map that may be missing.
    Nullable,
    /// By what they are on the wire.
    Serialized,
}

/// The Rust side of a universe.
pub(crate) struct Reprs<'a> {
    pub(crate) universe: &'a Universe,
    /// Fields that hold their value in a box, to end a cycle of types.
    boxed: BTreeSet<FieldRef>,
    /// True if any package is Rust: foreign types do not say which language they are of.
    rust: bool,
    pub(crate) members: RefCell<Members>,
}

/// Most layers around one value that are looked through.
const MAX_LAYERS: usize = 512;

impl<'a> Reprs<'a> {
    pub(crate) fn new(universe: &'a Universe, boxed: BTreeSet<FieldRef>) -> Reprs<'a> {
        let rust = universe.packages().iter().any(|package| package.language == Language::Rust);
        Reprs { universe, boxed, rust, members: RefCell::default() }
    }

    pub(crate) fn is_boxed(&self, field: FieldRef) -> bool {
        self.boxed.contains(&field)
    }

    pub(crate) fn is_go(&self, def: DefId) -> bool {
        self.universe.package_of(def).language == Language::Go
    }

    /// The counterpart of a well-known Go type.
    pub(crate) fn known(&self, ty: TypeId) -> Option<Known> {
        match self.universe.ty(ty) {
            Type::Def(def) if self.is_go(*def) => self.known_def(*def),
            Type::Foreign(name) => {
                let (path, name) = known::split(name);
                known::go(path, name)
            }
            _ => None,
        }
    }

    pub(crate) fn known_def(&self, def: DefId) -> Option<Known> {
        let package = self.universe.package_of(def);
        (package.language == Language::Go).then(|| known::go(&package.path, &self.universe.def(def).name)).flatten()
    }

    /// The outermost layer of a type and what is inside.
    fn peel(&self, ty: TypeId) -> Option<(Layer, TypeId)> {
        match self.universe.ty(ty) {
            Type::Pointer(inner) | Type::Nullable(inner) => Some((Layer::Option, *inner)),
            Type::Boxed(inner) => Some((Layer::Box, *inner)),
            Type::Def(def) if self.known(ty).is_none() => match self.universe.def(*def).kind {
                DefKind::Typedef(target) => Some((Layer::Newtype, target)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Options and boxes around a type, and the type that errors and traits know: the first named one inside.
    pub(crate) fn outer(&self, ty: TypeId) -> (Vec<Layer>, TypeId) {
        let mut layers = Vec::new();
        let mut ty = ty;
        while let Some((layer @ (Layer::Option | Layer::Box), inner)) = self.peel(ty)
            && layers.len() < MAX_LAYERS
        {
            layers.push(layer);
            ty = inner;
        }
        if self.is_any(ty) {
            layers.push(Layer::NonNull);
        }
        (layers, ty)
    }

    /// The same for a field, which may have a box of its own.
    pub(crate) fn outer_of_field(&self, field: FieldRef) -> (Vec<Layer>, TypeId) {
        let (mut layers, view) = self.outer(self.universe.field(field).ty);
        if self.is_boxed(field) {
            layers.insert(usize::from(layers.first() == Some(&Layer::Option)), Layer::Box);
        }
        (layers, view)
    }

    /// All layers from a view down to the value.
    pub(crate) fn inner(&self, view: TypeId) -> (Vec<Layer>, TypeId) {
        let mut layers = Vec::new();
        let mut ty = view;
        while let Some((layer, inner)) = self.peel(ty)
            && layers.len() < MAX_LAYERS
        {
            layers.push(layer);
            ty = inner;
        }
        if !layers.is_empty() && self.is_any(ty) {
            layers.push(Layer::NonNull);
        }
        (layers, ty)
    }

    /// The layers from a view down to a declared type.
    pub(crate) fn down_to(&self, view: TypeId, def: DefId) -> Option<Vec<Layer>> {
        let mut layers = Vec::new();
        let mut ty = view;
        while *self.universe.ty(ty) != Type::Def(def) {
            let (layer, inner) = self.peel(ty).filter(|_| layers.len() < MAX_LAYERS)?;
            layers.push(layer);
            ty = inner;
        }
        Some(layers)
    }

    fn is_any(&self, ty: TypeId) -> bool {
        matches!(self.base(ty), Base::Any)
    }

    /// Returns the representation of a type without layers.
    pub(crate) fn base(&self, ty: TypeId) -> Base {
        match self.known(ty) {
            Some(Known::Any) => return Base::Any,
            Some(Known::Plain(builtin)) => return plain(builtin),
            Some(Known::Named(_)) => return Base::Opaque,
            None => {}
        }
        match self.universe.ty(ty) {
            Type::Builtin(builtin) => plain(*builtin),
            Type::Def(def) => match &self.universe.def(*def).kind {
                DefKind::Struct(_) => Base::Struct(*def),
                DefKind::Enum(_) => Base::Enum,
                DefKind::Opaque(_) if self.is_go(*def) => Base::Any,
                DefKind::Opaque(_) | DefKind::Typedef(_) => Base::Opaque,
            },
            Type::List(elem) | Type::Array(_, elem) if self.is_byte(*elem) => Base::Bytes,
            Type::List(elem) | Type::Array(_, elem) => Base::List(*elem),
            Type::Map(_, key, value) => Base::Map(*key, *value),
            Type::Foreign(name) if self.is_rust_path(name) => match known::split(name) {
                (_, "Value") => Base::Any,
                _ => Base::Opaque,
            },
            _ => Base::Any,
        }
    }

    pub(crate) fn is_byte(&self, elem: TypeId) -> bool {
        self.universe.kind(elem) == Kind::Builtin
            && self.universe.builtin(elem).and_then(Builtin::int_bits) == Some((8, false))
    }

    /// True if null and the zero value are distinct.
    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        self.universe.native(ty).pointers > 0
    }

    /// Returns the comparison for values of a type.
    pub(crate) fn sameness(&self, ty: TypeId) -> Sameness {
        let all_by_trait = |types: &[TypeId]| {
            let by_trait = types.iter().all(|ty| self.sameness(*ty) == Sameness::Trait);
            if by_trait { Sameness::Trait } else { Sameness::Serialized }
        };
        match self.universe.ty(ty) {
            Type::Nullable(inner) => match self.sameness(*inner) {
                Sameness::Trait => Sameness::Nullable,
                _ => Sameness::Serialized,
            },
            Type::Map(_, key, value) => all_by_trait(&[*key, *value]),
            Type::Def(def) => {
                let package = self.universe.package_of(*def);
                let opaque = matches!(self.universe.def(*def).kind, DefKind::Opaque(_));
                let by_trait = package.language == Language::Go || (package.included && !opaque);
                if by_trait { Sameness::Trait } else { Sameness::Serialized }
            }
            Type::Foreign(name) if self.is_rust_path(name) => {
                let (path, name) = known::split(name);
                if known::is_own(path, name) { Sameness::Trait } else { Sameness::Serialized }
            }
            Type::Array(..) | Type::Unsupported(..) if self.rust => Sameness::Serialized,
            Type::Pointer(inner) | Type::Boxed(inner) | Type::List(inner) | Type::Array(_, inner) => {
                all_by_trait(&[*inner])
            }
            Type::Builtin(_) | Type::Foreign(_) | Type::Interface | Type::Unsupported(..) => Sameness::Trait,
        }
    }

    fn is_rust_path(&self, foreign: &str) -> bool {
        let (path, _) = known::split(foreign);
        self.rust && !path.contains('/')
    }
}

fn plain(builtin: Builtin) -> Base {
    match builtin {
        Builtin::String => Base::Text,
        Builtin::Bool => Base::Bool,
        Builtin::Float32 | Builtin::Float64 => Base::Float,
        Builtin::Complex => Base::Any,
        _ => Base::Int,
    }
}

//! The interface between generated resource types and the registry.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sprag_checks::Validate;
use sprag_shape::{Shapes, TypeId};

use crate::column::Column;
use crate::definition::Selectable;
use crate::gated::Gated;

/// A type whose values are whole objects; generated code implements it.
pub trait Resource: Validate + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The facts declared by the type.
    fn facts() -> Facts;
}

/// An object with a spec; generated code implements it.
pub trait SpecAccessor {
    /// The type of the spec.
    type Spec;

    /// The spec.
    fn spec(&self) -> &Self::Spec;

    /// Replaces the spec.
    fn set_spec(&mut self, spec: Self::Spec);
}

/// An object with a status; generated code implements it.
pub trait StatusAccessor {
    /// The type of the status.
    type Status;

    /// The status.
    fn status(&self) -> &Self::Status;

    /// Replaces the status.
    fn set_status(&mut self, status: Self::Status);
}

/// An object that counts the changes of its spec; generated code implements it.
pub trait GenerationAccessor {
    /// The generation; 0 if absent.
    fn generation(&self) -> i64;

    /// Replaces the generation.
    fn set_generation(&mut self, generation: i64);
}

/// Facts declared by a resource type.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The kind.
    pub kind: Cow<'static, str>,
    /// The shapes of the type and of those it contains.
    pub shapes: &'static Shapes,
    /// The type in there.
    pub shape: TypeId,
    /// True if there is a spec.
    pub has_spec: bool,
    /// True if there is a status.
    pub has_status: bool,
    /// The fields that belong to a feature.
    pub gated: Cow<'static, [Gated]>,
    /// The feature gates that its fields and rules depend on.
    pub gates: Cow<'static, [Cow<'static, str>]>,
    /// The fields that selectors may name.
    pub selectable: Cow<'static, [Selectable]>,
    /// The columns of tables.
    pub columns: Cow<'static, [Column]>,
    /// The rules of the type as data, for what is published of them; none where only the generated code knows them.
    pub rules: Option<EmbeddedRules>,
}

/// The rules of a type as data that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedRules {
    /// A program of all types, as `program::ProgramParts::to_bytes` writes it.
    pub program: &'static [u8],
    /// The position of the type among the declared ones.
    pub def: u32,
}

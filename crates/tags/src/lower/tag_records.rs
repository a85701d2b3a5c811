//! Records that tags leave for other tags: list semantics, union members, modes, update constraints.

use std::collections::{BTreeMap, BTreeSet};

use sprag_checks::update::Constraint;
use sprag_field::Stage;
use sprag_idl::Span;
use sprag_program::{FieldRef, Identity, Literal, TypeId};

use crate::lower::lowered::Lowered;
use crate::lower::prefix::Prefix;
use crate::types::Universe;

/// The records of tags, by the place they stand at.
#[derive(Default)]
pub(crate) struct TagRecords {
    pub(crate) lists: BTreeMap<String, ListMeta>,
    /// Places whose duplicate check is already there.
    pub(crate) lists_done: BTreeSet<String>,
    pub(crate) unions: BTreeMap<String, BTreeMap<String, UnionRecord>>,
    pub(crate) zero_or_one: BTreeMap<String, BTreeMap<String, UnionRecord>>,
    pub(crate) modes: BTreeMap<String, BTreeMap<String, ModeGroup>>,
    pub(crate) updates: BTreeMap<(String, Stage), BTreeSet<Constraint>>,
    /// Subfield paths whose own stopping checks were inherited already by rules of a stage.
    pub(crate) inherited: BTreeSet<(String, Stage)>,
    pub(crate) opaque_types: BTreeSet<TypeId>,
    pub(crate) opaque_members: BTreeSet<FieldRef>,
    /// Unions declared by group, and the members that name one.
    pub(crate) declared_unions: Vec<crate::tags::DeclaredUnion>,
    pub(crate) group_members: Vec<crate::tags::GroupMember>,
}

/// The identity of list elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Semantic {
    Atomic,
    Set,
    Map,
}

impl Semantic {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Semantic::Atomic => "atomic",
            Semantic::Set => "set",
            Semantic::Map => "map",
        }
    }
}

/// The list tags of one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListMeta {
    /// Shared ownership or not; `None` where `listType` was not given.
    pub(crate) shared: Option<bool>,
    pub(crate) semantic: Option<Semantic>,
    pub(crate) keys: Vec<FieldRef>,
    pub(crate) custom_unique: bool,
    pub(crate) stage: Stage,
}

impl ListMeta {
    pub(crate) fn check(&self) -> Result<(), String> {
        let map = self.semantic == Some(Semantic::Map);
        if !self.keys.is_empty() && !map {
            return Err("found listMapKey without listType=map or unique=map".into());
        }
        if map && self.keys.is_empty() {
            return Err("found listType=map or unique=map without listMapKey".into());
        }
        if self.shared.is_none() {
            return Err("listType must be specified - use listType=atomic, listType=set, or listType=map".into());
        }
        Ok(())
    }

    pub(crate) fn identity(&self) -> Option<Identity> {
        match self.semantic {
            Some(Semantic::Map) => Some(Identity::Keys(self.keys.clone())),
            Some(Semantic::Set) => Some(Identity::Value),
            _ => None,
        }
    }
}

impl TagRecords {
    /// The list tags of a place, or else of its type.
    pub(crate) fn list(&self, universe: &Universe, path: &str, ty: TypeId) -> Option<&ListMeta> {
        self.lists.get(path).or_else(|| self.lists.get(&universe.type_name(ty)))
    }
}

/// The members of one union.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionRecord {
    pub(crate) members: Vec<UnionMember>,
    pub(crate) fields: Vec<FieldRef>,
    pub(crate) items: BTreeMap<String, Vec<(String, Literal)>>,
    pub(crate) discriminator: Option<Discriminator>,
}

/// The discriminator of a union.
#[derive(Clone, Debug)]
pub(crate) struct Discriminator {
    pub(crate) field: FieldRef,
    pub(crate) prefix: Prefix,
    /// The place of its tag.
    pub(crate) span: Span,
}

/// One member of a union.
#[derive(Clone, Debug)]
pub(crate) struct UnionMember {
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) prefix: Prefix,
    /// The place of its tag.
    pub(crate) span: Span,
}

/// The rules that depend on one discriminator.
#[derive(Default)]
pub(crate) struct ModeGroup {
    pub(crate) discriminator: Option<FieldRef>,
    /// Fields by Go name.
    pub(crate) members: BTreeMap<String, ModeMember>,
}

/// The rules of one field.
pub(crate) struct ModeMember {
    pub(crate) field: FieldRef,
    pub(crate) rules: Vec<ModeValue>,
}

/// One rule of one mode.
pub(crate) struct ModeValue {
    pub(crate) value: String,
    pub(crate) lowered: Lowered,
    pub(crate) prefix: Prefix,
}

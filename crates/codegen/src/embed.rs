//! Embedded structs: whose members are the holder's own, and whose would clash and so are nested.

use std::collections::{BTreeMap, BTreeSet};

use sprag_program::{DefId, FieldRef};
use sprag_tags::types::FieldDef;

use crate::repr::{Base, Reprs};

/// The wire form of an embedded field without a name of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// Its members are the holder's, and these are their names.
    Flat(BTreeSet<String>),
    /// Any members that the holder does not declare are in it.
    Rest,
    /// It is a member with its own name.
    Nested,
}

/// Deepest chain of structs embedded in each other.
const MAX_EMBEDDING: usize = 64;

/// The names of structs on the wire, as far as they are known.
pub(crate) type Members = BTreeMap<DefId, BTreeSet<String>>;

impl Reprs<'_> {
    /// The embedding of every embedded field of a struct.
    pub(crate) fn embeddings(&self, def: DefId) -> BTreeMap<FieldRef, Embedding> {
        self.embeddings_at(def, 0)
    }

    fn embeddings_at(&self, def: DefId, depth: usize) -> BTreeMap<FieldRef, Embedding> {
        let fields = self.universe.fields(def);
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for name in fields.iter().filter(|field| is_on_wire(field) && !field.field.inline).map(wire_name) {
            *taken.entry(name).or_default() += 1;
        }
        let mut all = BTreeMap::new();
        for (index, _) in fields.iter().enumerate().filter(|(_, field)| is_on_wire(field) && field.field.inline) {
            let at = FieldRef { def, index };
            let embedding = self.alone(at, depth);
            if let Embedding::Flat(members) = &embedding {
                for member in members {
                    *taken.entry(member.clone()).or_default() += 1;
                }
            }
            all.insert(at, embedding);
        }
        let mut rest = false;
        for embedding in all.values_mut() {
            let clashes = match embedding {
                Embedding::Flat(members) => members.iter().any(|member| taken[member] > 1),
                Embedding::Rest => std::mem::replace(&mut rest, true),
                Embedding::Nested => false,
            };
            if clashes {
                *embedding = Embedding::Nested;
            }
        }
        all
    }

    /// The embedding of a field as if it were alone.
    fn alone(&self, at: FieldRef, depth: usize) -> Embedding {
        let (_, view) = self.outer(self.universe.field(at).ty);
        let (layers, base) = self.inner(view);
        match self.base(base) {
            Base::Struct(def) if layers.is_empty() && depth < MAX_EMBEDDING => {
                Embedding::Flat(self.members(def, depth + 1))
            }
            Base::Any if layers.is_empty() => Embedding::Rest,
            _ => Embedding::Nested,
        }
    }

    /// The names a struct has on the wire.
    fn members(&self, def: DefId, depth: usize) -> BTreeSet<String> {
        if let Some(known) = self.members.borrow().get(&def) {
            return known.clone();
        }
        // A struct that embeds itself adds nothing to its own names.
        self.members.borrow_mut().insert(def, BTreeSet::new());
        let names = self.find_members(def, depth);
        self.members.borrow_mut().insert(def, names.clone());
        names
    }

    fn find_members(&self, def: DefId, depth: usize) -> BTreeSet<String> {
        let embeddings = self.embeddings_at(def, depth);
        let mut names = BTreeSet::new();
        for (index, field) in self.universe.fields(def).iter().enumerate().filter(|(_, field)| is_on_wire(field)) {
            match embeddings.get(&FieldRef { def, index }) {
                Some(Embedding::Flat(members)) => names.extend(members.iter().cloned()),
                Some(Embedding::Rest) => {}
                Some(Embedding::Nested) | None => drop(names.insert(wire_name(field))),
            }
        }
        names
    }
}

pub(crate) fn is_on_wire(field: &FieldDef) -> bool {
    field.field.exported && !field.field.ignored
}

/// The name of a field that is a member of its own.
pub(crate) fn wire_name(field: &FieldDef) -> String {
    field.field.json.clone().filter(|_| !field.field.inline).unwrap_or_else(|| field.field.name.clone())
}

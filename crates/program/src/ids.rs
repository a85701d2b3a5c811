//! Positions in the tables that a plan refers to.

/// Position of a resolved type expression among all of a set of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Position of a declared type among all of a set of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub u32);

/// Position of a regular expression in [`Plan::patterns`](crate::Plan::patterns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

/// A field of a struct, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldRef {
    /// The struct.
    pub def: DefId,
    /// The field's position in it.
    pub index: usize,
}

impl TypeId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl DefId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PatternId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

//! Fields that a writer does not come to own.

use super::set::FieldSet;
use super::strip;

/// Fields excluded from ownership: members of one set with their children, and members of another.
#[derive(Clone, Copy)]
pub(super) struct Skipped<'s> {
    reset: Option<&'s FieldSet>,
    unowned: Option<&'s FieldSet>,
}

/// Fields excluded from ownership below a field.
#[derive(Clone, Copy)]
pub(super) struct SkippedField<'s> {
    pub(super) all: bool,
    pub(super) itself: bool,
    pub(super) below: Skipped<'s>,
}

impl<'s> Skipped<'s> {
    pub(super) const NOTHING: Self = Self { reset: None, unowned: None };

    /// Fields that a writer never owns: the endpoint's reset fields, and fields outside managed fields.
    pub(super) fn of_writer(reset: Option<&'s FieldSet>) -> Self {
        Self { reset, unowned: Some(strip::unowned()) }
    }

    pub(super) fn is_nothing(self) -> bool {
        self.reset.is_none() && self.unowned.is_none()
    }

    pub(super) fn field(self, name: &str) -> SkippedField<'s> {
        if self.is_nothing() {
            return SkippedField::NOTHING;
        }
        let node = |set: Option<&'s FieldSet>| set.and_then(|set| set.field(name));
        let (reset, unowned) = (node(self.reset), node(self.unowned));
        SkippedField {
            all: reset.is_some_and(|node| node.member),
            itself: unowned.is_some_and(|node| node.member),
            below: Self { reset: reset.map(|node| &node.children), unowned: unowned.map(|node| &node.children) },
        }
    }
}

impl SkippedField<'_> {
    pub(super) const NOTHING: Self = Self { all: false, itself: false, below: Skipped::NOTHING };
}

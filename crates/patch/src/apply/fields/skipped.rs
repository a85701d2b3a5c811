//! Fields that a writer does not come to own.

use crate::apply::fields::set::FieldSet;
use crate::apply::fields::strip;

/// Fields excluded from ownership: members of one set with their children, and members of another.
#[derive(Clone, Copy)]
pub(in crate::apply) struct Skipped<'s> {
    reset: Option<&'s FieldSet>,
    unowned: Option<&'s FieldSet>,
}

/// Fields excluded from ownership below a field.
#[derive(Clone, Copy)]
pub(in crate::apply) struct SkippedField<'s> {
    pub(in crate::apply) all: bool,
    pub(in crate::apply) itself: bool,
    pub(in crate::apply) below: Skipped<'s>,
}

impl<'s> Skipped<'s> {
    pub(in crate::apply) const NOTHING: Self = Self { reset: None, unowned: None };

    /// Fields that a writer never owns: the endpoint's reset fields, and fields outside managed fields.
    pub(in crate::apply) fn of_writer(reset: Option<&'s FieldSet>) -> Self {
        Self { reset, unowned: Some(strip::unowned()) }
    }

    pub(in crate::apply) fn is_nothing(self) -> bool {
        self.reset.is_none() && self.unowned.is_none()
    }

    pub(in crate::apply) fn field(self, name: &str) -> SkippedField<'s> {
        if self.is_nothing() {
            return SkippedField::NOTHING;
        }
        let node = |set: Option<&'s FieldSet>| set.and_then(|set| set.field(name));
        let reset = node(self.reset);
        let unowned = node(self.unowned);
        SkippedField {
            all: reset.is_some_and(|node| node.member),
            itself: unowned.is_some_and(|node| node.member),
            below: Self { reset: reset.map(|node| &node.children), unowned: unowned.map(|node| &node.children) },
        }
    }
}

impl SkippedField<'_> {
    pub(in crate::apply) const NOTHING: Self = Self { all: false, itself: false, below: Skipped::NOTHING };
}

//! The result of lowering one tag, or all tags of one place.

use std::rc::Rc;

use sprag_field::Stage;
use sprag_program::{Check, Rule};

use crate::lower::{Lowerer, Prefix, Refusal};

/// Checks, deferred work and facts from the tags of one place.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each set by one tag")]
#[derive(Default)]
pub(crate) struct Lowered {
    pub(crate) checks: Vec<PlacedCheck>,
    pub(crate) deferred: Vec<Deferred>,
    /// The type's own validator is not called from here.
    pub(crate) opaque: bool,
    /// The key type's validator is not called from here.
    pub(crate) opaque_key: bool,
    /// The element type's validator is not called from here.
    pub(crate) opaque_val: bool,
    /// There is nothing to check, but the place counts as having validation all the same.
    pub(crate) noted: bool,
    /// The selected list item may not disappear, by a rule of this stage.
    pub(crate) kept_item: Option<Stage>,
}

/// A check with the cohort it belongs to.
#[derive(Clone)]
pub(crate) struct PlacedCheck {
    pub(crate) check: Check,
    pub(crate) cohort: String,
    /// Stages and conditions around it do not apply: several tags made it, and it has theirs already.
    pub(crate) has_prefix: bool,
    /// It is about the change of a field, see [`FieldPlan::changes`](sprag_program::FieldPlan::changes).
    pub(crate) on_change: bool,
    /// Hand-written code calls it, see [`FieldPlan::calls`](sprag_program::FieldPlan::calls).
    pub(crate) is_called: bool,
}

/// The owner of the checks that deferred work adds to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeferTo {
    Here,
    Parent,
    /// The struct whose fields the tag can name: the one with the field, or the type, that the tag is written on.
    Owner,
}

type Work = Box<dyn FnOnce(&mut Lowerer<'_>) -> Result<Lowered, Refusal>>;

/// Work that waits until the other tags of its place, or of the other fields, were seen.
pub(crate) struct Deferred {
    pub(crate) to: DeferTo,
    pub(crate) run: Work,
}

/// A function that wraps a check into another.
pub(crate) type Wrap = Rc<dyn Fn(PlacedCheck, DeferTo) -> PlacedCheck>;

impl PlacedCheck {
    pub(crate) fn new(check: Check) -> PlacedCheck {
        PlacedCheck { check, cohort: String::new(), has_prefix: false, on_change: false, is_called: false }
    }

    /// Wraps the rule; the new check is in no cohort and keeps the flags.
    pub(crate) fn wrapped(self, rule: impl FnOnce(Box<Check>) -> Rule) -> PlacedCheck {
        PlacedCheck {
            on_change: self.on_change,
            is_called: self.is_called,
            ..PlacedCheck::new(self.check.wrapped(rule))
        }
    }

    /// Wraps the rule in a condition.
    pub(crate) fn when(self, rule: impl FnOnce(Box<Check>) -> Rule) -> PlacedCheck {
        if self.has_prefix { self } else { self.wrapped(rule) }
    }

    /// A check that several tags made, under the prefix they have in common.
    pub(crate) fn under(prefix: &Prefix, check: Check) -> PlacedCheck {
        PlacedCheck { has_prefix: true, ..PlacedCheck::new(prefix.apply(check)) }
    }

    /// The same in this cohort.
    pub(crate) fn in_cohort(mut self, cohort: &str) -> PlacedCheck {
        cohort.clone_into(&mut self.cohort);
        self
    }
}

impl Lowered {
    /// One check.
    pub(crate) fn check(check: Check) -> Lowered {
        Lowered { checks: vec![PlacedCheck::new(check)], ..Lowered::default() }
    }

    /// Work for later.
    pub(crate) fn later(
        to: DeferTo,
        run: impl FnOnce(&mut Lowerer<'_>) -> Result<Lowered, Refusal> + 'static,
    ) -> Lowered {
        Lowered { deferred: vec![Deferred { to, run: Box::new(run) }], ..Lowered::default() }
    }

    /// Adds what another tag came to.
    pub(crate) fn add(&mut self, other: Lowered) {
        self.checks.extend(other.checks);
        self.deferred.extend(other.deferred);
        self.opaque |= other.opaque;
        self.opaque_key |= other.opaque_key;
        self.opaque_val |= other.opaque_val;
        self.noted |= other.noted;
        self.kept_item = self.kept_item.max(other.kept_item);
    }

    /// Reports whether there is anything to run or to note.
    pub(crate) fn has_work(&self) -> bool {
        !self.checks.is_empty() || !self.deferred.is_empty() || self.noted
    }

    /// True if the tags said anything at all.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_work() && !self.opaque && !self.opaque_key && !self.opaque_val
    }

    /// Wraps every check, and what deferred work will yield.
    pub(crate) fn wrap(self, wrap: &Wrap) -> Lowered {
        self.wrap_as(wrap, DeferTo::Here)
    }

    /// The same for checks that go to `to`.
    pub(crate) fn wrap_as(self, wrap: &Wrap, to: DeferTo) -> Lowered {
        let deferred = self.deferred.into_iter().map(|work| {
            let wrap = Rc::clone(wrap);
            let to = work.to;
            Deferred { to, run: Box::new(move |lowerer| Ok((work.run)(lowerer)?.wrap_as(&wrap, to))) }
        });
        Lowered {
            deferred: deferred.collect(),
            checks: self.checks.into_iter().map(|placed| wrap(placed, to)).collect(),
            ..self
        }
    }

    /// Runs all deferred work at once, one level deep.
    pub(crate) fn resolve(self, lowerer: &mut Lowerer<'_>) -> Result<Lowered, Refusal> {
        let mut all = Lowered::default();
        for work in self.deferred {
            all.add((work.run)(lowerer)?);
        }
        Ok(all)
    }
}

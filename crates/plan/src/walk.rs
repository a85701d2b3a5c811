//! The two ways to run a plan: a walk over a whole object, and calls of hand-written code.

use crate::{Check, Cohort, DefId, FieldPlan, FieldRef, Rule, TypeLayout, TypePlan};

/// Number of optional fields from which on one pass over the object's members beats a lookup for each field.
const SPARSE_FIELDS: usize = 4;

/// The checks of all types that run together, without those that lead nowhere.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    types: Vec<Option<TypePlan>>,
    /// Types with so many optional fields that finding out first which are there pays.
    sparse: Vec<bool>,
}

impl Walk {
    /// Everything but what is called.
    pub(crate) fn over_objects(types: &[Option<TypePlan>]) -> Walk {
        Walk::new(types, |plan| !plan.called, |field| !field.called)
    }

    /// Returns the walk of called code: fields that are called, and the checks of the types below them.
    pub(crate) fn of_called(types: &[Option<TypePlan>]) -> Walk {
        Walk::new(types, |_| true, |field| field.called)
    }

    fn new(
        types: &[Option<TypePlan>],
        has_value: impl Fn(&TypePlan) -> bool,
        has_field: impl Fn(&FieldPlan) -> bool,
    ) -> Walk {
        let part = |plan: &TypePlan| {
            let fields = plan.fields.iter().filter(|field| has_field(field)).cloned().collect();
            let value = if has_value(plan) { plan.clone() } else { TypePlan::default() };
            TypePlan { fields, ..value }
        };
        let mut types: Vec<Option<TypePlan>> = types.iter().map(|plan| plan.as_ref().map(part)).collect();
        while prune(&mut types) {}
        let optional = |plan: &TypePlan| plan.fields.iter().filter(|field| field.ends_unset).count();
        let sparse = types.iter().map(|plan| plan.as_ref().is_some_and(|plan| optional(plan) >= SPARSE_FIELDS));
        Walk { sparse: sparse.collect(), types }
    }

    /// Lets null pointers end their fields where no check says anything about null.
    #[must_use]
    pub(crate) fn ending_at_null(mut self, layouts: &[TypeLayout]) -> Walk {
        let mut passing: Vec<bool> = self.types.iter().map(Option::is_none).collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (at, plan) in self.types.iter().enumerate() {
                let passes = plan.as_ref().is_some_and(|plan| pass_null(&plan.cohorts, &plan.descend, &passing));
                has_changed |= passes && !passing[at];
                passing[at] |= passes;
            }
        }
        for field in self.types.iter_mut().flatten().flat_map(|plan| &mut plan.fields) {
            let is_pointer = layouts[field.ty.index()].pointer;
            field.ends_unset |= is_pointer && pass_null(&field.cohorts, &field.descend, &passing);
        }
        self
    }

    /// The checks of all types.
    pub(crate) fn into_types(self) -> Vec<Option<TypePlan>> {
        self.types
    }

    /// The same with other checks of some types.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut [Option<TypePlan>])) -> Walk {
        let mut walk = self.clone();
        edit(&mut walk.types);
        walk
    }

    /// The checks of a type, if there are any.
    pub(crate) fn of(&self, def: DefId) -> Option<&TypePlan> {
        self.types.get(def.index())?.as_ref()
    }

    /// The checks of a field, if there are any.
    pub(crate) fn field(&self, field: FieldRef) -> Option<&FieldPlan> {
        let fields = &self.of(field.def)?.fields;
        let at = fields.binary_search_by_key(&field.index, |plan| plan.field.index).ok()?;
        Some(&fields[at])
    }

    /// Tells if a type has so many optional fields that finding out first which are there pays.
    pub(crate) fn is_sparse(&self, def: DefId) -> bool {
        self.sparse[def.index()]
    }
}

/// Drops what leads to types without checks; tells if there was anything.
fn prune(types: &mut [Option<TypePlan>]) -> bool {
    let has: Vec<bool> = types.iter().map(Option::is_some).collect();
    let mut pruned = false;
    for slot in types {
        let Some(plan) = slot else { continue };
        plan.descend.retain(|check| leads(check, &has));
        for field in &mut plan.fields {
            field.descend.retain(|check| leads(check, &has));
        }
        plan.fields.retain(|field| !field.cohorts.is_empty() || !field.descend.is_empty());
        if plan.cohorts.is_empty() && plan.descend.is_empty() && plan.fields.is_empty() {
            (*slot, pruned) = (None, true);
        }
    }
    pruned
}

/// Tells if checks say nothing about null, whatever the old value; `passing` are the types whose checks do not.
fn pass_null(cohorts: &[Cohort], descend: &[Check], passing: &[bool]) -> bool {
    let checks = cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend);
    checks.into_iter().all(|check| match &check.rule {
        Rule::MinLength(_)
        | Rule::MaxLength(_)
        | Rule::MaxBytes(_)
        | Rule::IntegerBound(..)
        | Rule::NotEqual(_)
        | Rule::Format(_)
        | Rule::Pattern(_)
        | Rule::Enum(_)
        | Rule::EachKey(_)
        | Rule::EachVal(..) => true,
        Rule::Type(def) => passing[def.index()],
        _ => false,
    })
}

fn leads(check: &Check, has: &[bool]) -> bool {
    match &check.rule {
        Rule::Type(def) => has[def.index()],
        Rule::EachKey(inner) | Rule::EachVal(_, inner) => leads(inner, has),
        _ => true,
    }
}

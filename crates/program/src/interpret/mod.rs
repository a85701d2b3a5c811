//! Runs a plan on dynamic values, without a build step.
//!
//! The order of checks is the plan's; each check is a function of `checks`, as in generated code.

mod check;
mod equal;
mod show;

use sprag_checks::At;
use sprag_field::Errors;
use sprag_value::Value;

use self::check::Here;
use crate::layout::Layout;
use crate::walk::{Walk, Walked};
use crate::{Check, Cohort, DefId, FieldPlan, HookCall, PathStep, Program};

/// Hand-written checks, by name.
pub trait HookTable {
    /// Runs a hook on a value; returns whether it yielded anything, or `None` when there is no such hook.
    fn run(
        &self,
        call: &HookCall,
        at: &At<'_>,
        new: Option<&Value>,
        old: Option<&Value>,
        errors: &mut Errors,
    ) -> Option<bool>;
}

/// No hooks: every call of one is an internal error.
#[derive(Clone, Copy, Debug)]
pub struct NoHooks;

impl HookTable for NoHooks {
    fn run(&self, _: &HookCall, _: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        None
    }
}

/// A walk of a program over dynamic values.
pub(crate) struct Interpreter<'p> {
    pub(crate) program: &'p Program,
    pub(crate) walk: &'p Walk,
    pub(crate) layout: &'p Layout,
    pub(crate) hooks: &'p dyn HookTable,
    /// Learns which checks found something.
    pub(crate) trace: Option<Trace<'p>>,
    /// The bound that the surrounding [`crate::Rule::IntegerBoundByField`] has read.
    pub(crate) owner_bound: Option<i128>,
}

/// Learns of a check that found something.
pub type Trace<'t> = &'t dyn Fn(&Check);

impl Interpreter<'_> {
    /// The validator of a declared type.
    pub(crate) fn validate_type(
        &self,
        at: &At<'_>,
        def: DefId,
        new: Option<&Value>,
        old: Option<&Value>,
        errors: &mut Errors,
    ) -> bool {
        let Some(Walked { plan, is_sparse, .. }) = self.walk.of(self.program.source(), def) else { return false };
        let mark = errors.len();
        let ty = self.layout.of_def(def);
        let present = new.filter(|_| *is_sparse).map(|new| self.layout.present(def, new));
        let here = Here { at, ty, new, old, held: old.is_some(), present };
        if !self.run_cohorts(here, &plan.cohorts, errors) {
            for check in &plan.descend {
                self.run_check(here, check, errors);
            }
            let may_have = |field: &FieldPlan| present.is_none_or(|present| present.has(field.field));
            if let Some(new) = new {
                for field in plan.fields.iter().filter(|field| !field.ends_unset || may_have(field)) {
                    self.validate_field(at, field, new, old, errors);
                }
            }
        }
        errors.len() > mark
    }

    /// The checks of one field.
    pub(crate) fn validate_field(
        &self,
        at: &At<'_>,
        field: &FieldPlan,
        parent: &Value,
        old: Option<&Value>,
        errors: &mut Errors,
    ) {
        let new = self.layout.get(parent, field.field);
        if field.ends_unset && !self.layout.is_set(field.ty, new) {
            return;
        }
        let was = old.and_then(|old| self.layout.get(old, field.field));
        if at.is_update() && old.is_some() && self.same_optional(field.ty, new, was) {
            return;
        }
        let at = &match &field.step {
            PathStep::Child(name) => at.child(name),
            PathStep::Inline(name) => at.inline(name),
        };
        let here = Here { at, ty: field.ty, new, old: was, held: old.is_some(), present: None };
        if self.run_cohorts(here, &field.cohorts, errors) {
            return;
        }
        for check in &field.descend {
            self.run_check(here, check, errors);
        }
    }

    /// Runs all cohorts; returns whether the default one stopped.
    fn run_cohorts(&self, here: Here<'_>, cohorts: &[Cohort], errors: &mut Errors) -> bool {
        for cohort in cohorts {
            let (stops, rest) = cohort.checks.split_at(cohort.stops);
            let mut stopped = false;
            for check in stops {
                let mark = errors.len();
                stopped |= self.run_stop(here, check, errors);
                if check.non_error {
                    errors.truncate(mark);
                } else {
                    errors.mark_short_circuit_since(mark);
                }
            }
            if stopped {
                if cohort.name.is_empty() {
                    return true;
                }
                continue;
            }
            for check in rest {
                let mark = errors.len();
                self.run_check(here, check, errors);
                if check.non_error {
                    errors.truncate(mark);
                }
            }
        }
        false
    }
}

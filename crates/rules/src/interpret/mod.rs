//! Runs a plan on dynamic values, without a build step.
//!
//! The walk is the plan's; what each check says is the `validate` crate's, as in generated code.

mod access;
mod check;
mod equal;
mod show;

use std::collections::BTreeMap;

use sprag_field::{Error, Errors};
use sprag_plan::{Cohort, DefId, FieldPlan, Plan, Root, Step, TypePlan};
use sprag_validate::{At, Regexp, Request};
use sprag_value::Value;

use self::access::Forms;
use self::check::Here;
use crate::ShapeTable;
use crate::types::Universe;

/// Hand-written checks, by name.
pub trait HookTable {
    /// Runs a hook on a value; returns whether it yielded anything, or `None` when there is no such hook.
    fn run(
        &self,
        name: &str,
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
    fn run(&self, _: &str, _: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        None
    }
}

/// A plan that is ready to run on dynamic values.
pub struct Interpreter<'p> {
    universe: &'p Universe,
    plan: &'p Plan,
    hooks: &'p dyn HookTable,
    forms: Forms,
    shapes: ShapeTable,
    patterns: BTreeMap<String, Regexp>,
    /// The root of each declared type, if it is one.
    roots: Vec<Option<&'p Root>>,
    /// Types with so many optional fields that finding out first which are there pays.
    sparse: Vec<bool>,
}

/// From this many optional fields on, one pass over the object's members beats a lookup for each field.
const SPARSE_FIELDS: usize = 4;

impl<'p> Interpreter<'p> {
    /// Prepares a plan.
    pub fn new(universe: &'p Universe, plan: &'p Plan, hooks: &'p dyn HookTable) -> Interpreter<'p> {
        let patterns = plan.patterns().filter_map(|pattern| Some((pattern.to_owned(), Regexp::new(pattern).ok()?)));
        let optional = |plan: &TypePlan| plan.fields.iter().filter(|field| field.ends_unset).count();
        let sparse = plan.types.iter().map(|plan| plan.as_ref().is_some_and(|plan| optional(plan) >= SPARSE_FIELDS));
        Interpreter {
            universe,
            plan,
            hooks,
            forms: Forms::new(universe),
            shapes: ShapeTable::new(universe),
            patterns: patterns.collect(),
            roots: universe.defs().map(|(def, _)| plan.root(def)).collect(),
            sparse: sparse.collect(),
        }
    }

    /// Validates a whole object of a root type.
    ///
    /// A type that is not a root of the plan has no rules. A request for a subresource the type does not answer for
    /// is an internal error, as in the reference.
    pub fn validate(&self, request: &Request<'_>, root: DefId, new: &Value, old: Option<&Value>, errors: &mut Errors) {
        let Some(root) = self.roots[root.index()] else { return };
        if !root.subresources.iter().any(|path| path == request.subresource) {
            let (ty, path) = (&root.go_type, request.subresource);
            let failure = format_args!("no validation found for {ty}, subresource: {path}");
            errors.push(Error::internal(&sprag_field::Path::ROOT, failure));
            return;
        }
        self.validate_type(&At::root(request), root.def, Some(new), old, errors);
    }

    /// The validator of a declared type.
    fn validate_type(
        &self,
        at: &At<'_>,
        def: DefId,
        new: Option<&Value>,
        old: Option<&Value>,
        errors: &mut Errors,
    ) -> bool {
        let Some(plan) = self.plan.of(def) else { return false };
        let mark = errors.len();
        let ty = self.forms.of_def(def);
        let present = new.filter(|_| self.sparse[def.index()]).map(|new| self.forms.present(def, new));
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

    fn validate_field(&self, at: &At<'_>, field: &FieldPlan, parent: &Value, old: Option<&Value>, errors: &mut Errors) {
        let new = self.forms.get(parent, field.field);
        if field.ends_unset && !self.forms.is_set(field.ty, new) {
            return;
        }
        let was = old.and_then(|old| self.forms.get(old, field.field));
        if at.is_update() && old.is_some() && self.same_optional(field.ty, new, was) {
            return;
        }
        let at = &match &field.step {
            Step::Child(name) => at.child(name),
            Step::Inline(name) => at.inline(name),
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
                if self.run_check(here, check, errors) {
                    stopped = true;
                    if check.non_error {
                        errors.truncate(mark);
                    } else {
                        errors.mark_short_circuit_since(mark);
                    }
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

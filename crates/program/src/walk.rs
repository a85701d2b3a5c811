//! The two ways to run a plan: a walk over a whole object, and calls of hand-written code.

use std::sync::OnceLock;

use crate::{Check, Cohort, DefId, FieldPlan, FieldRef, Rule, TypeLayout, TypePlan};

/// Number of optional fields from which on one pass over the object's members beats a lookup for each field.
const SPARSE_FIELDS: usize = 4;

/// The checks of a plan that run together.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Everything but what is called.
    Objects,
    /// Fields that are called, and the checks of the types below them.
    Called,
}

impl Part {
    fn has_value(self, plan: &TypePlan) -> bool {
        matches!(self, Part::Called) || !plan.called
    }

    fn has_field(self, field: &FieldPlan) -> bool {
        field.called == matches!(self, Part::Called)
    }

    fn fields(self, plan: &TypePlan) -> impl Iterator<Item = &FieldPlan> {
        plan.fields.iter().filter(move |field| self.has_field(field))
    }

    /// The checks on a value as a whole, and those below it.
    fn value(self, plan: &TypePlan) -> (&[Cohort], &[Check]) {
        if self.has_value(plan) { (&plan.cohorts, &plan.descend) } else { (&[], &[]) }
    }

    /// The types with checks, or below which there are some.
    fn types(self, types: &[Option<TypePlan>]) -> Vec<bool> {
        let mut has: Vec<bool> = types.iter().map(Option::is_some).collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (at, plan) in types.iter().enumerate() {
                if has[at] && !plan.as_ref().is_some_and(|plan| self.is_any(plan, &has)) {
                    (has[at], has_changed) = (false, true);
                }
            }
        }
        has
    }

    fn is_any(self, plan: &TypePlan, has: &[bool]) -> bool {
        let is_any = |cohorts: &[Cohort], descend: &[Check]| {
            !cohorts.is_empty() || descend.iter().any(|check| leads(check, has))
        };
        let (cohorts, descend) = self.value(plan);
        is_any(cohorts, descend) || self.fields(plan).any(|field| is_any(&field.cohorts, &field.descend))
    }

    /// The checks of a type, without those that lead nowhere.
    fn of(self, plan: &TypePlan, has: &[bool]) -> TypePlan {
        let led = |descend: &[Check]| descend.iter().filter(|check| leads(check, has)).cloned().collect();
        let fields = self.fields(plan).map(|field| FieldPlan {
            field: field.field,
            ty: field.ty,
            step: field.step.clone(),
            cohorts: field.cohorts.clone(),
            descend: led(&field.descend),
            ends_unset: field.ends_unset,
            called: field.called,
        });
        let (cohorts, descend) = self.value(plan);
        TypePlan {
            cohorts: cohorts.to_vec(),
            descend: led(descend),
            fields: fields.filter(|field| !field.cohorts.is_empty() || !field.descend.is_empty()).collect(),
            called: self.has_value(plan) && plan.called,
        }
    }
}

/// The checks of all types that run together. Those of a type are put together when they run first: most objects of a process
/// are of few types.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    part: Part,
    /// The types that have checks.
    has: Vec<bool>,
    /// The types whose checks say nothing about null.
    passing: Vec<bool>,
    types: Vec<OnceLock<Box<Walked>>>,
}

/// The checks of a type.
#[derive(Clone, Debug)]
pub(crate) struct Walked {
    pub(crate) plan: TypePlan,
    /// It has so many optional fields that finding out first which are there pays.
    pub(crate) is_sparse: bool,
    /// The position of the checks of each field, by the index of the field.
    positions: Box<[Option<u32>]>,
}

impl Walked {
    fn new(plan: TypePlan, is_sparse: bool) -> Walked {
        let mut positions = vec![None; plan.fields.iter().map(|plan| plan.field.index + 1).max().unwrap_or(0)];
        for (at, plan) in (0_u32..).zip(&plan.fields) {
            positions[plan.field.index] = Some(at);
        }
        Walked { plan, is_sparse, positions: positions.into() }
    }

    fn field(&self, index: usize) -> Option<&FieldPlan> {
        let at = (*self.positions.get(index)?)?;
        self.plan.fields.get(at as usize)
    }
}

impl Walk {
    /// Everything but what is called.
    pub(crate) fn over_objects(types: &[Option<TypePlan>]) -> Walk {
        Walk::new(types, Part::Objects)
    }

    /// Returns the walk of called code: fields that are called, and the checks of the types below them.
    pub(crate) fn of_called(types: &[Option<TypePlan>]) -> Walk {
        Walk::new(types, Part::Called)
    }

    fn new(types: &[Option<TypePlan>], part: Part) -> Walk {
        let has = part.types(types);
        let mut passing: Vec<bool> = has.iter().map(|has| !has).collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (at, plan) in types.iter().enumerate() {
                let passes = plan.as_ref().map(|plan| part.value(plan));
                let passes = passes.is_some_and(|(cohorts, descend)| pass_null(cohorts, descend, &passing));
                has_changed |= passes && !passing[at];
                passing[at] |= passes;
            }
        }
        Walk { part, types: vec![OnceLock::new(); has.len()], has, passing }
    }

    /// The checks of a type, if there are any. A null pointer ends its field where no check says anything about null.
    #[inline]
    pub(crate) fn of<'w>(&'w self, (types, layouts): Declared<'_>, def: DefId) -> Option<&'w Walked> {
        let known = self.types.get(def.index())?;
        if let Some(walked) = known.get() {
            return Some(walked);
        }
        let plan = types[def.index()].as_ref().filter(|_| self.has[def.index()])?;
        Some(known.get_or_init(|| Box::new(self.walked(plan, layouts))))
    }

    fn walked(&self, plan: &TypePlan, layouts: &[TypeLayout]) -> Walked {
        let mut plan = self.part.of(plan, &self.has);
        let is_sparse = plan.fields.iter().filter(|field| field.ends_unset).count() >= SPARSE_FIELDS;
        for field in &mut plan.fields {
            let is_pointer = layouts[field.ty.index()].pointer;
            field.ends_unset |= is_pointer && pass_null(&field.cohorts, &field.descend, &self.passing);
        }
        Walked::new(plan, is_sparse)
    }

    /// The same with other checks of a type.
    pub(crate) fn edited(&self, source: Declared<'_>, def: DefId, edit: impl FnOnce(&mut TypePlan)) -> Walk {
        let mut walk = self.clone();
        walk.of(source, def);
        if let Some(walked) = walk.types.get_mut(def.index()).and_then(OnceLock::get_mut) {
            let mut plan = walked.plan.clone();
            edit(&mut plan);
            **walked = Walked::new(plan, walked.is_sparse);
        }
        walk
    }

    /// The checks of a field, if there are any.
    pub(crate) fn field(&self, source: Declared<'_>, field: FieldRef) -> Option<&FieldPlan> {
        self.of(source, field.def)?.field(field.index)
    }
}

/// The parts from which checks are assembled: the checks and the layouts of all types of a plan.
pub(crate) type Declared<'p> = (&'p [Option<TypePlan>], &'p [TypeLayout]);

/// The checks of all types without those that are called.
pub(crate) fn without_called(types: &[Option<TypePlan>]) -> Vec<Option<TypePlan>> {
    let has = Part::Objects.types(types);
    let kept = types.iter().zip(&has).map(|(plan, has_any)| plan.as_ref().filter(|_| *has_any));
    kept.map(|plan| plan.map(|plan| Part::Objects.of(plan, &has))).collect()
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

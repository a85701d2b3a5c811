//! The walk over a whole object: the checks of a plan but those that hand-written code calls.

use std::sync::OnceLock;

use crate::{Check, Cohort, DefId, FieldPlan, FieldRef, Rule, TypeLayout, TypePlan};

/// Number of optional fields from which on one pass over the object's members beats a lookup for each field.
const SPARSE_FIELDS: usize = 4;

/// The fields that a walk judges: all but those that are called.
fn fields(plan: &TypePlan) -> impl Iterator<Item = &FieldPlan> {
    plan.fields.iter().filter(|field| !field.called)
}

/// The checks on a value as a whole, and those below it.
fn value(plan: &TypePlan) -> (&[Cohort], &[Check]) {
    if plan.called { (&[], &[]) } else { (&plan.cohorts, &plan.descend) }
}

/// The types with checks, or below which there are some.
fn types_with_checks(types: &[Option<TypePlan>]) -> Vec<bool> {
    let mut has: Vec<bool> = types.iter().map(Option::is_some).collect();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (at, plan) in types.iter().enumerate() {
            if has[at] && !plan.as_ref().is_some_and(|plan| has_checks(plan, &has)) {
                has[at] = false;
                has_changed = true;
            }
        }
    }
    has
}

fn has_checks(plan: &TypePlan, has: &[bool]) -> bool {
    let is_any =
        |cohorts: &[Cohort], descend: &[Check]| !cohorts.is_empty() || descend.iter().any(|check| leads(check, has));
    let (cohorts, descend) = value(plan);
    is_any(cohorts, descend) || fields(plan).any(|field| is_any(&field.cohorts, &field.descend))
}

/// The checks of a type that a walk runs, without those that lead nowhere.
fn walked(plan: &TypePlan, has: &[bool]) -> TypePlan {
    let led = |descend: &[Check]| descend.iter().filter(|check| leads(check, has)).cloned().collect();
    let fields = fields(plan).map(|field| FieldPlan {
        field: field.field,
        ty: field.ty,
        step: field.step.clone(),
        cohorts: field.cohorts.clone(),
        descend: led(&field.descend),
        changes: Vec::new(),
        calls: Vec::new(),
        ends_unset: field.ends_unset,
        called: false,
    });
    let (cohorts, descend) = value(plan);
    TypePlan {
        cohorts: cohorts.to_vec(),
        descend: led(descend),
        fields: fields.filter(|field| !field.cohorts.is_empty() || !field.descend.is_empty()).collect(),
        called: false,
    }
}

/// The checks of all types that run together. Those of a type are put together when they run first: most objects of a process
/// are of few types.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
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
    /// The walk over objects of these types.
    pub(crate) fn new(types: &[Option<TypePlan>]) -> Walk {
        let has = types_with_checks(types);
        let mut passing: Vec<bool> = has.iter().map(|has| !has).collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (at, plan) in types.iter().enumerate() {
                let passes = plan.as_ref().map(value);
                let passes = passes.is_some_and(|(cohorts, descend)| pass_null(cohorts, descend, &passing));
                has_changed |= passes && !passing[at];
                passing[at] |= passes;
            }
        }
        Walk { types: vec![OnceLock::new(); has.len()], has, passing }
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
        let mut plan = walked(plan, &self.has);
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
    let has = types_with_checks(types);
    let kept = types.iter().zip(&has).map(|(plan, has_any)| plan.as_ref().filter(|_| *has_any));
    kept.map(|plan| plan.map(|plan| walked(plan, &has))).collect()
}

/// Tells if checks say nothing about null, whatever the old value; `passing` are the types whose checks do not.
fn pass_null(cohorts: &[Cohort], descend: &[Check], passing: &[bool]) -> bool {
    let checks = cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend);
    checks.into_iter().all(|check| match &check.rule {
        Rule::Type(def) => passing[def.index()],
        rule => rule.passes_null(),
    })
}

fn leads(check: &Check, has: &[bool]) -> bool {
    match &check.rule {
        Rule::Type(def) => has[def.index()],
        Rule::EachKey(inner) | Rule::EachVal(_, inner) => leads(inner, has),
        _ => true,
    }
}

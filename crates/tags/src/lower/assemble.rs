//! Puts lowered types together: cohorts in order, descents only where something is found below.

use sprag_field::Stage;
use sprag_program::{
    Check, Cohort, DefId, FieldPlan, FieldRef, Members, Plan, Rule, TargetStep, TypePlan, WhenMissing,
};

use crate::lower::discover::{Descent, FieldNode, Node};
use crate::lower::lowered::PlacedCheck;
use crate::lower::roots::PackageRoots;
use crate::shapes::has_tag;
use crate::tags::{NATIVE, is_called};
use crate::types::{Kind, Type, Universe};

/// Builds the plan.
pub(crate) fn assemble(universe: &Universe, roots: Vec<PackageRoots>, nodes: Vec<Option<Node>>) -> Plan {
    let validated = validated(&nodes);
    let has = |def: DefId| validated[def.index()];
    let types = nodes
        .into_iter()
        .enumerate()
        .zip(universe.defs())
        .map(|((at, node), (_, def))| {
            let called = is_called(&def.tags);
            let mut plan = node.filter(|_| validated[at]).map(|node| type_plan(universe, node, called, &has));
            if let Some(plan) = &mut plan {
                mark_native(universe, plan, has_tag(&def.tags, NATIVE));
            }
            plan
        })
        .collect();
    let mut all: Vec<sprag_program::Root> = Vec::new();
    for package in roots.into_iter().filter(|package| package.registered) {
        for root in package.roots {
            match all.iter_mut().find(|known| known.def == root.def) {
                Some(known) => known.registered_by.extend(root.registered_by),
                None if has(root.def) => all.push(root),
                None => {}
            }
        }
    }
    Plan { types, roots: all, ..Plan::default() }
}

/// Returns the types that have anything to check, themselves or below.
fn validated(nodes: &[Option<Node>]) -> Vec<bool> {
    let mut has: Vec<bool> = nodes.iter().map(|node| node.as_ref().is_some_and(has_own_work)).collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let Some(node) = node.as_ref().filter(|node| !node.lowered.opaque) else { continue };
        let descents = node.descend.iter().chain(node.fields.iter().flat_map(|field| &field.descend));
        let callees = descents.map(|descent| descent.callee);
        for callee in callees.chain(node.fields.iter().filter_map(|field| field.call)) {
            callers[callee.index()].push(at);
        }
    }
    let mut work: Vec<usize> = (0..nodes.len()).filter(|at| has[*at]).collect();
    while let Some(at) = work.pop() {
        for &caller in &callers[at] {
            if !std::mem::replace(&mut has[caller], true) {
                work.push(caller);
            }
        }
    }
    has
}

fn has_own_work(node: &Node) -> bool {
    node.lowered.has_work() || (!node.lowered.opaque && node.fields.iter().any(|field| field.lowered.has_work()))
}

fn type_plan(universe: &Universe, node: Node, called: bool, has: &dyn Fn(DefId) -> bool) -> TypePlan {
    let fields = if node.lowered.opaque { Vec::new() } else { node.fields };
    TypePlan {
        cohorts: cohorts(node.lowered.checks),
        descend: descents(node.descend, has),
        fields: fields.into_iter().filter_map(|field| field_plan(universe, field, called, has)).collect(),
        called,
    }
}

fn field_plan(universe: &Universe, field: FieldNode, called: bool, has: &dyn Fn(DefId) -> bool) -> Option<FieldPlan> {
    let call = field.call.filter(|def| has(*def));
    let pointer_list = is_pointer_list(universe, &field);
    let (changes, checks): (Vec<PlacedCheck>, Vec<PlacedCheck>) =
        field.lowered.checks.into_iter().partition(|placed| placed.on_change);
    let (calls, mut checks): (Vec<PlacedCheck>, Vec<PlacedCheck>) =
        checks.into_iter().partition(|placed| placed.is_called);
    let unplaced = |placed: Vec<PlacedCheck>| placed.into_iter().map(|placed| placed.check).collect::<Vec<Check>>();
    let changes = unplaced(changes);
    let calls = unplaced(calls);
    if pointer_list && (!checks.is_empty() || call.is_some()) {
        checks.insert(0, PlacedCheck::new(Check::stopping(Rule::NoNilElements)));
    }
    let mut descend: Vec<Check> = call.map(|def| Check::new(Rule::Type(def))).into_iter().collect();
    descend.extend(descents(field.descend, has));
    if checks.is_empty() && descend.is_empty() && changes.is_empty() && calls.is_empty() {
        return None;
    }
    let cohorts = cohorts(checks);
    let ends_unset = cohorts.first().is_some_and(ends_unset);
    let called = called || is_called(&universe.field(field.field).field.tags);
    Some(FieldPlan {
        field: field.field,
        ty: field.ty,
        step: field.step,
        cohorts,
        descend,
        changes,
        calls,
        ends_unset,
        called,
    })
}

/// Marks the checks that no hand-written code has a counterpart of: all of a type or field that says so, those of its type
/// included, and those of a struct about fields that all say so.
fn mark_native(universe: &Universe, plan: &mut TypePlan, whole: bool) {
    let is_native = |field: &FieldRef| whole || has_tag(&universe.field(*field).field.tags, NATIVE);
    for check in plan.cohorts.iter_mut().flat_map(|cohort| &mut cohort.checks) {
        let about = about(&check.rule);
        check.native = whole || (!about.is_empty() && about.iter().all(is_native));
    }
    plan.descend.iter_mut().for_each(|check| check.native = whole);
    for field in plan.fields.iter_mut().filter(|field| is_native(&field.field)) {
        let checks = field.cohorts.iter_mut().flat_map(|cohort| &mut cohort.checks);
        checks.chain(&mut field.descend).for_each(|check| check.native = true);
    }
}

/// The fields whose tags a check of their struct comes from.
fn about(rule: &Rule) -> Vec<FieldRef> {
    match rule {
        Rule::Union(rule) => match &rule.members {
            Members::Fields(fields) => fields.clone(),
            Members::Paths(paths) => paths.iter().filter_map(|path| path.fields.last().copied()).collect(),
            Members::Items(_) => Vec::new(),
        },
        Rule::Mode(rule) => vec![rule.field],
        Rule::Dependent(rule) => vec![rule.trigger],
        Rule::IntegerBoundByField(rule) => match rule.target().first() {
            Some(TargetStep::Field(field)) => vec![*field],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn ends_unset(cohort: &Cohort) -> bool {
    let (stops, _) = cohort.checks.split_at(cohort.stops);
    let is_silent = |check: &Check| {
        check.non_error && check.stage == Stage::Stable && check.rule.when_missing() == WhenMissing::Yields
    };
    cohort.name.is_empty() && !stops.is_empty() && stops.iter().all(is_silent)
}

fn is_pointer_list(universe: &Universe, field: &FieldNode) -> bool {
    universe.kind(field.ty) == Kind::Slice
        && universe.elem(field.ty).is_some_and(|elem| matches!(universe.ty(elem), Type::Pointer(_)))
}

fn descents(descents: Vec<Descent>, has: &dyn Fn(DefId) -> bool) -> Vec<Check> {
    descents.into_iter().filter(|descent| has(descent.callee)).map(Descent::check).collect()
}

/// The default cohort first, named ones by first appearance; stopping checks first inside each.
pub(crate) fn cohorts(checks: Vec<PlacedCheck>) -> Vec<Cohort> {
    let mut all: Vec<Cohort> = Vec::new();
    for placed in checks {
        let at = all.iter().position(|cohort| cohort.name == placed.cohort).unwrap_or_else(|| {
            let at = if placed.cohort.is_empty() { 0 } else { all.len() };
            all.insert(at, Cohort { name: placed.cohort.clone(), ..Cohort::default() });
            at
        });
        let cohort = &mut all[at];
        if placed.check.short_circuit {
            cohort.checks.insert(cohort.stops, placed.check);
            cohort.stops += 1;
        } else {
            cohort.checks.push(placed.check);
        }
    }
    all
}

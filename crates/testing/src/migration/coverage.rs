//! The rules that tests triggered.
//!
//! Cases of an author count: those of [`Migration::assert_equivalent`], [`Migration::assert_errors`] and of fixtures. Random
//! objects do not: they reach every rule, and nobody has read what they say.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use sprag_checks::{Op, Request};
use sprag_field::Errors;
use sprag_program::{Check, DefId, HookTable, Program};

use super::Migration;
use super::judge::{Captured, Setting};

/// The rules that tests of this process triggered.
static TRIGGERED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The names of the rules that find something in an object.
pub(crate) fn triggered(
    program: &Program,
    hooks: &dyn HookTable,
    root: DefId,
    request: &Request<'_>,
    captured: &Captured,
) -> BTreeSet<String> {
    let seen = RefCell::new(BTreeSet::new());
    let trace = |check: &Check| {
        seen.borrow_mut().insert(std::ptr::from_ref(check).addr());
    };
    let old = captured.old.as_ref();
    program.validate_traced((hooks, &trace), request, root, &captured.new, old, &mut Errors::new());
    let seen = seen.into_inner();
    let rules = program.rules(root).into_iter();
    rules.filter(|rule| seen.contains(&std::ptr::from_ref(rule.check).addr())).map(|rule| rule.name).collect()
}

/// Notes the rules that an object of an author's test triggers.
pub(crate) fn record(migration: &Migration, label: &str, captured: &Captured) {
    if captured.new.is_null() {
        return;
    }
    let versions = migration.versions();
    let version = label.split(',').next().unwrap_or_default();
    let Some((_, resource)) = versions.iter().find(|(name, _)| *name == version) else { return };
    let gates = Setting::On.gates(&migration.gates, true);
    let op = if captured.old.is_some() { Op::Update } else { Op::Create };
    let request = Request { op, options: gates.options(), subresource: &captured.subresource, beta: true };
    let found = triggered(&migration.program, &*migration.hooks, resource.def, &request, captured);
    TRIGGERED.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
}

/// The rules of a migration that no case of this test process triggered so far, as upstream's `AssertDeclarativeCoverage` lists
/// them.
pub fn untriggered(migration: &Migration) -> Vec<String> {
    let triggered = TRIGGERED.lock().unwrap_or_else(PoisonError::into_inner);
    migration.rules().into_iter().filter(|rule| !triggered.contains(rule)).collect()
}

//! Hand-written checks: they are not run, only written down.

use std::sync::{Mutex, PoisonError};

use sprag_checks::At;
use sprag_field::Errors;
use sprag_program::{HookCall, HookTable};
use sprag_value::Value;

/// A call of a hand-written check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the check.
    pub name: String,
    /// The field; empty for the object itself.
    pub field: String,
}

/// Hooks that pass everything.
pub struct PassAll;

impl HookTable for PassAll {
    fn run(&self, _: &HookCall, _: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        Some(false)
    }
}

/// Hooks that pass everything and remember that they were called.
#[derive(Default)]
pub(super) struct Recorder {
    calls: Mutex<Vec<Call>>,
}

impl Recorder {
    /// The calls so far.
    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl HookTable for Recorder {
    fn run(&self, call: &HookCall, at: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        let field = if at.path.is_root() { String::new() } else { at.path.to_string() };
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(Call { name: call.name.clone(), field });
        Some(false)
    }
}

//! Finds validators that would call each other without end.
//!
//! Sources cannot declare such types: a struct that holds itself by value has no size. Bytes can.

use crate::program::ProgramParts;
use crate::{Check, DefId, FieldPlan, FieldRef, Form, Rule, TypePlan};

/// Tells if the validator of a type reaches itself without a step into a list, a map or a pointer, which only a finite
/// object can have.
pub(super) fn has_endless_validator(parts: &ProgramParts) -> bool {
    let mut states = vec![State::New; parts.defs.len()];
    (0..parts.defs.len()).any(|def| is_endless(parts, def, &mut states))
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Visits a type and all it reaches, with a stack of its own: the chain may be as long as the table.
fn is_endless(parts: &ProgramParts, start: usize, states: &mut [State]) -> bool {
    let mut stack = vec![(start, None)];
    while let Some((def, below)) = stack.last_mut() {
        let def = *def;
        if below.is_none() && states[def] != State::New {
            if states[def] == State::Open {
                return true;
            }
            stack.pop();
            continue;
        }
        states[def] = State::Open;
        let next = below.get_or_insert_with(|| reached(parts, def)).pop();
        if let Some(next) = next {
            stack.push((next.index(), None));
        } else {
            states[def] = State::Done;
            stack.pop();
        }
    }
    false
}

/// The types whose validators the validator of a type calls on the same value, or on one that may be filled in.
fn reached(parts: &ProgramParts, def: usize) -> Vec<DefId> {
    let mut found = Vec::new();
    let Some(TypePlan { cohorts, descend, fields, .. }) = parts.plan.types.get(def).and_then(Option::as_ref) else {
        return found;
    };
    let own = cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend);
    own.for_each(|check| collect(parts, check, &mut found));
    for FieldPlan { field, cohorts, descend, .. } in fields {
        if is_filled_in(parts, *field) {
            let checks = cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend);
            checks.for_each(|check| collect(parts, check, &mut found));
        }
    }
    found
}

fn collect(parts: &ProgramParts, check: &Check, found: &mut Vec<DefId>) {
    let enters = match &check.rule {
        Rule::Subfield(field, _) => !is_filled_in(parts, *field),
        Rule::Mode(rule) => !is_filled_in(parts, rule.field),
        rule => matches!(rule, Rule::EachKey(_) | Rule::EachVal(..) | Rule::Item(..)),
    };
    if let Rule::Type(def) = &check.rule {
        found.push(*def);
    } else if !enters {
        check.rule.inner().into_iter().for_each(|check| collect(parts, check, found));
    }
}

/// Tells if a field has a value in every object: a struct by value, or one whose members are its parent's.
fn is_filled_in(parts: &ProgramParts, field: FieldRef) -> bool {
    let member = &parts.defs[field.def.index()].members[field.index];
    let ty = &parts.types[member.ty.index()];
    member.json.is_none() || (!ty.pointer && matches!(ty.form, Form::Struct(_)))
}

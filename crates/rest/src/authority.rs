//! Selects the errors of an object that count: those of hand-written code and those of rules, by policy and by the
//! gates of the server.

use sprag_checks::Op;
use sprag_field::{Enforcement, Error, Errors, Path, Source, discrepancies};
use sprag_release::Fact;
use sprag_value::Value;

use crate::gates::FeatureGates;
use crate::observer::{Difference, Findings};
use crate::strategy::Cx;

/// The gate that runs rules and compares them with hand-written code.
const DECLARATIVE: &str = "DeclarativeValidation";
/// The gate that enforces beta rules.
const BETA: &str = "DeclarativeValidationBeta";

/// Marks errors as those of hand-written code, but for those of rules that it called.
pub(crate) fn mark_hand_written(errors: &mut Errors) {
    for error in errors.since_mut(0).iter_mut().filter(|error| error.source != Source::Called) {
        error.source = Source::HandWritten;
    }
}

/// Runs the rules of an object, unless the policy leaves them out. A panic is an error of theirs, as upstream's
/// `runDeclarativeValidationWithRecover` has it: whether the user sees it depends on who has the authority.
pub(crate) fn run_rules(
    cx: &Cx<'_>,
    policy: &Enforcement,
    op: Op,
    errors: &mut Errors,
    rules: impl FnOnce(&mut Errors),
) {
    if policy.legacy_shadow && !in_force(policy, cx.gates).runs() {
        return;
    }
    let ran = cx.counters.guarded_rules(|| identifier(cx, op), || rules(errors));
    if let Err(panic) = ran {
        errors.push(Error::internal(&Path::ROOT, format!("panic during declarative validation: {panic}")));
    }
}

/// Counts and tells what only one of hand-written code and rules found, and keeps the errors that are enforced.
pub(crate) fn settle(cx: &Cx<'_>, policy: &Enforcement, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if let Some(observer) = cx.observer {
        observer.judged(&Findings { cx, new, old, errors: errors.since(0) });
    }
    if errors.is_empty() {
        return;
    }
    let policy = in_force(policy, cx.gates);
    // Past the limit errors are left out, which says nothing about who would have found them.
    let found = if errors.is_full() { Vec::new() } else { discrepancies(errors.since(0), &policy) };
    if !found.is_empty() {
        let identifier = identifier(cx, if old.is_some() { Op::Update } else { Op::Create });
        cx.counters.count_mismatches(&identifier, found.len());
        for discrepancy in &found {
            let Some(observer) = cx.observer else { break };
            observer.differed(&Difference { cx, name: name(cx, new), identifier: &identifier, discrepancy });
        }
    }
    errors.enforce(&policy);
}

/// True if beta rules are enforced.
pub(crate) fn enforces_beta(policy: &Enforcement, cx: &Cx<'_>) -> bool {
    in_force(policy, cx.gates).beta
}

fn in_force(policy: &Enforcement, gates: &FeatureGates) -> Enforcement {
    let release = gates.release();
    let keeps_repeats = release.has(Fact::KeepsRepeatedErrors);
    let legacy_shadow = policy.legacy_shadow || release.has(Fact::HandWrittenRulesDecide);
    Enforcement { keeps_repeats, legacy_shadow, ..policy.with_gates(gates.enabled(DECLARATIVE), gates.enabled(BETA)) }
}

/// The name in the request, or that of a new object.
fn name<'a>(cx: &Cx<'a>, new: &'a Value) -> &'a str {
    if !cx.name.is_empty() {
        return cx.name;
    }
    new.get("metadata").and_then(|metadata| metadata.get("name")?.as_str()).unwrap_or_default()
}

/// The metric identifier, as upstream's `rest.metricIdentifier`: kind, subresource and operation.
fn identifier(cx: &Cx<'_>, op: Op) -> String {
    let kind = cx.definition.kind.to_lowercase();
    let subresource = cx.subresource.trim_end_matches('/').replace('/', "_");
    let op = match op {
        Op::Create => "create",
        Op::Update => "update",
    };
    format!("{kind}{subresource}_{op}")
}

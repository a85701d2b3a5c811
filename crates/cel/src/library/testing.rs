//! Expressions in, values or errors out, for the tests of the libraries.

use crate::check::Declarations;
use crate::cx::Scratch;
use crate::decl::NoTypes;
use crate::env::Env;
use crate::eval::Limits;
use crate::program::Program;
use crate::value::show;

/// Runs an expression in the newest environment, and compares the value, or what is wrong, as Go prints it.
#[track_caller]
pub(super) fn check(expr: &str, expected: &str) {
    assert_eq!(run(expr).0, expected, "{expr}");
}

/// Runs an expression that may make patches, and compares the value.
#[track_caller]
pub(super) fn check_patch(expr: &str, expected: &str) {
    assert_eq!(run_in(Env::stored_patches(sprag_release::Release::NEWEST), expr).0, expected, "{expr}");
}

/// Runs an expression in the newest environment, and compares what that costs.
#[track_caller]
pub(super) fn check_cost(expr: &str, expected: u64) {
    let (outcome, cost) = run(expr);
    assert_eq!(cost, expected, "{expr}: {outcome}");
}

/// Returns the result of an expression, and its cost.
fn run(expr: &str) -> (String, u64) {
    run_in(Env::kubernetes(37), expr)
}

fn run_in(env: &'static Env, expr: &str) -> (String, u64) {
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let checked = match env.compile(expr, declarations) {
        Ok(checked) => checked,
        Err(issues) => return (issues.to_string(), 0),
    };
    let program = match Program::new(&checked) {
        Ok(program) => program,
        Err(error) => return (error.to_string(), 0),
    };
    let scratch = Scratch::default();
    let evaluation = program.eval(&[], &scratch, Limits::PER_CALL);
    let outcome = match evaluation.outcome {
        Ok(value) => show(&scratch.cx(), value),
        Err(trap) => trap.to_string(),
    };
    (outcome, evaluation.cost)
}

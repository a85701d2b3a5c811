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
    assert_eq!(run(expr), expected, "{expr}");
}

fn run(expr: &str) -> String {
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let checked = match Env::kubernetes(37).compile(expr, declarations) {
        Ok(checked) => checked,
        Err(issues) => return issues.to_string(),
    };
    let program = match Program::new(&checked) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let scratch = Scratch::default();
    match program.eval(&[], &scratch, Limits::PER_CALL).outcome {
        Ok(value) => show(&scratch.cx(), value),
        Err(trap) => trap.to_string(),
    }
}

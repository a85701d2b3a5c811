//! `cel-spec`: the conformance tests of the language itself.

mod divergences;
mod scope;
mod wire;

use std::path::Path;

use sprag_cel::{Checked, Cx, Declarations, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};

use crate::args::Args;
use crate::report::Report;
use crate::shown;
use crate::suite::Suite;
use crate::textproto::{self, Message};

pub(crate) const SUITE: Suite = Suite {
    name: "cel-spec",
    about: "the language's own tests, as far as they need no protocol buffers",
    recorded: "cel-spec",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    for path in crate::wire::files(&args.path, is_textproto)? {
        let failed = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
        let suite = textproto::parse(&text).map_err(failed)?;
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        for section in suite.messages("section") {
            for test in section.messages("test") {
                let id = format!("{file}/{}/{}", section.text("name"), test.text("name"));
                run_test(&file, &id, test, report);
            }
        }
    }
    Ok(())
}

fn is_textproto(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "textproto")
}

fn run_test(file: &str, id: &str, test: &Message, report: &mut Report) {
    if let Some(reason) = scope::out_of_scope(file, test) {
        return report.skip(reason);
    }
    match (answer(test), divergences::reason(id)) {
        (Ok(()), None) => report.pass(),
        (Err(_), Some(reason)) => report.diverge(reason),
        (Ok(()), Some(_)) => report.fail(id, "  listed as a divergence, but passes\n"),
        (Err(why), None) => report.fail(id, &format!("  {}\n  {why}\n", test.text("expr"))),
    }
}

/// Runs a test; `Err` says how its outcome differs.
fn answer(test: &Message) -> Result<(), String> {
    let variables = variables(test)?;
    let declarations = Declarations { variables: &variables, types: &NoTypes, container: test.text("container") };
    let env = if test.flag("disable_check") { Env::spec_unchecked() } else { Env::spec() };
    let wants_error = test.get("eval_error").is_some() || test.get("any_eval_errors").is_some();
    let checked = match env.compile(test.text("expr"), declarations) {
        Ok(checked) => checked,
        Err(_) if wants_error => return Ok(()),
        Err(issues) => return Err(issues.to_string()),
    };
    check_type(test, &checked)?;
    if test.flag("check_only") {
        return Ok(());
    }
    match Program::new(&checked) {
        Ok(program) => eval(test, &variables, &program, wants_error),
        Err(_) if wants_error => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Declared variables, then those that only have a value.
fn variables(test: &Message) -> Result<Vec<Variable>, String> {
    let mut variables = Vec::new();
    for declaration in test.messages("type_env") {
        let Some(ty) = declaration.message("ident").and_then(|ident| ident.message("type")) else { continue };
        variables.push(Variable::new(declaration.text("name"), wire::read_type(ty)?));
    }
    for binding in test.messages("bindings") {
        let name = binding.text("key");
        if !variables.iter().any(|known: &Variable| &*known.name == name) {
            variables.push(Variable::new(name, Type::Dyn));
        }
    }
    Ok(variables)
}

fn check_type(test: &Message, checked: &Checked) -> Result<(), String> {
    let Some(expected) = test.message("typed_result").and_then(|result| result.message("deduced_type")) else {
        return Ok(());
    };
    let expected = wire::read_type(expected)?;
    let deduced = checked.result_type();
    if expected == deduced { Ok(()) } else { Err(format!("expected type {expected}, deduced {deduced}")) }
}

fn eval(test: &Message, variables: &[Variable], program: &Program, wants_error: bool) -> Result<(), String> {
    let scratch = Scratch::default();
    let cx = scratch.cx();
    let mut values = Vec::new();
    for variable in variables {
        let binding = test.messages("bindings").find(|binding| binding.text("key") == &*variable.name);
        let value = binding.and_then(|binding| binding.message("value")?.message("value"));
        values.push(value.map_or(Ok(Val::Null), |value| wire::read_value(&cx, value))?);
    }
    let limits = Limits { cost: u64::MAX, cancelled: None };
    match (program.eval(&values, &scratch, limits).outcome, wants_error) {
        (Err(_), true) => Ok(()),
        (Err(trap), false) => Err(trap.to_string()),
        (Ok(value), true) => Err(format!("expected an error, got {}", shown::value(&cx, value)?)),
        (Ok(value), false) => compare(&cx, test, value),
    }
}

/// Compares with the expected value, which is `true` where none is given.
fn compare<'a>(cx: &Cx<'a>, test: &Message, value: Val<'a>) -> Result<(), String> {
    let result = test.message("typed_result").and_then(|result| result.message("result"));
    let expected = match test.message("value").or(result) {
        Some(expected) => wire::read_value(cx, expected)?,
        None => Val::Bool(true),
    };
    let expected = shown::value(cx, expected)?;
    let actual = shown::value(cx, value)?;
    if shown::same(&expected, &actual) { Ok(()) } else { Err(format!("expected {expected}, got {actual}")) }
}

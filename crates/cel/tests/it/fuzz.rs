//! Random texts: whatever they are, there is an answer.

use proptest::collection::vec;
use proptest::prelude::*;
use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};
use sprag_value::Value;

const PARTS: &[&str] = &[
    "x",
    "s",
    "i",
    "1",
    "2u",
    "1.5",
    "'a'",
    "b'\\xff'",
    "true",
    "null",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "?",
    ":",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "&&",
    "||",
    "==",
    "<",
    ">=",
    "in",
    " ",
    "'é'",
    "size(",
    ".size()",
    ".all(v, ",
    ".map(v, ",
    ".filter(v, ",
    "has(x.y)",
    ".?y",
    "[?0]",
    ".orValue(",
    "optional.of(",
    "duration('1h')",
    "timestamp('2024-01-01T00:00:00Z')",
    "string(",
    "int(",
    "dyn(",
    "type(",
    ".matches('a+')",
    ".split(",
    ".replace('a', 'b')",
    ".format([",
    "sets.contains(",
    "quantity('1')",
    "ip('1.2.3.4')",
    "url('http://a/')",
    ".transformMap(k, v, ",
    "v",
    "k",
    "`a-b`",
    "'''",
    "//",
    "\n",
];

fn run(expr: &str) {
    let variables = [Variable::new("x", Type::Dyn), Variable::new("s", Type::String), Variable::new("i", Type::Int)];
    let declarations = Declarations { variables: &variables, types: &NoTypes, container: "" };
    for env in [Env::kubernetes(37), Env::kubernetes(20), Env::spec_unchecked()] {
        let checked = match env.compile(expr, declarations) {
            Ok(checked) => checked,
            Err(issues) => {
                issues.to_string();
                continue;
            }
        };
        checked.cost(&NoTypes);
        let Ok(program) = Program::new(&checked) else { continue };
        let x = Value::from_iter([("y", Value::from_iter([1_i64, 2]))]);
        let scratch = Scratch::default();
        let values = [Val::from(&x), Val::String("hello"), Val::Int(5)];
        let evaluation = program.eval(&values, &scratch, Limits::PER_CALL);
        assert!(evaluation.outcome.is_err() || evaluation.cost <= Limits::PER_CALL.cost);
    }
}

proptest! {
    #[test]
    fn texts_made_of_parts_of_expressions_have_an_answer(parts in vec(0..PARTS.len(), 0..20)) {
        run(&parts.iter().map(|part| PARTS[*part]).collect::<String>());
    }

    #[test]
    fn any_text_has_an_answer(text in ".{0,60}") {
        run(&text);
    }
}

//! Expressions that mean harm: each ends with an error or a spent budget, soon and with little memory.

use sprag_cel::syntax::{MAX_CODE_POINTS, MAX_RECURSION};
use sprag_cel::{Declarations, Env, Limits, MEMORY_LIMIT, NoTypes, Program, Scratch, Trap, Type, Val, Variable};
use sprag_effort::{Effort, PATTERN_LIMIT, SLICE, charge_pattern, left};
use sprag_value::Value;

/// Returns the result of an expression over `x`, which is untyped.
pub(crate) fn run(expr: &str) -> Result<String, String> {
    run_on(expr, &Value::from_iter([("text", "a".repeat(1000))]))
}

fn run_on(expr: &str, x: &Value) -> Result<String, String> {
    let variables = [Variable::new("x", Type::Dyn)];
    let declarations = Declarations { variables: &variables, types: &NoTypes, container: "" };
    let checked = Env::kubernetes(37).compile(expr, declarations).map_err(|issues| first_line(&issues.to_string()))?;
    checked.result_type().to_string();
    checked.cost(&NoTypes);
    checked.explain_cost(&NoTypes).unwrap();
    let program = Program::new(&checked).map_err(|error| error.to_string())?;
    let scratch = Scratch::default();
    let values = [Val::from(x)];
    match program.eval(&values, &scratch, Limits::PER_CALL).outcome {
        Ok(value) => Ok(value.type_name().to_owned()),
        Err(trap) => Err(trap.to_string()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

const OVER_BUDGET: &str = "operation cancelled: actual cost limit exceeded";

#[test]
fn nesting_at_the_limit_runs_and_past_it_is_refused() {
    let limit = MAX_RECURSION as usize;
    for (open, close) in [("(", ")"), ("[", "]"), ("{1:", "}"), ("dyn(", ")"), ("x.all(v, ", ")")] {
        let nest = |depth: usize| format!("{}true{}", open.repeat(depth), close.repeat(depth));
        assert!(!run(&nest(limit - 1)).is_err_and(|error| error.contains("recursion")), "{open}");
        let error = run(&nest(limit + 1)).unwrap_err();
        assert_eq!(error, "ERROR: <input>:-1:0: expression recursion limit exceeded: 250", "{open}");
    }
}

#[test]
fn chains_at_the_limit_run_and_past_it_are_refused() {
    let limit = MAX_RECURSION as usize;
    for (start, link) in [("x", ".a"), ("1", " + 1"), ("x", "[0]"), ("[1]", ".map(v, v)"), ("true", " == true")] {
        let chain = |len: usize| format!("{start}{}", link.repeat(len));
        assert!(!run(&chain(limit)).is_err_and(|error| error.contains("recursion")), "{link}");
        let error = run(&chain(limit + 1)).unwrap_err();
        assert_eq!(error, "ERROR: <input>:-1:0: max recursion depth exceeded", "{link}");
    }
}

#[test]
fn long_expressions_are_refused() {
    let longest = format!("'{}'", "é".repeat(MAX_CODE_POINTS - 2));
    assert_eq!(run(&longest).as_deref(), Ok("string"));
    let error = run(&format!("{longest} ")).unwrap_err();
    assert_eq!(error, "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
}

#[test]
fn macros_that_repeat_their_receiver_stop_at_a_size() {
    let error = run(&format!("optional.of(1){}", ".optMap(v, v)".repeat(60))).unwrap_err();
    assert_eq!(error, "ERROR: <input>:-1:0: expression has more than 250000 nodes");
}

#[test]
fn types_that_double_at_each_step_stop_at_a_size() {
    let doubled = ".map(v, {v: v})".repeat(200);
    assert_eq!(run(&format!("[1]{doubled}")).as_deref(), Ok("list"));
    let error = run(&format!("[1]{doubled} == [dyn(1)]{doubled}")).unwrap_err();
    assert_eq!(error, "ERROR: <input>:-1:0: types of the expression are too complex");
}

#[test]
fn types_nested_without_end_are_refused() {
    let nest = format!(".map(v, {}v{})", "[".repeat(240), "]".repeat(240));
    let error = run(&format!("[1]{}", nest.repeat(190))).unwrap_err();
    assert_eq!(error, "ERROR: <input>:-1:0: types of the expression are too complex");
}

#[test]
fn strings_that_multiply_stop_at_the_memory_limit() {
    let grow = ".replace('a', x.text)";
    assert_eq!(run(&format!("x.text{grow}.size()")).as_deref(), Ok("int"));
    assert_eq!(run(&format!("x.text{}.size()", grow.repeat(4))).unwrap_err(), OVER_BUDGET);
    assert_eq!(run(&format!("[x.text, x.text].join(x.text{grow}{grow})")).unwrap_err(), OVER_BUDGET);
}

#[test]
fn sums_of_lists_that_double_copy_nothing() {
    let doubled = |times: usize| format!("[[1, 2, 3, 4]]{}", ".map(v, v + v)".repeat(times));
    assert_eq!(run(&format!("{}[0].size()", doubled(19))).as_deref(), Ok("int"));
    assert_eq!(run(&format!("{}[0].size()", doubled(20))).unwrap_err(), OVER_BUDGET);
    assert_eq!(run(&format!("{}[0].all(v, v > 0)", doubled(19))).unwrap_err(), OVER_BUDGET);
}

#[test]
fn loops_stop_at_the_cost_limit() {
    let loops = "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))";
    assert_eq!(run(loops).unwrap_err(), OVER_BUDGET);
    assert_eq!(run(&format!("true || {loops}")).as_deref(), Ok("bool"));
    assert_eq!(run(&format!("{loops} || true")).unwrap_err(), OVER_BUDGET, "a spent budget is not absorbed");
}

#[test]
fn values_nested_too_deeply_cannot_be_compared() {
    let nest = format!(".map(v, dyn({}v{}))", "[".repeat(200), "]".repeat(200));
    let deep = format!("[1]{}", nest.repeat(20));
    let error = run(&format!("{deep} == {deep}")).unwrap_err();
    assert_eq!(error, OVER_BUDGET);
}

#[test]
fn patterns_that_explode_elsewhere_take_linear_time() {
    let x = Value::from_iter([("text", "a".repeat(100_000))]);
    assert_eq!(run_on("x.text.matches('(a*)*b')", &x).as_deref(), Ok("bool"));
    assert!(run_on("x.text.matches(x.text + '{1001}')", &x).is_err());
}

#[test]
fn patterns_of_the_size_that_go_accepts_are_accepted() {
    assert_eq!(run(r"x.text.matches(r'(\pL\pN\pL\pN){200}')").as_deref(), Ok("bool"));
    let many = "lists.range(1000).all(i, !('b' + string(i)).matches('a{1000}' + string(i)))";
    assert_eq!(run(many).as_deref(), Ok("bool"));
    let large = format!("x.text.matches('{}')", "a{1000}".repeat(3400));
    assert_eq!(run(&large).unwrap_err(), "ERROR: <input>:1:16: invalid matches argument");
}

#[test]
fn patterns_of_a_request_have_one_limit() {
    let [fresh, effort] = [Effort::default(), Effort::default()];
    let hard = "lists.range(10).all(i, !('a' + string(i)).matches('(a|b){1000}[0-9]?' + string(i)))";
    assert_eq!(fresh.whole(|| run(hard)).as_deref(), Ok("bool"));
    assert_eq!(effort.whole(|| charge_pattern(PATTERN_LIMIT - 10_000)), Ok(()));
    let error = effort.whole(|| run(hard)).unwrap_err();
    assert_eq!(error, "operation cancelled: actual cost limit exceeded");
    assert_eq!(effort.whole(|| run("lists.range(1000).all(i, i >= 0)")).as_deref(), Ok("bool"));
}

#[test]
fn evaluations_of_a_slice_stop_where_it_ends() {
    let loops = "lists.range(250).all(i, lists.range(250).all(j, i + j >= 0))";
    let searches = "lists.range(3).all(i, !x.text.matches('.{1,900}b' + string(i)))";
    for expr in [loops, searches] {
        assert_eq!(Effort::default().whole(|| run(expr)).as_deref(), Ok("bool"), "{expr}");
        assert_eq!(Effort::default().slice(|| run(expr)), None, "{expr}");
    }
    let work = Effort::default().slice(|| {
        let before = left();
        assert_eq!(run("lists.range(100).all(i, i >= 0)").as_deref(), Ok("bool"));
        before - left()
    });
    assert!(work.is_some_and(|work| (100..SLICE).contains(&work)), "{work:?}");
}

#[test]
fn a_caller_can_stop_a_loop() {
    let expr = "lists.range(10000).all(v, v >= 0)";
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let program = Program::new(&Env::kubernetes(37).compile(expr, declarations).unwrap()).unwrap();
    let scratch = Scratch::default();
    let stop = || true;
    let limits = Limits { cancelled: Some(&stop), ..Limits::PER_CALL };
    let evaluation = program.eval(&[], &scratch, limits);
    assert_eq!(evaluation.outcome.unwrap_err(), Trap::Cancelled);
    let whole = program.eval(&[], &scratch, Limits::PER_CALL);
    assert!(evaluation.cost < whole.cost);
}

#[test]
fn nothing_a_rule_makes_exceeds_the_memory_limit() {
    const { assert!(MEMORY_LIMIT <= 64 << 20) };
}

#[test]
fn broken_texts_are_explained_quickly() {
    for part in ["a.", "a ? ", "(", ") ", "[{", "1 ", "'", "\\", "a.b(", "- ", "`", "&", "\u{0}", "x.?y[?"] {
        let long = part.repeat(2000 / part.len());
        assert!(run(&long).is_err(), "{part}");
        assert!(run(&part.repeat(MAX_CODE_POINTS / part.len())).is_err(), "{part}");
    }
}

//! Differences of the language between releases.

use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};
use sprag_release::Release;

/// The cost estimate of a new expression, or the first line of what is wrong with it.
fn estimate(expression: &str, release: Release) -> Result<u64, String> {
    let variables = [Variable::new("text", Type::String), Variable::new("list", Type::list(Type::Int))];
    let declarations = Declarations { variables: &variables, types: &NoTypes, container: "" };
    let checked = Env::new_expressions(release)
        .compile(expression, declarations)
        .map_err(|issues| issues.to_string().lines().next().unwrap_or_default().to_owned())?;
    Ok(checked.cost(&NoTypes).max)
}

/// The outcome and the cost of a stored expression.
fn run(expression: &str, release: Release) -> (String, u64) {
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let Ok(checked) = Env::stored(release).compile(expression, declarations) else { panic!("it compiles") };
    let program = Program::new(&checked).expect("it can run");
    let scratch = Scratch::default();
    let evaluation = program.eval(&[], &scratch, Limits::PER_CALL);
    let outcome = match evaluation.outcome {
        Ok(Val::Int(value)) => value.to_string(),
        Ok(Val::Bool(value)) => value.to_string(),
        Ok(other) => format!("{other:?}"),
        Err(trap) => trap.to_string(),
    };
    (outcome, evaluation.cost)
}

#[test]
fn functions_come_a_release_after_their_library() {
    let refused = "ERROR: <input>:1:11: undeclared reference to 'slice' (in container '')";
    assert_eq!(estimate("list.slice(0, 1).size() == 1", Release::V1_34), Err(refused.to_owned()));
    assert!(estimate("list.slice(0, 1).size() == 1", Release::V1_35).is_ok());
    // Stored expressions may use what the release itself brings.
    assert_eq!(run("[1, 2].slice(0, 1).size()", Release::V1_34).0, "1");
    assert!(estimate("semver('1.0.0').major() == 1", Release::V1_33).is_err());
    assert!(estimate("semver('1.0.0').major() == 1", Release::V1_34).is_ok());
}

#[test]
fn patterns_given_to_a_function_are_dear_from_1_37_on() {
    let with_receiver = |release| estimate("text.matches('^a+$')", release).unwrap();
    let as_function = |release| estimate("matches(text, '^a+$')", release).unwrap();
    assert_eq!(as_function(Release::V1_37), with_receiver(Release::V1_37));
    assert_eq!(as_function(Release::V1_36), 2);
    assert_eq!(with_receiver(Release::V1_36), with_receiver(Release::V1_37));
}

#[test]
fn beginnings_cost_by_the_text_before_1_37() {
    let expression = "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.startsWith('a')";
    assert_eq!(run(expression, Release::V1_36), ("true".to_owned(), 5));
    assert_eq!(run(expression, Release::V1_37), ("true".to_owned(), 1));
}

#[test]
fn backticks_need_1_37() {
    let expression = "{'a-b': 1}.`a-b` == 1";
    let refused = "ERROR: <input>:1:12: unsupported syntax: '`'";
    assert_eq!(estimate(expression, Release::V1_36), Err(refused.to_owned()));
    assert!(estimate(expression, Release::V1_37).is_ok());
}

#[test]
fn integers_are_no_durations() {
    assert_eq!(
        estimate("duration(1) == duration(2)", Release::V1_37),
        Err("ERROR: <input>:1:9: found no matching overload for 'duration' applied to '(int)'".to_owned())
    );
    assert!(estimate("duration(list[0]) == duration('1s')", Release::V1_36).is_ok());
}

#[test]
fn ranges_have_limits_from_1_37_on() {
    assert_eq!(run("lists.range(-1).size()", Release::V1_36).0, "0");
    assert_eq!(run("lists.range(-1).size()", Release::V1_37).0, "lists.range: size must be non-negative, got -1");
}

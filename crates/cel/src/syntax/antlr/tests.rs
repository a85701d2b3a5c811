//! One text for each kind of message. Those of cel-go's `parser_test.go` are marked so.

use crate::syntax::{Dialect, parse};

/// The tokens that may begin an expression.
const OPERAND: &str =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// Expects these messages, each after the offset of its token. `$` stands for [`OPERAND`].
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let issues = parse(
        source,
        Dialect { optionals: true, two_variables: true, sort_by: true, bindings: false, backticks: true },
    )
    .expect_err("the text is no expression");
    let shown = issues.list().iter().map(|issue| {
        let message = issue.message.strip_prefix("Syntax error: ").unwrap_or(&issue.message);
        format!("{} {}", issue.offset.unwrap_or_default(), message.replace(OPERAND, "$"))
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "{source}");
}

#[test]
fn token_that_cannot_follow_is_mismatched() {
    check("", &["0 mismatched input '<EOF>' expecting $"]);
    check("1 +", &["3 mismatched input '<EOF>' expecting $"]);
    // These are in parser_test.go.
    check("TestAllTypes(){}", &["14 mismatched input '{' expecting <EOF>"]);
    check("TestAllTypes{}()", &["14 mismatched input '(' expecting <EOF>"]);
    check("1 + 2\n3 +", &["6 mismatched input '3' expecting <EOF>"]);
}

#[test]
fn recovery_goes_on_behind_an_error() {
    // All of these are in parser_test.go.
    check("?", &["0 mismatched input '?' expecting $", "1 mismatched input '<EOF>' expecting $"]);
    check("1 + +", &["4 mismatched input '+' expecting $", "5 mismatched input '<EOF>' expecting $"]);
    check(
        "t{>C}",
        &[
            "2 extraneous input '>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
            "4 mismatched input '}' expecting ':'",
        ],
    );
}

#[test]
fn single_token_too_many_is_extraneous() {
    // In parser_test.go, where the lexer reports `| `.
    check("a | b", &["2 token recognition error at: '| '", "4 extraneous input 'b' expecting <EOF>"]);
}

#[test]
fn single_token_too_few_is_missing() {
    check("[1][0", &["5 missing ']' at '<EOF>'"]);
}

#[test]
fn text_that_fits_no_alternative_is_not_viable() {
    check("a.", &["2 no viable alternative at input '.'"]);
    // In parser_test.go.
    check(r#"{"a": 1}."a""#, &[r#"9 no viable alternative at input '."a"'"#]);
}

#[test]
fn keyword_after_a_dot_has_a_message_of_its_own() {
    check("a.true", &["2 mismatched input 'true' expecting IDENTIFIER"]);
}

#[test]
fn long_texts_are_not_walked() {
    // The end counts as a token, so that a sign makes 1000 of them.
    let of_998 = format!("{} 1 1", "1 +".repeat(498));
    check(&format!("-{of_998}"), &["1498 extraneous input '1' expecting <EOF>"]);
    check(&format!("- -{of_998}"), &["0 the text is no expression"]);
}

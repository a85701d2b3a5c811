//! Tests of reading, of rejections and their messages, and of printing.

use super::*;
use crate::{MAX_DEPTH, Value};

#[track_caller]
fn check(text: &str, want: &str) {
    let got = parse(text.as_bytes()).map_or_else(|error| format!("error: {error}"), |value| format!("{value:?}"));
    assert_eq!(got, want, "input {text:?}");
}

#[test]
fn values_of_every_kind_are_read() {
    check("null", "null");
    check(" true ", "true");
    check("false", "false");
    check("0", "0");
    check("-0", "0");
    check("-12", "-12");
    check("1.0", "1.0");
    check("1e3", "1000.0");
    check("-1.5E-2", "-0.015");
    check("\"a\"", "\"a\"");
    check("[]", "[]");
    check("{}", "{}");
    check("[1, [2], {\"a\": [3]}]", "[1, [2], {\"a\": [3]}]");
}

#[test]
fn a_number_is_an_integer_exactly_when_it_fits_64_bits() {
    check("9223372036854775807", "9223372036854775807");
    check("-9223372036854775808", "-9223372036854775808");
    check("9223372036854775808", "9.223372036854776e18");
    check("-9223372036854775809", "-9.223372036854776e18");
    check("999999999999999999", "999999999999999999");
    check("123456789012345678901234567890", "1.2345678901234568e29");
    check("1e400", "error: json: cannot unmarshal number 1e400 into Go value of type float64");
}

#[test]
fn members_are_sorted_and_the_last_duplicate_wins() {
    check(r#"{"b":1,"a":2,"b":3,"a":4,"b":5}"#, r#"{"a": 4, "b": 5}"#);
    check(r#"{"B":1,"a":2,"A":3}"#, r#"{"A": 3, "B": 1, "a": 2}"#);
}

#[test]
fn escapes_are_decoded_and_lone_surrogates_replaced() {
    check(r#""\"\\\/\b\f\n\r\t""#, r#""\"\\/\u{8}\u{c}\n\r\t""#);
    check(r#""\u0041\u00e9\ud83d\ude00""#, "\"Aé😀\"");
    check(r#""\ud83d""#, "\"\u{fffd}\"");
    check(r#""\ude00\ud83d""#, "\"\u{fffd}\u{fffd}\"");
    check(r#""\ud83d\u0041""#, "\"\u{fffd}A\"");
    check(r#""\ud83d\ud83d\ude00""#, "\"\u{fffd}😀\"");
    check(r#""\ud83d\n""#, "\"\u{fffd}\\n\"");
}

#[test]
fn long_strings_end_at_the_first_special_byte() {
    for len in 0..40 {
        let text = "é".repeat(len);
        check(&format!("\"{text}\""), &format!("{text:?}"));
        check(&format!("[\"{text}\\n{text}\",1]"), &format!("[{:?}, 1]", format!("{text}\n{text}")));
        check(&format!("\"{text}\n"), "error: invalid character '\\n' in string literal");
    }
}

#[test]
fn broken_text_is_refused_in_the_words_of_go() {
    check("[1e400, x]", "error: invalid character 'x' looking for beginning of value");
    check("[1e400]", "error: json: cannot unmarshal number 1e400 into Go value of type float64");
    check("", "error: unexpected end of JSON input");
    check("  ", "error: unexpected end of JSON input");
    check("a", "error: invalid character 'a' looking for beginning of value");
    check("[1,]", "error: invalid character ']' looking for beginning of value");
    check("[1 2]", "error: invalid character '2' after array element");
    check("[1", "error: unexpected end of JSON input");
    check("{1:2}", "error: invalid character '1' looking for beginning of object key string");
    check("{\"a\":1,}", "error: invalid character '}' looking for beginning of object key string");
    check("{\"a\" 1}", "error: invalid character '1' after object key");
    check("{\"a\":1 \"b\"}", "error: invalid character '\"' after object key:value pair");
    check("1 2", "error: invalid character '2' after top-level value");
    check("01", "error: invalid character '1' after top-level value");
    check("-a", "error: invalid character 'a' in numeric literal");
    check("-", "error: invalid character ' ' in numeric literal");
    check("1.x", "error: invalid character 'x' after decimal point in numeric literal");
    check("1ex", "error: invalid character 'x' in exponent of numeric literal");
    check("1e+", "error: invalid character ' ' in exponent of numeric literal");
    check("trux", "error: invalid character 'x' in literal true (expecting 'e')");
    check("nul", "error: invalid character ' ' in literal null (expecting 'l')");
    check("falsy", "error: invalid character 'y' in literal false (expecting 'e')");
    check("\"a", "error: unexpected end of JSON input");
    check("\"a\u{1}\"", "error: invalid character '\\x01' in string literal");
    check("\"\\x\"", "error: invalid character 'x' in string escape code");
    check("\"\\u00g0\"", "error: invalid character 'g' in \\u hexadecimal character escape");
    check("'a'", "error: invalid character '\\'' looking for beginning of value");
    check("é", "error: invalid character 'Ã' looking for beginning of value");
}

#[test]
fn errors_know_their_position() {
    let error = parse("{\n  \"é\": x}".as_bytes()).unwrap_err();
    assert_eq!(error.position(), Position { offset: 10, line: 2, column: 8 });
    let error = parse(b"[\"a\xFF\"]").unwrap_err();
    assert_eq!((error.kind(), error.position().offset), (&JsonErrorKind::Encoding, 3));
}

#[test]
fn nesting_is_read_up_to_the_limit_and_refused_past_it() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let value = parse(nested(MAX_DEPTH).as_bytes()).unwrap();
    assert_eq!(value, value.clone());
    check(&nested(MAX_DEPTH + 1), "error: invalid character '[' exceeded max depth");
    let objects = "{\"a\":".repeat(MAX_DEPTH + 1);
    check(&objects, "error: invalid character '{' exceeded max depth");
}

#[test]
fn text_is_read_up_to_the_size_limit_and_refused_past_it() {
    let refusal = |len: usize| parse(&vec![0; len]).unwrap_err().to_string();
    assert_eq!(refusal(MAX_INPUT_BYTES), "invalid character '\\x00' looking for beginning of value");
    assert_eq!(refusal(MAX_INPUT_BYTES + 1), "input larger than 268435456 bytes");
}

#[test]
fn events_carry_their_spans() {
    let text = r#" {"a": [1.50, "x\n"]}"#;
    let mut scanner = Scanner::new(text.as_bytes()).unwrap();
    let mut seen = Vec::new();
    loop {
        match scanner.next().unwrap() {
            Event::End => break,
            _ => seen.push(&text[scanner.span()]),
        }
    }
    assert_eq!(seen, ["{", "\"a\"", "[", "1.50", "\"x\\n\"", "]", "}"]);
}

#[track_caller]
fn prints(value: impl Into<Value>, want: &str) {
    assert_eq!(to_string(&value.into()), want);
}

#[test]
fn floats_are_printed_as_go_prints_them() {
    prints(1.0, "1");
    prints(0.1, "0.1");
    prints(-0.0, "-0");
    prints(100.0, "100");
    prints(1e20, "100000000000000000000");
    prints(1e21, "1e+21");
    prints(-1.5e300, "-1.5e+300");
    prints(1e-6, "0.000001");
    prints(1e-7, "1e-7");
    prints(1.25e-9, "1.25e-9");
    prints(5e-324, "5e-324");
    prints(f64::NAN, "null");
}

#[test]
fn integers_are_printed_in_full() {
    prints(0_i64, "0");
    prints(i64::MIN, "-9223372036854775808");
    prints(i64::MAX, "9223372036854775807");
}

#[test]
fn strings_are_escaped_as_go_escapes_them() {
    prints("a\"\\/<>&", r#""a\"\\/\u003c\u003e\u0026""#);
    prints("\u{8}\u{c}\n\r\t\u{1}\u{7f}", "\"\\b\\f\\n\\r\\t\\u0001\u{7f}\"");
    prints("é\u{2028}\u{2029}\u{2030}", "\"é\\u2028\\u2029\u{2030}\"");
    assert_eq!(to_string_plain(&Value::from("<&>\u{2028}")), "\"<&>\\u2028\"");
}

#[test]
fn what_is_escaped_is_found_wherever_it_stands() {
    let specials = [
        ('"', r#"\""#),
        ('\\', r"\\"),
        ('\n', r"\n"),
        ('\u{1f}', r"\u001f"),
        ('\u{2029}', r"\u2029"),
        ('<', r"\u003c"),
        ('>', r"\u003e"),
        ('&', r"\u0026"),
        ('é', "é"),
        ('€', "€"),
        ('\u{7f}', "\u{7f}"),
    ];
    for (special, escaped) in specials {
        for (before, after) in (0..20).flat_map(|before| (0..20).map(move |after| (before, after))) {
            let around = |text: &str| format!("{}{text}{}", "x".repeat(before), "y".repeat(after));
            prints(around(&special.to_string()), &format!("\"{}\"", around(escaped)));
        }
    }
}

#[test]
fn duplicates_are_noted_at_any_depth() {
    let noted = |text: &str| parse_noting(text.as_bytes()).unwrap().has_duplicates;
    assert!(noted(r#"{"a":1,"a":2}"#));
    assert!(noted(r#"{"b":[{"x":{"long-enough-for-the-heap":1,"long-enough-for-the-heap":1}}]}"#));
    assert!(noted(r#"{"a":{"b":1,"b":2},"a":3}"#));
    assert!(!noted(r#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#));
}

#[test]
fn floats_come_back_from_text_as_integers_when_they_have_no_fraction() {
    assert_eq!(as_written(1.0), Value::Int(1));
    assert_eq!(as_written(-0.0), Value::Int(0));
    assert_eq!(as_written(1.5), Value::Float(1.5));
    assert_eq!(as_written(1_152_921_504_606_846_976.0), Value::Int(1_152_921_504_606_847_000));
    assert_eq!(as_written(9_223_372_036_854_775_808.0), Value::Float(9_223_372_036_854_775_808.0));
    assert_eq!(as_written(1e21), Value::Float(1e21));
}

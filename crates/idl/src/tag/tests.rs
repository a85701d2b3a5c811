use expect_test::{Expect, expect};

use super::*;
use crate::span::{FileId, Span};

fn whole(text: &str) -> Span {
    Span { file: FileId(0), start: 0, end: u32::try_from(text.len()).unwrap() }
}

fn render(tag: &Tag) -> String {
    let args: Vec<String> = tag
        .args
        .iter()
        .map(|arg| match &arg.name {
            Some(name) => format!("{name}: {}", scalar(&arg.value)),
            None => scalar(&arg.value),
        })
        .collect();
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    let value = match &tag.value {
        TagValue::None => String::new(),
        TagValue::Scalar(value) => format!(" = {}", scalar(value)),
        TagValue::Tag(inner) => format!(" => {}", render(inner)),
    };
    format!("{}{args}{value}", tag.name)
}

fn scalar(value: &Scalar) -> String {
    match value {
        Scalar::String(text) => format!("{text:?}"),
        Scalar::Int(text) => format!("int {text}"),
        Scalar::Bool(value) => value.to_string(),
        Scalar::List(items) => format!("[{}]", items.iter().map(scalar).collect::<Vec<_>>().join(", ")),
    }
}

fn outcome(text: &str, syntax: Syntax) -> String {
    match parse_tag(text, whole(text), syntax) {
        Ok(tag) => render(&tag),
        Err(error) => format!("{}..{}: {}", error.span.start, error.span.end, error.message),
    }
}

#[track_caller]
fn check(syntax: Syntax, texts: &[&str], expected: &Expect) {
    let rows: Vec<String> = texts.iter().map(|text| format!("{text}\n    {}\n", outcome(text, syntax))).collect();
    expected.assert_eq(&rows.concat());
}

#[test]
fn what_the_reference_accepts() {
    check(
        Syntax::Kubernetes,
        &[
            "name",
            "k8s:name()",
            "k8s:name=value",
            "k8s:name=a.b-c_1",
            "k8s:name=\"a\\\"b\\\\\"",
            "k8s:name=`a\\`b\"`",
            "k8s:name=true",
            "k8s:name=\"true\"",
            "k8s:name=-0x1F",
            "k8s:name=+5",
            "k8s:name=+_x",
            "k8s:name(1)",
            "k8s:name(a,)",
            "k8s:name(a: 1,b: \"x\",  c:true)=+k8s:other(x)=3 # comment",
            "k8s:name# comment",
            "k8s:name()=",
            "k8s:name(a:)",
            "k8s:name(a:)=+k8s:other(1)",
            "  k8s:name=1  ",
            "é=ü",
        ],
        &expect![[r#"
            name
                name
            k8s:name()
                k8s:name
            k8s:name=value
                k8s:name = "value"
            k8s:name=a.b-c_1
                k8s:name = "a.b-c_1"
            k8s:name="a\"b\\"
                k8s:name = "a\"b\\"
            k8s:name=`a\`b"`
                k8s:name = "a`b\""
            k8s:name=true
                k8s:name = true
            k8s:name="true"
                k8s:name = "true"
            k8s:name=-0x1F
                k8s:name = int -0x1F
            k8s:name=+5
                k8s:name = int +5
            k8s:name=+_x
                k8s:name => _x
            k8s:name(1)
                k8s:name(int 1)
            k8s:name(a,)
                k8s:name("a")
            k8s:name(a: 1,b: "x",  c:true)=+k8s:other(x)=3 # comment
                k8s:name(a: int 1, b: "x", c: true) => k8s:other("x") = int 3
            k8s:name# comment
                k8s:name
            k8s:name()=
                k8s:name
            k8s:name(a:)
                k8s:name
            k8s:name(a:)=+k8s:other(1)
                k8s:name => k8s:other(a: int 1)
              k8s:name=1  
                k8s:name = int 1
            é=ü
                é = "ü"
        "#]],
    );
}

#[test]
fn what_the_reference_refuses() {
    check(
        Syntax::Kubernetes,
        &[
            "",
            " x",
            "5x",
            "k8s:maxLength=",
            "k8s:maxLength=1.5",
            "k8s:maxLength=3 oops",
            "k8s:maxLength =3",
            "k8s:maxLength= 3",
            "k8s:eachVal=k8s:maxLength=3",
            "k8s:update=NoSet,NoModify",
            "k8s:update=[NoSet]",
            "k8s:validateFalse=\"abc",
            "k8s:validateFalse=\"abc\\",
            "k8s:validateFalse=\"a\\nb\"",
            "k8s:validateFalse='abc'",
            "k8s:ifMode(\"a\", modality: \"m\")=+k8s:required",
            "k8s:ifMode(modality: \"m\", \"a\")",
            "k8s:ifMode(a, b)",
            "k8s:ifMode(a",
            "k8s:ifMode(a:",
            "k8s:ifMode( a)",
            "k8s:ifMode(a b)",
            "k8s:ifMode(a)x",
            "k8s:ifMode (a)",
            "k8s:x=08",
            "k8s:x=0x",
            "k8s:x=+",
            "k8s:x=12ab",
            "k8s:x=9223372036854775808",
            "k8s:x=1_000",
            "é=ü§",
        ],
        &expect![[r#"
            
                0..0: unexpected end of input
             x
                x
            5x
                0..1: unexpected character '5' at position 1
            k8s:maxLength=
                14..14: unexpected end of input
            k8s:maxLength=1.5
                15..16: unexpected character '.' at position 16
            k8s:maxLength=3 oops
                15..16: unexpected character ' ' at position 16
            k8s:maxLength =3
                13..14: unexpected character ' ' at position 14
            k8s:maxLength= 3
                14..15: unexpected character ' ' at position 15
            k8s:eachVal=k8s:maxLength=3
                15..16: unexpected character ':' at position 16
            k8s:update=NoSet,NoModify
                16..17: unexpected character ',' at position 17
            k8s:update=[NoSet]
                11..12: unexpected character '[' at position 12
            k8s:validateFalse="abc
                18..22: unterminated string at position 22
            k8s:validateFalse="abc\
                18..23: unterminated string at position 23
            k8s:validateFalse="a\nb"
                21..22: unhandled escaped character 'n'
            k8s:validateFalse='abc'
                18..19: unexpected character '\'' at position 19
            k8s:ifMode("a", modality: "m")=+k8s:required
                10..30: can't mix named and positional arguments
            k8s:ifMode(modality: "m", "a")
                10..30: can't mix named and positional arguments
            k8s:ifMode(a, b)
                10..16: multiple arguments must use 'name: value' syntax
            k8s:ifMode(a
                12..12: unexpected end of input
            k8s:ifMode(a:
                13..13: unexpected end of input
            k8s:ifMode( a)
                11..12: unexpected character ' ' at position 12
            k8s:ifMode(a b)
                12..13: unexpected character ' ' at position 13
            k8s:ifMode(a)x
                13..14: unexpected character 'x' at position 14
            k8s:ifMode (a)
                10..11: unexpected character ' ' at position 11
            k8s:x=08
                6..8: invalid number "08" at position 8
            k8s:x=0x
                6..8: invalid number "0x" at position 8
            k8s:x=+
                6..7: invalid number "+" at position 7
            k8s:x=12ab
                6..10: invalid number "12ab" at position 10
            k8s:x=9223372036854775808
                6..25: invalid number "9223372036854775808" at position 25
            k8s:x=1_000
                7..8: unexpected character '_' at position 8
            é=ü§
                5..7: unexpected character '§' at position 4
        "#]],
    );
}

#[test]
fn what_the_kep_adds() {
    check(
        Syntax::Kep,
        &[
            "k8s:update=NoSet,NoModify",
            "k8s:update=NoSet, NoModify # comment",
            "k8s:update=[NoSet, NoModify]",
            "k8s:update=[]",
            "k8s:neq=”x”",
            "k8s:neq=‘x’",
            "k8s:neq='it\\'s'",
            "k8s:beta(since:v1.39)=+k8s:minimum=1 <--- comment",
            "k8s:alpha(since: 1.39)=+k8s:maximum=10 // comment",
            "k8s:maximum(target: current, constraint: limits.maxValue)",
            "k8s:ifSubresource(/status)",
            "k8s:ifSubresource( '/status' ) = +k8s:optional",
            "k8s:listMapItem(pairs: [[key,value],...])",
            "k8s:validation-gen-input = k8s.io/api/apps/v1// comment",
            "k8s:x=10abc",
            "k8s:x=1_000.0",
            "k8s:x=[a b]",
            "k8s:x=[a",
            "k8s:x=a,",
            "k8s:x=a b",
            "k8s:x=“a",
            "k8s:x(\"/resize\"')",
        ],
        &expect![[r#"
            k8s:update=NoSet,NoModify
                k8s:update = ["NoSet", "NoModify"]
            k8s:update=NoSet, NoModify # comment
                k8s:update = ["NoSet", "NoModify"]
            k8s:update=[NoSet, NoModify]
                k8s:update = ["NoSet", "NoModify"]
            k8s:update=[]
                k8s:update = []
            k8s:neq=”x”
                k8s:neq = "x"
            k8s:neq=‘x’
                k8s:neq = "x"
            k8s:neq='it\'s'
                k8s:neq = "it's"
            k8s:beta(since:v1.39)=+k8s:minimum=1 <--- comment
                k8s:beta(since: "v1.39") => k8s:minimum = int 1
            k8s:alpha(since: 1.39)=+k8s:maximum=10 // comment
                k8s:alpha(since: "1.39") => k8s:maximum = int 10
            k8s:maximum(target: current, constraint: limits.maxValue)
                k8s:maximum(target: "current", constraint: "limits.maxValue")
            k8s:ifSubresource(/status)
                k8s:ifSubresource("/status")
            k8s:ifSubresource( '/status' ) = +k8s:optional
                k8s:ifSubresource("/status") => k8s:optional
            k8s:listMapItem(pairs: [[key,value],...])
                k8s:listMapItem(pairs: [["key", "value"], "..."])
            k8s:validation-gen-input = k8s.io/api/apps/v1// comment
                k8s:validation-gen-input = "k8s.io/api/apps/v1"
            k8s:x=10abc
                6..11: invalid number "10abc" at position 11
            k8s:x=1_000.0
                k8s:x = "1_000.0"
            k8s:x=[a b]
                9..10: unexpected character 'b' at position 10
            k8s:x=[a
                8..8: unexpected end of input
            k8s:x=a,
                8..8: unexpected end of input
            k8s:x=a b
                7..8: unexpected character ' ' at position 8
            k8s:x=“a
                6..10: unterminated string at position 8
            k8s:x("/resize"')
                15..16: unexpected character '\'' at position 16
        "#]],
    );
}

#[test]
fn spans_cover_each_tag_of_a_chain() {
    let text = "k8s:eachVal=+k8s:maxLength=3 # x";
    let span = Span { file: FileId(7), start: 100, end: 100 + u32::try_from(text.len()).unwrap() };
    let tag = parse_tag(text, span, Syntax::Kubernetes).unwrap();
    assert_eq!(tag.span, Span { file: FileId(7), start: 100, end: 128 });
    assert_eq!(tag.inner().unwrap().span, Span { file: FileId(7), start: 113, end: 128 });
}

#[test]
fn a_span_of_another_length_is_kept_whole() {
    let span = Span { file: FileId(7), start: 10, end: 90 };
    assert_eq!(parse_tag("k8s:x=,", span, Syntax::Kubernetes).unwrap_err().span, span);
}

#[test]
fn names_and_raw_values() {
    assert_eq!(tag_name("k8s:validation-gen=*"), Some("k8s:validation-gen"));
    assert_eq!(tag_name("default={\"a\": 1}"), Some("default"));
    assert_eq!(tag_name(" k8s:x"), None);
    assert_eq!(tag_name("5x"), None);
    assert_eq!(tag_name(""), None);
    assert_eq!(raw_value("default={\"a\": \"=\"}"), Some("{\"a\": \"=\"}"));
    assert_eq!(raw_value("default="), Some(""));
    assert_eq!(raw_value("default"), None);
}

#[test]
fn chains_stop_at_the_limit() {
    let chain = |tags: usize| vec!["x"; tags].join("=+");
    assert!(parse_tag(&chain(MAX_TAG_CHAIN), Span::NONE, Syntax::Kubernetes).is_ok());
    let text = chain(MAX_TAG_CHAIN + 1);
    let error = parse_tag(&text, whole(&text), Syntax::Kubernetes).unwrap_err();
    assert_eq!(error.message, "tags chained more than 64 deep");
    assert_eq!(error.span.start, 3 * 64);
}

#[test]
fn lists_stop_at_the_limit() {
    let list = |depth: usize| format!("x={}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse_tag(&list(MAX_LIST_DEPTH), Span::NONE, Syntax::Kep).is_ok());
    let text = list(MAX_LIST_DEPTH + 1);
    let error = parse_tag(&text, whole(&text), Syntax::Kep).unwrap_err();
    assert_eq!((error.span.start, error.message.as_str()), (18, "lists nested more than 16 deep"));
}

#[test]
fn ten_megabytes_are_refused_in_place() {
    const SIZE: usize = 10 << 20;
    let end = SIZE + "x=\"".len();
    for (text, at, message) in [
        ("x=+".repeat(SIZE / 3), 192, "tags chained more than 64 deep".to_owned()),
        (format!("x=\"{}", "y".repeat(SIZE)), 2, format!("unterminated string at position {end}")),
        (
            format!("x={}", "9".repeat(SIZE)),
            2,
            format!("invalid number \"{}\" at position {}", "9".repeat(128), end - 1),
        ),
    ] {
        let error = parse_tag(&text, whole(&text), Syntax::Kubernetes).unwrap_err();
        assert_eq!((error.span.start, error.message), (at, message));
    }
    let text = format!("x={}", "[".repeat(SIZE));
    let error = parse_tag(&text, whole(&text), Syntax::Kep).unwrap_err();
    assert_eq!((error.span.start, error.message.as_str()), (18, "lists nested more than 16 deep"));
}

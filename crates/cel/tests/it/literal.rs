//! Values as a person would write them: what is printed means what was evaluated.

use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch};

fn literal(expr: &str) -> String {
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let program = Program::new(&Env::kubernetes(37).compile(expr, declarations).unwrap()).unwrap();
    let scratch = Scratch::default();
    program.eval(&[], &scratch, Limits::PER_CALL).outcome.unwrap().literal(&scratch.cx())
}

#[test]
fn literals_print_as_they_are_written() {
    for text in [
        "null",
        "true",
        "-5",
        "7u",
        "1.0",
        "2.5e30",
        r#""a\"b\\c\n\té\u0001""#,
        r#"b"a\xff\"""#,
        "[[1, 2], []]",
        r#"{"a": {1: 2u}}"#,
        r#"duration("1h30m0s")"#,
        r#"timestamp("2024-02-29T12:00:00.5Z")"#,
        "optional.of(optional.none())",
        r#"quantity("1Gi")"#,
        r#"[ip("::1")]"#,
        r#"cidr("10.0.0.0/8")"#,
        r#"semver("1.2.3-a")"#,
        r#"url("https://a/b?c=d")"#,
        r#"double("+Inf")"#,
        "int",
        "format.dns1123Label()",
    ] {
        assert_eq!(literal(text), text);
    }
    assert_eq!(literal("quantity('1').add(1)"), r#"quantity("2")"#);
}

#[test]
fn long_values_are_cut() {
    let shown = literal("lists.range(150000).map(i, 'some text')");
    assert!(shown.len() < (1 << 20) + 100);
    assert!(shown.ends_with("some text\"]"));
}

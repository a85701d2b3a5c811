#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

use expect_test::{Expect, expect};
use sprag_field::Errors;
use sprag_idl::{GoPackageInput, Sources, read_go};
use sprag_rules::types::Universe;
use sprag_value::json;

use super::conform;

/// Declarations of a Go package, whose `T` the value should fit.
#[track_caller]
fn check(declarations: &str, value: &str, expect: &Expect) {
    let mut sources = Sources::default();
    let imports =
        "import (\nmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\"k8s.io/apimachinery/pkg/util/intstr\"\n)\n";
    let file = sources.add("types.go", format!("package p\n{imports}{declarations}"));
    let (package, findings) = read_go(GoPackageInput { path: "p", files: &[file] }, &sources);
    assert_eq!(findings, []);
    let universe = Universe::new(vec![package], |_| true);
    let mut errors = Errors::new();
    conform(&universe, universe.find("p", "T").unwrap(), &json::parse(value.as_bytes()).unwrap(), &mut errors);
    let mut lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.extend(errors.warnings.iter().map(|warning| format!("warning: {}", warning.message)));
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn members_of_embedded_structs_are_the_parents_and_the_nearest_wins() {
    let types = "type T struct { Inner; A string `json:\"a\"` }\n\
                 type Inner struct { A int `json:\"a\"`; B int `json:\"b\"`; private int; Skipped int `json:\"-\"`; Plain int }\n";
    check(
        types,
        r#"{"a": 1, "b": "x", "Plain": true, "private": 1, "Skipped": 1}"#,
        &expect![[r#"
        Plain: Invalid value: true: must be an integer, not a boolean
        a: Invalid value: 1: must be a string, not an integer
        b: Invalid value: "x": must be an integer, not a string
        warning: unknown field "Skipped"
        warning: unknown field "private""#]],
    );
}

#[test]
fn a_struct_that_embeds_an_unknown_type_takes_any_member() {
    check("type T struct { metav1.Status `json:\",inline\"` }", r#"{"any": 1}"#, &expect![]);
    check(
        "type T struct { metav1.TypeMeta `json:\",inline\"` }",
        r#"{"kind": "T", "apiVersion": "v1", "x": 1}"#,
        &expect![[r#"warning: unknown field "x""#]],
    );
}

#[test]
fn integers_are_held_to_their_width() {
    let types = "type T struct { A uint8 `json:\"a\"`; B uint64 `json:\"b\"`; C int64 `json:\"c\"`; D Small `json:\"d\"` }\ntype Small int8\n";
    check(types, r#"{"a": 255, "b": 18446744073709551615, "c": -9223372036854775808, "d": -128}"#, &expect![""]);
    check(
        types,
        r#"{"a": 256, "b": -1, "c": 9223372036854775808, "d": 128}"#,
        &expect![[r#"
        a: Invalid value: 256: must be between 0 and 255 (uint8)
        b: Invalid value: -1: must be between 0 and 18446744073709551615 (uint64)
        c: Invalid value: 9.223372036854776e+18: must be between -9223372036854775808 and 9223372036854775807 (int64)
        d: Invalid value: 128: must be between -128 and 127 (int8)"#]],
    );
    check(
        types,
        r#"{"a": 1.0, "b": 1e3, "c": 1e30}"#,
        &expect![[r#"
            a: Invalid value: 1: must be an integer, not a float
            b: Invalid value: 1000: must be an integer, not a float
            c: Invalid value: 1e+30: must be between -9223372036854775808 and 9223372036854775807 (int64)"#]],
    );
}

#[test]
fn null_fits_everywhere_and_anything_fits_an_interface() {
    let types =
        "type T struct { A *int `json:\"a\"`; B []T `json:\"b\"`; C map[string]T `json:\"c\"`; D any `json:\"d\"` }";
    check(types, r#"{"a": null, "b": [null], "c": {"x": null}, "d": [{}]}"#, &expect![]);
    check(
        types,
        r#"{"a": [], "b": [{"b": 1}], "c": {"x": {"c": {"y": 0}}}}"#,
        &expect![[r#"
        a: Invalid value: must be an integer, not a list
        b[0].b: Invalid value: 1: must be a list, not an integer
        c[x].c[y]: Invalid value: 0: must be an object, not an integer"#]],
    );
}

#[test]
fn types_that_read_their_json_by_themselves_are_known_by_name() {
    let types = "type T struct { A intstr.IntOrString `json:\"a\"`; B *metav1.Duration `json:\"b\"`; C metav1.MicroTime `json:\"c\"` }";
    check(types, r#"{"a": "50%", "b": "1h5m", "c": "2026-01-02T03:04:05.000006Z"}"#, &expect![]);
    check(
        types,
        r#"{"a": 1.5, "b": 5, "c": "now"}"#,
        &expect![[r#"
        a: Invalid value: 1.5: must be a 32-bit integer or a string
        b: Invalid value: 5: must be a duration in a string
        c: Invalid value: "now": parsing time "now" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "now" as "2006""#]],
    );
}

#[test]
fn bytes_are_base64_text() {
    let types = "type T struct { A []byte `json:\"a\"` }";
    check(types, r#"{"a": "aGk="}"#, &expect![]);
    check(types, r#"{"a": "aGk"}"#, &expect![[r#"a: Invalid value: "aGk": must be base64 text"#]]);
    check(types, r#"{"a": 5}"#, &expect!["a: Invalid value: 5: must be base64 text, not an integer"]);
}

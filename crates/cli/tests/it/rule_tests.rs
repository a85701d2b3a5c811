//! `sprag test`.

use expect_test::{Expect, expect};

use crate::run;

#[track_caller]
fn test(text: &str, expect: &Expect) {
    let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Test\ncrds: crds/widgets.yaml\ntests:\n{text}");
    run::check(&["test", "-"], &text, expect);
}

const GIVEN: &str =
    "  given: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: -1, x: 1}}\n";

#[test]
fn tests_that_pass_are_counted() {
    run::check(
        &["test", "rules"],
        "",
        &expect![[r#"
        3 passed, 0 failed
        --- exit 0
    "#]],
    );
    run::check(
        &["test", "rules", "--verbose", "--filter", "size is"],
        "",
        &expect![[r#"
        ok   rules/widgets.yaml: a size is enough
        ok   rules/widgets.yaml: size is at most limit
        2 passed, 0 failed
        --- exit 0
    "#]],
    );
    run::check(
        &["test", "rules", "-o", "junit"],
        "",
        &expect![[r#"
        <testsuites name="sprag test" tests="3" failures="0" errors="0">
          <testsuite name="rules/widgets.yaml" tests="3" failures="0" errors="0">
            <testcase name="a size is enough" classname="rules/widgets.yaml" time="0"></testcase>
            <testcase name="size is at most limit" classname="rules/widgets.yaml" time="0"></testcase>
            <testcase name="unchanged wrong sizes stay" classname="rules/widgets.yaml" time="0"></testcase>
          </testsuite>
        </testsuites>
        --- exit 0
    "#]],
    );
    run::check(
        &["test", "rules", "-o", "tap"],
        "",
        &expect![[r#"
        TAP version 13
        1..3
        ok 1 - rules/widgets.yaml: a size is enough
        ok 2 - rules/widgets.yaml: size is at most limit
        ok 3 - rules/widgets.yaml: unchanged wrong sizes stay
        --- exit 0
    "#]],
    );
}

#[test]
fn differences_are_shown() {
    test(
        &format!("- name: valid\n{GIVEN}  valid: true\n"),
        &expect![[r#"
        FAIL stdin: valid
             unexpected error: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
        0 passed, 1 failed
        --- exit 1
    "#]],
    );
    test(
        &format!("- name: parts\n{GIVEN}  errors:\n  - {{field: spec.size, detail: nope}}\n  warnings: []\n"),
        &expect![[r#"
            FAIL stdin: parts
                 expected error: {field: spec.size, detail: nope}
                 unexpected error: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
                 unexpected warning: unknown field "spec.x"
            0 passed, 1 failed
            --- exit 1
        "#]],
    );
    let kind = GIVEN.replace("kind: Widget", "kind: Gadget");
    test(
        &format!("- name: other kind\n{kind}  valid: true\n"),
        &expect![[r#"
            FAIL stdin: other kind
                 unexpected error: could not find schema for Gadget; name its definition with --crds, or keep it with sprag crds add
            0 passed, 1 failed
            --- exit 1
        "#]],
    );
}

#[test]
fn schema_errors_bring_the_note_about_unchecked_rules_with_them() {
    let given = GIVEN.replace("{size: -1, x: 1}", "{size: 1, mode: Medium}");
    let listed = "  - \"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; \
        correct the existing errors to complete validation\"\n";
    let mode = "  errors:\n  - {field: spec.mode}\n";
    test(
        &format!("- name: by default\n{given}{mode}- name: listed\n{given}{mode}{listed}"),
        &expect![[r#"
            2 passed, 0 failed
            --- exit 0
        "#]],
    );
    test(
        &format!("- name: valid\n{given}  valid: true\n"),
        &expect![[r#"
            FAIL stdin: valid
                 unexpected error: spec.mode: Unsupported value: "Medium": supported values: "Fast", "Slow"
                 unexpected error: <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
            0 passed, 1 failed
            --- exit 1
        "#]],
    );
}

#[test]
fn wrong_test_files_exit_with_two() {
    test(
        "- name: nothing expected\n  given: {}\n",
        &expect![[r#"
            --- stderr
            error: stdin:5: tests[0] needs `valid: true` or `errors`
            --- exit 2
        "#]],
    );
    test(
        "- given: {}\n  valid: true\n",
        &expect![[r#"
            --- stderr
            error: stdin:5: tests[0] has no name
            --- exit 2
        "#]],
    );
    test(
        "- name: a\n  givn: {}\n  valid: true\n",
        &expect![[r#"
            --- stderr
            error: stdin:6: tests[0]: there is no key "givn"; did you mean "given"?
            --- exit 2
        "#]],
    );
    test(
        "- name: a\n  given: {}\n  errors: [{type: Invalid}]\n",
        &expect![[r#"
            --- stderr
            error: stdin:7: tests[0].errors[0].type: there is no type "Invalid", only FieldValueNotFound, FieldValueRequired, FieldValueDuplicate, FieldValueInvalid, FieldValueNotSupported, FieldValueForbidden, FieldValueTooLong, FieldValueTooShort, FieldValueTooMany, FieldValueTooFew, FieldValueTypeInvalid, InternalError
            --- exit 2
        "#]],
    );
    test(
        "- name: a\n  given: {}\n  valid: true\n  errors: [x]\n",
        &expect![[r#"
            --- stderr
            error: stdin:8: tests[0] cannot be valid and have errors
            --- exit 2
        "#]],
    );
    run::check(
        &["test", "objects"],
        "",
        &expect![[r#"
        --- stderr
        error: no tests in objects: a test file has apiVersion sprag.dev/v1alpha1 and kind Test
        --- exit 2
    "#]],
    );
}

//! `sprag cel`.

use expect_test::{Expect, expect};

use crate::run::{check, sprag};

fn eval(expr: &str, expect: &Expect) {
    check(&["cel", "eval", expr, "--self", "fleet.json", "--old", "fleet-old.json"], "", expect);
}

#[test]
fn a_value_comes_with_type_and_cost() {
    eval(
        "self.replicas <= self.maxReplicas && self.items.all(i, i.name.size() < 64)",
        &expect![[r#"
        true
        type: bool
        cost: 22
        estimated cost: 5 to 7340033
        --- exit 0
    "#]],
    );
    eval(
        "self.items.map(i, i.name)",
        &expect![[r#"
        ["a", "bb"]
        type: list(string)
        cost: 31
        estimated cost: 13 to 14680063
        --- exit 0
    "#]],
    );
    check(
        &["cel", "eval", "quantity('1Gi').add(1)"],
        "",
        &expect![[r#"
        quantity("1073741825")
        type: kubernetes.Quantity
        cost: 2
        estimated cost: 2
        --- exit 0
    "#]],
    );
}

#[test]
fn false_is_a_value() {
    eval(
        "self.replicas > self.maxReplicas",
        &expect![[r#"
        false
        type: bool
        cost: 5
        estimated cost: 5
        --- exit 0
    "#]],
    );
}

#[test]
fn fields_of_either_object_are_known() {
    eval(
        "has(self.class) || oldSelf.class == 'fast'",
        &expect![[r#"
        true
        type: bool
        cost: 4
        estimated cost: 1 to 4
        --- exit 0
    "#]],
    );
}

#[test]
fn an_expression_that_does_not_compile_is_shown_where() {
    eval(
        "self.replicas + 'a'",
        &expect![[r#"
            --- stderr
            error: the expression does not compile:
                     | ERROR: <input>:1:15: found no matching overload for '_+_' applied to '(int, string)'
                     |  | self.replicas + 'a'
                     |  | ..............^
            --- exit 1
        "#]],
    );
    eval(
        "self.replicas +",
        &expect![[r#"
            --- stderr
            error: the expression does not compile:
                     | ERROR: <input>:1:16: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
                     |  | self.replicas +
                     |  | ...............^
            --- exit 1
        "#]],
    );
}

#[test]
fn absent_fields_run_untyped_with_a_warning() {
    eval(
        "has(self.missing) ? self.missing : 5",
        &expect![[r#"
            5
            type: dyn
            cost: 1
            estimated cost: 1 to 2
            --- stderr
            warning: does not fit the types inferred from the values, and runs untyped:
                       | ERROR: <input>:1:4: undefined field 'missing'
                       |  | has(self.missing) ? self.missing : 5
                       |  | ...^
                       | ERROR: <input>:1:25: undefined field 'missing'
                       |  | has(self.missing) ? self.missing : 5
                       |  | ........................^
            --- exit 0
        "#]],
    );
    eval(
        "self.items.map(i, i['name'])",
        &expect![[r#"
            ["a", "bb"]
            type: list(dyn)
            cost: 31
            estimated cost: at least 12
            --- stderr
            warning: does not fit the types inferred from the values, and runs untyped:
                       | ERROR: <input>:1:20: found no matching overload for '_[_]' applied to '(selfType.items.@idx, string)'
                       |  | self.items.map(i, i['name'])
                       |  | ...................^
            --- exit 0
        "#]],
    );
}

#[test]
fn an_expression_that_fails_has_a_cost_too() {
    eval(
        "self.items[5].name",
        &expect![[r#"
        cost: 3
        estimated cost: 4
        --- stderr
        error: the expression failed: index out of bounds: 5
        --- exit 1
    "#]],
    );
    eval(
        "self.items.all(i, i.port > 0)",
        &expect![[r#"
        cost: 15
        estimated cost: 3 to 6291453
        --- stderr
        error: the expression failed: no such key: port
        --- exit 1
    "#]],
    );
}

#[test]
fn costs_are_explained() {
    check(
        &["cel", "eval", "self.items.all(i, i.name.size() < 64)", "--self", "fleet.json", "--explain"],
        "",
        &expect![[r#"
            true
            type: bool
            cost: 17
            estimated cost: 3 to 7340028
            3 to 7340028  loop, 0 to 1048575 times
              2  .items
                1  self
              2  not_strictly_false()
                1  accumulator
              1 to 5  &&
                1  accumulator
                4  <
                  3  size()
                    2  .name
                      1  i
              1  accumulator
            --- exit 0
        "#]],
    );
}

const JSON: &[&str] = &["cel", "eval", "--self", "fleet.json", "-o", "json"];

#[test]
fn json_has_value_type_and_cost() {
    check(
        &[JSON, &["{'a': dyn(1u), 'b': dyn(duration('90s')), 'c': dyn(b'hi'), 'd': dyn([optional.none()])}"]].concat(),
        "",
        &expect![[r#"
            {
              "value": {
                "a": 1,
                "b": "1m30s",
                "c": "aGk=",
                "d": [
                  null
                ]
              },
              "literal": "{\"a\": 1u, \"b\": duration(\"1m30s\"), \"c\": b\"hi\", \"d\": [optional.none()]}",
              "type": "map(string, dyn)",
              "cost": 42,
              "estimatedCost": {
                "min": 46,
                "max": 46
              }
            }
            --- exit 0
        "#]],
    );
}

#[test]
fn json_has_the_explanation() {
    check(
        &[JSON, &["size(self.items) > 1", "--explain"]].concat(),
        "",
        &expect![[r#"
        {
          "value": true,
          "literal": "true",
          "type": "bool",
          "cost": 4,
          "estimatedCost": {
            "min": 4,
            "max": 4
          },
          "explanation": {
            "label": ">",
            "offset": 17,
            "cost": {
              "min": 4,
              "max": 4
            },
            "parts": [
              {
                "label": "size()",
                "offset": 4,
                "cost": {
                  "min": 3,
                  "max": 3
                },
                "parts": [
                  {
                    "label": ".items",
                    "offset": 9,
                    "cost": {
                      "min": 2,
                      "max": 2
                    },
                    "parts": [
                      {
                        "label": "self",
                        "offset": 5,
                        "cost": {
                          "min": 1,
                          "max": 1
                        }
                      }
                    ]
                  }
                ]
              },
              {
                "label": "1",
                "offset": 19,
                "cost": {
                  "min": 0,
                  "max": 0
                }
              }
            ]
          }
        }
        --- exit 0
    "#]],
    );
}

#[test]
fn json_has_errors() {
    check(
        &[JSON, &["self.items[7]"]].concat(),
        "",
        &expect![[r#"
            {
              "type": "selfType.items.@idx",
              "cost": 3,
              "estimatedCost": {
                "min": 3,
                "max": 3
              },
              "runtimeError": "index out of bounds: 7"
            }
            --- exit 1
        "#]],
    );
    check(
        &[JSON, &["1 +"]].concat(),
        "",
        &expect![[r#"
        {
          "compileError": "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^"
        }
        --- exit 1
    "#]],
    );
}

#[test]
fn values_come_from_standard_input() {
    check(
        &["cel", "eval", "self.a", "--self", "-"],
        r#"{"a": 1.5}"#,
        &expect![[r#"
        1.5
        type: double
        cost: 2
        estimated cost: 2
        --- exit 0
    "#]],
    );
    check(
        &["cel", "eval", "self.a[1]", "--self", "-"],
        "a:\n- x\n- yes\n",
        &expect![[r#"
            true
            type: dyn
            cost: 3
            estimated cost: 3
            --- exit 0
        "#]],
    );
    check(
        &["cel", "eval", "self.a", "--self", "-", "--old", "-"],
        "",
        &expect![[r#"
            --- stderr
            error: only one value can be read from standard input
            --- exit 2
        "#]],
    );
    check(
        &["cel", "eval", "self.a", "--self", "-"],
        "{",
        &expect![[r#"
            --- stderr
            error: standard input: unexpected end of JSON input
            --- exit 2
        "#]],
    );
    check(
        &["cel", "eval", "self.a", "--self", "no-such-file.json"],
        "",
        &expect![[r#"
        --- stderr
        error: no-such-file.json: No such file or directory (os error 2)
        --- exit 2
    "#]],
    );
}

#[test]
fn lines_from_a_pipe_are_answered_one_by_one() {
    let lines = "\
// a comment

size('hello')
:self fleet.json
:type self.items
:explain self.replicas < 5
self.labels['app.dev/name']
:old fleet-old.json
oldSelf.class
:help
:quit
1 +";
    check(
        &["cel", "repl"],
        lines,
        &expect![[r#"
            5
            type: int
            cost: 1
            estimated cost: 1
            list(selfType.items.@idx)
            3  <
              2  .replicas
                1  self
            "x"
            type: string
            cost: 3
            estimated cost: 3
            "fast"
            type: string
            cost: 2
            estimated cost: 2
            :explain EXPR    where the estimated cost comes from
            :help            this list
            :old VALUE       read the value of oldSelf, from a file or as JSON
            :quit            leave, as Ctrl-D does
            :self VALUE      read the value of self, from a file or as JSON
            :type EXPR       the type of an expression
            --- exit 0
        "#]],
    );
}

#[test]
fn a_line_that_fails_does_not_end_the_session() {
    let lines = "1 / 0\n:self no-such-file.json\n:nope\n:type\n:type x\n:explain 1 +\n:help me\n1 + 1";
    check(
        &["cel", "repl"],
        lines,
        &expect![[r#"
            cost: 1
            estimated cost: 1
            2
            type: int
            cost: 1
            estimated cost: 1
            --- stderr
            error: the expression failed: division by zero
            error: no-such-file.json: No such file or directory (os error 2)
            error: unknown command :nope, see :help
            error: usage: :type EXPR
            error: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')
                     |  | x
                     |  | ^
            error: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
                     |  | 1 +
                     |  | ...^
            error: usage: :help
            --- exit 1
        "#]],
    );
}

#[test]
fn hostile_lines_are_answered() {
    let lines = format!("{}\n'{}'.size()\n", "(".repeat(50_000), "a".repeat(99_000));
    let run = sprag(&["cel", "repl"], &lines);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.starts_with("99000\n"), "{}", run.stdout);
}

#[test]
fn values_that_share_their_parts_are_cut() {
    let expr = format!("[1]{}", ".map(v, [v, v])".repeat(100));
    for format in ["text", "json"] {
        let run = sprag(&["cel", "eval", &expr, "-o", format], "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.len() < 4 << 20);
    }
}

#[test]
fn functions_are_those_of_a_release() {
    check(
        &["cel", "eval", "[3, 1].sort()", "--kubernetes-version", "1.34"],
        "",
        &expect![[r#"
        --- stderr
        error: the expression does not compile:
                 | ERROR: <input>:1:12: undeclared reference to 'sort' (in container '')
                 |  | [3, 1].sort()
                 |  | ...........^
        warning: sort needs Kubernetes 1.35 and later
        --- exit 1
    "#]],
    );
    check(
        &["cel", "eval", "[3, 1].sort()", "--kubernetes-version", "v1.35.2"],
        "",
        &expect![[r#"
        [1, 3]
        type: list(int)
        cost: 19
        estimated cost: 29
        --- exit 0
    "#]],
    );
}

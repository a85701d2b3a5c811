#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::*;
use crate::lex::{MAX_ENTRIES, MAX_FINDINGS, MAX_TYPE_DEPTH};
use crate::model::{Const, Literal, TypeExpr};
use crate::render;

fn read(text: &str) -> (Package, Vec<Finding>, Sources) {
    let mut sources = Sources::default();
    let files = [sources.add("types.go", text)];
    let (package, findings) = read_go(GoPackageInput { path: "example.dev/v1", files: &files }, &sources);
    (package, findings, sources)
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let (package, findings, sources) = read(text);
    expected.assert_eq(&(render::findings(&findings, &sources) + &render::package(&package)));
}

#[track_caller]
fn check_findings(text: &str, expected: &Expect) {
    let (_, findings, sources) = read(text);
    expected.assert_eq(&render::findings(&findings, &sources));
}

#[test]
fn one_of_everything() {
    check(
        include_str!("../../tests/data/everything.go.txt"),
        &expect![[r#"
            Warning 10:2 dot import of example.dev/dot: its names look like this package's own
            Warning 59:7 struct without a name: rules cannot look inside
            Error 119:32 package context is not imported
            package v1 +k8s:validation-gen=* +k8s:validation-gen-nolint
            import corev1 k8s.io/api/core/v1
            import fmt fmt
            import metav1 k8s.io/apimachinery/pkg/apis/meta/v1
            import runtime k8s.io/apimachinery/pkg/runtime
            import time time
            import v4 github.com/blang/semver/v4
            type Widget +genclient +k8s:validation-gen=true detached: "Widget spins.\n\n  indented prose"
                TypeMeta - {k8s.io/apimachinery/pkg/apis/meta/v1}.TypeMeta embedded inline ""
                ObjectMeta metadata {k8s.io/apimachinery/pkg/apis/meta/v1}.ObjectMeta omitempty embedded +optional ""
                Local - *Local embedded inline ""
                Box - Box<string> embedded inline ""
                Spec spec WidgetSpec +k8s:required "\t  Spec is the spec."
                After after int ""
                A a *int32 omitempty omitzero +k8s:optional +default={"a": 1} ""
                B a *int32 omitempty omitzero +k8s:optional +default={"a": 1} ""
                Hidden - string ignored ""
                unexported - bool private ""
                NoName NoName string omitempty ""
                List - []{k8s.io/api/core/v1}.Container ""
                Bytes - []uint8 ""
                Runes - [2 + 1]Unsupported `rune` ""
                Map - map[string][]*Widget ""
                Any - interface ""
                Other - interface ""
                When - {time}.Time ""
                Version - {github.com/blang/semver/v4}.Version ""
                Raw raw {k8s.io/apimachinery/pkg/runtime}.RawExtension ""
                Generic - Box<map[string]int> ""
                Pair - Pair<string | []int> ""
                Stop - Chan `chan<- struct{}` ""
                Do - Func `func(a, b int, rest ...string) (n int, err error)` ""
                Anon - Struct `struct{ X int }` ""
            type Mode string +enum detached: +k8s:isSubresource=/status "Mode is how."
            type Box<T> detached: "Box is generic."
                Value - T ""
            type Pair<K,V> detached: ""
                Key - K ""
                Val - V ""
            type List []Widget detached: ""
            type Fixed [4]uint8 detached: ""
            type Name = string detached: ""
            type Callback Func `func(int) string` detached: ""
            type Face interface detached: ""
            const ModeA Mode = "A" +k8s:enumExclude "ModeA is first.\n+k8s:enumExclude"
            const ModeB Mode = "xyB" ""
            const ModeC Mode = "C" ""
            const prefix untyped = "xy" ""
            const Zero untyped = 0 ""
            const One untyped = 1 ""
            const _ untyped = 2 ""
            const Three untyped = 3 ""
            const Bit untyped = 8 ""
            const Four untyped = 4 ""
            const Bit4 untyped = 16 ""
            const Big int64 = 9223372036854775807 ""
            const Mask uint8 = 240 ""
            const Long int = 194 ""
            const Yes untyped = true ""
            const Far untyped = ? ""
            const Away Mode = ? ""
            const Float untyped = ? ""
            const Loop untyped = ? ""
            const Loop2 untyped = ? ""
            func ValidateCustom_Widget({context}.Context, int, *Widget, *Widget) (List)
            func Generic(T, [][]string) (map[string]T)
        "#]],
    );
}

#[test]
fn comments_are_attached_by_line() {
    check(
        "package v1\n\n// +far\n\n\n// +gone\n\n// +detached\n\n// +doc\ntype A string\ntype B string\n// +c\n\ntype C string\n\
         type D struct { // +not1\n\tX int // +not2\n\tY int /* +not3 */\n\t// +not4\n\n\t// +z\n\tZ int\n\t/* +w */ W int\n}\n",
        &expect![[r#"
            package v1
            type A string +doc detached: +detached ""
            type B string detached: ""
            type C string detached: +c ""
            type D detached: ""
                X - int ""
                Y - int ""
                Z - int +z ""
                W - int ""
        "#]],
    );
}

#[test]
fn package_tags_come_from_doc_go() {
    let mut sources = Sources::default();
    let doc = sources.add("a/doc.go", "// +top\n\n// +second\npackage v1\n// +below\ntype X int // +trailing\n");
    let types = sources.add("a/types.go", "// +ignored\npackage v1\n");
    let tags_of = |files: &[FileId]| {
        let (package, findings) = read_go(GoPackageInput { path: "a", files }, &sources);
        assert_eq!(findings, []);
        render::tags(&package.tags)
    };
    assert_eq!(tags_of(&[types, doc]), " +top +second +below +trailing");
    assert_eq!(tags_of(&[types]), " +ignored");
}

#[test]
fn files_outside_an_ordinary_build_are_skipped() {
    let mut sources = Sources::default();
    let files = [
        sources.add("types.go", "//go:build !ignore_autogenerated\n\npackage v1\ntype A int\n"),
        sources.add("other.go", "// Copyright\n\n//go:build ignore\n\npackage main\ntype A int\n"),
        sources.add("types_test.go", "package v1_test\n"),
        sources.add("types_windows.go", "package v1\ntype A int\n"),
    ];
    let (package, findings) = read_go(GoPackageInput { path: "a", files: &files }, &sources);
    assert_eq!(findings, []);
    assert_eq!(package.types.len(), 1);
}

#[test]
fn mistakes_are_reported_where_they_are_and_reading_goes_on() {
    check_findings(
        "package v1\nimport \"x\"\ntype A struct {\n\tF missing.T\n\tG x.\n}\ntype B int\ntype B string\nconst C =\n\
         func f(\ntype D [3\nfoo\ntype E struct{ F int `json:\"a\" bad` }\nvar v = (\n",
        &expect![[r#"
            Error 4:4 package missing is not imported
            Error 6:1 expected a name, found '}'
            Error 10:7 unclosed '('
            Error 11:8 unclosed '['
            Warning 13:22 struct tag is not a list of key:"value" pairs
            Error 14:9 unclosed '('
            Error 8:6 type B is declared twice
        "#]],
    );
    let (package, _, _) = read("package v1\ntype A struct { +\n}\ntype B int\n");
    assert_eq!(package.types.len(), 1);
    assert_eq!(package.types[0].name, "B");
}

#[test]
fn garbage_and_unclosed_quotes_are_findings() {
    check_findings(
        "",
        &expect![[r#"
        Error 1:1 expected 'package', found the end of the file
    "#]],
    );
    check_findings(
        "\u{0}\u{1}%%%",
        &expect![[r#"
        Error 1:1 unexpected character '\x00'
        Error 1:2 unexpected character '\x01'
        Error 1:3 expected 'package', found '%'
        Error 1:3 expected a declaration, found '%'
    "#]],
    );
    check_findings(
        "package v1\ntype A struct { F string `json:\"f\n}\n",
        &expect![[r#"
        Error 2:26 unterminated raw string
        Error 2:15 unclosed '{'
    "#]],
    );
    check_findings(
        "package v1\nconst A = \"abc\ntype B int\n",
        &expect![[r#"
        Error 2:11 unterminated string
    "#]],
    );
    check_findings(
        "package v1\n/* never closed\ntype B int\n",
        &expect![[r#"
        Error 2:1 unterminated comment
    "#]],
    );
    check_findings(
        "package v1\npackage v2\n}}}}\ntype B int",
        &expect![[r#"
        Error 2:1 expected a declaration, found 'package'
    "#]],
    );
}

#[test]
fn nesting_stops_at_the_limit() {
    let nested = |prefix: &str, depth: usize| format!("package v1\ntype A {}int\n", prefix.repeat(depth));
    let (_, findings, _) = read(&nested("*", MAX_TYPE_DEPTH - 1));
    assert_eq!(findings, []);
    for prefix in ["*", "[]", "map[string]", "(", "chan ", "func() ", "func(x "] {
        for depth in [MAX_TYPE_DEPTH, 10_000] {
            let (package, findings, sources) = read(&nested(prefix, depth));
            let [finding] = findings.as_slice() else { panic!("{prefix}: {findings:?}") };
            let place = sources.locate(finding.span).unwrap();
            let unclosed = prefix == "func(x ";
            let into_key = if prefix == "map[string]" { "string]".len() } else { 0 };
            let column = if unclosed { 12 } else { 8 + MAX_TYPE_DEPTH * prefix.len() - into_key };
            assert_eq!((place.line, place.column), (2, column), "{prefix}");
            assert_eq!(finding.message.contains("nested more than 64 deep"), !unclosed, "{prefix}");
            assert!(package.types.is_empty());
        }
    }
    let body = format!("package v1\nfunc f() {{ {}{} }}\ntype A int\n", "({[".repeat(10_000), "]})".repeat(10_000));
    let (package, findings, _) = read(&body);
    assert_eq!((package.types.len(), findings.len()), (1, 0));
}

#[test]
fn constants_may_depend_on_those_of_other_packages() {
    let (mut other, ..) = read("package v1\ntype Family string\nconst IPv4 Family = \"IPv4\"\nconst Two = 1 + 1\n");
    other.path = "example.dev/core/v1".to_owned();
    let mut sources = Sources::default();
    let text = "package v1\nimport core \"example.dev/core/v1\"\ntype Address string\n\
                const (\n\tA = Address(core.IPv4)\n\tB = core.IPv4\n\tC = core.Two * 3\n\tD = A + \"x\"\n\tE = core.Gone\n)\n";
    let files = [sources.add("types.go", text)];
    let input = GoPackageInput { path: "example.dev/v1", files: &files };
    let shown = |package: &Package| -> Vec<String> {
        let show = |item: &Const| {
            let ty = match &item.ty {
                Some(TypeExpr::Named(name)) => format!("{}.{} ", name.package.as_deref().unwrap_or("-"), name.name),
                _ => String::new(),
            };
            let value = match (&item.value, &item.needs) {
                (Some(Literal::String(text)), None) => text.clone(),
                (Some(Literal::Int(number)), None) => number.to_string(),
                (None, Some(needed)) => format!("needs {}.{}", needed.package, needed.name),
                other => format!("{other:?}"),
            };
            format!("{} {ty}{value}", item.name)
        };
        package.consts.iter().map(show).collect()
    };
    let (package, findings) = read_go_with(input, &sources, &[&other]);
    assert_eq!(findings, []);
    assert_eq!(
        shown(&package),
        [
            "A -.Address IPv4",
            "B example.dev/core/v1.Family IPv4",
            "C 6",
            "D -.Address IPv4x",
            "E needs example.dev/core/v1.Gone"
        ]
    );
    let (alone, _) = read_go(input, &sources);
    assert_eq!(shown(&alone)[..2], ["A -.Address needs example.dev/core/v1.IPv4", "B needs example.dev/core/v1.IPv4"]);
}

#[test]
fn tags_above_any_package_clause_count_without_doc_go() {
    let read = |names: [&str; 2]| {
        let mut sources = Sources::default();
        let texts = ["package v1\ntype A int\n", "// +groupName=example.dev\npackage v1\n"];
        let files: Vec<FileId> = names.iter().zip(texts).map(|(name, text)| sources.add(*name, text)).collect();
        let (package, _) = read_go(GoPackageInput { path: "example.dev/v1", files: &files }, &sources);
        package.tags.iter().map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(read(["types.go", "groupversion_info.go"]), ["groupName=example.dev"]);
    assert_eq!(read(["doc.go", "groupversion_info.go"]), <[&str; 0]>::default());
}

#[test]
fn constants_cannot_blow_up() {
    let mut text = String::from("package v1\nconst A0 = \"0123456789abcdef\"\n");
    for index in 1..60 {
        writeln!(text, "const A{index} = A{} + A{}", index - 1, index - 1).unwrap();
    }
    let (package, findings, _) = read(&text);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].message.contains("too large"));
    assert!(package.consts[59].value.is_none());

    let copies =
        format!("package v1\nconst A = \"{}\"\nconst (\n{})\n", "x".repeat(1 << 20), "B = A\n".repeat(100_000));
    let (_, findings, _) = read(&copies);
    assert_eq!(findings.len(), 1);

    let deep = format!("package v1\nconst A = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    let (package, findings, _) = read(&deep);
    assert_eq!((package.consts[0].value.as_ref(), findings.len()), (None, 0));

    let mut chain = String::from("package v1\n");
    for index in 0..10_000 {
        writeln!(chain, "const A{index} = A{}", index + 1).unwrap();
    }
    let (package, _, _) = read(&chain);
    assert_eq!(package.consts.len(), 10_000);

    let sum = format!("package v1\nconst A = 1{}\n", "+1".repeat(100_000));
    let (package, _, _) = read(&sum);
    assert_eq!(package.consts[0].value, Some(Literal::Int(100_001)));
}

#[test]
fn too_many_entries_are_refused() {
    let fields = format!("package v1\ntype A struct {{\n{}}}\n", "F int;".repeat(MAX_ENTRIES + 1));
    let (_, findings, _) = read(&fields);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.contains("more than 200000"), "{findings:?}");

    let (package, findings, _) =
        read(&"type A int\n".repeat(MAX_FINDINGS + 10).replacen("type", "package v1\ntype", 1));
    assert_eq!((package.types.len(), findings.len()), (1, MAX_FINDINGS));

    let shared =
        format!("package v1\ntype A struct {{\n{}A{} int }}\n", "// +x\n".repeat(MAX_ENTRIES / 16), ", B".repeat(31));
    let (_, findings, _) = read(&shared);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "more than 200000 types, fields, constants and tags in one file");

    let names = |count: usize| format!("package v1\ntype A struct {{ F{} int }}\n", ", F".repeat(count - 1));
    assert_eq!(read(&names(MAX_SHARED_NAMES)).1, []);
    assert_eq!(read(&names(MAX_SHARED_NAMES + 1)).1.len(), 1);
}

#[test]
fn ten_megabytes_are_read_or_refused() {
    const SIZE: usize = 10 << 20;
    for (unit, message) in [
        ("#", Some("unexpected character '#'")),
        ("// +k8s:x and some more prose on the same line\n", None),
        ("var x = map[string]string{`a`: `bcdefghijklmno`}\n", None),
        ("{", Some("more than 4000000 words and signs in one file")),
    ] {
        let (_, findings, _) = read(&format!("package v1\n{}", unit.repeat(SIZE / unit.len())));
        assert_eq!(findings.first().map(|finding| finding.message.as_str()), message, "{unit}");
        assert!(findings.len() <= 2 * MAX_FINDINGS);
    }
    let (_, findings, _) = read(&" ".repeat(MAX_FILE_BYTES + 1));
    assert_eq!(findings[0].message, "file is larger than 33554432 bytes");
}

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

use expect_test::{Expect, expect};

use super::*;
use crate::lex::{MAX_ENTRIES, MAX_FINDINGS, MAX_TYPE_DEPTH};
use crate::model::TypeKind;
use crate::render;

fn read(text: &str) -> (Package, Vec<Finding>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("types.rs", text);
    let (package, findings) = read_rust(RustModuleInput { path: "widgets::api::v1", files: &[file] }, &sources);
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
        include_str!("../../tests/data/everything.rs.txt"),
        &expect![[r#"
            Warning 72:13 written as "out" but read as "in": rules see only the former
            Error 121:9 serde knows no case "Camel"
            Error 141:16 type Name is declared twice
            package v1 +k8s:validation-gen=* +k8s:validation-gen-nolint +k8s:inner
            import BTreeMap std::collections::BTreeMap
            import Deserialize serde::Deserialize
            import Hash std::collections::HashMap
            import ObjectMeta widgets::meta::v1::ObjectMeta
            import Quantity k8s_quantity::Quantity
            import Thing widgets::api::sibling::Thing
            import Value serde_json::Value
            import metav1 widgets::meta::v1
            import serde serde
            type Widget<T,N> +genclient +k8s:validation-gen=true detached: "Widget spins.\n\n  indented prose"
                type_meta - {widgets::meta::v1}.TypeMeta embedded inline ""
                object_meta metadata *{widgets::meta::v1}.ObjectMeta omitempty ""
                replica_count replicaCount *int32 +k8s:optional +default={"a": 1} "The replicas."
                type type string +k8s:maxLength=3 +k8s:second é "first"
                labels labels map[string][]box Inner private +k8s:required "Block docs."
                hidden - bool ignored private ""
                also_hidden - bool ignored private ""
                text text string ""
                cow cow string ""
                bytes bytes []uint8 ""
                array array [N]uint64 ""
                slice slice []float64 ""
                map map map[string]*bool ""
                any any {serde_json}.Value ""
                json json {serde_json}.Map<String | Value> ""
                quantity quantity {k8s_quantity}.Quantity ""
                time time {widgets::meta::v1}.Time ""
                thing thing {widgets::api::sibling}.Thing ""
                globbed globbed Unknown ""
                local local Mode ""
                nested nested Deep ""
                above above {widgets}.Far ""
                root root {widgets}.Root ""
                generic generic Page<T | 3> ""
                tuple tuple Tuple `(u8, T)` ""
                paren paren T ""
                unit unit Tuple `()` ""
                callback callback Func `fn(u8) -> Result<(), T>` ""
                dynamic dynamic box Trait `dyn Fn(&str) -> Option<u8> + Send` ""
                projection projection Projection `<T as Iterator>::Item` ""
                wide wide Primitive `i128` ""
                raw raw UnsafePointer `*const u8` ""
                directed out uint16 ""
            type Name string +k8s:format=k8s-short-name detached: ""
            type Wrapper []Name detached: ""
            type Pair opaque: it is a tuple detached: ""
            type Unit opaque: it has no fields detached: ""
            type Names = []Name detached: ""
            type Fallible<T> = {std::result}.Result<T | Box<dyn std::error::Error>> detached: ""
            type Mode +enum detached: "How."
                VeryFast VERY-FAST +k8s:enumExclude "First."
                Slow slow ""
            type Data opaque: variant One is more than a name detached: ""
            type Either opaque: its wire form is decided by serde(untagged) detached: ""
            type Checked opaque: its wire form is decided by serde(try_from) detached: ""
            type Wrong opaque: it has no fields detached: ""
            type Deep detached: ""
                mode mode Mode ""
                up up Name ""
            const LIMIT int64 = -1000 "A limit."
            const FAST Mode = ? ""
            const NAME string = "a\tb" ""
            const SAME string = "a\tb" ""
            const ON bool = true ""
            const NEWTYPE Name = "x" ""
            const SUM uint8 = ? ""
            func validate_custom_widget(Context, *Widget, Tuple `(u8, u8)`) ([]Error)
            func exported() ()
        "#]],
    );
}

#[test]
fn tags_know_where_they_are() {
    let text = "/// +a\n///+b=1  \n#[doc = \"+c\"]\n#[doc = \"+d\\u{65}\"]\nstruct A { /** +f */ x: u8 }\n";
    let (package, _, _) = read(text);
    let spans: Vec<&str> = package.types[0]
        .tags
        .iter()
        .map(|tag| &text[usize::try_from(tag.span.start).unwrap()..usize::try_from(tag.span.end).unwrap()])
        .collect();
    assert_eq!(spans, ["a", "b=1", "c", "\"+d\\u{65}\""]);
    let TypeKind::Struct(fields) = &package.types[0].kind else { panic!("{:?}", package.types[0].kind) };
    assert_eq!(fields[0].tags[0].text, "f");
    assert_eq!(fields[0].tags[0].span.start, u32::try_from(text.find("f */").unwrap()).unwrap());
}

#[test]
fn serde_attributes_are_kept_by_name() {
    let (package, _, _) = read(
        "struct A {\n#[serde(default = \"one\", alias = \"b\", alias = \"c\", skip_serializing)]\n#[serde(with = \"m\")]\na: u8,\n}\n",
    );
    let TypeKind::Struct(fields) = &package.types[0].kind else { panic!("{:?}", package.types[0].kind) };
    let kept: Vec<String> = fields[0].struct_tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(kept, ["alias=b,c", "default=one", "skip_serializing=", "with=m"]);
    assert!(!fields[0].ignored);
}

#[test]
fn one_variant_of_an_enum_may_hold_other_values() {
    let (package, findings, _) = read("enum A {\nB,\n#[serde(untagged)]\nC(String),\n}\nenum D { E, F(String) }\n");
    assert!(findings.is_empty(), "{findings:?}");
    let TypeKind::Enum(declared) = &package.types[0].kind else { panic!("{:?}", package.types[0].kind) };
    assert_eq!((declared.variants.len(), declared.other.as_deref()), (1, Some("C")));
    assert!(matches!(package.types[1].kind, TypeKind::Opaque(_)), "{:?}", package.types[1].kind);
    check_findings(
        "enum A {\nB,\n#[serde(other)]\nC,\n}\n",
        &expect![["Error 4:1 serde(other) forgets the value that variant C stands for\n"]],
    );
}

#[test]
fn mistakes_are_reported_where_they_are_and_reading_goes_on() {
    check_findings(
        "use a::{b;\nstruct A { x }\nstruct B { x: Vec<u8, }\nfoo bar\nenum C { = }\nconst D: u8;\nstruct E { x: [u8; 3 }\nstruct F;\nstruct F;\n#[serde(rename_all = \"x\")]\nstruct G {}\n",
        &expect![[r#"
            Error 1:8 unclosed '{'
            Error 1:8 unclosed '{'
            Error 1:9 expected an item, found 'b'
            Error 2:14 expected ':', found '}'
            Error 3:23 expected a type, found '}'
            Error 4:1 expected an item, found 'foo'
            Error 5:10 expected a variant, found '='
            Error 6:12 expected '=', found ';'
            Error 7:10 unclosed '{'
            Error 7:12 expected an item, found 'x'
            Error 7:20 expected an item, found '3'
            Error 9:8 type F is declared twice
            Error 10:9 serde knows no case "x"
        "#]],
    );
    let (package, _, _) = read("struct A { x }\nstruct B { y: u8 }\n");
    assert_eq!(package.types.len(), 1);
    assert_eq!(package.types[0].name, "B");
}

#[test]
fn garbage_and_unclosed_quotes_are_findings() {
    check(
        "",
        &expect![[r#"
        package v1
    "#]],
    );
    check_findings(
        "\u{0}\u{1}%%%",
        &expect![[r#"
        Error 1:1 unexpected character '\x00'
        Error 1:2 unexpected character '\x01'
        Error 1:3 expected an item, found '%'
    "#]],
    );
    check_findings(
        "struct A { x: u8, // }\n",
        &expect![[r#"
        Error 1:10 unclosed '{'
        Error 1:12 expected an item, found 'x'
    "#]],
    );
    check_findings(
        "const A: &str = \"abc;\nstruct B;\n",
        &expect![[r#"
        Error 1:17 unterminated literal
        Error 3:1 expected ';', found the end of the file
    "#]],
    );
    check_findings(
        "/* never /* closed */\nstruct B;\n",
        &expect![[r#"
        Error 1:1 unterminated comment
    "#]],
    );
    check_findings(
        "#[doc = \"x\nstruct B;\n",
        &expect![[r#"
        Error 1:9 unterminated literal
        Error 1:2 unclosed '['
    "#]],
    );
    check_findings(
        "}}}} struct B {",
        &expect![[r#"
        Error 1:1 expected an item, found '}'
        Error 1:2 expected an item, found '}'
        Error 1:3 expected an item, found '}'
        Error 1:4 expected an item, found '}'
        Error 1:15 unclosed '{'
    "#]],
    );
}

#[test]
fn nesting_stops_at_the_limit() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("struct A {{ x: {}u8{} }}\n", open.repeat(depth), close.repeat(depth))
    };
    assert_eq!(read(&nested("Option<", ">", MAX_TYPE_DEPTH - 1)).1, []);
    for (open, close) in [("Option<", ">"), ("&", ""), ("(", ")"), ("[", "]"), ("Box<&'a ", ">")] {
        for depth in [MAX_TYPE_DEPTH, 10_000] {
            let (package, findings, sources) = read(&nested(open, close, depth));
            let [finding] = findings.as_slice() else { panic!("{open}: {findings:?}") };
            assert_eq!(finding.message, "type nested more than 64 deep", "{open}");
            let place = sources.locate(finding.span).unwrap();
            let levels = if open == "Box<&'a " { MAX_TYPE_DEPTH / 2 } else { MAX_TYPE_DEPTH };
            assert_eq!((place.line, place.column), (1, 15 + levels * open.len()), "{open}");
            assert!(package.types.is_empty());
        }
    }
    let modules = |depth: usize| format!("{}struct A;{}", "mod a { ".repeat(depth), "}".repeat(depth));
    assert_eq!(read(&modules(MAX_MODULE_DEPTH)).0.types.len(), 1);
    for depth in [MAX_MODULE_DEPTH + 1, 10_000] {
        let (package, findings, _) = read(&modules(depth));
        assert_eq!((package.types.len(), findings.len()), (0, 1));
        assert_eq!(findings[0].message, "more than 32 inline modules inside each other");
    }
    let body = format!("fn f() {{ {}{} }}\nstruct A;\n", "({[".repeat(10_000), "]})".repeat(10_000));
    let (package, findings, _) = read(&body);
    assert_eq!((package.types.len(), findings.len()), (1, 0));
    let prefixes = format!("const A: u8 = {}1;\nstruct A;\n", "-!*&".repeat(10_000));
    assert_eq!(read(&prefixes).1, []);
    let uses = format!("use {}x{};\n", "a::{".repeat(10_000), "}".repeat(10_000));
    assert_eq!(read(&uses).1[0].message, "more than 32 levels in one import");
    let attributes = format!(
        "#[serde{}{}]\n#[cfg_attr{}{}]\nstruct A;\n",
        "(a".repeat(10_000),
        ")".repeat(10_000),
        "(a, cfg_attr".repeat(10_000),
        ")".repeat(10_000)
    );
    assert_eq!(read(&attributes).1, []);
}

#[test]
fn too_many_entries_are_refused() {
    let (_, findings, _) = read(&format!("struct A {{ {} }}", "f: u8,".repeat(MAX_ENTRIES + 1)));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].message, "more than 200000 fields");
    let copies = format!("const A: &str = \"{}\";\n{}", "x".repeat(1 << 20), "const B: &str = A;".repeat(100_000));
    let (_, findings, _) = read(&copies);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "constants of this file are too large to work out");
    let (_, findings, _) = read(&format!("use a::{{{}}};", "b,".repeat(30_000)));
    assert_eq!(findings[0].message, "more than 20000 imported names in one file");
}

#[test]
fn ten_megabytes_are_read_or_refused() {
    const SIZE: usize = 10 << 20;
    for (unit, message) in [
        ("`", Some("unexpected character '`'")),
        ("/// +k8s:x and some more prose on the same line\n", None),
        ("static X: &str = \"a string of some length\";\n", None),
        ("<", Some("more than 4000000 words and signs in one file")),
    ] {
        let (_, findings, _) = read(&unit.repeat(SIZE / unit.len()));
        assert_eq!(findings.first().map(|finding| finding.message.as_str()), message, "{unit}");
        assert!(findings.len() <= 2 * MAX_FINDINGS);
    }
}

#[test]
fn texts_in_the_implementation_of_a_type_are_its_values() {
    check(
        r#"
pub struct Phase(pub String);

impl Phase {
    /// It runs.
    /// +k8s:enumExclude
    pub const RUNNING: &'static str = "Running";
    pub const DONE: &str = "Done";
    pub const LIMIT: usize = 3;
    #[cfg(test)]
    pub const TEST: &'static str = "Test";
    pub const fn new() -> Self { const X: &str = "X"; Phase(String::new()) }
}

pub struct Level(pub i32);

impl Level {
    pub const HIGH: Self = Level(9);
    pub const LOW: Level = Level(1);
}

impl Other { pub const A: &'static str = "a"; }
impl Default for Phase { const B: &'static str = "b"; }
"#,
        &expect![[r#"
            package v1
            type Phase string detached: ""
            type Level int32 detached: ""
            const RUNNING Phase = "Running" +k8s:enumExclude "It runs.\n+k8s:enumExclude"
            const DONE Phase = "Done" ""
            const HIGH Level = 9 ""
            const LOW Level = 1 ""
        "#]],
    );
}

fn read_files(texts: &[&str]) -> (Package, Vec<Finding>, Sources) {
    let mut sources = Sources::default();
    let files: Vec<FileId> =
        texts.iter().enumerate().map(|(at, text)| sources.add(format!("{at}.rs"), *text)).collect();
    let (package, findings) = read_rust(RustModuleInput { path: "widgets::v1", files: &files }, &sources);
    (package, findings, sources)
}

#[test]
fn types_of_all_files_are_of_one_package() {
    let (package, findings, sources) = read_files(&[
        "//! +k8s:validation-gen=*\nmod parts;\nmod other;\npub use parts::*;\n\
         pub struct Widget { pub spec: Spec, pub other: other::Kept, pub part: parts::Part }",
        "use std::collections::BTreeMap;\nuse super::Widget;\nuse crate::meta::Meta;\n\
         pub struct Spec { pub of: Vec<Widget>, pub part: super::parts::Part, pub meta: Meta, pub map: BTreeMap<String, Part> }\n\
         pub struct Part(pub String);\nimpl Part { pub const A: &'static str = \"a\"; }",
    ]);
    expect![[r#"
        package v1 +k8s:validation-gen=*
        type Widget detached: ""
            spec spec Spec ""
            other other {other}.Kept ""
            part part Part ""
        type Spec detached: ""
            of of []Widget ""
            part part Part ""
            meta meta {widgets::meta}.Meta ""
            map map map[string]Part ""
        type Part string detached: ""
        const A Part = "a" ""
    "#]]
    .assert_eq(&(render::findings(&findings, &sources) + &render::package(&package)));
}

#[test]
fn a_type_in_two_files_is_declared_twice() {
    let (_, findings, _) = read_files(&["mod a;\npub use a::*;\npub struct T;", "pub struct T;"]);
    let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["type T is declared twice"]);
}

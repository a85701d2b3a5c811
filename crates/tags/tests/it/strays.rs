//! Tags that would have no effect are errors, wherever they stand.

use sprag_idl::model::Language::{self, Go, Rust};
use sprag_tags::Dialect::{self, Kep, Kubernetes};

use crate::api::Api;

#[track_caller]
fn check(language: Language, dialect: Dialect, source: &str, expected: &[&str]) {
    assert_eq!(Api::strays(language, dialect, source), expected, "{source}");
}

const REQUIRED: &str = r#"unknown tag "k8s:requierd" (did you mean +k8s:required?)"#;

#[test]
fn a_misspelt_tag_is_an_error_wherever_it_stands() {
    for source in [
        "//! +k8s:requierd\npub struct A {\n    pub f: i32,\n}\n",
        "/// +k8s:requierd\npub struct A {\n    pub f: i32,\n}\n",
        "pub struct A {\n    /// +k8s:requierd\n    pub f: i32,\n}\n",
        "pub struct A {\n    // +k8s:requierd\n    pub f: i32,\n}\n",
        "pub struct A {\n    /* +k8s:requierd */\n    pub f: i32,\n}\n",
        "pub struct A {\n    pub f: i32, // +k8s:requierd\n}\n",
        "struct Unreached {\n    /// +k8s:requierd\n    f: i32,\n}\n",
        "pub enum E {\n    /// +k8s:requierd\n    A,\n}\n",
        "pub enum E {\n    /// +k8s:requierd\n    A(i32),\n}\n",
        "/// +k8s:requierd\npub type A = String;\n",
        "/// +k8s:requierd\npub const A: &str = \"a\";\n",
        "/// +k8s:requierd\npub fn f() {}\n",
    ] {
        check(Rust, Kep, source, &[REQUIRED]);
    }
    for source in [
        "// +k8s:requierd\ntype A struct {\n\tF int `json:\"f\"`\n}\n",
        "// +k8s:requierd\n\ntype A struct {\n\tF int `json:\"f\"`\n}\n",
        "type A struct {\n\t// +k8s:requierd\n\tF int `json:\"f\"`\n}\n",
        "type A struct {\n\t// +k8s:requierd\n\n\tF int `json:\"f\"`\n}\n",
        "type A struct {\n\tF int `json:\"f\"` // +k8s:requierd\n}\n",
        "// +k8s:requierd\ntype A = string\n",
        "// +k8s:requierd\nconst A = \"a\"\n",
    ] {
        check(Go, Kubernetes, source, &[REQUIRED]);
        check(Go, Kep, source, &[REQUIRED]);
    }
}

#[test]
fn tests_in_the_same_file_are_left_alone() {
    check(Rust, Kep, "#[cfg(test)]\nmod tests {\n    // +k8s:requierd\n    /// +k8s:nope\n    struct T;\n}\n", &[]);
}

#[test]
fn a_misspelt_tag_inside_another_is_an_error() {
    let message = r#"tag "k8s:eachVal": unknown tag "k8s:maxLenght" (did you mean +k8s:maxLength?)"#;
    let unreached = "struct A {\n    /// +k8s:eachVal=+k8s:maxLenght=3\n    f: Vec<String>,\n}\n";
    check(Rust, Kep, unreached, &[message]);
    let reached = "pub struct A {\n    /// +k8s:eachVal=+k8s:maxLenght=3\n    pub f: Vec<String>,\n}\n";
    check(Rust, Kep, reached, &[&format!("field widgets::v1.A.f: {message}")]);
}

#[test]
fn suggestions_name_what_was_meant() {
    for (written, help) in [
        ("k8s:Required", "did you mean +k8s:required?"),
        ("k8s:maxlength=3", "did you mean +k8s:maxLength?"),
        ("k8s:min=3", "did you mean +k8s:minimum?"),
        ("k8s:imutable", "did you mean +k8s:immutable?"),
        ("k8s-format=ip", "did you mean +k8s:format?"),
        ("K8s:optional", "did you mean +k8s:optional?"),
        ("k8s:validation-gne=*", "did you mean +k8s:validation-gen?"),
        ("k8s:xyzzy", "`sprag docs tags` lists all tags"),
    ] {
        let name = written.split('=').next().unwrap();
        let source = format!("pub struct A {{\n    /// +{written}\n    pub f: i32,\n}}\n");
        check(Rust, Kep, &source, &[&format!("unknown tag {name:?} ({help})")]);
    }
}

#[test]
fn tags_of_the_other_dialect_say_so() {
    let source = |tag: &str| format!("type A struct {{\n\t// +{tag}\n\tF string `json:\"f\"`\n}}\n");
    let only =
        "only the kep dialect knows it: choose that with the package tag +sprag:dialect=kep or with --dialect kep";
    check(Go, Kubernetes, &source("k8s:pattern=\"a\""), &[&format!("unknown tag \"k8s:pattern\" ({only})")]);
    let alias = "unknown tag \"k8s:ifOptionEnabled\" (the kubernetes dialect calls it +k8s:ifEnabled)";
    check(Go, Kubernetes, &source("k8s:ifOptionEnabled(X)=+k8s:required"), &[alias]);
}

#[test]
fn tags_of_other_generators_are_left_alone() {
    for tag in [
        "k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object",
        "k8s:openapi-gen=true",
        "k8s:prerelease-lifecycle-gen:introduced=1.2",
        "k8s:supportsSubresource=\"/status\"",
        "kubebuilder:validation:Minimum=1",
        "genclient",
        "optional",
    ] {
        check(Go, Kubernetes, &format!("// +{tag}\ntype A struct {{\n\tF int `json:\"f\"`\n}}\n"), &[]);
    }
    let message = r#"unknown tag "k8s:deepcopy-gen" (`sprag docs tags` lists all tags)"#;
    check(Rust, Kep, "/// +k8s:deepcopy-gen=true\npub struct A {\n    pub f: i32,\n}\n", &[message]);
}

#[test]
fn a_rule_in_a_comment_that_is_not_read_is_an_error() {
    let rust = "tag \"k8s:required\" is in a comment that is not read (put it into the doc comment (`///`) of a type, a \
                field or a variant)";
    check(Rust, Kep, "pub struct A {\n    // +k8s:required\n    pub f: String,\n}\n", &[rust]);
    let go =
        "tag \"k8s:required\" is in a comment that is not read (put it directly above a type, a field or a constant)";
    check(Go, Kubernetes, "type A struct {\n\tF *int `json:\"f\"` // +k8s:required\n}\n", &[go]);
    let blank = "tag \"k8s:required\" is not read: there is a blank after the + (write +k8s:required)";
    check(Rust, Kep, "pub struct A {\n    /// + k8s:required\n    pub f: String,\n}\n", &[blank]);
}

#[test]
fn rules_on_an_alias_act_or_are_refused() {
    let rust = "/// A name.\n/// +k8s:maxLength=3\npub type Name = String;\n\npub struct A {\n    pub f: Name,\n}\n";
    let message = "tag \"k8s:maxLength\" has no effect on Name, which is an alias (declare a type of its own (`struct \
                   Name(…);`), or tag the fields)";
    check(Rust, Kep, rust, &[message]);
    let message = "tag \"k8s:maxLength\" has no effect on Name, which is an alias (declare a type of its own (`type Name \
                   …` without `=`), or tag the fields)";
    check(Go, Kubernetes, "// +k8s:maxLength=3\ntype Name = string\n", &[message]);
    // As in the reference, a type without a comment takes that of its alias.
    check(Go, Kubernetes, "// +k8s:maxLength=3\ntype Name = Text\ntype Text string\n", &[]);
}

#[test]
fn a_rule_on_a_package_is_an_error() {
    let message = "tag \"k8s:required\" has no effect on a package (put it on a type, a field or a constant)";
    check(Rust, Kep, "//! +k8s:required\n//! +sprag:dialect=kep\npub struct A {\n    pub f: i32,\n}\n", &[message]);
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    let source = "pub struct A {\n    /// +k8s:minimum=x y\n    /// +k8s:maxLength=a\n    /// +k8s:format=nope\n\
                  \x20   /// +k8s:requierd\n    pub f: String,\n\n    /// +k8s:minimum=1\n    /// +k8s:maxItems=1\n\
                  \x20   /// +default=3\n    pub g: bool,\n\n    /// +k8s:eachVal=+k8s:immutable\n    /// +k8s:update=NoClear\n\
                  \x20   pub h: Vec<String>,\n}\n\n/// +k8s:immutable\npub struct B {\n    pub f: i32,\n}\n";
    let found = Api::strays(Rust, Kep, source);
    for part in [
        "A.f: failed to parse tags",
        "A.f: tag \"k8s:maxLength\"",
        "A.f: tag \"k8s:format\"",
        "\"k8s:requierd\"",
        "A.g: tag \"k8s:minimum\"",
        "A.g: tag \"k8s:maxItems\"",
        "A.g: the default does not fit",
        "field h of type widgets::v1.A: elements of an atomic list",
        "A.h: tag \"k8s:update\"",
        "B: tag \"k8s:immutable\"",
    ] {
        assert_eq!(found.iter().filter(|text| text.contains(part)).count(), 1, "{part}: {found:#?}");
    }
    assert_eq!(found.len(), 10, "{found:#?}");
}

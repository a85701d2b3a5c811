//! Sources that try to break the lowering: findings, never a panic or an endless loop.

use std::fmt::Write;

use sprag_tags::Dialect;

use crate::api::Api;

const DEEP: usize = 10_000;

#[test]
fn a_typedef_that_stands_for_itself_is_a_finding() {
    let refusals = Api::refusals(Dialect::Kubernetes, "type A B\ntype B A\ntype T struct { F A `json:\"f\"` }\n");
    assert!(refusals.iter().any(|message| message == "type A is defined by itself"), "{refusals:?}");
}

#[test]
fn a_long_chain_of_typedefs_is_a_finding() {
    let mut source = "type T0 string\n".to_owned();
    for at in 1..DEEP {
        let _ = writeln!(source, "type T{at} T{}", at - 1);
    }
    let refusals = Api::refusals(Dialect::Kep, &source);
    assert!(refusals.iter().any(|message| message.contains("chain of more than 256 typedefs")));
}

#[test]
fn a_long_chain_of_structs_is_lowered() {
    let mut source = "type T struct { F S0 `json:\"f\"` }\n".to_owned();
    for at in 0..DEEP {
        let _ = writeln!(source, "type S{at} struct {{ F *S{} `json:\"f\"` }}", at + 1);
    }
    let _ = writeln!(source, "type S{DEEP} struct {{\n\t// +k8s:minimum=1\n\tF int `json:\"f\"`\n}}");
    assert_eq!(Api::refusals(Dialect::Kubernetes, &source), [""; 0]);
}

#[test]
fn a_struct_that_embeds_itself_is_a_finding() {
    let source = "type T struct {\n\t*T\n\t// +k8s:minimum=1\n\tF int `json:\"f\"`\n}\n";
    assert_eq!(Api::refusals(Dialect::Kubernetes, source), ["type T embeds itself"]);
}

#[test]
fn structs_that_embed_each_other_are_a_finding() {
    let source = "type T struct {\n\t*U\n}\ntype U struct {\n\t*T\n\t// +k8s:minimum=1\n\tF int `json:\"f\"`\n}\n";
    assert!(!Api::refusals(Dialect::Kubernetes, source).is_empty());
}

#[test]
fn a_recursive_type_validates_the_deepest_value_a_reader_yields() {
    let source = "type T struct {\n\t// +k8s:optional\n\tNext *T `json:\"next\"`\n\
                  \t// +k8s:optional\n\t// +k8s:minimum=1\n\tF *int `json:\"f\"`\n}\n";
    let api = Api::new(Dialect::Kubernetes, source);
    let depth = sprag_value::MAX_DEPTH - 1;
    let deep = format!("{}{{\"f\": 0}}{}", "{\"next\":".repeat(depth), "}".repeat(depth));
    let errors = api.create(&deep);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].ends_with("f: Invalid value: 0: must be greater than or equal to 1"));
}

#[test]
fn a_deeply_chained_tag_is_a_finding() {
    let chain = "+k8s:eachVal=".repeat(DEEP);
    let refusals =
        Api::refusals(Dialect::Kubernetes, &format!("type T struct {{\n\t// {chain}+k8s:minimum=1\n\tF []int\n}}\n"));
    assert_eq!(refusals.len(), 1);
}

#[test]
fn a_generic_type_is_a_finding() {
    let refusals = Api::refusals(Dialect::Kubernetes, "type T[X any] struct {\n\tF X `json:\"f\"`\n}\n");
    assert_eq!(refusals, ["type example.dev/api/v1.T: generic types are not supported"]);
}

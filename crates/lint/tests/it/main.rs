//! Tests of the cases that each rule flags and lets pass.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod definitions;
mod fixtures;

use sprag_idl::{GoPackageInput, Sources, read_go};
use sprag_tags::types::Universe;
use sprag_tags::{LowerOptions, Registry, Untagged, lower};

#[track_caller]
fn check(version: &str, source: &str, expected: &[&str]) {
    let mut sources = Sources::default();
    let file = sources.add("types.go", format!("package {version}\n{source}"));
    let path = format!("example.dev/{version}");
    let (package, findings) = read_go(GoPackageInput { path: &path, files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:?}");
    let registry = Registry::standard();
    let universe = Universe::new(vec![package], |_| true);
    let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &registry, options);
    let got: Vec<String> = sprag_lint::lint(&universe, &registry, &lowering.root_types)
        .into_iter()
        .map(|finding| finding.message)
        .collect();
    assert_eq!(got, expected);
}

#[test]
fn a_field_with_a_rule_says_whether_it_must_be_set() {
    let source = "type T struct {\n\t// +k8s:minimum=1\n\tF int `json:\"f\"`\n}\n";
    let message = "type example.dev/v1.T: field F: field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden";
    check("v1", source, &[message]);
    check("v1", &source.replace("\t// +k8s:minimum", "\t// +k8s:optional\n\t// +k8s:minimum"), &[]);
}

#[test]
fn a_rule_below_a_pointer_counts() {
    let source = "type T struct {\n\tP *P `json:\"p\"`\n}\ntype P struct {\n\t// +k8s:optional\n\
                  \t// +k8s:minimum=1\n\tF int `json:\"f\"`\n}\n";
    let message = "type example.dev/v1.T: field P: field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden";
    check("v1", source, &[message]);
    check("v1", &source.replace("\tP *P", "\t// +k8s:opaqueType\n\tP *P"), &[]);
}

#[test]
fn a_tag_is_as_stable_as_its_rule() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:monotonic\n\tF int `json:\"f\"`\n}\n";
    let message = "type example.dev/v1.T: field F: tag \"k8s:monotonic\" with stability level \"Alpha\" cannot be used in \
                   Stable validation";
    check("v1", source, &[message]);
    check("v1alpha1", source, &[]);
    check("v1", &source.replace("+k8s:monotonic", "+k8s:alpha=+k8s:monotonic"), &[]);
}

#[test]
fn stages_stand_outermost() {
    let source =
        "type T struct {\n\t// +k8s:optional\n\t// +k8s:eachVal=+k8s:beta=+k8s:minimum=1\n\tF []int `json:\"f\"`\n}\n";
    let found = [
        "type example.dev/v1.T: field F: tag \"k8s:beta\" can't be used in between",
        "type example.dev/v1.T: field F: tag \"k8s:beta\" with stability level \"Beta\" cannot be used in Stable validation",
    ];
    check("v1", source, &found);
}

#[test]
fn a_type_and_all_below_it_can_be_left_out() {
    let source = "// +k8s:validation-gen-nolint\ntype T struct {\n\t// +k8s:minimum=1\n\tF int `json:\"f\"`\n}\n";
    check("v1", source, &[]);
}

#[test]
fn an_element_that_is_only_optional_needs_nothing() {
    let source =
        "type T struct {\n\tF []I `json:\"f\"`\n}\ntype I struct {\n\t// +k8s:optional\n\tA string `json:\"a\"`\n}\n";
    check("v1", source, &[]);
}

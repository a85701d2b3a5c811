//! One test per row of KEP-5073's table of ratcheting, in both dialects.
//!
//! Every rule here fails by itself, so what is reported is exactly what was judged.

use sprag_tags::Dialect::{self, Kep, Kubernetes};

use crate::api::Api;

/// The fields that an update judges.
#[track_caller]
fn judged(dialect: Dialect, source: &str, old: &str, new: &str, expected: &[&str]) {
    let api = Api::new(dialect, source);
    let mut fields: Vec<String> = api
        .update(old, new)
        .iter()
        .map(|message| message.split(": ").next().expect("a message starts with its field").to_owned())
        .collect();
    fields.sort();
    assert_eq!(fields, expected, "{dialect}: {old} -> {new}");
}

#[track_caller]
fn judged_in_both(source: &str, old: &str, new: &str, expected: &[&str]) {
    for dialect in [Kep, Kubernetes] {
        judged(dialect, source, old, new, expected);
    }
}

#[test]
fn a_scalar_is_judged_when_it_changed() {
    let source = "type T struct {\n\t// +k8s:validateFalse=\"x\"\n\tF int `json:\"f\"`\n\tG int `json:\"g\"`\n}\n";
    judged_in_both(source, r#"{"f": 1, "g": 1}"#, r#"{"f": 2, "g": 1}"#, &["f"]);
    judged_in_both(source, r#"{"f": 1, "g": 1}"#, r#"{"f": 1, "g": 2}"#, &[]);
}

#[test]
fn a_pointer_is_judged_when_its_target_changed() {
    let source = "type T struct {\n\t// +k8s:validateFalse=\"x\"\n\tF *int `json:\"f\"`\n\tG int `json:\"g\"`\n}\n";
    judged_in_both(source, r#"{"f": 1, "g": 1}"#, r#"{"f": 1, "g": 2}"#, &[]);
    judged_in_both(source, r#"{"f": 1}"#, r#"{"f": 2}"#, &["f"]);
    judged_in_both(source, r#"{"f": 0}"#, r#"{"f": null}"#, &["f"]);
}

const STRUCT: &str = "type T struct {\n\t// +k8s:validateFalse=\"x\"\n\tS S `json:\"s\"`\n\tG int `json:\"g\"`\n}\n\
                      type S struct {\n\t// +k8s:validateFalse=\"x\"\n\tA int `json:\"a\"`\n\
                      \t// +k8s:validateFalse=\"x\"\n\tB int `json:\"b\"`\n}\n";

#[test]
fn a_struct_is_judged_when_any_field_changed() {
    judged_in_both(STRUCT, r#"{"s": {"a": 1, "b": 1}, "g": 1}"#, r#"{"s": {"a": 1, "b": 1}, "g": 2}"#, &[]);
}

#[test]
fn of_a_granular_struct_the_changed_fields_are_judged() {
    judged_in_both(STRUCT, r#"{"s": {"a": 1, "b": 1}}"#, r#"{"s": {"a": 2, "b": 1}}"#, &["s", "s.a"]);
}

#[test]
fn of_an_atomic_struct_the_changed_fields_are_judged() {
    let source = STRUCT.replace("\tS S", "\t// +structType=atomic\n\tS S");
    judged_in_both(&source, r#"{"s": {"a": 1, "b": 1}}"#, r#"{"s": {"a": 2, "b": 1}}"#, &["s", "s.a"]);
}

/// A list of numbers with a rule on the list and one on each element.
fn numbers(list_type: &str) -> String {
    format!(
        "type T struct {{\n\t// +k8s:listType={list_type}\n\t// +k8s:validateFalse=\"x\"\n\
         \t// +k8s:eachVal=+k8s:validateFalse=\"y\"\n\tF []int `json:\"f\"`\n\tG int `json:\"g\"`\n}}\n"
    )
}

#[test]
fn a_list_is_judged_when_an_element_or_the_order_changed() {
    judged_in_both(&numbers("set"), r#"{"f": [1, 2], "g": 1}"#, r#"{"f": [1, 2], "g": 2}"#, &[]);
    judged_in_both(&numbers("set"), r#"{"f": [1, 2]}"#, r#"{"f": [2, 1]}"#, &["f"]);
}

#[test]
fn of_an_atomic_list_new_elements_are_judged_under_the_kep() {
    judged(Kep, &numbers("atomic"), r#"{"f": [1, 2]}"#, r#"{"f": [2, 3, 1]}"#, &["f", "f[1]"]);
}

#[test]
fn of_an_atomic_list_all_elements_are_judged_under_kubernetes() {
    judged(Kubernetes, &numbers("atomic"), r#"{"f": [1, 2]}"#, r#"{"f": [2, 3, 1]}"#, &["f", "f[0]", "f[1]", "f[2]"]);
}

#[test]
fn of_a_set_new_elements_are_judged() {
    judged_in_both(&numbers("set"), r#"{"f": [1, 2]}"#, r#"{"f": [2, 3, 1]}"#, &["f", "f[1]"]);
}

#[test]
fn of_a_keyed_list_new_and_changed_elements_are_judged() {
    let source = "type T struct {\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\
                  \t// +k8s:eachVal=+k8s:validateFalse=\"y\"\n\tF []I `json:\"f\"`\n}\n\
                  type I struct {\n\tK string `json:\"k\"`\n\tV int `json:\"v\"`\n}\n";
    let old = r#"{"f": [{"k": "a", "v": 1}, {"k": "b", "v": 1}]}"#;
    let new = r#"{"f": [{"k": "b", "v": 1}, {"k": "c", "v": 1}, {"k": "a", "v": 2}]}"#;
    judged_in_both(source, old, new, &["f[1]", "f[2]"]);
}

/// A map with a rule on the map and one on each value.
fn map(marker: &str) -> String {
    format!(
        "type T struct {{\n{marker}\t// +k8s:validateFalse=\"x\"\n\t// +k8s:eachVal=+k8s:validateFalse=\"y\"\n\
         \tF map[string]int `json:\"f\"`\n\tG int `json:\"g\"`\n}}\n"
    )
}

#[test]
fn a_map_is_judged_when_any_value_changed() {
    judged_in_both(&map(""), r#"{"f": {"a": 1}, "g": 1}"#, r#"{"f": {"a": 1}, "g": 2}"#, &[]);
}

#[test]
fn of_a_granular_map_new_and_changed_values_are_judged() {
    let old = r#"{"f": {"a": 1, "b": 1}}"#;
    let new = r#"{"f": {"a": 1, "b": 2, "c": 1}}"#;
    judged_in_both(&map(""), old, new, &["f", "f[b]", "f[c]"]);
}

#[test]
fn of_an_atomic_map_new_and_changed_values_are_judged() {
    let old = r#"{"f": {"a": 1, "b": 1}}"#;
    let new = r#"{"f": {"a": 1, "b": 2, "c": 1}}"#;
    judged_in_both(&map("\t// +mapType=atomic\n"), old, new, &["f", "f[b]", "f[c]"]);
}

#[test]
fn a_union_is_judged_when_a_member_was_set_or_cleared() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tA *int `json:\"a\"`\n\
                  \t// +k8s:optional\n\t// +k8s:unionMember\n\tB *int `json:\"b\"`\n\tZ int `json:\"z\"`\n}\n";
    judged_in_both(source, r#"{"a": 1, "b": 1, "z": 1}"#, r#"{"a": 2, "b": 1, "z": 2}"#, &[]);
    judged_in_both(source, r#"{"a": 1, "z": 1}"#, r#"{"a": 1, "b": 1, "z": 1}"#, &["<nil>"]);
}

#[test]
fn a_new_parent_starts_a_new_life_under_the_kep_only() {
    let source = "type T struct {\n\t// +k8s:optional\n\tP *P `json:\"p\"`\n}\n\
                  type P struct {\n\t// +k8s:optional\n\t// +k8s:immutable\n\tF *string `json:\"f\"`\n}\n";
    judged(Kep, source, "{}", r#"{"p": {"f": "a"}}"#, &[]);
    judged(Kep, source, r#"{"p": {"f": "a"}}"#, r#"{"p": {"f": "b"}}"#, &["p.f"]);
    judged(Kubernetes, source, "{}", r#"{"p": {"f": "a"}}"#, &["p.f"]);
}

#[test]
fn a_new_item_starts_a_new_life_under_the_kep_only() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\
                  \t// +k8s:eachVal=+k8s:immutable\n\tF []I `json:\"f\"`\n}\n\
                  type I struct {\n\tK string `json:\"k\"`\n\tV int `json:\"v\"`\n}\n";
    let old = r#"{"f": [{"k": "a", "v": 1}]}"#;
    let added = r#"{"f": [{"k": "a", "v": 1}, {"k": "b", "v": 1}]}"#;
    judged(Kep, source, old, added, &[]);
    judged(Kubernetes, source, old, added, &["f[1]"]);
    judged_in_both(source, old, r#"{"f": [{"k": "a", "v": 2}]}"#, &["f[0]"]);
}

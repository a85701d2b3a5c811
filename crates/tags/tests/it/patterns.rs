//! One test per row of KEP-5073's three tables of patterns.
//!
//! A row says what may happen to a field or item on create and on each kind of update. Where a cell contradicts the
//! KEP's own definition of the tags, the definition holds; `DIVERGENCES.md` lists those cells.

use sprag_idl::model::Language;
use sprag_tags::Dialect;

use crate::api::Api;

const OK: bool = true;
const NO: bool = false;

fn comment_lines(tags: &[&str]) -> String {
    format!("\t// {}\n", tags.join("\n\t// "))
}

/// A pattern on a scalar pointer: create set, create unset, set, modify, unset.
#[track_caller]
fn scalar(tags: &[&str], expected: [bool; 5]) {
    let comments = comment_lines(tags);
    let api = Api::new(Dialect::Kep, &format!("type T struct {{\n{comments}\tF *string `json:\"f\"`\n}}\n"));
    let unset = "{}";
    let a = r#"{"f": "a"}"#;
    let b = r#"{"f": "b"}"#;
    let got = [
        api.create(a).is_empty(),
        api.create(unset).is_empty(),
        api.update(unset, a).is_empty(),
        api.update(a, b).is_empty(),
        api.update(a, unset).is_empty(),
    ];
    assert_eq!(got, expected, "{tags:?}: create set, create unset, set, modify, unset");
}

/// The same for a value that is defaulted before validation: create and unset see the default.
#[track_caller]
fn defaulted(tags: &[&str], modify: bool) {
    // An unset value in validation was not defaulted, which `required` rejects.
    scalar(tags, [OK, NO, modify_from_unset(tags), modify, NO]);
}

/// An object stored before the default existed: setting the field later is refused only by `NoSet`.
fn modify_from_unset(tags: &[&str]) -> bool {
    !tags.contains(&"+k8s:immutable")
}

#[test]
fn optional() {
    scalar(&["+k8s:optional"], [OK, OK, OK, OK, OK]);
}

#[test]
fn optional_with_default() {
    defaulted(&["+k8s:optional", "+default=\"x\""], OK);
}

#[test]
fn required() {
    scalar(&["+k8s:required"], [OK, NO, OK, OK, NO]);
}

#[test]
fn never_allowed() {
    scalar(&["+k8s:forbidden"], [NO, OK, NO, NO, OK]);
}

#[test]
fn required_immutable() {
    scalar(&["+k8s:required", "+k8s:update=NoModify,NoClear"], [OK, NO, OK, NO, NO]);
}

#[test]
fn required_immutable_by_alias() {
    scalar(&["+k8s:required", "+k8s:immutable"], [OK, NO, NO, NO, NO]);
}

#[test]
fn optional_immutable() {
    scalar(&["+k8s:optional", "+k8s:update=NoModify,NoClear"], [OK, OK, OK, NO, NO]);
}

#[test]
fn optional_immutable_by_alias() {
    scalar(&["+k8s:optional", "+k8s:immutable"], [OK, OK, NO, NO, NO]);
}

#[test]
fn defaulted_immutable() {
    defaulted(&["+k8s:optional", "+default=\"x\"", "+k8s:update=NoModify,NoClear"], NO);
}

#[test]
fn defaulted_immutable_by_alias() {
    defaulted(&["+k8s:optional", "+default=\"x\"", "+k8s:immutable"], NO);
}

#[test]
fn set_once() {
    scalar(&["+k8s:optional", "+k8s:update=NoModify", "+k8s:update=NoClear"], [OK, OK, OK, NO, NO]);
}

#[test]
fn required_once_set() {
    scalar(&["+k8s:optional", "+k8s:update=NoClear"], [OK, OK, OK, OK, NO]);
}

#[test]
fn defaulted_once_set() {
    defaulted(&["+k8s:optional", "+default=\"x\"", "+k8s:update=NoClear"], OK);
}

/// A pattern on a keyed list: create set, create unset, set, add an item, remove one, remove all, modify one.
#[track_caller]
fn list(tags: &[&str], expected: [bool; 7]) {
    let comments = comment_lines(tags);
    let source = format!(
        "type T struct {{\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n{comments}\tF []Item `json:\"f\"`\n}}\n\
         type Item struct {{\n\tK string `json:\"k\"`\n\tV string `json:\"v\"`\n}}\n"
    );
    let api = Api::new(Dialect::Kep, &source);
    let item = |k: &str, v: &str| format!(r#"{{"k": "{k}", "v": "{v}"}}"#);
    let object = |items: &[String]| format!(r#"{{"f": [{}]}}"#, items.join(","));
    let unset = object(&[]);
    let one = object(&[item("a", "1")]);
    let two = object(&[item("a", "1"), item("b", "1")]);
    let changed = object(&[item("a", "2")]);
    let got = [
        api.create(&one).is_empty(),
        api.create(&unset).is_empty(),
        api.update(&unset, &one).is_empty(),
        api.update(&one, &two).is_empty(),
        api.update(&two, &one).is_empty(),
        api.update(&one, &unset).is_empty(),
        api.update(&one, &changed).is_empty(),
    ];
    assert_eq!(got, expected, "{tags:?}: create set, create unset, set, add, remove, remove all, modify");
}

#[test]
fn optional_list() {
    list(&["+k8s:optional"], [OK, OK, OK, OK, OK, OK, OK]);
}

#[test]
fn required_list() {
    list(&["+k8s:required"], [OK, NO, OK, OK, OK, NO, OK]);
}

#[test]
fn forbidden_list() {
    list(&["+k8s:forbidden"], [NO, OK, NO, NO, NO, OK, NO]);
}

const IMMUTABLE_PARTS: [&str; 2] = ["+k8s:update=NoAddItem,NoRemoveItem", "+k8s:eachVal=+k8s:immutable"];

#[test]
fn required_immutable_list() {
    list(&["+k8s:required", IMMUTABLE_PARTS[0], IMMUTABLE_PARTS[1]], [OK, NO, NO, NO, NO, NO, NO]);
}

#[test]
fn required_immutable_list_by_alias() {
    list(&["+k8s:required", "+k8s:immutable"], [OK, NO, NO, NO, NO, NO, NO]);
}

#[test]
fn optional_immutable_list() {
    list(&["+k8s:optional", IMMUTABLE_PARTS[0], IMMUTABLE_PARTS[1]], [OK, OK, NO, NO, NO, NO, NO]);
}

#[test]
fn optional_immutable_list_by_alias() {
    list(&["+k8s:optional", "+k8s:immutable"], [OK, OK, NO, NO, NO, NO, NO]);
}

#[test]
fn defaulted_immutable_list() {
    let tags = ["+k8s:optional", "+default=[{\"k\": \"d\"}]", IMMUTABLE_PARTS[0], IMMUTABLE_PARTS[1]];
    list(&tags, [OK, NO, NO, NO, NO, NO, NO]);
}

#[test]
fn append_only_list() {
    list(&["+k8s:optional", "+k8s:update=NoRemoveItem"], [OK, OK, OK, OK, NO, NO, OK]);
}

/// A pattern on the item `a`: create with it, add it, remove it, clear the list, modify it, modify another.
#[track_caller]
fn item(tag: &str, expected: [bool; 6]) {
    let source = format!(
        "type T struct {{\n\t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\t// {tag}\n\
         \tF []Item `json:\"f\"`\n}}\ntype Item struct {{\n\tK string `json:\"k\"`\n\tV string `json:\"v\"`\n}}\n"
    );
    let api = Api::new(Dialect::Kep, &source);
    let none = r#"{"f": []}"#;
    let other = r#"{"f": [{"k": "z", "v": "1"}]}"#;
    let both = r#"{"f": [{"k": "z", "v": "1"}, {"k": "a", "v": "1"}]}"#;
    let changed = r#"{"f": [{"k": "z", "v": "1"}, {"k": "a", "v": "2"}]}"#;
    let other_changed = r#"{"f": [{"k": "z", "v": "2"}, {"k": "a", "v": "1"}]}"#;
    let got = [
        api.create(both).is_empty(),
        api.update(other, both).is_empty(),
        api.update(both, other).is_empty(),
        api.update(both, none).is_empty(),
        api.update(both, changed).is_empty(),
        api.update(both, other_changed).is_empty(),
    ];
    assert_eq!(got, expected, "{tag}: create, add, remove, clear, modify, modify another");
}

#[test]
fn forbidden_item() {
    item(r#"+k8s:item(k: "a")=+k8s:forbidden"#, [NO, NO, OK, OK, NO, OK]);
}

#[test]
fn immutable_item() {
    item(r#"+k8s:item(k: "a")=+k8s:update=NoModify,NoRemoveItem"#, [OK, OK, NO, NO, NO, OK]);
}

#[test]
fn immutable_item_by_alias() {
    item(r#"+k8s:item(k: "a")=+k8s:immutable"#, [OK, OK, NO, NO, NO, OK]);
}

#[test]
fn disallowed_element() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:listType=set\n\
                  \t// +k8s:eachVal=+k8s:neq=”bad”\n\tF []string `json:\"f\"`\n}\n";
    let api = Api::new(Dialect::Kep, source);
    assert_eq!(api.create(r#"{"f": ["bad"]}"#), [r#"f[0]: Invalid value: "bad": must not be equal to "bad""#]);
    assert_eq!(api.update(r#"{"f": []}"#, r#"{"f": ["bad"]}"#).len(), 1);
    assert_eq!(api.update(r#"{"f": ["ok"]}"#, r#"{"f": ["ok", "bad"]}"#).len(), 1);
    // Stored values are let through.
    assert!(api.update(r#"{"f": ["bad"]}"#, r#"{"f": ["ok", "bad"]}"#).is_empty());
}

/// Checks changes of a list of strings with these tags: reorder, repeat an element, add, remove, replace, clear.
#[track_caller]
fn strings(tags: &[&str], expected: [&[&str]; 6]) {
    let tags: String = tags.iter().flat_map(|tag| ["\t// ", tag, "\n"]).collect();
    let api = Api::new(Dialect::Kep, &format!("type T struct {{\n{tags}\tF []string `json:\"f\"`\n}}\n"));
    let old = r#"{"f": ["a", "b"]}"#;
    let news = [r#"["b", "a"]"#, r#"["a", "b", "b"]"#, r#"["a", "b", "c"]"#, r#"["a"]"#, r#"["a", "c"]"#, "[]"];
    for (new, expected) in news.iter().zip(expected) {
        assert_eq!(api.update(old, &format!(r#"{{"f": {new}}}"#)), expected, "{tags}{new}");
    }
    assert_eq!(api.update(old, old), [""; 0]);
}

const MODIFIED: &[&str] = &["f: Invalid value: null: field cannot be modified once set"];
const CLEARED: &[&str] = &["f: Invalid value: null: field cannot be cleared once set"];

#[test]
fn an_immutable_atomic_list_is_immutable_as_a_whole() {
    let expected = [MODIFIED, MODIFIED, MODIFIED, MODIFIED, MODIFIED, CLEARED];
    strings(&["+k8s:optional", "+k8s:immutable"], expected);
    strings(&["+k8s:optional", "+k8s:immutable", "+k8s:listType=atomic"], expected);
}

#[test]
fn an_immutable_set_keeps_its_elements_in_any_order() {
    const ADDED: &str = "f[2]: Forbidden: item may not be added";
    const A: &str = r#"f: Forbidden: item may not be removed: "a""#;
    const B: &str = r#"f: Forbidden: item may not be removed: "b""#;
    let repeated: &[&str] = &[r#"f[2]: Duplicate value: "b""#];
    let replaced: &[&str] = &["f[1]: Forbidden: item may not be added", B];
    for tags in [&["+k8s:listType=set"][..], &["+k8s:listType=atomic", "+k8s:unique=set"]] {
        let tags = [tags, &["+k8s:optional", "+k8s:immutable"]].concat();
        strings(&tags, [&[], repeated, &[ADDED], &[B], replaced, &[A, B]]);
    }
}

#[test]
fn removed_items_are_named_by_their_keys() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\
                  \t// +k8s:listMapKey=n\n\t// +k8s:update=NoRemoveItem\n\tF []Item `json:\"f\"`\n}\n\
                  type Item struct {\n\tK string `json:\"k\"`\n\tN *int `json:\"n\"`\n\tV string `json:\"v\"`\n}\n";
    let api = Api::new(Dialect::Kep, source);
    let old = r#"{"f": [{"k": "a", "n": 1, "v": "x"}, {"k": "b"}, {"n": 3}, {"k": "kept", "n": 4}]}"#;
    assert_eq!(
        api.update(old, r#"{"f": [{"k": "kept", "n": 4}]}"#),
        [
            r#"f: Forbidden: item may not be removed: {"k": "a", "n": 1}"#,
            r#"f: Forbidden: item may not be removed: {"k": "b", "n": null}"#,
            r#"f: Forbidden: item may not be removed: {"k": "", "n": 3}"#,
        ]
    );
    // As in the reference, whose errors read alike.
    let message = "f: Forbidden: item may not be removed";
    let texts = Api::new(Dialect::Kubernetes, source).update(old, r#"{"f": [{"k": "kept", "n": 4}]}"#);
    assert_eq!(texts, [message; 3]);
}

#[test]
fn a_kept_item_is_named_by_its_keys() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\
                  \t// +k8s:item(k: \"a\")=+k8s:immutable\n\t// +k8s:item(k: \"b\")=+k8s:update=NoClear\n\
                  \tF []Item `json:\"f\"`\n}\ntype Item struct {\n\tK string `json:\"k\"`\n}\n";
    let api = Api::new(Dialect::Kep, source);
    assert_eq!(
        api.update(r#"{"f": [{"k": "a"}, {"k": "b"}]}"#, "{}"),
        [
            r#"f: Forbidden: item may not be removed: {"k": "a"}"#,
            r#"f: Forbidden: item may not be removed: {"k": "b"}"#,
        ]
    );
}

#[test]
fn transitions_of_elements_without_identity_are_refused() {
    let message = "elements of an atomic list cannot be correlated on update";
    for tag in [
        "+k8s:immutable",
        "+k8s:update=NoModify",
        "+k8s:ifOptionEnabled(X)=+k8s:immutable",
        "+k8s:subfield(k)=+k8s:immutable",
        "+k8s:subfield(n)=+k8s:monotonic",
    ] {
        for list in ["+k8s:optional", "+k8s:listType=atomic"] {
            let source = format!(
                "type T struct {{\n\t// {list}\n\t// +k8s:eachVal={tag}\n\tF []Item `json:\"f\"`\n}}\n\
                 type Item struct {{\n\tK string `json:\"k\"`\n\tN int `json:\"n\"`\n}}\n"
            );
            let refusals = Api::refusals(Dialect::Kep, &source);
            assert!(refusals.iter().any(|refusal| refusal.contains(message)), "{tag}: {refusals:?}");
            let set = source.replace(&format!("// {list}\n"), "// +k8s:listType=set\n");
            assert_eq!(Api::refusals(Dialect::Kep, &set), [""; 0], "{tag}");
        }
    }
}

#[test]
fn lists_and_maps_are_not_cleared() {
    for ty in ["[]string", "map[string]string"] {
        let source = |tag| format!("type T struct {{\n\t// +k8s:update={tag}\n\tF {ty} `json:\"f\"`\n}}\n");
        for tag in ["NoClear", "NoUnset", "NoSet,NoClear"] {
            let refusals = Api::refusals(Dialect::Kep, &source(tag));
            assert!(refusals[0].contains("+k8s:update=NoClear is not supported on list or map fields"), "{refusals:?}");
        }
        assert_eq!(Api::refusals(Dialect::Kubernetes, &source("NoUnset")), [""; 0]);
    }
}

/// "Struct Fields (non-pointer): UPDATE(set): N/A (is always set), UPDATE(unset): N/A (is always set)". validation-gen refuses
/// `NoSet` and `NoUnset` there, too (`validateConstraintsForType`).
#[test]
fn structs_of_other_packages_held_by_value_are_always_set() {
    let types =
        ["resource.Quantity", "intstr.IntOrString", "metav1.Time", "metav1.MicroTime", "metav1.Duration", "Amount"];
    let source = |tag: &str, ty: &str| {
        format!(
            "import (\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\
             \t\"k8s.io/apimachinery/pkg/util/intstr\"\n)\n// +k8s:opaqueType\ntype Amount resource.Quantity\n\
             type T struct {{\n\t// +k8s:opaqueType\n\t// +k8s:update={tag}\n\tF {ty} `json:\"f,omitzero\"`\n}}\n"
        )
    };
    for dialect in [Dialect::Kubernetes, Dialect::Kep] {
        for ty in types {
            for tag in ["NoSet", "NoUnset"] {
                let refusals = Api::refusals(dialect, &source(tag, ty));
                let refused = refusals
                    .iter()
                    .any(|text| text.contains("cannot be used on") && text.contains(&format!("+k8s:update={tag}")));
                assert!(refused, "{dialect} {tag} {ty}: {refusals:?}");
                let pointer = source(tag, &format!("*{ty}"));
                assert_eq!(Api::refusals(dialect, &pointer), [""; 0], "{dialect} {tag} *{ty}");
            }
            let api = Api::new(dialect, &source("NoModify", ty));
            assert_eq!(api.update(r#"{"f": "1"}"#, r#"{"f": "2"}"#).len(), 1, "{dialect} {ty}");
            assert_eq!(api.update(r#"{"f": "1"}"#, r#"{"f": "1"}"#), [""; 0], "{dialect} {ty}");
        }
        let api = Api::new(dialect, &source("NoUnset", "*resource.Quantity"));
        assert_eq!(api.update(r#"{"f": "1"}"#, "{}").len(), 1, "{dialect}");
        assert_eq!(api.update(r#"{"f": "1"}"#, r#"{"f": "2"}"#), [""; 0], "{dialect}");
    }
    for ty in ["sprag::Quantity", "sprag::Time", "sprag::MicroTime", "sprag::IntOrString"] {
        let source = format!("pub struct T {{\n    /// +k8s:update=NoSet\n    pub f: {ty},\n}}\n");
        let refusals = Api::strays(Language::Rust, Dialect::Kep, &source);
        assert!(refusals.iter().any(|text| text.contains("use an Option")), "{ty}: {refusals:?}");
    }
}

//! Sentences of KEP-5073, each with a combination of tags that they decide: stages, unions, ratcheting, options, subresources.
//!
//! Expectations are those of the sentence, in the KEP's dialect. Single tags are in `patterns`, `ratcheting` and `stages`.

use sprag_tags::Dialect::Kep;

use crate::api::Api;

/// Structs that the sources below refer to.
const PARTS: &str = "type P struct {\n\tK string `json:\"k\"`\n\t// +k8s:optional\n\tV *string `json:\"v\"`\n\tN int `json:\"n\"`\n}\n\
     type H struct {\n\t// +k8s:listType=atomic\n\tItems []P `json:\"items\"`\n}\n\
     type S struct {\n\t// +k8s:update=NoSet\n\t// +k8s:update=NoModify\n\t// +k8s:update=NoClear\n\tType string `json:\"type\"`\n}\n";

/// A request, and the errors that reject it.
struct Row {
    /// Quoted from the KEP.
    sentence: &'static str,
    /// Lines of the struct `T`: tags and fields.
    fields: &'static [&'static str],
    old: Option<&'static str>,
    new: &'static str,
    /// With `DeclarativeValidationBeta` on.
    enforced: &'static [&'static str],
    /// With it off.
    beta_off: &'static [&'static str],
}

const UNION: &[&str] = &[
    "// +k8s:unionMember",
    "// +k8s:optional",
    "A *string `json:\"a\"`",
    "// +k8s:unionMember",
    "// +k8s:optional",
    "B *string `json:\"b\"`",
    "Z int `json:\"z\"`",
];
const BETA_UNION: &[&str] = &[
    "// +k8s:beta=+k8s:unionMember",
    "// +k8s:optional",
    "A *string `json:\"a\"`",
    "// +k8s:beta=+k8s:unionMember",
    "// +k8s:optional",
    "// +k8s:maxLength=1",
    "B *string `json:\"b\"`",
];
const BOUND: &[&str] = &[
    "Z int `json:\"z\"`",
    "Most int `json:\"most\"`",
    "// +k8s:beta=+k8s:maximum(constraint: most)",
    "// +k8s:minimum=1",
    "F int `json:\"f\"`",
];
const PERMANENT: &[&str] = &[
    "// +k8s:optional",
    "// +k8s:listType=map",
    "// +k8s:listMapKey=k",
    "// +k8s:beta=+k8s:item(k: \"a\")=+k8s:update=NoModify",
    "// +k8s:beta=+k8s:item(k: \"a\")=+k8s:update=NoClear",
    "F []P `json:\"f\"`",
];
const SET: &[&str] =
    &["// +k8s:listType=set", "// +k8s:maxItems=1", "// +k8s:eachVal=+k8s:maxLength=1", "F []string `json:\"f\"`"];
const SCALED: &[&str] = &["// +k8s:ifNotSubresource(\"/resize\")=+k8s:immutable", "F string `json:\"f\"`"];
const OPTION: &[&str] = &[
    "// +k8s:optional",
    "// +k8s:beta=+k8s:ifOptionEnabled(On)=+k8s:required",
    "// +k8s:ifOptionDisabled(On)=+k8s:forbidden",
    "F *string `json:\"f\"`",
    "// +k8s:alpha=+k8s:ifOptionEnabled(Off)=+k8s:required",
    "// +k8s:ifOptionDisabled(Off)=+k8s:maxLength=1",
    "G string `json:\"g\"`",
];

const ROWS: &[Row] = &[
    Row {
        sentence: "Standard Tags: Always Enforced (Bypasses Beta Gate).",
        fields: &[
            "// +k8s:alpha=+k8s:maxLength=1",
            "// +k8s:beta=+k8s:maxLength=2",
            "// +k8s:maxLength=3",
            "F string `json:\"f\"`",
        ],
        old: None,
        new: r#"{"f": "abcd"}"#,
        enforced: &["f: Too long: may not be more than 2 characters", "f: Too long: may not be more than 3 characters"],
        beta_off: &["f: Too long: may not be more than 3 characters"],
    },
    Row {
        sentence: "Alpha Tags: Always Shadowed.",
        fields: &["// +k8s:alpha=+k8s:required", "// +k8s:minimum=2", "F int `json:\"f\"`"],
        old: None,
        new: "{}",
        enforced: &["f: Invalid value: 0: must be greater than or equal to 2"],
        beta_off: &["f: Invalid value: 0: must be greater than or equal to 2"],
    },
    Row {
        sentence: "Beta Tags: Enforced if DeclarativeValidationBeta is Enabled. Otherwise Shadowed.",
        fields: BETA_UNION,
        old: None,
        new: r#"{"a": "x", "b": "long"}"#,
        enforced: &[
            "<nil>: Invalid value: \"{a, b}\": must specify exactly one of: `a`, `b`",
            "b: Too long: may not be more than 1 character",
        ],
        beta_off: &["b: Too long: may not be more than 1 character"],
    },
    Row {
        sentence: "Remove +k8s:beta prefix and delete handwritten code.",
        fields: &[
            "// +k8s:minimum=1",
            "A int `json:\"a\"`",
            "// +k8s:beta(since:v1.40)=+k8s:maximum=10",
            "B int `json:\"b\"`",
        ],
        old: None,
        new: r#"{"a": 0, "b": 11}"#,
        enforced: &[
            "a: Invalid value: 0: must be greater than or equal to 1",
            "b: Invalid value: 11: must be less than or equal to 10",
        ],
        beta_off: &["a: Invalid value: 0: must be greater than or equal to 1"],
    },
    Row {
        sentence: "DeclarativeValidationBeta OFF: Beta tags are Shadowed.",
        fields: PERMANENT,
        old: Some(r#"{"f": [{"k": "a", "n": 1}]}"#),
        new: r#"{"f": [{"k": "a", "n": 2}]}"#,
        enforced: &["f[0]: Invalid value: null: field cannot be modified once set"],
        beta_off: &[],
    },
    Row {
        sentence: "This means that item-level constraints can prevent list becoming nil",
        fields: PERMANENT,
        old: Some(r#"{"f": [{"k": "a"}, {"k": "b"}]}"#),
        new: "{}",
        enforced: &["f: Forbidden: item may not be removed: {\"k\": \"a\"}"],
        beta_off: &[],
    },
    Row {
        sentence: "Can clear - no protected items",
        fields: PERMANENT,
        old: Some(r#"{"f": [{"k": "b"}]}"#),
        new: "{}",
        enforced: &[],
        beta_off: &[],
    },
    Row {
        sentence: "The chained validation does not run if the item being selected doesn’t exist.",
        fields: &[
            "// +k8s:listType=map",
            "// +k8s:listMapKey=k",
            "// +k8s:item(k: \"a\")=+k8s:subfield(v)=+k8s:required",
            "// +k8s:beta=+k8s:item(k: \"b\")=+k8s:subfield(v)=+k8s:required",
            "F []P `json:\"f\"`",
        ],
        old: None,
        new: r#"{"f": [{"k": "b"}]}"#,
        enforced: &["f[0].v: Required value"],
        beta_off: &[],
    },
    Row {
        sentence: "Replacing an optional parent creates a new lifecycle scope",
        fields: &["// +k8s:optional", "F *S `json:\"f\"`"],
        old: Some("{}"),
        new: r#"{"f": {"type": "x"}}"#,
        enforced: &[],
        beta_off: &[],
    },
    Row {
        sentence: "All constraints are scoped to the parent instance lifecycle.",
        fields: &["// +k8s:optional", "F *S `json:\"f\"`"],
        old: Some(r#"{"f": {"type": "x"}}"#),
        new: r#"{"f": {"type": "y"}}"#,
        enforced: &["f.type: Invalid value: null: field cannot be modified once set"],
        beta_off: &["f.type: Invalid value: null: field cannot be modified once set"],
    },
    Row {
        sentence: "UPDATE(unset): when the content changes from any non-zero-value to the zero-value",
        fields: &["// +k8s:beta=+k8s:update=NoClear", "// +k8s:update=NoModify", "F int `json:\"f\"`"],
        old: Some(r#"{"f": 3}"#),
        new: r#"{"f": 0}"#,
        enforced: &["f: Invalid value: null: field cannot be cleared once set"],
        beta_off: &[],
    },
    Row {
        sentence: "UPDATE(modify): when the dereferenced content changes from any value to any other value",
        fields: &["// +k8s:update=NoModify", "F *int `json:\"f\"`"],
        old: Some(r#"{"f": 3}"#),
        new: r#"{"f": 0}"#,
        enforced: &["f: Invalid value: null: field cannot be modified once set"],
        beta_off: &["f: Invalid value: null: field cannot be modified once set"],
    },
    Row {
        sentence: "+k8s:immutable is functionally equivalent to",
        fields: &["// +k8s:optional", "// +k8s:beta=+k8s:immutable", "F bool `json:\"f\"`"],
        old: Some("{}"),
        new: r#"{"f": true}"#,
        enforced: &["f: Invalid value: null: field cannot be set once created"],
        beta_off: &[],
    },
    Row {
        sentence: "NoAddItem: Cannot add to list/map (Scope: list/maps)",
        fields: &[
            "// +k8s:listType=set",
            "// +k8s:alpha=+k8s:update=NoRemoveItem",
            "// +k8s:beta=+k8s:update=NoAddItem",
            "F []string `json:\"f\"`",
        ],
        old: Some(r#"{"f": ["a", "b"]}"#),
        new: r#"{"f": ["b", "c"]}"#,
        enforced: &["f[1]: Forbidden: item may not be added"],
        beta_off: &[],
    },
    Row {
        sentence: "Stored data is considered valid",
        fields: &["// +k8s:required", "F *string `json:\"f\"`", "// +k8s:maxLength=1", "G string `json:\"g\"`"],
        old: Some(r#"{"g": "a"}"#),
        new: r#"{"g": "b"}"#,
        enforced: &[],
        beta_off: &[],
    },
    Row {
        sentence: "Unchanged fields do not cause update rejections",
        fields: &[
            "// +k8s:listType=map",
            "// +k8s:listMapKey=k",
            "// +k8s:eachVal=+k8s:subfield(v)=+k8s:maxLength=1",
            "F []P `json:\"f\"`",
        ],
        old: Some(r#"{"f": [{"k": "a", "v": "long", "n": 1}]}"#),
        new: r#"{"f": [{"k": "b", "v": "long"}, {"k": "a", "v": "long", "n": 2}]}"#,
        enforced: &["f[0].v: Too long: may not be more than 1 character"],
        beta_off: &["f[0].v: Too long: may not be more than 1 character"],
    },
    Row {
        sentence: "Semantic deep-equal is always sufficient to elide re-validation",
        fields: &["// +k8s:listType=atomic", "// +k8s:minItems=1", "F []string `json:\"f\"`"],
        old: Some("{}"),
        new: r#"{"f": []}"#,
        enforced: &[],
        beta_off: &[],
    },
    Row {
        sentence: "List elements might individually bypass re-validation, but the list itself might still be re-validated (e.g., if reordered).",
        fields: SET,
        old: Some(r#"{"f": ["aa", "bb"]}"#),
        new: r#"{"f": ["bb", "aa"]}"#,
        enforced: &["f: Too many: 2: must have at most 1 item"],
        beta_off: &["f: Too many: 2: must have at most 1 item"],
    },
    Row {
        sentence: "validate items which are not found (by value) in the old slice",
        fields: &["// +k8s:listType=atomic", "// +k8s:beta=+k8s:eachVal=+k8s:maxLength=1", "F []string `json:\"f\"`"],
        old: Some(r#"{"f": ["aa"]}"#),
        new: r#"{"f": ["bb", "aa"]}"#,
        enforced: &["f[0]: Too long: may not be more than 1 character"],
        beta_off: &[],
    },
    Row {
        sentence: "revalidate the map if any element changed",
        fields: &["// +k8s:maxProperties=1", "F map[string]string `json:\"f\"`"],
        old: Some(r#"{"f": {"a": "1", "b": "1"}}"#),
        new: r#"{"f": {"a": "2", "b": "1"}}"#,
        enforced: &["f: Too many: 2: must have at most 1 item"],
        beta_off: &["f: Too many: 2: must have at most 1 item"],
    },
    Row {
        sentence: "(re)validate items which are not found (by key) in the old map or are changed",
        fields: &[
            "// +k8s:eachVal=+k8s:maxLength=1",
            "// +k8s:eachKey=+k8s:maxLength=1",
            "F map[string]string `json:\"f\"`",
        ],
        old: Some(r#"{"f": {"aa": "11", "bb": "22"}}"#),
        new: r#"{"f": {"aa": "11", "bb": "33", "cc": "4"}}"#,
        enforced: &[
            "f: Too long: may not be more than 1 character",
            "f[bb]: Too long: may not be more than 1 character",
        ],
        beta_off: &[
            "f: Too long: may not be more than 1 character",
            "f[bb]: Too long: may not be more than 1 character",
        ],
    },
    Row {
        sentence: "will be designed to only act upon changes to the specific fields they govern",
        fields: UNION,
        old: Some(r#"{"a": "x", "b": "y", "z": 1}"#),
        new: r#"{"a": "x", "b": "y", "z": 2}"#,
        enforced: &[],
        beta_off: &[],
    },
    Row {
        sentence: "they will handle ratcheting of the fields they operate on directly",
        fields: UNION,
        old: Some("{}"),
        new: r#"{"a": "x", "b": "y"}"#,
        enforced: &["<nil>: Invalid value: \"{a, b}\": must specify exactly one of: `a`, `b`"],
        beta_off: &["<nil>: Invalid value: \"{a, b}\": must specify exactly one of: `a`, `b`"],
    },
    Row {
        sentence: "Field paths are relative to the parent typedef (allowing sibling access)",
        fields: BOUND,
        old: None,
        new: r#"{"most": 4, "f": 5}"#,
        enforced: &["f: Invalid value: 5: must be less than or equal to 4"],
        beta_off: &[],
    },
    Row {
        sentence: "an unrelated field (e.g. Z) within that same ancestor is modified",
        fields: BOUND,
        old: Some(r#"{"most": 4, "f": 5, "z": 1}"#),
        new: r#"{"most": 4, "f": 5, "z": 2}"#,
        enforced: &[],
        beta_off: &[],
    },
    Row {
        sentence: "All cross-field validations are ultimately hoisted to execute at the common ancestor level",
        fields: BOUND,
        old: Some(r#"{"most": 9, "f": 5}"#),
        new: r#"{"most": 4, "f": 5}"#,
        enforced: &["f: Invalid value: 5: must be less than or equal to 4"],
        beta_off: &[],
    },
    Row {
        sentence: "This will also support chaining of subfield calls with other validators (including subfield)",
        fields: &["// +k8s:beta=+k8s:subfield(items)=+k8s:eachVal=+k8s:subfield(n)=+k8s:maximum=1", "F H `json:\"f\"`"],
        old: Some(r#"{"f": {"items": [{"k": "a", "n": 2}]}}"#),
        new: r#"{"f": {"items": [{"k": "a", "n": 2}, {"k": "b", "n": 3}]}}"#,
        enforced: &["f.items[1].n: Invalid value: 3: must be less than or equal to 1"],
        beta_off: &[],
    },
    Row {
        sentence: "Conditional (feature gate)",
        fields: OPTION,
        old: None,
        new: r#"{"g": "long"}"#,
        enforced: &["f: Required value", "g: Too long: may not be more than 1 character"],
        beta_off: &["g: Too long: may not be more than 1 character"],
    },
    Row {
        sentence: "effectively enforcing immutability unless the update comes via the resize subresource",
        fields: SCALED,
        old: Some(r#"{"f": "a"}"#),
        new: r#"{"f": "b"}"#,
        enforced: &["f: Invalid value: null: field cannot be modified once set"],
        beta_off: &["f: Invalid value: null: field cannot be modified once set"],
    },
    Row {
        sentence: "Field must never have a value",
        fields: &[
            "// +k8s:listType=map",
            "// +k8s:listMapKey=k",
            "// +k8s:beta=+k8s:item(k: \"a\")=+k8s:forbidden",
            "F []P `json:\"f\"`",
        ],
        old: Some(r#"{"f": [{"k": "b"}]}"#),
        new: r#"{"f": [{"k": "b"}, {"k": "a"}]}"#,
        enforced: &["f[1]: Forbidden"],
        beta_off: &[],
    },
    Row {
        sentence: "NoModify: Cannot change value",
        fields: &[
            "// +k8s:listType=map",
            "// +k8s:listMapKey=k",
            "// +k8s:eachVal=+k8s:beta=+k8s:immutable",
            "F []P `json:\"f\"`",
        ],
        old: Some(r#"{"f": [{"k": "a", "n": 1}, {"k": "b", "n": 1}]}"#),
        new: r#"{"f": [{"k": "b", "n": 1}, {"k": "a", "n": 2}, {"k": "c"}]}"#,
        enforced: &["f[1]: Invalid value: null: field cannot be modified once set"],
        beta_off: &[],
    },
    Row {
        sentence: "(Optional, can be set at create or update, then immutable)",
        fields: &[
            "// +k8s:optional",
            "// +k8s:update=NoModify",
            "// +k8s:update=NoClear",
            "// +k8s:maxLength=3",
            "F string `json:\"f\"`",
        ],
        old: Some("{}"),
        new: r#"{"f": "pv-1"}"#,
        enforced: &["f: Too long: may not be more than 3 characters"],
        beta_off: &["f: Too long: may not be more than 3 characters"],
    },
];

fn source(row: &Row) -> String {
    let fields: Vec<String> = row.fields.iter().map(|line| format!("\t{line}\n")).collect();
    let fields = fields.concat();
    format!("type T struct {{\n{fields}}}\n{PARTS}")
}

#[test]
fn sentences_of_the_kep_hold_for_combinations() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let api = Api::new(Kep, &source(row)).with_option("On", true).with_option("Off", false);
        let found = |beta: bool| api.enforced(beta, row.new, row.old);
        if found(true) != row.enforced || found(false) != row.beta_off {
            wrong.push(format!("{}\n  beta on: {:?}\n  beta off: {:?}", row.sentence, found(true), found(false)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ROWS.len() >= 30, "{}", ROWS.len());
}

/// The same row with the request for a subresource.
#[test]
fn rules_except_of_a_subresource_leave_its_writes_alone() {
    let row = ROWS.iter().find(|row| row.fields == SCALED).expect("the row about resizing");
    let api = Api::new(Kep, &source(row)).with_subresource("/resize");
    assert_eq!(api.enforced(true, row.new, row.old), [""; 0], "{}", row.sentence);
}

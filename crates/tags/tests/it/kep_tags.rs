//! Tags and spellings that only the KEP has.

use sprag_checks::Op;
use sprag_idl::model::Language;
use sprag_tags::Dialect::{self, Kep};

use crate::api::Api;

#[track_caller]
fn creates(source: &str, new: &str, expected: &[&str]) {
    assert_eq!(Api::new(Kep, source).create(new), expected);
}

#[track_caller]
fn updates(source: &str, old: &str, new: &str, expected: &[&str]) {
    assert_eq!(Api::new(Kep, source).update(old, new), expected);
}

#[track_caller]
fn refuses(source: &str, expected: &str) {
    let refusals = Api::refusals(Kep, source);
    assert!(refusals.iter().any(|message| message.contains(expected)), "{refusals:#?}");
}

#[test]
fn exclusive_bounds_refuse_the_bound_itself() {
    let source =
        "type T struct {\n\t// +k8s:exclusiveMinimum=0\n\t// +k8s:exclusiveMaximum=10\n\tF int `json:\"f\"`\n}\n";
    creates(source, r#"{"f": 1}"#, &[]);
    creates(source, r#"{"f": 0}"#, &["f: Invalid value: 0: must be greater than 0"]);
    creates(source, r#"{"f": 10}"#, &["f: Invalid value: 10: must be less than 10"]);
}

#[test]
fn a_pattern_is_a_go_regular_expression() {
    let source = "type T struct {\n\t// +k8s:pattern=\"^[a-z]+$\"\n\tF string `json:\"f\"`\n}\n";
    creates(source, r#"{"f": "abc"}"#, &[]);
    creates(source, r#"{"f": "a1"}"#, &[r#"f: Invalid value: "a1": must match the pattern "^[a-z]+$""#]);
    refuses("type T struct {\n\t// +k8s:pattern=\"a(b\"\n\tF string `json:\"f\"`\n}\n", "missing closing )");
}

const CONFIG: &str = "type T struct {\n\tMinValue int `json:\"minValue\"`\n\tMaxThreshold int `json:\"maxThreshold\"`\n\
     \t// +k8s:minimum(constraint: minValue)\n\t// +k8s:maximum(constraint: limits.maxValue)\n\
     \tCurrent int `json:\"current\"`\n\tLimits Limits `json:\"limits\"`\n\
     \t// +k8s:eachVal=+k8s:maximum(constraint: maxThreshold)\n\tThresholds []int `json:\"thresholds\"`\n\
     \tOther int `json:\"other\"`\n}\ntype Limits struct {\n\tMaxValue int `json:\"maxValue\"`\n}\n";

#[test]
fn a_bound_may_be_another_field() {
    let fine = r#"{"minValue": 1, "current": 2, "limits": {"maxValue": 3}, "maxThreshold": 5, "thresholds": [4, 5]}"#;
    creates(CONFIG, fine, &[]);
    let wrong = r#"{"minValue": 4, "current": 2, "limits": {"maxValue": 1}, "maxThreshold": 4, "thresholds": [4, 5]}"#;
    creates(
        CONFIG,
        wrong,
        &[
            "current: Invalid value: 2: must be less than or equal to 1",
            "current: Invalid value: 2: must be greater than or equal to 4",
            "thresholds[1]: Invalid value: 5: must be less than or equal to 4",
        ],
    );
}

#[test]
fn a_bound_by_field_is_judged_again_when_either_side_changed() {
    let bad = r#"{"minValue": 4, "current": 2, "limits": {"maxValue": 9}, "other": 1}"#;
    let message = &["current: Invalid value: 2: must be greater than or equal to 5"];
    updates(CONFIG, bad, &bad.replace("\"other\": 1", "\"other\": 2"), &[]);
    updates(CONFIG, bad, &bad.replace("\"minValue\": 4", "\"minValue\": 5"), message);
}

#[test]
fn a_bare_name_is_a_bound_by_field() {
    let source = "type T struct {\n\tMax int `json:\"max\"`\n\t// +k8s:maximum=max\n\tF int `json:\"f\"`\n}\n";
    creates(source, r#"{"max": 1, "f": 2}"#, &["f: Invalid value: 2: must be less than or equal to 1"]);
    refuses("type T struct {\n\t// +k8s:maximum=nope\n\tF int `json:\"f\"`\n}\n", "no field with JSON name \"nope\"");
}

const GROUPED: &str = "type T struct {\n\t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=type\n\
     \t// +k8s:union(union: terminal)\n\
     \t// +k8s:listMapItem(type: \"Succeeded\")=+k8s:memberOf(group: terminal)\n\
     \t// +k8s:listMapItem(pairs: [[type, \"Failed\"]])=+k8s:memberOf(group: terminal)\n\
     \tConditions []C `json:\"conditions\"`\n}\ntype C struct {\n\tType string `json:\"type\"`\n}\n";

#[test]
fn a_group_of_items_is_a_union() {
    creates(GROUPED, r#"{"conditions": [{"type": "Failed"}, {"type": "Other"}]}"#, &[]);
    let both = r#"{"conditions": [{"type": "Failed"}, {"type": "Succeeded"}]}"#;
    let message = "<nil>: Invalid value: \"{conditions[{\\\"type\\\": \\\"Succeeded\\\"}], \
                   conditions[{\\\"type\\\": \\\"Failed\\\"}]}\": must specify exactly one of: \
                   `conditions[{\"type\": \"Succeeded\"}]`, `conditions[{\"type\": \"Failed\"}]`";
    creates(GROUPED, both, &[message]);
}

#[test]
fn a_group_reaches_fields_of_structs_below() {
    let source = "// +k8s:union(union: g)\ntype T struct {\n\t// +k8s:optional\n\t// +k8s:memberOf(group: g)\n\
                  \tA *int `json:\"a\"`\n\t// +k8s:optional\n\tP *P `json:\"p\"`\n}\n\
                  type P struct {\n\t// +k8s:optional\n\t// +k8s:memberOf(group: g)\n\tB *int `json:\"b\"`\n}\n";
    creates(source, r#"{"p": {"b": 1}}"#, &[]);
    creates(source, "{}", &["<nil>: Invalid value: \"\": must specify one of: `a`, `p.b`"]);
}

#[test]
fn a_group_of_another_kind_is_refused() {
    let source = "// +k8s:union(union: g)\ntype T struct {\n\t// +k8s:optional\n\t// +k8s:memberOf(group: g)\n\
                  \tA *int `json:\"a\"`\n}\n\
                  type Stranger struct {\n\t// +k8s:optional\n\t// +k8s:memberOf(group: g)\n\tB *int `json:\"b\"`\n}\n";
    refuses(source, "group \"g\" is not declared in this kind");
}

#[test]
fn an_item_of_a_group_names_all_keys() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=a\n\
                  \t// +k8s:listMapKey=b\n\t// +k8s:union(union: g)\n\
                  \t// +k8s:listMapItem(a: \"x\")=+k8s:memberOf(group: g)\n\tL []C `json:\"l\"`\n}\n\
                  type C struct {\n\tA string `json:\"a\"`\n\tB string `json:\"b\"`\n}\n";
    refuses(source, "must name all keys");
}

#[test]
fn rules_may_depend_on_the_subresource() {
    let source = "type T struct {\n\t// +k8s:ifSubresource('/status')=+k8s:minimum=1\n\
                  \t// +k8s:ifNotSubresource(\"/status\")=+k8s:maximum=5\n\tF int `json:\"f\"`\n}\n";
    let api = Api::new(Kep, source);
    assert_eq!(api.create(r#"{"f": 9}"#), ["f: Invalid value: 9: must be less than or equal to 5"]);
    let status = Api::new(Kep, source).with_subresource("/status");
    assert_eq!(status.create(r#"{"f": 9}"#), [""; 0]);
    assert_eq!(status.create(r#"{"f": 0}"#), ["f: Invalid value: 0: must be greater than or equal to 1"]);
}

#[test]
fn options_have_their_keps_names() {
    let source = "type T struct {\n\t// +k8s:ifOptionEnabled(X)=+k8s:minimum=1\n\
                  \t// +k8s:ifOptionDisabled(X)=+k8s:maximum=1\n\tF int `json:\"f\"`\n}\n";
    let with = |on| Api::new(Kep, source).with_option("X", on).create(r#"{"f": 0}"#).len();
    assert_eq!((with(true), with(false)), (1, 0));
}

#[test]
fn a_gated_field_may_be_set_when_the_feature_is_on_or_it_was_set_before() {
    let source = "type T struct {\n\t// +k8s:featureGate=G\n\t// +k8s:optional\n\tF *int `json:\"f\"`\n}\n";
    let refused = ["f: Forbidden: may only be set when the G feature is enabled"];
    creates(source, r#"{"f": 1}"#, &refused);
    updates(source, r#"{"f": 1}"#, r#"{"f": 2}"#, &[]);
    updates(source, "{}", r#"{"f": 2}"#, &refused);
    assert!(Api::new(Kep, source).with_option("G", true).create(r#"{"f": 1}"#).is_empty());
}

#[test]
fn subfields_chain() {
    let source = "type T struct {\n\t// +k8s:subfield(b)=+k8s:subfield(c)=+k8s:minimum=1\n\tA A `json:\"a\"`\n\
                  \t// +k8s:subfield(list)=+k8s:eachVal=+k8s:subfield(c)=+k8s:minimum=2\n\tL L `json:\"l\"`\n}\n\
                  type A struct {\n\tB B `json:\"b\"`\n}\ntype B struct {\n\tC int `json:\"c\"`\n}\n\
                  type L struct {\n\tList []B `json:\"list\"`\n}\n";
    creates(
        source,
        r#"{"a": {"b": {"c": 0}}, "l": {"list": [{"c": 1}]}}"#,
        &[
            "a.b.c: Invalid value: 0: must be greater than or equal to 1",
            "l.list[0].c: Invalid value: 1: must be greater than or equal to 2",
        ],
    );
}

#[test]
fn typedef_chains_keep_all_their_rules() {
    let source = "// +k8s:minLength=4\ntype Foo string\n// +k8s:maxLength=6\ntype Bar Foo\ntype Baz Bar\n\
                  type T struct {\n\tF Baz `json:\"f\"`\n}\n";
    creates(source, r#"{"f": "abc"}"#, &["f: Too short: must be at least 4 characters"]);
    creates(source, r#"{"f": "abcdefg"}"#, &["f: Too long: may not be more than 6 characters"]);
    assert!(Api::new(Dialect::Kubernetes, source).create(r#"{"f": "abc"}"#).is_empty());
}

#[test]
fn a_default_makes_an_optional_field_required() {
    let source = "type T struct {\n\t// +k8s:optional\n\t// +default=1\n\tF *int `json:\"f\"`\n}\n";
    creates(source, "{}", &["f: Required value"]);
    assert_eq!(Api::new(Dialect::Kubernetes, source).create("{}"), ["f: Required value"]);
    refuses("type T struct {\n\t// +k8s:default=nope\n\tF *int `json:\"f\"`\n}\n", "failed to parse default value");
}

#[test]
fn a_field_has_a_default_or_is_optional_or_is_required() {
    for tag in ["+k8s:optional", "+k8s:required"] {
        refuses(
            &format!("type T struct {{\n\t// {tag}\n\t// +k8s:default=1\n\tF *int `json:\"f\"`\n}}\n"),
            "a field has a default, or is optional, or is required",
        );
    }
    let source = "type T struct {\n\t// +k8s:default=0\n\t// +k8s:minimum=0\n\tF int `json:\"f\"`\n}\n";
    creates(source, r#"{"f": 0}"#, &[]);
}

#[test]
fn a_default_fits_its_type() {
    for (default, ty, expected) in [
        (r#""x""#, "*int", r#""x" is not a number of type int"#),
        ("300", "*uint8", "300 is not a number of type uint8"),
        ("-1", "uint", "-1 is not a number of type uint"),
        ("1.5", "*int32", "1.5 is not a number of type int32"),
        ("1", "*string", "1 is not a string"),
        (r#""true""#, "*bool", r#""true" is not true or false"#),
        (r#""a""#, "[]string", r#""a" is not a list"#),
        ("[1]", "[]string", "1 is not a string"),
        (r#"{"a": 1}"#, "map[string]string", "1 is not a string"),
        (r#"{"b": 1}"#, "*S", r#"S has no field "b""#),
    ] {
        for (dialect, tag) in [(Kep, "default"), (Kep, "k8s:default"), (Dialect::Kubernetes, "default")] {
            let source = format!(
                "type T struct {{\n\t// +{tag}={default}\n\tF {ty} `json:\"f\"`\n}}\n\
                 type S struct {{\n\tA int `json:\"a\"`\n}}\n"
            );
            let message =
                format!("field example.dev/api/v1.T.f: the default does not fit the field's type: {expected}");
            assert_eq!(Api::strays(Language::Go, dialect, &source), [message]);
        }
    }
    // The reference does not look at defaults.
    let source = "type T struct {\n\t// +default=1\n\tF string `json:\"f\"`\n}\n";
    assert_eq!(Api::refusals(Dialect::Kubernetes, source), [""; 0]);
    assert_eq!(Api::refusals(Kep, source).len(), 1);
}

#[test]
fn a_default_keeps_the_rules_of_its_own_field() {
    for (tags, default, ty, expected) in [
        (&["k8s:minimum=1"][..], "0", "int", "f: Invalid value: 0: must be greater than or equal to 1"),
        (&["k8s:maxLength=2"], r#""abc""#, "*string", "f: Too long: may not be more than 2 characters"),
        (&["k8s:forbidden"], "1", "*int", "f: Forbidden"),
        (
            &["k8s:eachVal=+k8s:minimum=1"],
            "[1, 0]",
            "[]int",
            "f[1]: Invalid value: 0: must be greater than or equal to 1",
        ),
        (&[], r#""c""#, "*E", r#"f: Unsupported value: "c": supported values: "a""#),
        (&[], "{}", "*S", "f.a: Required value"),
    ] {
        let tags: String = tags.iter().flat_map(|tag| ["\t// +", tag, "\n"]).collect();
        let source = format!(
            "type T struct {{\n{tags}\t// +default={default}\n\tF {ty} `json:\"f\"`\n}}\n\
             // +k8s:enum\ntype E string\nconst A E = \"a\"\n\
             type S struct {{\n\t// +k8s:required\n\tA *int `json:\"a\"`\n}}\n"
        );
        let message = format!("field example.dev/api/v1.T.f: the default breaks a rule of its own field: {expected}");
        assert_eq!(Api::refusals(Kep, &source), [message]);
    }
    // Rules that depend on an option or are only observed do not decide, nor do those of the struct around.
    let source = "type T struct {\n\t// +k8s:ifOptionEnabled(X)=+k8s:minimum=1\n\t// +k8s:alpha=+k8s:minimum=2\n\
                  \t// +k8s:default=0\n\tF int `json:\"f\"`\n}\n";
    assert_eq!(Api::refusals(Kep, source), [""; 0]);
}

#[test]
fn optional_and_required_exclude_each_other() {
    refuses(
        "type T struct {\n\t// +k8s:optional\n\t// +k8s:required\n\tF *int `json:\"f\"`\n}\n",
        "a field is either required or optional",
    );
    refuses(
        "type T struct {\n\t// +k8s:forbidden\n\t// +k8s:required\n\tF *int `json:\"f\"`\n}\n",
        "a field is either required or forbidden",
    );
}

#[test]
fn formats_have_their_keps_names() {
    let source = |format: &str| format!("type T struct {{\n\t// +k8s:format={format}\n\tF string `json:\"f\"`\n}}\n");
    creates(&source("dns-label"), r#"{"f": "web-1"}"#, &[]);
    assert_eq!(
        Api::new(Kep, &source("dns-label")).create(r#"{"f": "Web"}"#),
        Api::new(Kep, &source("k8s-short-name")).create(r#"{"f": "Web"}"#)
    );
    for name in ["ip", "k8s-ip"] {
        creates(&source(name), r#"{"f": "2001:db8::1"}"#, &[]);
        let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        creates(&source(name), r#"{"f": "1.2.3"}"#, &[&format!(r#"f: Invalid value: "1.2.3": {detail}"#)]);
    }
    for name in ["dns-label", "ip", "k8s-ip"] {
        let refusals = Api::refusals(Dialect::Kubernetes, &source(name));
        let message = format!("tag \"k8s:format\": unsupported validation format {name:?}");
        assert!(refusals[0].ends_with(&message), "{refusals:?}");
    }
}

#[test]
fn an_unknown_format_is_refused_with_the_known_ones() {
    let source = "type T struct {\n\t// +k8s:format=k8s-shortname\n\tF string `json:\"f\"`\n}\n";
    for (dialect, ip) in [(Kep, ", k8s-ip, ip"), (Dialect::Kubernetes, "")] {
        let refusals = Api::strays(Language::Go, dialect, source);
        let names = format!("(known formats: k8s-extended-resource-name{ip}, k8s-label-key, k8s-label-value, ");
        assert!(refusals[0].contains(&names), "{refusals:?}");
    }
}

#[test]
fn a_warning_is_not_an_error_and_stops_nothing() {
    let source = "type T struct {\n\t// +k8s:warn(message: \"slow\")=+k8s:maximum=10\n\
                  \t// +k8s:warn=+k8s:required\n\t// +k8s:maximum=20\n\tF int `json:\"f\"`\n}\n";
    let api = Api::new(Kep, source);
    let run = |json: &str| api.run(Op::Create, json, None);
    assert_eq!(run(r#"{"f": 11}"#), (vec![], vec!["f: slow".into()]));
    assert_eq!(run(r#"{"f": 0}"#), (vec![], vec!["f: f: Required value".into()]));
    let error = "f: Invalid value: 21: must be less than or equal to 20";
    assert_eq!(run(r#"{"f": 21}"#), (vec![error.into()], vec!["f: slow".into()]));
}

#[test]
fn stages_take_versions_with_a_v() {
    let source = "type T struct {\n\t// +k8s:beta(since:v1.39)=+k8s:minimum=1\n\
                  \t// +k8s:alpha(since:1.39)=+k8s:maximum=10\n\tF int `json:\"f\"`\n}\n";
    creates(source, r#"{"f": 0}"#, &["f: Invalid value: 0: must be greater than or equal to 1"]);
}

/// The fields of errors, each with whether it is native.
fn natives(source: &str, new: &str) -> Vec<(String, bool)> {
    let api = Api::new(Kep, source);
    let new = sprag_value::json::parse(new.as_bytes()).expect("tests hold valid JSON");
    let mut errors = sprag_field::Errors::new();
    let request = sprag_checks::Request::create();
    api.program().validate(&sprag_program::NoHooks, &request, api.root(), &new, None, &mut errors);
    errors.iter().map(|error| (error.field.clone(), error.native)).collect()
}

#[test]
fn errors_of_native_fields_say_so_with_those_of_their_type() {
    let source = "type T struct {\n\t// +k8s:declarativeValidationNative\n\t// +k8s:minimum=1\n\tA int `json:\"a\"`\n\
                  \t// +k8s:minimum=1\n\tB int `json:\"b\"`\n\
                  \t// +k8s:declarativeValidationNative\n\t// +k8s:optional\n\t// +k8s:listType=atomic\n\
                  \t// +k8s:alpha=+k8s:maxItems=2\n\tC []Part `json:\"c\"`\n\tD Part `json:\"d\"`\n}\n\
                  type Part struct {\n\t// +k8s:required\n\tName string `json:\"name\"`\n}\n";
    let found = natives(source, r#"{"c": [{"name": "x"}, {}]}"#);
    let found: Vec<(&str, bool)> = found.iter().map(|(field, native)| (field.as_str(), *native)).collect();
    assert_eq!(found, [("a", true), ("b", false), ("c[1].name", true), ("d.name", false)]);
}

#[test]
fn a_union_is_native_if_all_members_are() {
    let union = |second: &str| {
        format!(
            "type T struct {{\n\t// +k8s:declarativeValidationNative\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tA *int `json:\"a\"`\n\
             {second}\t// +k8s:optional\n\t// +k8s:unionMember\n\tB *int `json:\"b\"`\n}}\n"
        )
    };
    assert!(natives(&union("\t// +k8s:declarativeValidationNative\n"), "{}").iter().all(|(_, native)| *native));
    assert!(natives(&union(""), "{}").iter().all(|(_, native)| !native));
    assert_eq!(natives(&union(""), "{}").len(), 1);
}

#[test]
fn a_native_type_is_native_wherever_it_is() {
    let source = "type T struct {\n\tD Part `json:\"d\"`\n}\n\
                  // +k8s:declarativeValidationNative\ntype Part struct {\n\t// +k8s:required\n\tName string `json:\"name\"`\n}\n";
    assert_eq!(natives(source, "{}"), [("d.name".to_owned(), true)]);
}

#[test]
fn adding_items_to_an_atomic_list_cannot_be_told() {
    let source = "type T struct {\n\t// +k8s:listType=atomic\n\t// +k8s:update=NoAddItem\n\tF []int `json:\"f\"`\n}\n";
    refuses(source, "to define item identity");
}

#[test]
fn columns_and_selectors_are_plain_values() {
    for tag in ["k8s:printerColumn", "k8s:selectableField"] {
        let source = |ty: &str| format!("type T struct {{\n\t// +{tag}\n\tF {ty} `json:\"f\"`\n}}\n");
        creates(&source("*int32"), r#"{"f": 1}"#, &[]);
        refuses(&source("[]string"), "only a plain value fits into a cell or selector");
    }
}

/// Lists, maps and structs of parts whose numbers are bounded from the outside.
const PARTS: &str = "type T struct {\n\tMax int `json:\"max\"`\n\t// +k8s:optional\n\tLeast *int `json:\"least,omitempty\"`\n\
     \t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\t// +k8s:eachVal=+k8s:subfield(n)=+k8s:maximum(constraint: max)\n\
     \t// +k8s:item(k: \"a\")=+k8s:subfield(n)=+k8s:minimum(constraint: least)\n\
     \tList []P `json:\"list,omitempty\"`\n\
     \t// +k8s:eachVal=+k8s:subfield(n)=+k8s:maximum(constraint: max)\n\
     \tByName map[string]P `json:\"byName,omitempty\"`\n\
     \t// +k8s:subfield(inner)=+k8s:subfield(n)=+k8s:exclusiveMaximum(constraint: max)\n\
     \t// +k8s:optional\n\tOuter *O `json:\"outer,omitempty\"`\n\
     \t// +k8s:subfield(all)=+k8s:eachVal=+k8s:minimum(constraint: least)\n\tHolder H `json:\"holder,omitempty\"`\n}\n\
     type P struct {\n\tK string `json:\"k\"`\n\tN int `json:\"n\"`\n\tNote string `json:\"note,omitempty\"`\n}\n\
     type O struct {\n\tInner P `json:\"inner\"`\n}\n\
     type H struct {\n\t// +k8s:listType=atomic\n\tAll []int `json:\"all,omitempty\"`\n}\n";

#[test]
fn a_bound_by_field_reaches_fields_of_elements() {
    let wrong = r#"{"max": 4, "least": 3, "list": [{"k": "a", "n": 2}, {"k": "b", "n": 5}, {"k": "c"}],
        "byName": {"x": {"n": 4}, "y": {"n": 6}}, "outer": {"inner": {"n": 4}}, "holder": {"all": [3, 1]}}"#;
    creates(
        PARTS,
        wrong,
        &[
            "list[1].n: Invalid value: 5: must be less than or equal to 4",
            "list[0].n: Invalid value: 2: must be greater than or equal to 3",
            "byName[y].n: Invalid value: 6: must be less than or equal to 4",
            "outer.inner.n: Invalid value: 4: must be less than 4",
            "holder.all[1]: Invalid value: 1: must be greater than or equal to 3",
        ],
    );
    // Without the bound, there is nothing to compare with.
    creates(PARTS, r#"{"max": 4, "list": [{"k": "a", "n": 2}], "holder": {"all": [3, 1]}}"#, &[]);
}

#[test]
fn elements_under_a_bound_by_field_are_judged_again_when_they_or_the_bound_change() {
    let old = r#"{"max": 4, "list": [{"k": "a", "n": 9}, {"k": "b", "n": 8}], "byName": {"x": {"n": 7}}, "outer": {"inner": {"n": 6}}}"#;
    // Another field of the element, or the order of the list, changes nothing about the number.
    updates(PARTS, old, &old.replace("\"n\": 9", "\"n\": 9, \"note\": \"new\""), &[]);
    let reordered = old.replace(
        r#"{"k": "a", "n": 9}, {"k": "b", "n": 8}"#,
        r#"{"k": "c", "n": 1}, {"k": "b", "n": 8}, {"k": "a", "n": 9}"#,
    );
    updates(PARTS, old, &reordered, &[]);
    updates(
        PARTS,
        old,
        &old.replace("\"n\": 8", "\"n\": 10"),
        &["list[1].n: Invalid value: 10: must be less than or equal to 4"],
    );
    updates(
        PARTS,
        old,
        &old.replace("\"max\": 4", "\"max\": 6"),
        &[
            "list[0].n: Invalid value: 9: must be less than or equal to 6",
            "list[1].n: Invalid value: 8: must be less than or equal to 6",
            "byName[x].n: Invalid value: 7: must be less than or equal to 6",
            "outer.inner.n: Invalid value: 6: must be less than 6",
        ],
    );
}

/// "When tags are placed on the common ancestor typedef: All references are to child fields".
#[test]
fn a_bound_by_field_may_stand_on_the_type_that_holds_both() {
    let source = "// +k8s:subfield(limits)=+k8s:subfield(n)=+k8s:maximum(constraint: max)\n\
         type T struct {\n\tMax int `json:\"max\"`\n\tLimits L `json:\"limits\"`\n}\ntype L struct {\n\tN int `json:\"n\"`\n}\n";
    let message = &["limits.n: Invalid value: 2: must be less than or equal to 1"];
    creates(source, r#"{"max": 1, "limits": {"n": 2}}"#, message);
    updates(source, r#"{"max": 1, "limits": {"n": 2}}"#, r#"{"max": 1, "limits": {"n": 2, "o": 1}}"#, &[]);
}

#[test]
fn the_prefix_of_a_bound_by_field_may_stand_anywhere_before_it() {
    for tag in [
        "+k8s:alpha=+k8s:eachVal=+k8s:subfield(n)=+k8s:maximum(constraint: max)",
        "+k8s:eachVal=+k8s:alpha=+k8s:subfield(n)=+k8s:maximum(constraint: max)",
        "+k8s:eachVal=+k8s:subfield(n)=+k8s:alpha=+k8s:maximum(constraint: max)",
        "+k8s:eachVal=+k8s:subfield(n)=+k8s:ifDisabled(X)=+k8s:maximum(constraint: max)",
        "+k8s:eachVal=+k8s:ifDisabled(X)=+k8s:subfield(n)=+k8s:maximum(constraint: max)",
    ] {
        let source = format!(
            "type T struct {{\n\tMax int `json:\"max\"`\n\t// +k8s:listType=atomic\n\t// {tag}\n\tF []P `json:\"f\"`\n}}\n\
             type P struct {{\n\tN int `json:\"n\"`\n}}\n"
        );
        let api = Api::new(Dialect::Kep, &source).with_option("X", true);
        assert_eq!(api.enforced(true, r#"{"max": 1, "f": [{"n": 2}]}"#, None), [""; 0], "{tag}");
        let enforced = source.replace("+k8s:alpha=", "").replace("+k8s:ifDisabled(X)=", "");
        let found = Api::new(Dialect::Kep, &enforced).enforced(true, r#"{"max": 1, "f": [{"n": 2}]}"#, None);
        assert_eq!(found, ["f[0].n: Invalid value: 2: must be less than or equal to 1"], "{tag}");
    }
}

/// A bound that stands beside the value is named by a tag on that field, whatever is said from the outside.
#[test]
fn bounds_by_field_of_two_structs_do_not_meet() {
    let source = "type T struct {\n\t// +k8s:subfield(n)=+k8s:maximum=9\n\tF P `json:\"f\"`\n}\n\
         type P struct {\n\tMax int `json:\"max\"`\n\t// +k8s:maximum(constraint: max)\n\tN int `json:\"n\"`\n}\n";
    creates(source, r#"{"f": {"max": 1, "n": 2}}"#, &["f.n: Invalid value: 2: must be less than or equal to 1"]);
    let wrong = source.replace("maximum=9", "maximum(constraint: max)");
    let refusals = Api::strays(Language::Go, Dialect::Kep, &wrong);
    let refusal = refusals.first().map_or("", String::as_str);
    assert!(
        refusal.contains("no field with JSON name \"max\"")
            && refusal.contains("for \"max\" of example.dev/api/v1.P, put the tag on n there"),
        "{refusal}"
    );
}

/// "+k8s:optional" of a field of an element speaks of that field: it neither ends the rules of the list nor those of other elements.
#[test]
fn an_unset_field_of_an_element_ends_no_other_rule() {
    for tag in [
        "+k8s:eachVal=+k8s:subfield(weight)=+k8s:maximum(constraint: max)",
        "+k8s:eachVal=+k8s:subfield(weight)=+k8s:maximum=0",
        "+k8s:eachVal=+k8s:subfield(weight)=+k8s:optional",
        "+k8s:eachVal=+k8s:subfield(name)=+k8s:maxLength=9",
        "+k8s:item(name: \"\")=+k8s:subfield(weight)=+k8s:maximum=0",
    ] {
        let source = format!(
            "type T struct {{\n\tMax int `json:\"max\"`\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=name\n\t// {tag}\n\
             \t// +k8s:eachVal=+k8s:subfield(size)=+k8s:minimum=3\n\tParts []P `json:\"parts\"`\n}}\n\
             type P struct {{\n\t// +k8s:required\n\tName string `json:\"name\"`\n\t// +k8s:optional\n\tWeight *int `json:\"weight\"`\n\
             \t// +k8s:optional\n\tSize int `json:\"size\"`\n}}\n"
        );
        let api = Api::new(Kep, &source);
        let mut expected = vec!["parts[0].name: Required value".to_owned()];
        assert_eq!(api.create(r#"{"parts": [{}]}"#), expected, "{tag}");
        expected.insert(0, "parts[1].size: Invalid value: 2: must be greater than or equal to 3".to_owned());
        assert_eq!(api.create(r#"{"parts": [{}, {"name": "b", "size": 2}]}"#), expected, "{tag}");
    }
}

/// An optional number that is zero by value is unset: no bound applies, be it a number or a field.
#[test]
fn an_unset_number_has_no_bound() {
    for bound in ["=1", "(constraint: least)"] {
        let source = format!(
            "type T struct {{\n\tLeast int `json:\"least\"`\n\t// +k8s:optional\n\t// +k8s:minimum{bound}\n\tF int `json:\"f\"`\n\
             \t// +k8s:subfield(n)=+k8s:minimum{bound}\n\tP P `json:\"p\"`\n}}\ntype P struct {{\n\t// +k8s:optional\n\tN int `json:\"n\"`\n}}\n"
        );
        creates(&source, r#"{"least": 1}"#, &[]);
        let message = "must be greater than or equal to 1";
        let api = Api::new(Kep, &source);
        let mut found = api.create(r#"{"least": 1, "f": -1, "p": {"n": -1}}"#);
        found.sort();
        assert_eq!(found, [format!("f: Invalid value: -1: {message}"), format!("p.n: Invalid value: -1: {message}")]);
    }
}

/// Rules of modes that need other tags of their field (`update`, `item`, `subfield`) hold as well as those that do not.
#[test]
fn rules_of_modes_are_not_lost() {
    let with = |tags: &str, ty: &str| {
        format!(
            "type T struct {{\n\t// +k8s:modeDiscriminator\n\tM string `json:\"m\"`\n\tMax int `json:\"max\"`\n{tags}\tF {ty} `json:\"f\"`\n}}\n\
             type P struct {{\n\tK string `json:\"k\"`\n\tN int `json:\"n\"`\n}}\n"
        )
    };
    let mode = |rule: &str| format!("\t// +k8s:ifMode(\"a\")={rule}\n\t// +k8s:ifMode(\"b\")=+k8s:optional\n");
    let subfield = with(&mode("+k8s:subfield(n)=+k8s:maximum=1"), "*P");
    creates(&subfield, r#"{"m": "a", "f": {"n": 2}}"#, &["f.n: Invalid value: 2: must be less than or equal to 1"]);
    creates(&subfield, r#"{"m": "b", "f": {"n": 2}}"#, &[]);
    let fixed = with(&mode("+k8s:update=NoModify"), "*string");
    let message = &["f: Invalid value: null: field cannot be modified once set"];
    updates(&fixed, r#"{"m": "a", "f": "x"}"#, r#"{"m": "a", "f": "y"}"#, message);
    updates(&fixed, r#"{"m": "b", "f": "x"}"#, r#"{"m": "b", "f": "y"}"#, &[]);
    let keyed = format!(
        "\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n{}",
        mode("+k8s:item(k: \"x\")=+k8s:subfield(n)=+k8s:minimum=3")
    );
    let list = with(&keyed, "[]P");
    creates(
        &list,
        r#"{"m": "a", "f": [{"k": "x"}]}"#,
        &["f[0].n: Invalid value: 0: must be greater than or equal to 3"],
    );
    creates(&list, r#"{"m": "b", "f": [{"k": "x"}]}"#, &[]);
    refuses(&with(&mode("+k8s:maximum(constraint: max)"), "*int"), "a bound by field cannot depend on a mode");
}

/// Fields of an embedded struct are siblings on the wire: they can be bounds, and can be bounded from the outside.
#[test]
fn bounds_by_field_reach_embedded_structs() {
    let source = "type T struct {\n\tS S `json:\"s\"`\n}\n\
         type S struct {\n\t// +k8s:subfield(n)=+k8s:maximum(constraint: max)\n\tP `json:\",inline\"`\n\tMax int8 `json:\"max\"`\n\
         \t// +k8s:minimum(constraint: n)\n\tF uint64 `json:\"f\"`\n}\n\
         type P struct {\n\tN int `json:\"n\"`\n}\n";
    creates(
        source,
        r#"{"s": {"n": 2, "max": 1, "f": 1}}"#,
        &[
            "s.n: Invalid value: 2: must be less than or equal to 1",
            "s.f: Invalid value: 1: must be greater than or equal to 2",
        ],
    );
    updates(source, r#"{"s": {"n": 2, "max": 1, "f": 1}}"#, r#"{"s": {"n": 2, "max": 1, "f": 1, "x": 1}}"#, &[]);
}

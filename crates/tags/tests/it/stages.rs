//! Rules that are only observed change no verdict: the enforced verdict is the verdict with every shadowed rule deleted.
//!
//! KEP-5073 on stages: "Beta Tags: Enforced if `DeclarativeValidationBeta` is Enabled. Otherwise Shadowed", "Alpha Tags: Always
//! Shadowed", "Standard Tags: Always Enforced (Bypasses Beta Gate)".

use sprag_tags::Dialect;

use crate::api::Api;

const DIALECTS: [Dialect; 2] = [Dialect::Kubernetes, Dialect::Kep];
const PART: &str =
    "type P struct {\n\tK string `json:\"k\"`\n\t// +k8s:optional\n\tV *string `json:\"v\"`\n\tN int `json:\"n\"`\n}\n";

/// A type `T` with this field.
fn field(tags: &[&str], ty: &str) -> String {
    let tags: Vec<String> = tags.iter().map(|tag| format!("\t// {tag}\n")).collect();
    let tags = tags.concat();
    format!("type T struct {{\n{tags}\tF {ty} `json:\"f\"`\n}}\n{PART}")
}

/// A container: its Go type, rules with objects that break them, and an enforced rule that must not be switched off.
struct Container {
    ty: &'static str,
    /// Tags of the list itself.
    facts: &'static [&'static str],
    rules: &'static [&'static str],
    enforced: &'static [&'static str],
    values: &'static [&'static str],
}

const CONTAINERS: [Container; 7] = [
    Container {
        ty: "string",
        facts: &[],
        rules: &[
            "+k8s:required",
            "+k8s:optional",
            "+k8s:forbidden",
            "+k8s:immutable",
            "+k8s:maxLength=1",
            "+k8s:minLength=3",
            "+k8s:maxBytes=1",
            "+k8s:format=k8s-short-name",
            "+k8s:neq=\"bb\"",
            "+k8s:update=NoModify",
            "+k8s:update=NoSet",
            "+k8s:update=NoUnset",
            "+k8s:ifEnabled(X)=+k8s:required",
            "+k8s:ifDisabled(Y)=+k8s:forbidden",
            "+k8s:validateFalse=\"x\"",
        ],
        enforced: &["+k8s:maxLength=2", "+k8s:minLength=1", "+k8s:update=NoModify"],
        values: &["\"\"", "\"a\"", "\"bb\"", "\"ccc\"", "\"C!\""],
    },
    Container {
        ty: "*string",
        facts: &[],
        rules: &[
            "+k8s:required",
            "+k8s:optional",
            "+k8s:forbidden",
            "+k8s:immutable",
            "+k8s:maxLength=1",
            "+k8s:update=NoUnset",
        ],
        enforced: &["+k8s:maxLength=2", "+k8s:format=k8s-short-name", "+k8s:update=NoSet"],
        values: &["null", "\"\"", "\"bb\"", "\"ccc\"", "\"C!\""],
    },
    Container {
        ty: "int",
        facts: &[],
        rules: &[
            "+k8s:required",
            "+k8s:optional",
            "+k8s:minimum=3",
            "+k8s:maximum=1",
            "+k8s:monotonic",
            "+k8s:immutable",
            "+k8s:neq=2",
        ],
        enforced: &["+k8s:minimum=1", "+k8s:monotonic"],
        values: &["0", "1", "2", "5"],
    },
    Container {
        ty: "[]string",
        facts: &["+k8s:listType=set"],
        rules: &[
            "+k8s:required",
            "+k8s:optional",
            "+k8s:forbidden",
            "+k8s:immutable",
            "+k8s:maxItems=2",
            "+k8s:minItems=2",
            "+k8s:update=NoSet",
            "+k8s:update=NoAddItem",
            "+k8s:update=NoRemoveItem",
            "+k8s:eachVal=+k8s:maxLength=1",
        ],
        enforced: &["+k8s:eachVal=+k8s:maxLength=2", "+k8s:minItems=1"],
        values: &["[]", "[\"a\"]", "[\"ccc\",\"ddd\"]", "[\"ccc\",\"ddd\",\"eee\"]", "[\"a\",\"a\"]"],
    },
    Container {
        ty: "map[string]string",
        facts: &[],
        rules: &[
            "+k8s:required",
            "+k8s:optional",
            "+k8s:immutable",
            "+k8s:maxProperties=1",
            "+k8s:minProperties=2",
            "+k8s:eachKey=+k8s:maxLength=1",
            "+k8s:eachVal=+k8s:maxLength=1",
        ],
        enforced: &["+k8s:eachVal=+k8s:maxLength=2", "+k8s:eachKey=+k8s:minLength=2"],
        values: &["{}", "{\"a\":\"ccc\"}", "{\"a\":\"ccc\",\"bb\":\"ddd\"}", "{\"bb\":\"a\"}"],
    },
    Container {
        ty: "[]P",
        facts: &["+k8s:listType=map", "+k8s:listMapKey=k"],
        rules: &[
            "+k8s:required",
            "+k8s:immutable",
            "+k8s:maxItems=1",
            "+k8s:item(k: \"a\")=+k8s:immutable",
            "+k8s:item(k: \"a\")=+k8s:subfield(v)=+k8s:required",
            "+k8s:eachVal=+k8s:subfield(v)=+k8s:maxLength=1",
            "+k8s:eachVal=+k8s:immutable",
        ],
        enforced: &[
            "+k8s:item(k: \"a\")=+k8s:subfield(v)=+k8s:maxLength=2",
            "+k8s:eachVal=+k8s:subfield(n)=+k8s:maximum=3",
        ],
        values: &[
            "[]",
            "[{\"k\":\"a\",\"n\":5}]",
            "[{\"k\":\"a\",\"v\":\"ccc\",\"n\":1},{\"k\":\"b\",\"n\":5}]",
            "[{\"k\":\"b\",\"v\":\"x\",\"n\":9}]",
        ],
    },
    Container {
        ty: "*P",
        facts: &[],
        rules: &[
            "+k8s:required",
            "+k8s:optional",
            "+k8s:forbidden",
            "+k8s:immutable",
            "+k8s:subfield(v)=+k8s:required",
            "+k8s:subfield(v)=+k8s:maxLength=1",
            "+k8s:subfield(n)=+k8s:immutable",
        ],
        enforced: &["+k8s:subfield(v)=+k8s:maxLength=2", "+k8s:subfield(n)=+k8s:maximum=3"],
        values: &[
            "null",
            "{\"k\":\"a\",\"n\":5}",
            "{\"k\":\"a\",\"v\":\"ccc\",\"n\":1}",
            "{\"k\":\"b\",\"v\":\"x\",\"n\":9}",
        ],
    },
];

/// Stage × tag × container × operation × dialect: what is expected is the verdict of the type without the shadowed rule.
#[test]
fn no_shadowed_rule_changes_a_verdict() {
    let mut compared = 0;
    let mut refused = 0;
    for (dialect, container) in DIALECTS.iter().flat_map(|dialect| CONTAINERS.iter().map(move |one| (*dialect, one))) {
        let stable = [container.facts, container.enforced].concat();
        let expected = Api::new(dialect, &field(&stable, container.ty)).with_option("X", true).with_option("Y", false);
        for (rule, stage) in container.rules.iter().flat_map(|rule| [(rule, "alpha"), (rule, "beta")]) {
            let staged = format!("+k8s:{stage}={rule}");
            let tags = [&[staged.as_str()], stable.as_slice()].concat();
            let (api, findings) = Api::read(dialect, &field(&tags, container.ty), &sprag_tags::Registry::standard());
            if !findings.is_empty() {
                refused += 1;
                continue;
            }
            let api = api.with_option("X", true).with_option("Y", false);
            // An alpha rule is shadowed whatever the gate says.
            for beta in if stage == "alpha" { vec![false, true] } else { vec![false] } {
                for new in container.values {
                    for old in std::iter::once(None).chain(container.values.iter().map(Some)) {
                        let object = |value: &&str| format!("{{\"f\":{value}}}");
                        let new = object(new);
                        let old = old.map(object);
                        let want = expected.enforced(beta, &new, old.as_deref());
                        let got = api.enforced(beta, &new, old.as_deref());
                        assert_eq!(got, want, "{dialect}, {} {staged}, beta {beta}: {new} of {old:?}", container.ty);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 5_000 && refused < 20, "{compared} compared, {refused} refused");
}

/// Checks what is enforced of a type, with beta rules on and off.
#[track_caller]
fn check(dialect: Dialect, source: &str, new: &str, old: Option<&str>, on: &[&str], off: &[&str]) {
    let api = Api::new(dialect, source).with_option("X", true);
    assert_eq!(api.enforced(true, new, old), on, "beta on");
    assert_eq!(api.enforced(false, new, old), off, "beta off");
}

#[test]
fn an_observed_limit_does_not_hide_an_enforced_one() {
    let long = [
        "f[0]: Too long: may not be more than 2 characters",
        "f[1]: Too long: may not be more than 2 characters",
        "f[2]: Too long: may not be more than 2 characters",
    ];
    let many = ["f: Too many: 3: must have at most 2 items"];
    for dialect in DIALECTS {
        let new = r#"{"f":["aaa","bbb","ccc"]}"#;
        let alpha =
            field(&["+k8s:listType=atomic", "+k8s:alpha=+k8s:maxItems=2", "+k8s:eachVal=+k8s:maxLength=2"], "[]string");
        check(dialect, &alpha, new, None, &long, &long);
        let beta =
            field(&["+k8s:listType=atomic", "+k8s:beta=+k8s:maxItems=2", "+k8s:eachVal=+k8s:maxLength=2"], "[]string");
        check(dialect, &beta, new, None, &many, &long);
    }
}

/// A rule is observed as it will be enforced: metrics about a missing value do not count its format, too.
#[test]
fn an_observed_stop_stops_what_is_observed_at_its_stage() {
    let missing = "f: Required value";
    let short = "f: Too short: must be at least 2 characters";
    for dialect in DIALECTS {
        for (stop, rest, observed) in [
            ("+k8s:alpha=+k8s:required", "+k8s:alpha=+k8s:minLength=2", &[missing][..]),
            ("+k8s:beta=+k8s:required", "+k8s:beta=+k8s:minLength=2", &[missing]),
            ("+k8s:beta=+k8s:required", "+k8s:alpha=+k8s:minLength=2", &[missing]),
            ("+k8s:alpha=+k8s:required", "+k8s:beta=+k8s:minLength=2", &[missing, short]),
            ("+k8s:beta=+k8s:optional", "+k8s:beta=+k8s:minLength=2", &[]),
            ("+k8s:alpha=+k8s:optional", "+k8s:beta=+k8s:minLength=2", &[short]),
        ] {
            let api = Api::new(dialect, &field(&[stop, rest], "string"));
            assert_eq!(api.observed(false, "{}"), observed, "{dialect} {stop} {rest}");
            assert_eq!(api.enforced(false, "{}", None), [""; 0], "{dialect} {stop} {rest}");
        }
    }
}

/// A rule on a field from the outside brings the "optional" of its declaration with it, which stops the rules of the whole list
/// in the reference: with an observed rule, it must not stop enforced ones.
#[test]
fn what_comes_with_an_observed_rule_stops_no_enforced_one() {
    let new = r#"{"f":[{"k":"a","n":5},{"k":"a","v":"x","n":1}]}"#;
    let enforced = [
        "f[0].n: Invalid value: 5: must be less than or equal to 3",
        r#"f[1]: Duplicate value: {"k":"a","v":"x","n":1}"#,
    ];
    for dialect in DIALECTS {
        for observed in ["+k8s:eachVal=+k8s:subfield(v)=+k8s:alpha=", "+k8s:alpha=+k8s:eachVal=+k8s:subfield(v)="] {
            let tags = [
                "+k8s:listType=map",
                "+k8s:listMapKey=k",
                &format!("{observed}+k8s:maxLength=3"),
                "+k8s:eachVal=+k8s:subfield(n)=+k8s:maximum=3",
            ];
            check(dialect, &field(&tags, "[]P"), new, None, &enforced, &enforced);
        }
    }
}

fn union(prefixes: [&str; 3], member: &str, declaration: &str) -> String {
    let [a, b, c] = prefixes;
    format!(
        "type T struct {{\n{declaration}\t// {a}{member}\n\t// +k8s:optional\n\tA *string `json:\"a\"`\n\
         \t// {b}{member}\n\t// +k8s:optional\n\tB *string `json:\"b\"`\n\t// {c}{member}\n\t// +k8s:optional\n\tC *string `json:\"c\"`\n}}\n"
    )
}

#[test]
fn unions_have_the_stage_of_their_members() {
    const BOTH: &str = r#"{"a":"x","b":"y"}"#;
    let refused = [r#"<nil>: Invalid value: "{a, b}": must specify exactly one of: `a`, `b`, `c`"#];
    for dialect in DIALECTS {
        for (prefix, on, off) in
            [("", &refused[..], &refused[..]), ("+k8s:beta=", &refused, &[]), ("+k8s:alpha=", &[], &[])]
        {
            check(dialect, &union([prefix; 3], "+k8s:unionMember", ""), BOTH, None, on, off);
        }
    }
    for (declared, members, on, off) in [
        ("+k8s:beta=", "", &refused[..], &[][..]),
        ("+k8s:alpha=", "", &[], &[]),
        ("", "+k8s:beta=", &refused, &[]),
        ("", "+k8s:alpha=", &[], &[]),
        ("+k8s:beta=", "+k8s:beta=", &refused, &[]),
        ("", "+k8s:ifEnabled(X)=", &refused, &refused),
        ("+k8s:ifDisabled(X)=", "", &[], &[]),
    ] {
        let declaration = format!("\t// {declared}+k8s:union(union: u)\n");
        let source = union([members; 3], "+k8s:memberOf(group: u)", &declaration);
        check(Dialect::Kep, &source, BOTH, None, on, off);
    }
}

/// The KEP's union of list-map items: "+k8s:listMapItem(type: "Succeeded")=+k8s:memberOf(group: terminalStatus)".
#[test]
fn a_union_of_items_has_the_stage_of_its_items() {
    let refused = [
        r#"<nil>: Invalid value: "{f[{\"k\": \"a\"}], f[{\"k\": \"b\"}]}": must specify exactly one of: `f[{"k": "a"}]`, `f[{"k": "b"}]`"#,
    ];
    for (prefix, on, off) in
        [("", &refused[..], &refused[..]), ("+k8s:beta=", &refused, &[]), ("+k8s:alpha=", &[], &[])]
    {
        let [a, b] = ["a", "b"].map(|key| format!("{prefix}+k8s:listMapItem(k: \"{key}\")=+k8s:memberOf(group: u)"));
        let tags = ["+k8s:listType=map", "+k8s:listMapKey=k", "+k8s:union(union: u)", &a, &b];
        check(Dialect::Kep, &field(&tags, "[]P"), r#"{"f":[{"k":"a"},{"k":"b"}]}"#, None, on, off);
    }
}

#[test]
fn a_union_of_different_prefixes_is_refused() {
    for dialect in DIALECTS {
        let source = union(["+k8s:alpha=", "", ""], "+k8s:unionMember", "");
        let refusals = Api::refusals(dialect, &source);
        assert!(
            refusals.iter().any(|text| text
                .contains("members of a union must have the same prefix: a has +k8s:alpha=, b has no prefix")),
            "{refusals:?}"
        );
    }
    for prefixes in [["+k8s:ifEnabled(X)=", "", ""], ["+k8s:alpha=", "+k8s:beta=", "+k8s:alpha="]] {
        let source = union(prefixes, "+k8s:memberOf(group: u)", "\t// +k8s:union(union: u)\n");
        let refusals = Api::refusals(Dialect::Kep, &source);
        assert!(refusals.iter().any(|text| text.contains("must have the same prefix")), "{refusals:?}");
    }
}

/// Two unions of a struct, one observed: "Alpha Tags: Always Shadowed" speaks of the rule, not of its neighbour.
#[test]
fn an_observed_union_leaves_its_neighbour_enforced() {
    let source = "type T struct {\n\t// +k8s:alpha=+k8s:ifEnabled(X)=+k8s:unionMember(union: one)\n\tA *string `json:\"a\"`\n\
         \t// +k8s:alpha=+k8s:ifEnabled(X)=+k8s:unionMember(union: one)\n\tB *string `json:\"b\"`\n\
         \t// +k8s:unionMember(union: two)\n\tC *string `json:\"c\"`\n\t// +k8s:unionMember(union: two)\n\tD *string `json:\"d\"`\n}\n";
    let refused = [r#"<nil>: Invalid value: "": must specify one of: `c`, `d`"#];
    for dialect in DIALECTS {
        for x in [true, false] {
            let api = Api::new(dialect, source).with_option("X", x);
            assert_eq!(api.enforced(true, "{}", None), refused, "{dialect} {x}");
        }
    }
}

/// A mode whose only rule is observed counts as one without rules, where the field has enforced ones.
#[test]
fn an_observed_mode_allows_nothing() {
    let source = "type T struct {\n\t// +k8s:modeDiscriminator\n\tM string `json:\"m\"`\n\
         \t// +k8s:alpha=+k8s:ifMode(\"a\")=+k8s:required\n\t// +k8s:ifMode(\"b\")=+k8s:maxLength=1\n\tF *string `json:\"f\"`\n}\n";
    let set = r#"{"m":"a","f":"x"}"#;
    let forbidden = ["f: Forbidden"];
    check(Dialect::Kep, source, set, None, &forbidden, &forbidden);
    check(Dialect::Kep, source, r#"{"m":"a"}"#, None, &[], &[]);
    // Recorded of the reference: a rule of any stage says that the field may be set.
    check(Dialect::Kubernetes, source, set, None, &[], &[]);
}

/// Transitions of one field that are refused at different stages.
#[test]
fn update_constraints_keep_their_stages() {
    let source = field(&["+k8s:alpha=+k8s:update=NoUnset", "+k8s:update=NoModify"], "*string");
    for dialect in DIALECTS {
        let changed = Api::new(dialect, &source).enforced(true, r#"{"f":"b"}"#, Some(r#"{"f":"a"}"#));
        assert_eq!(changed.len(), 1, "{changed:?}");
        check(dialect, &source, "{}", Some(r#"{"f":"a"}"#), &[], &[]);
    }
}

/// Stages inside of each other: the least mature counts.
#[test]
fn the_least_mature_stage_counts() {
    for tag in ["+k8s:beta=+k8s:alpha=+k8s:maxLength=1", "+k8s:alpha=+k8s:beta=+k8s:maxLength=1"] {
        for dialect in DIALECTS {
            check(dialect, &field(&[tag], "string"), r#"{"f":"aa"}"#, None, &[], &[]);
        }
    }
    let source = field(&["+k8s:listType=atomic", "+k8s:beta=+k8s:eachVal=+k8s:alpha=+k8s:maxLength=1"], "[]string");
    check(Dialect::Kep, &source, r#"{"f":["aa"]}"#, None, &[], &[]);
}

/// "optional" beside a rule that tightens it at a stage, under a condition, in a mode, or from the outside.
#[test]
fn optional_fields_can_be_tightened() {
    let required = ["f: Required value"];
    for (tag, on, off) in [
        ("+k8s:alpha=+k8s:required", &[][..], &[][..]),
        ("+k8s:beta=+k8s:required", &required, &[]),
        ("+k8s:ifEnabled(X)=+k8s:required", &required, &required),
        ("+k8s:ifDisabled(X)=+k8s:required", &[], &[]),
    ] {
        check(Dialect::Kep, &field(&["+k8s:optional", tag], "*string"), "{}", None, on, off);
    }
    let outside = field(&["+k8s:subfield(v)=+k8s:required"], "P");
    check(Dialect::Kep, &outside, r#"{"f":{"k":"a"}}"#, None, &["f.v: Required value"], &["f.v: Required value"]);
    let mode = "type T struct {\n\t// +k8s:modeDiscriminator\n\tM string `json:\"m\"`\n\
         \t// +k8s:optional\n\t// +k8s:ifMode(\"a\")=+k8s:required\n\tF *string `json:\"f\"`\n}\n";
    check(Dialect::Kep, mode, r#"{"m":"a"}"#, None, &required, &required);
    let refusals = Api::refusals(Dialect::Kep, &field(&["+k8s:optional", "+k8s:required"], "*string"));
    assert!(refusals.iter().any(|text| text.contains("either required or optional")), "{refusals:?}");
}

/// "validate items which are not found (by value) in the old slice", where the bound is another field.
#[test]
fn elements_that_were_there_are_not_held_against_a_bound_again() {
    for list in ["+k8s:listType=set", "+k8s:listType=atomic", ""] {
        let source = format!(
            "type T struct {{\n\tMax int `json:\"max\"`\n\t// {list}\n\t// +k8s:eachVal=+k8s:maximum(constraint: max)\n\tF []int `json:\"f\"`\n}}\n"
        );
        let api = Api::new(Dialect::Kep, &source);
        let old = r#"{"max":5,"f":[6]}"#;
        let of = |new: &str| api.enforced(true, new, Some(old));
        assert_eq!(of(r#"{"max":5,"f":[6,1]}"#), [""; 0], "{list}");
        assert_eq!(
            of(r#"{"max":5,"f":[1,7,6]}"#),
            ["f[1]: Invalid value: 7: must be less than or equal to 5"],
            "{list}"
        );
        assert_eq!(of(r#"{"max":4,"f":[6]}"#), ["f[0]: Invalid value: 6: must be less than or equal to 4"], "{list}");
    }
}

/// What switches rules off has no stage: it would switch enforced ones off.
#[test]
fn what_switches_rules_off_takes_no_prefix() {
    for (tag, ty) in [
        ("+k8s:alpha=+k8s:opaqueType", "P"),
        ("+k8s:ifEnabled(X)=+k8s:customUnique", "[]string"),
        ("+k8s:beta=+k8s:featureGate=X", "*string"),
    ] {
        let refusals = Api::refusals(Dialect::Kep, &field(&[tag], ty));
        assert!(refusals.iter().any(|text| text.contains("whatever stands before")), "{tag}: {refusals:?}");
    }
}

/// The finding stands at the tag that differs and says what to do.
#[test]
fn unions_of_different_prefixes_are_reported_where_they_differ() {
    let declared = "\t// +k8s:union(union: u)\n";
    let discriminated =
        |prefixes| union(prefixes, "+k8s:unionMember", "\t// +k8s:unionDiscriminator\n\tD string `json:\"d\"`\n");
    let item = |prefix: &str, key: &str| format!("{prefix}+k8s:item(k: \"{key}\")=+k8s:unionMember");
    let items = |prefixes: [&str; 2]| {
        let [a, b] = [item(prefixes[0], "a"), item(prefixes[1], "b")];
        field(&["+k8s:listType=map", "+k8s:listMapKey=k", &a, &b], "[]P")
    };
    let of_field = |tag: &str, name: &str| format!("{tag}\n\t// +k8s:optional\n\t{name} ");
    let both: [(String, String); 5] = [
        (union(["+k8s:alpha=", "+k8s:alpha=", ""], "+k8s:unionMember", ""), of_field("k8s:unionMember", "C")),
        (union(["", "+k8s:beta=", ""], "+k8s:zeroOrOneOfMember", ""), of_field("k8s:zeroOrOneOfMember", "B")),
        (discriminated(["+k8s:alpha="; 3]), "k8s:unionDiscriminator\n".to_owned()),
        (discriminated(["", "", "+k8s:beta="]), of_field("k8s:unionMember", "C")),
        (items(["", "+k8s:alpha="]), "k8s:unionMember\n\t// +k8s:alpha=+k8s:item".to_owned()),
    ];
    let kep: [(String, String); 2] = [
        (union(["", "", "+k8s:beta="], "+k8s:memberOf(group: u)", declared), of_field("k8s:memberOf(group: u)", "C")),
        (
            union(["+k8s:ifEnabled(X)=", "", ""], "+k8s:memberOf(group: u)", declared),
            of_field("k8s:memberOf(group: u)", "B"),
        ),
    ];
    let both = DIALECTS.iter().flat_map(|dialect| both.iter().map(move |row| (*dialect, row)));
    for (dialect, (source, place)) in both.chain(kep.iter().map(|row| (Dialect::Kep, row))) {
        let found = Api::places(dialect, source);
        let found: Vec<_> =
            found.iter().filter(|(message, ..)| message.contains("must have the same prefix")).collect();
        let Some((_, at, help)) = found.first() else { panic!("{dialect}: no finding\n{source}") };
        assert!(at.starts_with(place.as_str()), "{dialect}: found at {at:?}\n{source}");
        assert!(help.contains("put the same"), "{help}");
        let all = Api::refusals(dialect, source);
        assert_eq!(all.len(), found.len(), "nothing else is found: {all:?}");
    }
}

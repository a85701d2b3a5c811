//! The generated code of each rule, one per test.

use expect_test::{Expect, expect};

use crate::fixture::{file, go, rust};

/// Prints the body of the validator of the type `T`.
#[track_caller]
fn check(source: &str, want: &Expect) {
    let output = go("example.dev/api", &format!("// +k8s:validation-gen=*\npackage api\n{source}"));
    want.assert_eq(&body(file(&output, "api/validation.rs"), "validate_t"));
}

/// The same for a Rust module, which is read in the KEP's dialect.
#[track_caller]
fn check_rust(source: &str, want: &Expect) {
    let output = rust("crate::api", source);
    want.assert_eq(&body(file(&output, "api/validation.rs"), "validate_t"));
}

/// A function without its head and the bookkeeping that all of them have.
fn body(text: &str, function: &str) -> String {
    let (_, rest) = text.split_once(&format!("pub fn {function}(")).unwrap();
    let (_, rest) = rest.split_once("let mark = errors.len();\n").unwrap();
    let (body, _) = rest.split_once("    errors.len() > mark\n}").unwrap();
    body.lines().flat_map(|line| [line.strip_prefix("    ").unwrap_or(line), "\n"]).collect()
}

#[test]
fn optional_pointer() {
    check(
        r#"
type T struct {
	// +k8s:optional
	// +k8s:maxLength=4
	Name *string `json:"name"`
}
"#,
        &expect![[r#"
            'name: {
                if at.before(old).is_some_and(|old| Same::same(&new.name, &old.name)) {
                    break 'name;
                }
                let at = &at.child("name");
                let new = new.name.as_ref();
                let Some(new) = new else {
                    break 'name;
                };
                size_limits::max_length(at, Some(new), 4, errors);
            }
        "#]],
    );
}

#[test]
fn required_string_with_a_format() {
    check(
        r#"
type T struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string `json:"name"`
}
"#,
        &expect![[r#"
            'name: {
                if at.before(old).is_some_and(|old| Same::same(&new.name, &old.name)) {
                    break 'name;
                }
                let at = &at.child("name");
                let new = &new.name;
                if flow::stopping(
                    errors,
                    |errors| presence::required(at, !new.is_empty(), errors),
                ) {
                    break 'name;
                }
                scalar::format(at, Some(new), Format::ShortName, errors);
            }
        "#]],
    );
}

#[test]
fn only_stops() {
    check(
        r#"
type T struct {
	// +k8s:optional
	// +k8s:maxItems=4
	Names []string `json:"names"`
}
"#,
        &expect![[r#"
            'names: {
                if at.before(old).is_some_and(|old| Same::same(&new.names, &old.names)) {
                    break 'names;
                }
                let at = &at.child("names");
                let new = &new.names;
                flow::stopping(
                    errors,
                    |errors| size_limits::max_items(at, new.len(), 4, errors),
                );
            }
        "#]],
    );
}

#[test]
fn enum_of_a_named_string() {
    check(
        r#"
type T struct {
	// +k8s:required
	Mode Mode `json:"mode"`
}

// +k8s:enum
type Mode string

const On Mode = "on"
"#,
        &expect![[r#"
            'mode: {
                if at.before(old).is_some_and(|old| Same::same(&new.mode, &old.mode)) {
                    break 'mode;
                }
                let at = &at.child("mode");
                let new = &new.mode;
                let old = old.map(|old| &old.mode);
                if flow::stopping(
                    errors,
                    |errors| presence::required(at, !new.0.is_empty(), errors),
                ) {
                    break 'mode;
                }
                validate_mode(at, new, old, errors);
            }
        "#]],
    );
}

#[test]
fn list_with_keys() {
    check(
        r#"
type T struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:item(name: "main")=+k8s:validateFalse="no"
	Parts []Part `json:"parts"`
}

type Part struct {
	// +k8s:required
	Name string `json:"name"`
}
"#,
        &expect![[r#"
            'parts: {
                if at.before(old).is_some_and(|old| Same::same(&new.parts, &old.parts)) {
                    break 'parts;
                }
                let at = &at.child("parts");
                let new = &new.parts;
                let old = old.map(|old| &old.parts);
                if new.is_empty() {
                    break 'parts;
                }
                list::unique(at, new, list::itself, &PartByName, errors);
                {
                    list::item(
                        at,
                        new,
                        list::slots(old),
                        list::itself,
                        |item| item.name == *"main",
                        Same::same,
                        errors,
                        |at, new, _, errors| scalar::always_fails(
                            at,
                            show_json(new),
                            "no",
                            errors,
                        ),
                    );
                }
                list::each_val(
                    at,
                    new,
                    list::slots(old),
                    list::itself,
                    &PartByName,
                    errors,
                    validate_part,
                );
            }
        "#]],
    );
}

#[test]
fn map_of_named_keys() {
    check(
        r#"
type T struct {
	// +k8s:optional
	// +k8s:eachVal=+k8s:minimum=1
	Sizes map[Key]int `json:"sizes"`
}

// +k8s:maxLength=3
type Key string
"#,
        &expect![[r#"
            'sizes: {
                if at.before(old).is_some_and(|old| Same::same(&new.sizes, &old.sizes)) {
                    break 'sizes;
                }
                let at = &at.child("sizes");
                let new = &new.sizes;
                let old = old.map(|old| &old.sizes);
                if new.is_empty() {
                    break 'sizes;
                }
                map::each_val(
                    at,
                    Some(new),
                    old,
                    Same::same,
                    errors,
                    |at, new, _, errors| integer_bounds::minimum(at, Some(new), 1, errors),
                );
                map::each_key(
                    at,
                    Some(new),
                    old,
                    errors,
                    |at, new, errors| {
                        let old = None;
                        validate_key(at, new, old, errors)
                    },
                );
            }
        "#]],
    );
}

#[test]
fn union_of_fields() {
    check(
        r#"
type T struct {
	// +k8s:optional
	// +k8s:unionMember
	A *int `json:"a"`
	// +k8s:optional
	// +k8s:unionMember
	B []int `json:"b"`
}
"#,
        &expect![[r#"
            {
                let set: [bool; 2] = [new.a.is_some(), !new.b.is_empty()];
                let was: Option<[bool; 2]> = old.map(|old| [old.a.is_some(), !old.b.is_empty()]);
                union::union(at, &["a", "b"], &set, was.as_ref().map(|was| &was[..]), errors);
            }
        "#]],
    );
}

#[test]
fn subfield_in_a_cohort_of_its_own() {
    check(
        r#"
type T struct {
	// +k8s:optional
	// +k8s:subfield(name)=+k8s:maxLength=3
	Part *Part `json:"part"`
}

type Part struct {
	// +k8s:optional
	Name string `json:"name"`
}
"#,
        &expect![[r#"
            'part: {
                if at.before(old).is_some_and(|old| Same::same(&new.part, &old.part)) {
                    break 'part;
                }
                let at = &at.child("part");
                let new = new.part.as_ref();
                let old = old.and_then(|old| old.part.as_ref());
                let Some(new) = new else {
                    break 'part;
                };
                'cohort: {
                    if flow::quiet(
                        errors,
                        |errors| 'subfield: {
                            if at.before(old).is_some_and(|old| Same::same(&new.name, &old.name))
                            {
                                break 'subfield false;
                            }
                            let new = &new.name;
                            new.is_empty()
                        },
                    ) {
                        break 'cohort;
                    }
                    'subfield: {
                        if at.before(old).is_some_and(|old| Same::same(&new.name, &old.name)) {
                            break 'subfield;
                        }
                        let at = &at.child("name");
                        let new = &new.name;
                        size_limits::max_length(at, Some(new), 3, errors);
                    }
                }
                validate_part(at, new, old, errors);
            }
        "#]],
    );
}

#[test]
fn rules_by_mode() {
    check(
        r#"
type T struct {
	// +k8s:modeDiscriminator
	Kind string `json:"kind"`
	// +k8s:ifMode("a")=+k8s:required
	// +k8s:ifMode("a")=+k8s:maxLength=3
	Name *string `json:"name"`
}
"#,
        &expect![[r#"
            'mode: {
                if at
                    .before(old)
                    .is_some_and(|old| {
                        Same::same(&new.kind, &old.kind) && Same::same(&new.name, &old.name)
                    })
                {
                    break 'mode;
                }
                let mode = Text::text(&new.kind);
                let at = &at.child("name");
                let new = new.name.as_ref();
                match mode {
                    "a" => 'rules: {
                        let mut stopped = false;
                        stopped |= presence::required(at, new.is_some(), errors);
                        if stopped {
                            break 'rules;
                        }
                        size_limits::max_length(at, new, 3, errors);
                    }
                    _ => {
                        presence::forbidden(at, new.is_some(), errors);
                    }
                }
            }
        "#]],
    );
}

#[test]
fn options_stages_and_transitions() {
    check(
        r#"
type T struct {
	// +k8s:ifEnabled(Fast)=+k8s:required
	// +k8s:alpha(since: "1.35")=+k8s:minimum=1
	// +k8s:update=NoUnset
	Size int `json:"size"`
}
"#,
        &expect![[r#"
            'size: {
                if at.before(old).is_some_and(|old| Same::same(&new.size, &old.size)) {
                    break 'size;
                }
                let at = &at.child("size");
                let new = &new.size;
                let old = old.map(|old| &old.size);
                let mut stopped = flow::stopping(
                    errors,
                    |errors| scalar::if_option(
                        at,
                        "Fast",
                        true,
                        errors,
                        |errors| presence::required(at, *new != 0, errors),
                    ),
                );
                stopped
                    |= flow::stopping(
                        errors,
                        |errors| update::update(
                            at,
                            *new != 0,
                            old.map(|old| *old != 0),
                            &[Constraint::NoUnset],
                            errors,
                        ),
                    );
                if stopped {
                    break 'size;
                }
                flow::staged(
                    at,
                    errors,
                    Stage::Alpha,
                    |errors| integer_bounds::minimum(at, Some(new), 1, errors),
                );
            }
        "#]],
    );
}

#[test]
fn missing_value_is_judged_where_a_rule_can_tell() {
    let output = go(
        "example.dev/api",
        r#"
// +k8s:validation-gen=*
package api

type T struct {
	P *Fixed `json:"p"`
}

// +k8s:immutable
type Fixed string
"#,
    );
    let text = file(&output, "api/validation.rs");
    expect![[r#"
        'p: {
            if at.before(old).is_some_and(|old| Same::same(&new.p, &old.p)) {
                break 'p;
            }
            let at = &at.child("p");
            let new = new.p.as_ref();
            let old = old.and_then(|old| old.p.as_ref());
            match new {
                Some(new) => validate_fixed(at, new, old, errors),
                None => validate_missing_fixed(at, old, errors),
            };
        }
    "#]]
    .assert_eq(&body(text, "validate_t"));
    expect![[r#"
        flow::stopping(errors, |errors| update::immutable(at, errors));
    "#]]
    .assert_eq(&body(text, "validate_missing_fixed"));
}

#[test]
fn rust_options_boxes_and_newtypes() {
    check_rust(
        r"
pub struct T {
    /// +k8s:optional
    pub next: Option<Box<T>>,
    /// +k8s:optional
    /// +k8s:maxItems=2
    pub names: Option<Vec<Name>>,
    /// +k8s:required
    pub name: Name,
}

/// +k8s:maxLength=2
pub struct Name(pub String);
",
        &expect![[r#"
            'next: {
                if at.before(old).is_some_and(|old| Same::same(&new.next, &old.next)) {
                    break 'next;
                }
                let at = &at.child("next");
                let new = new.next.as_deref();
                let old = old.and_then(|old| old.next.as_deref());
                let Some(new) = new else {
                    break 'next;
                };
                validate_t(at, new, old, errors);
            }
            'names: {
                if at
                    .before(old)
                    .is_some_and(|old| same::nullable(new.names.as_ref(), old.names.as_ref()))
                {
                    break 'names;
                }
                let at = &at.child("names");
                let new = new.names.as_ref();
                let old = old.and_then(|old| old.names.as_ref());
                let mut stopped = flow::stopping(
                    errors,
                    |errors| size_limits::max_items(
                        at,
                        new.map_or(0, |new| new.len()),
                        2,
                        errors,
                    ),
                );
                stopped |= new.is_none_or(|new| new.is_empty());
                if stopped {
                    break 'names;
                }
                let Some(new) = new else {
                    break 'names;
                };
                list::each_val(
                    at,
                    new,
                    list::slots(old),
                    list::itself,
                    &list::ByValue,
                    errors,
                    validate_name,
                );
            }
            'name: {
                if at.before(old).is_some_and(|old| Same::same(&new.name, &old.name)) {
                    break 'name;
                }
                let at = &at.child("name");
                let new = &new.name;
                let old = old.map(|old| &old.name);
                if flow::stopping(
                    errors,
                    |errors| presence::required(at, !new.0.is_empty(), errors),
                ) {
                    break 'name;
                }
                validate_name(at, new, old, errors);
            }
        "#]],
    );
}

#[test]
fn rust_bound_that_is_another_field() {
    check_rust(
        r"
pub struct T {
    pub min: i32,
    /// +k8s:minimum=min
    pub size: Option<i32>,
}
",
        &expect![[r#"
            {
                let bound = &new.min;
                let old = old
                    .filter(|old| {
                        let was = &old.min;
                        Same::same(bound, was)
                    });
                let bound = Integer::number(bound);
                'subfield: {
                    if at.before(old).is_some_and(|old| Same::same(&new.size, &old.size)) {
                        break 'subfield;
                    }
                    let at = &at.child("size");
                    let new = new.size.as_ref();
                    integer_bounds::minimum(at, new, bound, errors);
                }
            }
        "#]],
    );
}

#[test]
fn rust_rule_on_the_name_of_an_object() {
    check_rust(
        "
use sprag::ObjectMeta;

pub struct T {
    /// +k8s:subfield(name)=+k8s:maxLength=4
    pub metadata: ObjectMeta,
}
",
        &expect![[r#"
            'metadata: {
                if at
                    .before(old)
                    .is_some_and(|old| same::serialized(&new.metadata, &old.metadata))
                {
                    break 'metadata;
                }
                let at = &at.child("metadata");
                let new = &new.metadata;
                let old = old.map(|old| &old.metadata);
                {
                    'subfield: {
                        if at.before(old).is_some_and(|old| Same::same(&new.name, &old.name)) {
                            break 'subfield;
                        }
                        let at = &at.child("name");
                        let new = &new.name;
                        size_limits::max_length(at, Some(new), 4, errors);
                    }
                }
            }
        "#]],
    );
}

#[test]
fn rust_items_that_may_not_be_removed() {
    check_rust(
        "
pub struct T {
    /// +k8s:listType=map
    /// +k8s:listMapKey=kind
    /// +k8s:listMapKey=port
    /// +k8s:update=NoRemoveItem
    pub ends: Vec<End>,
    /// +k8s:listType=set
    /// +k8s:immutable
    pub names: Vec<String>,
    /// +k8s:immutable
    pub order: Vec<String>,
}

pub struct End {
    pub kind: String,
    pub port: Option<i32>,
}
",
        &expect![[r#"
            'ends: {
                if at.before(old).is_some_and(|old| Same::same(&new.ends, &old.ends)) {
                    break 'ends;
                }
                let at = &at.child("ends");
                let held = old.is_some();
                let new = &new.ends;
                let old = old.map(|old| &old.ends);
                if flow::stopping(
                    errors,
                    |errors| update::update_list(
                        at,
                        new,
                        held.then(|| list::slots(old)),
                        list::itself,
                        &list::labelled(
                            &EndByKindPort,
                            |item: &End| list::keys_label(
                                &[
                                    ("kind", show_json(&item.kind)),
                                    ("port", show_json(&item.port)),
                                ],
                            ),
                        ),
                        &[Constraint::NoRemoveItem],
                        errors,
                    ),
                ) {
                    break 'ends;
                }
                list::unique(at, new, list::itself, &EndByKindPort, errors);
            }
            'names: {
                if at.before(old).is_some_and(|old| Same::same(&new.names, &old.names)) {
                    break 'names;
                }
                let at = &at.child("names");
                let held = old.is_some();
                let new = &new.names;
                let old = old.map(|old| &old.names);
                if flow::stopping(
                    errors,
                    |errors| update::update_list(
                        at,
                        new,
                        held.then(|| list::slots(old)),
                        list::itself,
                        &list::labelled(&list::ByValue, |item| show_json(item).to_string()),
                        &[Constraint::NoSet, Constraint::NoAddItem, Constraint::NoRemoveItem],
                        errors,
                    ),
                ) {
                    break 'names;
                }
                list::unique(at, new, list::itself, &list::ByValue, errors);
            }
            'order: {
                if at.before(old).is_some_and(|old| Same::same(&new.order, &old.order)) {
                    break 'order;
                }
                let at = &at.child("order");
                let held = old.is_some();
                let new = &new.order;
                let old = old.map(|old| &old.order);
                flow::stopping(
                    errors,
                    |errors| update::update_list(
                        at,
                        new,
                        held.then(|| list::slots(old)),
                        list::itself,
                        &list::ByValue,
                        &[Constraint::NoSet, Constraint::NoUnset, Constraint::NoModify],
                        errors,
                    ),
                );
            }
        "#]],
    );
}

#[test]
fn native_rules_mark_their_errors() {
    check_rust(
        r"
pub struct T {
    /// +k8s:declarativeValidationNative
    /// +k8s:alpha=+k8s:minimum=1
    /// +k8s:maximum=9
    pub size: i32,
}
",
        &expect![[r#"
            'size: {
                if at.before(old).is_some_and(|old| Same::same(&new.size, &old.size)) {
                    break 'size;
                }
                let at = &at.child("size");
                let new = &new.size;
                flow::native(
                    errors,
                    |errors| flow::staged(
                        at,
                        errors,
                        Stage::Alpha,
                        |errors| integer_bounds::minimum(at, Some(new), 1, errors),
                    ),
                );
                flow::native(errors, |errors| integer_bounds::maximum(at, Some(new), 9, errors));
            }
        "#]],
    );
}

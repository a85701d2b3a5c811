#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

use expect_test::{Expect, expect};
use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use sprag_release::Release;
use sprag_value::{Value, json};

use super::{Verdict, create, fuzz, update};
use crate::crd::{Crd, ReadError, prepare, shapes};
use crate::props::MAX_SCHEMA_DEPTH;

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

/// A manifest with this schema in its only version.
fn manifest(schema: &Value) -> Value {
    let mut manifest = parse(
        r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "as.b.c"},
            "spec": {"group": "b.c", "scope": "Cluster", "names": {"plural": "as", "kind": "A"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {}}]}}"#,
    );
    let versions = manifest.get_mut("spec").and_then(|spec| spec.get_mut("versions")).unwrap();
    let version = &mut versions.as_array_mut().unwrap().as_mut_slice()[0];
    version.get_mut("schema").unwrap().insert("openAPIV3Schema", schema.clone());
    manifest
}

fn judge(manifest: Value) -> Result<Verdict, ReadError> {
    judge_in(Release::NEWEST, manifest)
}

fn judge_in(release: Release, mut manifest: Value) -> Result<Verdict, ReadError> {
    prepare::set_defaults(&mut manifest);
    prepare::for_create(&mut manifest);
    Crd::read(&manifest).map(|crd| create(&crd, release))
}

fn judge_update(new: Value, old: Value) -> Verdict {
    let [mut new, mut old] = [new, old].map(|mut manifest| {
        manifest.get_mut("metadata").unwrap().insert("resourceVersion", "1");
        prepare::set_defaults(&mut manifest);
        manifest
    });
    prepare::for_create(&mut old);
    prepare::for_update(&mut new, &old);
    update(&Crd::read(&new).unwrap(), &Crd::read(&old).unwrap(), Release::NEWEST)
}

fn texts(verdict: &Verdict) -> String {
    let errors = verdict.errors.iter().map(ToString::to_string);
    errors.chain(verdict.warnings.iter().map(|warning| format!("warning: {warning}"))).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(schema: &str, expected: &Expect) {
    expected.assert_eq(&texts(&judge(manifest(&parse(schema))).unwrap()));
}

#[track_caller]
fn check_in(release: Release, schema: &str, expected: &Expect) {
    expected.assert_eq(&texts(&judge_in(release, manifest(&parse(schema))).unwrap()));
}

#[track_caller]
fn check_update(new: &str, old: &str, expected: &Expect) {
    expected.assert_eq(&texts(&judge_update(manifest(&parse(new)), manifest(&parse(old)))));
}

#[test]
fn old_versions_of_the_type_are_named() {
    let text = r#"{"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition"}"#;
    let error = Crd::read(&parse(text)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "apiextensions.k8s.io/v1beta1 is not supported; convert the definition to apiextensions.k8s.io/v1"
    );
}

#[test]
fn members_of_the_wrong_type_are_named_as_go_names_them() {
    let refused = |schema: &str| shapes::check(&manifest(&parse(schema))).unwrap_err().to_string();
    let start = "Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema";
    assert_eq!(
        refused(r#"{"items": {"maxLength": "x"}}"#),
        format!("json: cannot unmarshal string into {start}.items.maxLength of type int64")
    );
    assert_eq!(
        refused(r#"{"dependencies": {"a": [1]}}"#),
        format!("json: cannot unmarshal number into {start}.dependencies of type string")
    );
    assert_eq!(refused(r#"{"additionalProperties": 1}"#), "boolean or JSON schema expected");
    assert_eq!(refused(r#"{"type": 1, "additionalProperties": 1}"#), "boolean or JSON schema expected");
    assert_eq!(
        refused(r#"{"type": 1, "items": {"type": 2, "items": {"x-kubernetes-validations": [{"rule": 3}]}}}"#),
        format!("json: cannot unmarshal number into {start}.items.items.x-kubernetes-validations.rule of type string")
    );
}

#[test]
fn unknown_members_are_found_as_far_as_upstream_looks() {
    let found = shapes::check(&manifest(&parse(r#"{"tpye": 1, "properties": {"a": {"x": 1}}, "items": {"y": 1}}"#)));
    let found: Vec<String> = found.unwrap().iter().map(ToString::to_string).collect();
    let start = r#"unknown field "spec.versions[0].schema.openAPIV3Schema"#;
    assert_eq!(found, [format!(r#"{start}.properties.a.x""#), format!(r#"{start}.tpye""#)]);
}

#[test]
fn schemas_are_structural() {
    check(
        r#"{"type": "object", "properties": {"a": {}}, "not": {"type": "string"}}"#,
        &expect![[r#"
        spec.validation.openAPIV3Schema.not.type: Forbidden: must be empty to be structural
        spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields"#]],
    );
}

#[test]
fn defaults_are_valid() {
    check(
        r#"{"type": "object", "properties": {"a": {"type": "object", "default": {"b": 1, "z": 1},
            "properties": {"b": {"type": "integer", "minimum": 2}}}}}"#,
        &expect![[r#"
            spec.validation.openAPIV3Schema.properties[a].default: Invalid value: {"b":1,"z":1}: must not have unknown fields
            spec.validation.openAPIV3Schema.properties[a].default.b: Invalid value: 1: b in body should be greater than or equal to 2"#]],
    );
}

#[test]
fn rules_compile_and_are_cheap() {
    check(
        r#"{"type": "object", "properties": {"l": {"type": "array", "items": {"type": "string"},
            "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a == b))"}, {"rule": "self + 1"}]}}}"#,
        &expect![[r#"
            spec.validation.openAPIV3Schema.properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
            spec.validation.openAPIV3Schema.properties[l].x-kubernetes-validations[1].rule: Invalid value: {"Rule":"self + 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(list(string), int)'
             | self + 1
             | .....^
            spec.validation.openAPIV3Schema.properties[l].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema
            spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"#]],
    );
}

#[test]
fn what_was_accepted_before_is_tolerated() {
    let loose = r#"{"type": "object", "properties": {"l": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}}}}"#;
    let more = loose.replace("\"l\"", "\"m\"");
    check(
        loose,
        &expect![[r#"
        spec.validation.openAPIV3Schema.properties[l].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set
        warning: x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules"#]],
    );
    check_update(&more, loose, &expect![[""]]);
    check_update(
        loose,
        r#"{"type": "object"}"#,
        &expect![[r#"
        spec.validation.openAPIV3Schema.properties[l].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set
        warning: x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules"#]],
    );
}

#[test]
fn storage_versions_stay() {
    let old = manifest(&parse(r#"{"type": "object"}"#));
    let mut new = old.clone();
    let versions = new.get_mut("spec").and_then(|spec| spec.get_mut("versions")).unwrap().as_array_mut().unwrap();
    versions.as_mut_slice()[0].insert("name", "v2");
    new.get_mut("spec").unwrap().insert("group", "d.e");
    expect![[r#"
        spec.group: Invalid value: "d.e": field is immutable
        status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions"#]].assert_eq(&texts(&judge_update(new, old)));
}

proptest! {
    #[test]
    fn any_definition_is_judged(bytes in vec(any::<u8>(), 0..400)) {
        fuzz::definition(&bytes);
    }
}

/// A chain of `count` schemas, each the member `keyword` of the one before.
fn tower(keyword: &str, count: usize) -> Value {
    let mut schema = parse(r#"{"type": "string"}"#);
    for _ in 1..count {
        schema = match keyword {
            "allOf" => Value::from_iter([("allOf", Value::from([schema]))]),
            _ => Value::from_iter([("type", Value::from("array")), (keyword, schema)]),
        };
    }
    schema
}

#[test]
fn towers_of_schemas_are_limited() {
    for keyword in ["allOf", "items"] {
        assert!(judge(manifest(&tower(keyword, MAX_SCHEMA_DEPTH))).is_ok());
        assert!(matches!(judge(manifest(&tower(keyword, MAX_SCHEMA_DEPTH + 1))), Err(ReadError::TooDeep(_))));
    }
}

/// An object with `count` properties made by a function of their number.
fn wide(count: usize, property: impl Fn(usize) -> Value) -> Value {
    let properties = (0..count).map(|index| (format!("p{index}"), property(index))).collect::<Value>();
    Value::from_iter([("type", Value::from("object")), ("properties", properties)])
}

#[test]
fn wide_schemas_are_judged() {
    let integer = |_| parse(r#"{"type": "integer", "default": 1}"#);
    assert!(judge(manifest(&wide(10_000, integer))).unwrap().errors.is_empty());
    let listed = parse(r#"{"type": "string"}"#);
    let enumeration: Value = (0..50_000).map(|index| Value::from(format!("v{index}"))).collect();
    let listed = wide(1, |_| {
        let mut schema = listed.clone();
        schema.insert("enum", enumeration.clone());
        schema.insert("default", "v49999");
        schema
    });
    assert!(judge(manifest(&listed)).unwrap().errors.is_empty());
}

#[test]
fn many_rules_are_judged_and_their_sum_is_limited() {
    let rule = |index| {
        let rule = format!("self.all(x, x > {index})");
        let rules = Value::from([Value::from_iter([("rule", rule)])]);
        let mut schema = parse(r#"{"type": "array", "maxItems": 10000, "items": {"type": "integer"}}"#);
        schema.insert("x-kubernetes-validations", rules);
        schema
    };
    let verdict = judge(manifest(&wide(5_000, rule))).unwrap();
    assert_eq!(verdict.errors.len(), 1);
    assert!(texts(&verdict).contains("estimated rule cost total for entire OpenAPIv3 schema exceeds budget"));
}

#[test]
fn many_bad_keys_make_few_errors() {
    let keys: Value = (0..20_000).map(|index| Value::from(format!("k{index}"))).collect();
    let mut list = parse(r#"{"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}}"#);
    list.insert("x-kubernetes-list-map-keys", keys);
    assert!(judge(manifest(&wide(1, |_| list.clone()))).unwrap().errors.len() < 1_000);
}

#[test]
fn defaults_in_nested_lists_are_judged() {
    let mut default = Value::from("x");
    let mut schema = parse(r#"{"type": "string"}"#);
    for _ in 0..100 {
        default = Value::from([default]);
        schema = Value::from_iter([("type", Value::from("array")), ("items", schema)]);
        schema.insert("default", default.clone());
    }
    assert!(judge(manifest(&wide(1, |_| schema.clone()))).unwrap().errors.is_empty());
}

#[test]
fn warnings_of_formats_and_sets_come_with_releases() {
    let schema = r#"{"type": "object", "properties": {
        "n": {"type": "integer", "format": "uint8"}, "s": {"type": "string", "format": "k8s-short-name"},
        "c": {"type": "string", "format": "cron"},
        "l": {"type": "array", "x-kubernetes-list-type": "set",
            "items": {"type": "object", "x-kubernetes-map-type": "atomic"}}}}"#;
    check_in(Release::V1_33, schema, &expect![[""]]);
    check_in(
        Release::V1_34,
        schema,
        &expect![[r#"
            warning: unrecognized format "cron"
            warning: unrecognized format "k8s-short-name""#]],
    );
    check_in(Release::V1_35, schema, &expect![[r#"warning: unrecognized format "cron""#]]);
    check_in(
        Release::V1_36,
        schema,
        &expect![[r#"
            warning: unrecognized format "cron"
            warning: unrecognized format "uint8""#]],
    );
    check_in(
        Release::V1_37,
        schema,
        &expect![[r#"
            warning: unrecognized format "cron"
            warning: unrecognized format "uint8"
            warning: x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules"#]],
    );
}

#[test]
fn costs_of_names_have_a_bound_from_1_37_on() {
    let schema = r#"{"type": "object", "properties": {"l": {"type": "array", "maxItems": 100, "items": {"type": "string",
        "maxLength": 10}}}, "x-kubernetes-validations": [{"rule": "self.l.all(x, !self.metadata.name.contains(x))"}]}"#;
    check_in(Release::V1_37, schema, &expect![[""]]);
    check_in(
        Release::V1_36,
        schema,
        &expect![[r#"
            spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 12.6x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
            spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema
            spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.258300x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"#]],
    );
}

//! Custom resources of a definition, case by case.

use expect_test::expect;
use sprag_crd::resource;
use sprag_rest::FeatureGates;
use sprag_value::{Time, Value, json};

use crate::definitions::api::{Api, Call, gates};

/// A definition with two versions that differ in everything.
pub(crate) const WIDGETS: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList","shortNames":["wd"],"categories":["all"]},
    "versions":[
        {"name":"v1alpha1","served":true,"storage":false,"deprecated":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
            "spec":{"type":"object","properties":{"size":{"type":"integer"},"old":{"type":"string","default":"o"}}}}}}},
        {"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.size",
            "statusReplicasPath":".status.size"}},"selectableFields":[{"jsonPath":".spec.color"}],
         "additionalPrinterColumns":[
            {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type=='Ready')].status"},
            {"name":"Size","type":"integer","jsonPath":".spec.size","description":"how large","priority":1},
            {"name":"Ratio","type":"number","jsonPath":".spec.size"},
            {"name":"All","type":"string","jsonPath":".spec"},
            {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],
         "schema":{"openAPIV3Schema":{"type":"object","properties":{
            "spec":{"type":"object","properties":{"size":{"type":"integer","minimum":1},"color":{"type":"string","default":"red"}},
                "x-kubernetes-validations":[{"rule":"!has(self.size) || self.size < 100","message":"too large"}]},
            "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}"#;

pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const V1: &str = "/apis/example.com/v1/namespaces/default/widgets";
const ALPHA: &str = "/apis/example.com/v1alpha1/namespaces/default/widgets";

fn with_widgets() -> Api {
    let api = Api::default();
    api.must("POST", CRDS, WIDGETS);
    api
}

fn widget(version: &str, rest: &str) -> String {
    format!(r#"{{"apiVersion":"example.com/{version}","kind":"Widget","metadata":{{"name":"w"}},{rest}}}"#)
}

fn spec(object: &Value) -> String {
    object.get("spec").map(json::to_string).unwrap_or_default()
}

#[test]
fn names_versions_and_warnings_are_read_without_schemas() {
    let definition = resource(&json::parse(WIDGETS.as_bytes()).unwrap(), &gates()).unwrap();
    let versions: Vec<_> = definition.versions.iter().map(|version| version.name.as_str()).collect();
    assert_eq!(versions, ["v1", "v1alpha1"]);
    assert_eq!(
        definition.versions[1].deprecation_warning,
        "example.com/v1alpha1 Widget is deprecated; use example.com/v1 Widget"
    );
    assert_eq!((definition.storage_version.as_str(), definition.short_names[0].as_str()), ("v1", "wd"));
    let subresources: Vec<_> = definition.versions[0].subresources.iter().map(|sub| sub.name.as_str()).collect();
    assert_eq!(subresources, ["status", "scale"]);
    assert!(definition.versions[0].schema.is_some());
}

#[test]
fn cells_are_printed_by_type() {
    let definition = resource(&json::parse(WIDGETS.as_bytes()).unwrap(), &gates()).unwrap();
    let cells = |object: &str, now: i64| {
        let object = json::parse(object.as_bytes()).unwrap();
        let columns = definition.versions[0].columns.iter();
        json::to_string(&columns.map(|column| column.cell(&object, Time::from_unix(now, 0))).collect::<Value>())
    };
    let object = r#"{"metadata":{"creationTimestamp":"1970-01-01T00:00:10Z"},"spec":{"size":2},
        "status":{"conditions":[{"type":"Other","status":"False"},{"type":"Ready","status":"True"}]}}"#;
    expect![[r#"["True",2,2,"{\"size\":2}","2m10s"]"#]].assert_eq(&cells(object, 140));
    expect!["[null,null,null,null,null]"].assert_eq(&cells("{}", 0));
    let odd = r#"{"metadata":{"creationTimestamp":"soon"},"spec":{"size":"x"},"status":{"conditions":[{"type":"Ready","status":null}]}}"#;
    expect![[r#"["<no value>",null,null,"{\"size\":\"x\"}","<invalid>"]"#]]
        .assert_eq(&cells(odd, 0).replace("\\u003c", "<").replace("\\u003e", ">"));
}

#[test]
fn versions_differ_in_defaults_and_fields() {
    let api = with_widgets();
    let created = api.must("POST", ALPHA, &widget("v1alpha1", r#""spec":{"size":3}"#));
    assert_eq!(spec(&created), r#"{"size":3}"#);
    assert_eq!(spec(&api.must("GET", &format!("{V1}/w"), "")), r#"{"color":"red","size":3}"#);
    assert_eq!(spec(&api.must("GET", &format!("{ALPHA}/w"), "")), r#"{"size":3}"#);
    assert_eq!(spec(&api.must("PATCH", &format!("{ALPHA}/w"), r#"{"spec":{"size":4}}"#)), r#"{"size":4}"#);
}

#[test]
fn updates_need_a_resource_version_and_an_object() {
    let api = with_widgets();
    let refused = api.refused("PUT", &format!("{V1}/w"), &widget("v1", r#""spec":{}"#));
    assert_eq!(refused, r#"404 widgets.example.com "w" not found"#);
    api.must("POST", V1, &widget("v1", r#""spec":{}"#));
    let refused = api.refused("PUT", &format!("{V1}/w"), &widget("v1", r#""spec":{}"#));
    assert_eq!(
        refused,
        r#"422 widgets.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#
    );
}

#[test]
fn the_status_has_an_address_of_its_own() {
    let api = with_widgets();
    let created = api.must("POST", V1, &widget("v1", r#""spec":{"size":1},"status":{"size":5}"#));
    assert!(created.get("status").is_none());
    let patched = api.must("PATCH", &format!("{V1}/w/status"), r#"{"spec":{"size":9},"status":{"size":5}}"#);
    assert_eq!(
        (spec(&patched).as_str(), patched.lookup(&["metadata", "generation"])),
        (r#"{"color":"red","size":1}"#, Some(&Value::Int(1)))
    );
    let patched = api.must("PATCH", &format!("{V1}/w"), r#"{"spec":{"size":9},"status":null}"#);
    assert_eq!(patched.lookup(&["status", "size"]), Some(&Value::Int(5)));
    assert_eq!(patched.lookup(&["metadata", "generation"]), Some(&Value::Int(2)));
    assert_eq!(api.must("GET", &format!("{V1}/w/scale"), "").lookup(&["spec", "replicas"]), Some(&Value::Int(9)));
}

#[test]
fn another_kind_is_refused_after_everything_else() {
    let api = with_widgets();
    let wrong = |more: &str| {
        let kind = widget("v1", r#""spec":{"size":1},"status":{"size":5}"#).replace(r#""Widget""#, r#""Wrong""#);
        kind.replace(r#""name":"w""#, &format!(r#""name":"w"{more}"#))
    };
    let refused = r#"422 Wrong.example.com "w" is invalid: kind: Invalid value: "Wrong": must be Widget"#;
    assert_eq!(api.refused("POST", &V1.replace("default", "none"), &wrong("")), r#"404 namespaces "none" not found"#);
    assert_eq!(api.refused("POST", V1, &wrong(r#","labels":{"a b":"c"}"#)), refused);
    let path = format!("{V1}/w");
    let status = format!("{V1}/w/status");
    assert_eq!(api.refused("PUT", &path, &wrong("")), r#"404 widgets.example.com "w" not found"#);
    let created = api.must("POST", V1, &widget("v1", r#""spec":{"size":1}"#));
    assert!(api.refused("PUT", &path, &wrong(r#","resourceVersion":"1""#)).starts_with("409 "));
    let version = created.lookup(&["metadata", "resourceVersion"]).map(json::to_string).unwrap();
    let seen = wrong(&format!(r#","resourceVersion":{version}"#));
    assert_eq!(api.refused("PUT", &path, &seen), refused);
    assert_eq!(api.refused("PATCH", &path, r#"{"kind":"Wrong"}"#), refused);
    assert!(
        api.refused("PATCH", &path, r#"{"kind":"Wrong","metadata":{"labels":{"a b":"c"}}}"#).contains("[metadata.")
    );
    assert_eq!(
        api.refused("PATCH", &path, r#"{"apiVersion":"a/v1"}"#),
        r#"422 Widget.a "w" is invalid: apiVersion: Invalid value: "a/v1": must be example.com/v1"#
    );
    for path in [&path, &status] {
        assert_eq!(
            api.refused("PATCH", path, r#"{"apiVersion":""}"#),
            "500 Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'"
        );
    }
    // The status is all that is taken from it.
    let written = api.must("PUT", &status, &seen);
    assert_eq!((type_of(&written), written.lookup(&["status", "size"])), ("Widget", Some(&Value::Int(5))));
    assert_eq!(written.lookup(&["metadata", "managedFields"]), created.lookup(&["metadata", "managedFields"]));
}

fn type_of(object: &Value) -> &str {
    object.get("kind").and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn writes_are_answered_with_what_is_read_back() {
    let api = Api::default();
    api.must(
        "POST",
        CRDS,
        &WIDGETS.replace(r#""status":{"type":"object","#, r#""status":{"type":"object","default":{"n":0},"#),
    );
    // Long enough to be kept for the next write.
    let long = format!(r#""spec":{{"size":1,"color":"{}"}}"#, "x".repeat(2000));
    let check = |written: Value| {
        assert_eq!(written, api.must("GET", &format!("{V1}/w"), ""));
        written.get("status").map(json::to_string)
    };
    assert_eq!(check(api.must("POST", V1, &widget("v1", &long))).as_deref(), Some(r#"{"n":0}"#));
    let patched = api.must("PATCH", &format!("{V1}/w"), r#"{"spec":{"size":2}}"#);
    assert_eq!(check(patched).as_deref(), Some(r#"{"n":0}"#));
    let patched = api.must("PATCH", &format!("{V1}/w/status"), r#"{"status":{"n":1}}"#);
    assert_eq!(check(patched).as_deref(), Some(r#"{"n":1}"#));
}

#[test]
fn what_a_schema_has_come_to_refuse_is_kept_while_it_stays() {
    let tighten = r#"{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
        "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","maximum":2}}}}}}}]}}"#;
    let check = |gates: FeatureGates, expected: &str| {
        let api = Api::over(std::sync::Arc::new(sprag_storage::Memory::new()), gates);
        api.must(
            "POST",
            CRDS,
            &WIDGETS.replace(r#""name":"v1alpha1","served":true"#, r#""name":"v1alpha1","served":false"#),
        );
        api.must("POST", V1, &widget("v1", r#""spec":{"size":5}"#));
        api.must("PATCH", &format!("{CRDS}/widgets.example.com"), tighten);
        let label = r#"{"metadata":{"labels":{"a":"b"}}}"#;
        assert_eq!(api.refused("PATCH", &format!("{V1}/w"), label), expected);
    };
    check(gates(), "200 ");
    let mut off = FeatureGates::default().with("CRDValidationRatcheting", sprag_rest::Stage::Beta);
    off.set("CRDValidationRatcheting=false").unwrap();
    check(
        off,
        "422 Widget.example.com \"w\" is invalid: spec.size: Invalid value: 5: spec.size in body should be less than or equal to 2",
    );
}

#[test]
fn errors_are_those_of_metadata_then_schema_then_rules() {
    let api = with_widgets();
    let body = r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"W_"},"spec":{"size":0}}"#;
    expect![[r#"422 Widget.example.com "W_" is invalid: [metadata.name: Invalid value: "W_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1]"#]]
        .assert_eq(&api.refused("POST", V1, body));
    let refused = api.refused("POST", V1, &widget("v1", r#""spec":{"size":100}"#));
    assert_eq!(refused, r#"422 Widget.example.com "w" is invalid: spec: Invalid value: too large"#);
}

fn apply(api: &Api, path: &str, body: &str) -> Value {
    let path = &format!("{path}/w?fieldManager=m&force=true");
    api.send(Call { method: "PATCH", path, content_type: "application/apply-patch+yaml", body }).unwrap().body
}

#[test]
fn applied_metadata_comes_into_form_and_is_owned_as_it_was_sent() {
    let api = with_widgets();
    let metadata = r#"{"name":"w","labels":{"a":null},"annotations":null,"finalizers":[],"creationTimestamp":"x"}"#;
    let object =
        apply(&api, V1, &format!(r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{metadata}}}"#));
    let at = |path: &[&str]| object.lookup(path).map(json::to_string).unwrap_or_default();
    assert_eq!(at(&["metadata", "labels"]), r#"{"a":""}"#);
    assert_eq!([at(&["metadata", "annotations"]), at(&["metadata", "finalizers"])], ["", ""]);
    let managers = object.lookup(&["metadata", "managedFields"]).and_then(Value::as_array).unwrap();
    expect![[r#"{"f:metadata":{"f:annotations":{},"f:labels":{"f:a":{}}}}"#]]
        .assert_eq(&json::to_string(managers[0].get("fieldsV1").unwrap()));
    assert_eq!(object, api.must("GET", &format!("{V1}/w"), ""));
}

#[test]
fn owners_in_another_version_do_not_keep_others_from_fields_it_does_not_have() {
    let api = with_widgets();
    api.must("POST", ALPHA, &widget("v1alpha1", r#""spec":{"size":1}"#));
    let object = apply(&api, V1, &widget("v1", r#""spec":{"size":2,"color":"blue"}"#));
    assert_eq!(object.get("spec").map(json::to_string).unwrap_or_default(), r#"{"color":"blue","size":2}"#);
}

#[test]
fn errors_name_the_type_that_an_object_says_it_has() {
    let api = with_widgets();
    api.must("POST", V1, &widget("v1", r#""spec":{}"#));
    let patched = |version: &str| api.refused("PATCH", &format!("{V1}/w"), &format!(r#"{{"apiVersion":"{version}"}}"#));
    assert_eq!(
        patched("/__internal"),
        r#"422 Widget "w" is invalid: apiVersion: Invalid value: "__internal": must be example.com/v1"#
    );
    let missing = "500 Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'";
    assert_eq!([patched(""), patched("/")], [missing, missing]);
    let other =
        widget("v1", r#""spec":{"x":1}"#).replace("Widget", "Other").replace(r#""name":"w""#, r#""name":"w","x":1"#);
    assert_eq!(
        api.refused("POST", &format!("{V1}?fieldValidation=Strict"), &other),
        r#"400 Other in version "v1" cannot be handled as a Other: strict decoding error: unknown field "metadata.x""#
    );
}

#[test]
fn a_number_out_of_range_leaves_the_kind_known() {
    let body = widget("v1", r#""spec":{"size":1e999}"#).replace("Widget", "Other");
    assert_eq!(
        with_widgets().refused("POST", V1, &body),
        r#"400 Other in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e999 into Go value of type float64"#
    );
}

#[test]
fn a_conversion_webhook_that_says_nothing_is_none() {
    let stored = |webhook: &str| {
        let conversion = format!(r#""conversion":{{"strategy":"None","webhook":{webhook}}},"scope""#);
        let crd = Api::default().must("POST", CRDS, &WIDGETS.replace(r#""scope""#, &conversion));
        json::to_string(crd.lookup(&["spec", "conversion"]).unwrap())
    };
    for webhook in ["{}", r#"{"clientConfig":null}"#, r#"{"conversionReviewVersions":[]}"#] {
        assert_eq!(stored(webhook), r#"{"strategy":"None"}"#);
    }
}

#[test]
fn a_scale_of_an_object_that_nobody_owns_leaves_it_so() {
    let api = with_widgets();
    api.must("POST", V1, &widget("v1", r#""spec":{"size":1}"#));
    api.must("PATCH", &format!("{V1}/w"), r#"{"metadata":{"managedFields":[{}]}}"#);
    api.must("PATCH", &format!("{V1}/w/scale"), r#"{"spec":{"replicas":1}}"#);
    let object = api.must("GET", &format!("{V1}/w"), "");
    assert_eq!(object.lookup(&["metadata", "managedFields"]), None);
}

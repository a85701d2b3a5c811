//! All four kinds of patch.

use sprag_registry::Answer;
use sprag_rest::{ApiError, Patch, WriteOptions};
use sprag_value::{Value, json};

use crate::api::{Api, at, gadget, meta, wait};

const NAME: &str = r#""name":"g""#;

fn patch(api: &Api, patch: Patch<'_>, options: &WriteOptions) -> Result<Answer, ApiError> {
    wait(api.registry.patch(&api.request("g"), patch, options))
}

fn text(metadata: &str, rest: &str) -> Vec<u8> {
    json::to_string(&gadget(metadata, rest)).into_bytes()
}

fn by(manager: &str) -> WriteOptions {
    WriteOptions::by(manager)
}

#[test]
fn every_kind_of_patch_changes_an_object() {
    let api = Api::default();
    api.create(NAME, r#""spec":{"color":"red"}"#);
    let patches = [
        Patch::Json(br#"[{"op":"replace","path":"/spec/color","value":"a"}]"#),
        Patch::Merge(br#"{"spec":{"color":"b"}}"#),
        Patch::Strategic(br#"{"spec":{"color":"c"}}"#),
    ];
    for (at_, change) in patches.into_iter().enumerate() {
        let object = patch(&api, change, &by("test")).unwrap().object;
        assert_eq!(at(&object, &["spec", "color"]), [r#""a""#, r#""b""#, r#""c""#][at_]);
        assert_eq!(meta(&object, "generation"), (at_ + 2).to_string());
    }
}

#[test]
fn a_patch_needs_its_object_and_leaves_its_name() {
    let api = Api::default();
    assert_eq!(patch(&api, Patch::Merge(b"{}"), &by("test")).unwrap_err().code(), 404);
    api.create(NAME, "");
    let error = |text: &[u8]| patch(&api, Patch::Merge(text), &by("test")).unwrap_err().to_string();
    assert_eq!(
        error(br#"{"metadata":{"name":"h"}}"#),
        "the name of the object (h) does not match the name on the URL (g)"
    );
    assert!(error(br#"{"kind":"Other"}"#).ends_with(
        r#": no kind "Other" is registered for version "example.com/v1" in scheme "pkg/api/legacyscheme/scheme.go:30""#
    ));
    assert!(error(br#"{"kind":"Other","apiVersion":null}"#).ends_with(
        r#": no kind "Other" is registered for the internal version of group "example.com" in scheme "pkg/api/legacyscheme/scheme.go:30""#
    ));
    assert!(error(br#"{"metadata":{"resourceVersion":"1"}}"#).contains("the object has been modified"));
    assert!(error(br#"{"metadata":{"uid":"other"}}"#).contains("field is immutable"));
}

#[test]
fn a_patched_object_without_a_version_is_read_in_another_one() {
    let api = Api::default();
    api.create(NAME, r#""spec":{"color":"red"}"#);
    let error = patch(&api, Patch::Merge(br#"{"apiVersion":""}"#), &by("test")).unwrap_err();
    assert_eq!(error.to_string(), "the name of the object (g based on URL) was undeterminable: name must be provided");
    let unknown = |name: &str| format!("unknown field {name:?}");
    assert_eq!(error.parts().warnings, ["metadata", "spec"].map(unknown));
}

fn apply(api: &Api, rest: &str, manager: &str, force: bool) -> Result<Value, ApiError> {
    let options = WriteOptions { force: Some(force), ..by(manager) };
    patch(api, Patch::Apply(&text(NAME, rest)), &options).map(|answer| answer.object)
}

#[test]
fn apply_creates_merges_and_guards_what_others_own() {
    let api = Api::default();
    let created = apply(&api, r#""spec":{"color":"red"}"#, "one", false).unwrap();
    assert_eq!(meta(&created, "generation"), "1");
    let merged = apply(&api, r#""spec":{"ungated":1}"#, "two", false).unwrap();
    assert_eq!(at(&merged, &["spec"]), r#"{"color":"red","replicas":1,"ungated":1}"#);
    let error = apply(&api, r#""spec":{"color":"blue"}"#, "two", false).unwrap_err();
    assert_eq!(error.to_string(), r#"Apply failed with 1 conflict: conflict with "one": .spec.color"#);
    assert_eq!(error.parts().details.as_ref().unwrap().causes[0].reason, "FieldManagerConflict");
    let forced = apply(&api, r#""spec":{"color":"blue"}"#, "two", true).unwrap();
    assert_eq!(at(&forced, &["spec"]), r#"{"color":"blue","replicas":1}"#);
}

#[test]
fn apply_on_nothing_reads_the_resource_version() {
    let body = text(r#""name":"g","resourceVersion":"x""#, "");
    let error = patch(&Api::default(), Patch::Apply(&body), &by("a")).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (500, r#"strconv.ParseUint: parsing "x": invalid syntax"#));
}

#[test]
fn warnings_on_an_applied_object_are_sent_with_its_rejection() {
    let body = br#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"h"},"spec":{},"spec":{}}"#;
    let error = patch(&Api::default(), Patch::Apply(body), &by("a")).unwrap_err();
    assert_eq!((error.code(), error.parts().warnings.len()), (400, 1));
}

#[test]
fn a_list_of_no_managers_makes_all_fields_free() {
    for change in [
        Patch::Merge(br#"{"metadata":{"managedFields":[]}}"#),
        Patch::Strategic(br#"{"metadata":{"managedFields":[]}}"#),
        Patch::Json(br#"[{"op":"replace","path":"/metadata/managedFields","value":[]}]"#),
    ] {
        let api = Api::default();
        assert!(!meta(&api.create(NAME, r#""spec":{"color":"red"}"#), "managedFields").is_empty());
        assert_eq!(meta(&patch(&api, change, &by("test")).unwrap().object, "managedFields"), "");
    }
}

#[test]
fn apply_of_the_same_is_no_change() {
    let api = Api::default();
    let created = apply(&api, r#""spec":{"color":"red"}"#, "one", false).unwrap();
    api.clock.advance(std::time::Duration::from_mins(1));
    assert_eq!(apply(&api, r#""spec":{"color":"red"}"#, "one", false).unwrap(), created);
}

#[test]
fn apply_on_nothing_takes_no_uid() {
    let api = Api::default();
    let body = text(r#""name":"g","uid":"u""#, "");
    let error = patch(&api, Patch::Apply(&body), &by("one")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Operation cannot be fulfilled on gadgets.example.com \"g\": uid mismatch: the provided object specified uid u, and no \
         existing object was found"
    );
    let body = text(r#""name":"g","resourceVersion":"7""#, "");
    assert!(patch(&api, Patch::Apply(&body), &by("one")).unwrap().created);
}

#[test]
fn every_writer_owns_what_it_wrote() {
    let api = Api::default();
    api.create(NAME, r#""spec":{"color":"red"}"#);
    patch(&api, Patch::Merge(br#"{"spec":{"ungated":1}}"#), &by("other")).unwrap();
    let object = api.get("g").unwrap();
    let managers = object.lookup(&["metadata", "managedFields"]).and_then(Value::as_array).unwrap();
    let owned: Vec<_> =
        managers.iter().map(|entry| (at(entry, &["manager"]), at(entry, &["fieldsV1", "f:spec"]))).collect();
    assert_eq!(
        owned,
        [
            (r#""other""#.to_owned(), r#"{"f:ungated":{}}"#.to_owned()),
            (r#""test""#.to_owned(), r#"{"f:color":{},"f:replicas":{}}"#.to_owned()),
        ]
    );
}

#[test]
fn strict_findings_of_patch_and_object_are_warnings_or_errors() {
    let api = Api::default();
    api.create(NAME, "");
    let with = |mode: &str, change: Patch<'_>| {
        let options = WriteOptions { field_validation: mode.into(), ..by("test") };
        patch(&api, change, &options)
    };
    let merge = || Patch::Merge(br#"{"spec":{"color":"a","color":"b","nope":1}}"#);
    let warnings = with("", merge()).unwrap().warnings;
    assert_eq!(warnings, [r#"duplicate field "spec.color""#, r#"unknown field "spec.nope""#]);
    assert!(with("Ignore", merge()).unwrap().warnings.is_empty());
    let error = with("Strict", merge()).unwrap_err();
    assert!(error.to_string().starts_with(r#" "" is invalid: patch: Invalid value: "{"#), "{error}");
    assert!(
        error
            .to_string()
            .ends_with(r#"strict decoding error: duplicate field "spec.color", unknown field "spec.nope""#)
    );
    let json = Patch::Json(br#"[{"op":"add","path":"/spec/color","value":"c","extra":1}]"#);
    assert_eq!(with("Warn", json).unwrap().warnings, [r#"json patch unknown field "[0].extra""#]);
}

#[test]
fn patches_that_make_no_object_are_refused() {
    let api = Api::default();
    api.create(NAME, "");
    let options = WriteOptions { field_validation: "Ignore".into(), ..by("test") };
    assert_eq!(
        patch(&api, Patch::Merge(b"[1]"), &options).unwrap_err().to_string(),
        r#" "" is invalid: patch: Invalid value: "[1]": couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#
    );
    let applied = text(NAME, r#""spec":{"ungated":1.5}"#);
    assert_eq!(
        patch(&api, Patch::Apply(&applied), &by("one")).unwrap_err().to_string(),
        "failed to convert new object (/g; example.com/v1, Kind=Gadget) to proper version: unable to convert unstructured object \
         to example.com/v1, Kind=Gadget: cannot convert float64 to int64"
    );
}

#[test]
fn what_a_patch_leaves_without_a_version_is_in_upstreams_own() {
    let api = Api::default();
    api.create(NAME, r#""spec":{"color":"red"}"#);
    for version in ["null", r#""""#, r#""/""#, r#""example.com/__internal""#] {
        let error = patch(&api, Patch::Merge(format!(r#"{{"apiVersion":{version}}}"#).as_bytes()), &by("test"));
        let error = error.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the name of the object (g based on URL) was undeterminable: name must be provided"
        );
        assert_eq!(error.parts().warnings, [r#"unknown field "metadata""#, r#"unknown field "spec""#]);
    }
    let error = patch(&api, Patch::Merge(br#"{"apiVersion":null,"name":"g","labels":5}"#), &by("test"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot unmarshal number into Go struct field ObjectMeta.labels"), "{error}");
    let strict = WriteOptions { field_validation: "Strict".into(), ..by("test") };
    let error = patch(&api, Patch::Merge(br#"{"apiVersion":null}"#), &strict).unwrap_err().to_string();
    assert!(error.ends_with(r#"strict decoding error: unknown field "metadata", unknown field "spec""#), "{error}");
}

#[test]
fn an_empty_list_of_managers_forgets_them() {
    let patches = [
        Patch::Json(br#"[{"op":"add","path":"/metadata/managedFields","value":[]}]"#),
        Patch::Merge(br#"{"metadata":{"managedFields":[]}}"#),
        Patch::Strategic(br#"{"metadata":{"managedFields":[]}}"#),
    ];
    for change in patches {
        let api = Api::default();
        let created = api.create(NAME, r#""spec":{"color":"red"}"#);
        assert!(created.lookup(&["metadata", "managedFields"]).is_some());
        let object = patch(&api, change, &by("test")).unwrap().object;
        assert_eq!(object.lookup(&["metadata", "managedFields"]), None, "{change:?}");
    }
}

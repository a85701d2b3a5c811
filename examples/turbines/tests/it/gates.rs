//! Fields that belong to a feature.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sprag::rest::{Patch, WriteOptions};
use sprag::testing::Api;

use crate::{client, each, outcome, owned, sources, turbine};

/// The same store under other gates is what a restart with `--feature-gates` makes.
#[test]
fn fields_of_a_feature_that_is_off_neither_default_nor_are_required() {
    each(false, |source, api| {
        let spec = r#""spec":{"size":1,"sites":[{"name":"hill"}]}"#;
        let created = outcome(client(api).create(&turbine(spec)), "spec");
        assert_eq!(created, r#"{"sites":[{"name":"hill"}],"size":1,"thickness":0}"#, "{source}");
        assert_eq!(outcome(client(api).get("t"), "spec"), created, "{source}");
        let judged = client(api).judge(&turbine(spec)).unwrap();
        assert_eq!((judged.errors.len(), judged.json("spec")), (0, created), "{source}");
    });
}

#[test]
fn fields_of_a_feature_that_is_on_default_and_are_required() {
    each(true, |source, api| {
        let created = outcome(client(api).create(&turbine(r#""spec":{"size":1,"thickness":2}"#)), "spec");
        let expected = "Turbine.example.dev \"t\" is invalid: spec.alloy: Required value";
        assert_eq!(created, expected, "{source}");
        let spec = r#""spec":{"size":1,"alloy":"steel","thickness":2,"sites":[{"name":"hill"}]}"#;
        let created = outcome(client(api).create(&turbine(spec)), "spec");
        let expected = r#"{"alloy":"steel","blades":3,"sites":[{"name":"hill","room":1}],"size":1,"thickness":2}"#;
        assert_eq!(created, expected, "{source}");
    });
}

#[test]
fn fields_of_a_feature_that_is_off_are_dropped_and_nobody_owns_them() {
    each(false, |source, api| {
        let spec =
            r#""spec":{"size":1,"alloy":"much too long","blades":1,"thickness":-5,"sites":[{"name":"hill","room":2}]}"#;
        let created = client(api).create(&turbine(spec)).unwrap_or_else(|error| panic!("{source}: {error}"));
        let expected = r#"{"sites":[{"name":"hill"}],"size":1,"thickness":0}"#;
        assert_eq!(created.json("spec"), expected, "{source}");
        let fields = r#"[{"apiVersion":"example.dev/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:sites":{".":{},"k:{\"name\":\"hill\"}":{".":{},"f:name":{}}},"f:size":{}}},"manager":"test","operation":"Update","time":"2000-01-01T00:00:00Z"}]"#;
        assert_eq!(owned(&created), fields, "{source}");
        let updated = client(api).merge_patch("t", r#"{"spec":{"blades":4,"thickness":4}}"#);
        let updated = updated.unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!((updated.json("spec").as_str(), owned(&updated).as_str()), (expected, fields), "{source}");
    });
}

#[test]
fn an_applied_field_of_a_feature_that_is_off_is_dropped() {
    each(false, |source, api| {
        let applier = client(api).options(WriteOptions::by("applier"));
        let body =
            r#"{"apiVersion":"example.dev/v1","kind":"Turbine","metadata":{"name":"t"},"spec":{"size":1,"blades":4}}"#;
        for _ in 0..2 {
            let applied = applier.patch("t", Patch::Apply(body.as_bytes()));
            let applied = applied.unwrap_or_else(|error| panic!("{source}: {error}"));
            assert_eq!(applied.json("spec"), r#"{"size":1,"thickness":0}"#, "{source}");
            assert!(
                owned(&applied).contains(r#""fieldsV1":{"f:spec":{"f:size":{}}}"#),
                "{source}: {}",
                owned(&applied)
            );
            assert_eq!(applied.json("metadata.generation"), "1", "{source}");
        }
    });
}

/// Judges an update with the feature off.
#[track_caller]
fn off(old: &str, new: &str, expected: &str) {
    each(false, |source, api| {
        let body = |spec: &str| turbine(&format!(r#""spec":{spec}"#));
        let verdict = client(api).judge_update(&body(new), &body(old)).expect("both objects are read");
        let errors: Vec<String> = verdict.errors.iter().map(ToString::to_string).collect();
        let said = if errors.is_empty() { verdict.json("spec") } else { errors.join("; ") };
        assert_eq!(said, expected, "{source}");
    });
}

#[test]
fn objects_that_use_a_feature_go_on_using_it() {
    let used = r#"{"size":1,"alloy":"steel","blades":3,"thickness":1}"#;
    off(
        used,
        r#"{"size":1,"alloy":"iron","blades":4,"thickness":1}"#,
        r#"{"alloy":"iron","blades":4,"size":1,"thickness":1}"#,
    );
    off(
        used,
        r#"{"size":1,"alloy":"steel","blades":1,"thickness":1}"#,
        "spec.blades: Invalid value: 1: must be greater than or equal to 2",
    );
    off(used, r#"{"size":1}"#, r#"{"size":1,"thickness":0}"#);
}

#[test]
fn objects_that_do_not_use_a_feature_do_not_begin_to() {
    off(r#"{"size":1}"#, r#"{"size":1,"alloy":"steel","blades":3,"thickness":1}"#, r#"{"size":1,"thickness":0}"#);
    off(
        r#"{"size":1,"blades":3}"#,
        r#"{"size":1,"blades":3,"alloy":"steel"}"#,
        r#"{"blades":3,"size":1,"thickness":0}"#,
    );
}

#[test]
fn a_status_drops_fields_of_a_feature_that_is_off() {
    each(false, |source, api| {
        client(api).create(&turbine(r#""spec":{"size":1}"#)).unwrap();
        let written = client(api).status().merge_patch("t", r#"{"status":{"speed":5,"blades":-7}}"#);
        let written = written.unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(written.json("status"), r#"{"resizes":0,"speed":5}"#, "{source}");
        assert!(owned(&written).contains(r#""fieldsV1":{"f:status":{"f:speed":{}}}"#), "{source}: {}", owned(&written));
    });
    each(true, |source, api| {
        client(api).create(&turbine(r#""spec":{"size":1,"alloy":"steel","thickness":1}"#)).unwrap();
        let error = client(api).status().merge_patch("t", r#"{"status":{"blades":-7}}"#).unwrap_err().to_string();
        assert!(error.contains("status.blades: Invalid value: -7"), "{source}: {error}");
    });
}

#[test]
fn an_api_that_does_not_declare_a_gate_does_not_start() {
    for (source, definition) in sources() {
        assert_eq!(definition.feature_gates, ["TurbineBlades"], "{source}");
        let failed = catch_unwind(AssertUnwindSafe(|| drop(Api::new(definition)))).unwrap_err();
        let said = failed.downcast_ref::<String>().unwrap();
        let expected = "turbines.example.dev depends on feature gate TurbineBlades, which is not declared: declare it, for \
                        instance with feature_gate(\"TurbineBlades\", Stage::Alpha), or correct the tag (declared: AllAlpha, \
                        AllBeta)";
        assert_eq!(said, expected, "{source}");
    }
}

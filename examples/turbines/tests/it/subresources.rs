//! `/resize` and `/tune`: parts of the object beside its status.

use sprag::testing::Api;

use crate::{client, each, outcome, owned, turbine};

const SENT: &str = r#"{"metadata":{"labels":{"a":"b"}},"spec":{"size":SIZE,"pitch":PITCH},"status":{"speed":9}}"#;

/// Sends all parts of an object through an endpoint.
fn send(api: &Api, subresource: &str, size: i32, pitch: i32) -> sprag::rest::Result<sprag::testing::Answer> {
    let patch = SENT.replace("SIZE", &size.to_string()).replace("PITCH", &pitch.to_string());
    client(api).subresource(subresource).merge_patch("t", &patch)
}

fn create(api: &Api) {
    client(api).create(&turbine(r#""spec":{"size":1,"pitch":1}"#)).expect("it is valid");
}

#[test]
fn rules_know_the_subresource() {
    each(false, |source, api| {
        create(api);
        let refused =
            "Turbine.example.dev \"t\" is invalid: spec.size: Invalid value: null: field cannot be modified once set";
        let said = |subresource: &str, size, pitch| outcome(send(api, subresource, size, pitch), "spec.size");
        assert_eq!(said("", 2, 1), refused, "{source}");
        assert_eq!(said("tune", 2, 1), refused, "{source}");
        assert_eq!(said("resize", 2, 1), "2", "{source}");
        let zero =
            "Turbine.example.dev \"t\" is invalid: spec.pitch: Invalid value: 0: must be greater than or equal to 1";
        assert_eq!(said("tune", 2, 0), zero, "{source}");
        assert_eq!(said("", 2, 0), "2", "{source}");
        let small =
            "Turbine.example.dev \"t\" is invalid: spec.size: Invalid value: 0: must be greater than or equal to 1";
        assert_eq!(said("resize", 0, 0), small, "{source}");
    });
}

#[test]
fn a_part_writes_neither_status_nor_metadata_and_counts_generations() {
    each(false, |source, api| {
        create(api);
        let tuned = send(api, "tune", 1, 7).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(tuned.json("spec"), r#"{"pitch":7,"size":1,"thickness":0}"#, "{source}");
        assert_eq!(tuned.json("status"), r#"{"resizes":0}"#, "{source}");
        assert_eq!((tuned.json("metadata.labels"), tuned.json("metadata.generation")), ("null".into(), "2".into()));
        let entry =
            r#""fieldsV1":{"f:spec":{"f:pitch":{}}},"manager":"test","operation":"Update","subresource":"tune""#;
        assert!(owned(&tuned).contains(entry), "{source}: {}", owned(&tuned));
        let again = send(api, "tune", 1, 7).unwrap();
        assert_eq!(again.json("metadata.generation"), "2", "{source}");
        assert_eq!(client(api).subresource("tune").get("t").unwrap(), again, "{source}");
    });
}

#[test]
fn an_author_says_which_fields_a_part_writes_and_what_else_it_does() {
    let api = Api::builder().gates(turbines::gates()).resource(turbines::turbines()).build();
    create(&api);
    let resized = send(&api, "resize", 5, 5).unwrap();
    assert_eq!(resized.json("spec"), r#"{"pitch":1,"size":5,"thickness":0}"#);
    assert_eq!(resized.json("status"), r#"{"resizes":1}"#);
    assert_eq!(resized.warnings, ["resized 1 times"]);
    let generation = resized.json("metadata.generation");
    let entry = r#""fieldsV1":{"f:spec":{"f:size":{}}},"manager":"test","operation":"Update","subresource":"resize""#;
    assert_eq!(generation, "2");
    assert!(owned(&resized).contains(entry), "{}", owned(&resized));
}

#[test]
fn parts_drop_fields_of_features_that_are_off() {
    each(false, |source, api| {
        create(api);
        let tuned = client(api).subresource("tune").merge_patch("t", r#"{"spec":{"blades":1,"pitch":2}}"#);
        assert_eq!(outcome(tuned, "spec"), r#"{"pitch":2,"size":1,"thickness":0}"#, "{source}");
    });
}

#[test]
fn parts_are_judged_offline() {
    each(false, |source, api| {
        let old = turbine(r#""spec":{"size":1}"#);
        let new = turbine(r#""spec":{"size":2,"pitch":0}"#);
        let errors = |subresource: &str| {
            let client = client(api).subresource(subresource);
            let verdict = client.judge_update(&new, &old).unwrap();
            verdict.errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(errors("resize"), [""; 0], "{source}");
        let expected = [
            "spec.size: Invalid value: null: field cannot be modified once set",
            "spec.pitch: Invalid value: 0: must be greater than or equal to 1",
        ];
        assert_eq!(errors("tune"), expected, "{source}");
    });
}

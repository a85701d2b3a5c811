//! Values that an enum does not know.

use crate::{client, each, outcome, turbine};

const UNKNOWN: &str = r#"Unsupported value: "Steam": supported values: "Water", "Wind""#;

/// Judges an object with the blades off: created, or as an update of an old one.
#[track_caller]
fn check(old: Option<&str>, new: &str, expected: &[&str]) {
    each(false, |source, api| {
        let body = |spec: &str| turbine(&format!(r#""spec":{spec}"#));
        let verdict = match old {
            None => client(api).judge(&body(new)),
            Some(old) => client(api).judge_update(&body(new), &body(old)),
        };
        let errors: Vec<String> = verdict.expect("the object is read").errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, expected, "{source}");
    });
}

#[test]
fn unknown_values_are_unsupported_beside_the_other_errors() {
    let spec = r#"{"size":0,"drive":"Steam","drives":["Wind","Steam"],"gear":{"drive":"Steam"}}"#;
    let [drive, list, gear] = ["spec.drive", "spec.drives[1]", "spec.gear.drive"].map(|at| format!("{at}: {UNKNOWN}"));
    check(None, spec, &["spec.size: Invalid value: 0: must be greater than or equal to 1", &drive, &list, &gear]);
    check(None, r#"{"size":1,"drive":"Blades"}"#, &[&format!("spec.drive: {}", UNKNOWN.replace("Steam", "Blades"))]);
    check(None, r#"{"size":1,"gear":{}}"#, &["spec.gear.drive: Required value"]);
    check(None, r#"{"size":1,"gear":{"drive":""}}"#, &["spec.gear.drive: Required value"]);
}

#[test]
fn a_feature_adds_a_value() {
    each(true, |source, api| {
        let created = |drive: &str| {
            let spec = format!(r#""spec":{{"size":1,"alloy":"steel","thickness":1,"drive":"{drive}"}}"#);
            outcome(client(api).create(&turbine(&spec)), "spec.drive")
        };
        assert_eq!(created("Blades"), r#""Blades""#, "{source}");
        let expected = "Turbine.example.dev \"t\" is invalid: spec.drive: Unsupported value: \"Steam\": supported values: \
                        \"Blades\", \"Water\", \"Wind\"";
        assert_eq!(created("Steam"), expected, "{source}");
    });
}

#[test]
fn stored_values_that_are_gone_from_the_enum_are_ratcheted_and_can_be_repaired() {
    let old = r#"{"size":1,"drive":"Steam","drives":["Steam","Wind"],"gear":{"drive":"Steam"}}"#;
    check(Some(old), &old.replace("{\"size\":1", "{\"size\":1,\"pitch\":7"), &[]);
    check(Some(old), r#"{"size":1,"drive":"Wind"}"#, &[]);
    check(
        Some(old),
        &old.replacen("Steam", "Coal", 1),
        &[&format!("spec.drive: {}", UNKNOWN.replace("Steam", "Coal"))],
    );
    check(Some(r#"{"size":1,"drive":"Wind"}"#), r#"{"size":1,"drive":"Steam"}"#, &[&format!("spec.drive: {UNKNOWN}")]);
}

#[test]
fn hooks_keep_values_that_their_types_do_not_know() {
    let api = sprag::testing::Api::builder().gates(turbines::gates()).resource(turbines::turbines()).build();
    let old = r#""spec":{"size":1,"drive":"Steam"}"#;
    let new = r#""spec":{"size":2,"drive":"Wind"}"#;
    let verdict = client(&api).subresource("resize").judge_update(&turbine(new), &turbine(old)).unwrap();
    assert!(verdict.errors.is_empty(), "{:?}", verdict.errors);
    assert_eq!((verdict.json("spec.drive"), verdict.json("status.resizes")), (r#""Steam""#.into(), "1".into()));
}

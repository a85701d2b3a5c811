//! The default behaviour of every resource: one test per convention.

use sprag_rest::{GarbageCollection, Patch, Request, StrategyConfig, WriteOptions};
use sprag_value::{Value, json};

use crate::api::{Api, at, config, gadget, gates, meta, wait};

const NAME: &str = r#""name":"g""#;

#[test]
fn status_is_cleared_on_create() {
    let created = Api::default().create(NAME, r#""status":{"phase":"Ready"}"#);
    assert_eq!(created.get("status"), None);
}

#[test]
fn status_is_kept_on_update() {
    let api = Api::default();
    api.create(NAME, "");
    api.update_status("g", gadget(NAME, r#""status":{"phase":"Ready"}"#)).unwrap();
    let updated = api.update(gadget(NAME, r#""status":{"phase":"Lost"},"spec":{"color":"red"}"#));
    assert_eq!(
        (at(&updated, &["status"]), at(&updated, &["spec", "color"])),
        (r#"{"phase":"Ready"}"#.into(), r#""red""#.into())
    );
    let updated = api.update(gadget(NAME, r#""spec":{"color":"blue"}"#));
    assert_eq!(at(&updated, &["status"]), r#"{"phase":"Ready"}"#);
}

#[test]
fn a_type_with_a_status_has_the_subresource_and_one_without_has_not() {
    let definition = config().define();
    assert!(definition.versions[0].subresource("status").is_some());
    let api = Api::default();
    api.create(NAME, "");
    let request = Request { subresource: "nothing", ..api.request("g") };
    assert_eq!(wait(api.registry.get(&request, "")).unwrap_err().code(), 404);
}

#[test]
fn a_status_write_resets_everything_else() {
    let api = Api::default();
    api.create(
        r#""name":"g","labels":{"a":"1"},"annotations":{"a":"1"},"finalizers":["example.com/a"],"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"u"}]"#,
        r#""spec":{"color":"red"},"extra":"old""#,
    );
    let before = api.get("g").unwrap();
    api.update_status(
        "g",
        gadget(
            r#""name":"g","labels":{"b":"2"},"annotations":{"b":"2"},"finalizers":["example.com/b"],"generateName":"x-","generation":9"#,
            r#""spec":{"color":"blue"},"extra":"new","status":{"phase":"Ready"}"#,
        ),
    )
    .unwrap();
    let after = api.get("g").unwrap();
    for member in ["labels", "annotations", "finalizers", "ownerReferences", "generation", "creationTimestamp"] {
        assert_eq!(meta(&after, member), meta(&before, member), "{member}");
    }
    // As upstream's metav1.ResetObjectMetaForStatus, which leaves it.
    assert_eq!(meta(&after, "generateName"), "x-");
    assert_eq!((after.get("spec"), after.get("extra")), (before.get("spec"), before.get("extra")));
    assert_eq!(at(&after, &["status"]), r#"{"phase":"Ready"}"#);
}

/// The fields that a manager owns.
fn owned(object: &Value, manager: &str, subresource: &str) -> String {
    let entries = object.lookup(&["metadata", "managedFields"]).and_then(Value::as_array).cloned().unwrap_or_default();
    entries
        .iter()
        .filter(|entry| entry.get("manager").is_some_and(|name| *name == manager))
        .filter(|entry| entry.get("subresource").and_then(Value::as_str).unwrap_or_default() == subresource)
        .map(|entry| at(entry, &["fieldsV1"]))
        .collect()
}

#[test]
fn fields_that_a_write_resets_are_not_owned_by_its_manager() {
    let api = Api::default();
    api.create(NAME, r#""spec":{"color":"red"},"status":{"phase":"Ready"}"#);
    assert_eq!(owned(&api.get("g").unwrap(), "test", ""), r#"{"f:spec":{"f:color":{},"f:replicas":{}}}"#);
    let request = Request { subresource: "status", ..api.request("g") };
    let body = gadget(NAME, r#""spec":{"color":"blue"},"extra":"new","status":{"phase":"Ready"}"#);
    wait(api.registry.patch(&request, Patch::Apply(json::to_string(&body).as_bytes()), &WriteOptions::by("applier")))
        .unwrap();
    let fields = owned(&api.get("g").unwrap(), "applier", "status");
    assert!(
        fields.starts_with(r#"{"f:status""#) && !fields.contains("f:spec") && !fields.contains("f:extra"),
        "{fields}"
    );
}

#[test]
fn generation_counts_changes_of_the_spec_and_nothing_else() {
    let api = Api::default();
    let created = api.create(r#""name":"g","generation":7"#, r#""spec":{"color":"red"}"#);
    assert_eq!(meta(&created, "generation"), "1");
    let steps = [
        (gadget(r#""name":"g","labels":{"a":"b"},"generation":5"#, r#""spec":{"color":"red"}"#), "1"),
        (gadget(NAME, r#""spec":{"color":"blue"}"#), "2"),
        (gadget(NAME, r#""spec":{"color":"blue"},"extra":"x""#), "2"),
        (gadget(NAME, r#""spec":{"color":"blue","replicas":1}"#), "2"),
        (gadget(NAME, r#""spec":{"color":"blue","replicas":2}"#), "3"),
    ];
    for (object, expected) in steps {
        assert_eq!(meta(&api.update(object), "generation"), expected);
    }
    let answer = api.update_status("g", gadget(NAME, r#""status":{"phase":"Ready"}"#)).unwrap();
    assert_eq!(meta(&answer.object, "generation"), "3");
}

#[test]
fn updates_do_not_create() {
    let api = Api::default();
    assert_eq!(api.try_update(gadget(NAME, "")).unwrap_err().code(), 404);
    let api = Api::new(config().strategy(StrategyConfig::new().allow_create_on_update(true)).define());
    assert!(api.try_update(gadget(NAME, "")).unwrap().created);
}

#[test]
fn updates_need_no_resource_version() {
    let api = Api::default();
    api.create(NAME, "");
    assert!(api.try_update(gadget(NAME, r#""spec":{"color":"red"}"#)).is_ok());
    let api = Api::new(config().strategy(StrategyConfig::new().allow_unconditional_update(false)).define());
    api.create(NAME, "");
    let error = api.try_update(gadget(NAME, "")).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"gadgets.example.com "g" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#
    );
}

#[test]
fn dependents_are_deleted() {
    assert_eq!(config().define().delete.garbage_collection(), GarbageCollection::DeleteDependents);
    let strategy = StrategyConfig::new().garbage_collection(GarbageCollection::OrphanDependents);
    let api = Api::new(config().strategy(strategy).define());
    api.create(NAME, "");
    let held = api.delete("g", &sprag_rest::DeleteOptions::default()).unwrap();
    assert_eq!(meta(&held, "finalizers"), r#"["orphan"]"#);
}

#[test]
fn a_gated_field_is_dropped_while_its_gate_is_off() {
    let api = Api::default();
    let created = api.create(NAME, r#""spec":{"gated":1}"#);
    assert_eq!(at(&created, &["spec"]), r#"{"replicas":1}"#);
    let updated = api.update(gadget(NAME, r#""spec":{"gated":1,"color":"red"}"#));
    assert_eq!(at(&updated, &["spec"]), r#"{"color":"red","replicas":1}"#);
}

#[test]
fn a_gated_field_stays_while_its_gate_is_on_and_when_it_is_in_use() {
    let mut on = gates();
    on.set("GadgetGate=true").unwrap();
    let api = Api::with_gates(config().define(), on);
    assert_eq!(at(&api.create(NAME, r#""spec":{"gated":1}"#), &["spec", "gated"]), "1");
    // The same objects, served by a server with the gate off.
    let off = sprag_registry::Registry::builder(api.store.clone()).gates(gates()).resource(config().define()).build();
    let body = gadget(NAME, r#""spec":{"gated":2}"#);
    let answer = wait(off.update(&api.request("g"), body, &WriteOptions::by("test"))).unwrap();
    assert_eq!(at(&answer.object, &["spec", "gated"]), "2");
}

#[test]
fn an_ungated_field_is_never_dropped() {
    for state in ["GadgetGate=true", "GadgetGate=false"] {
        let mut gates = gates();
        gates.set(state).unwrap();
        let api = Api::with_gates(config().define(), gates);
        assert_eq!(at(&api.create(NAME, r#""spec":{"ungated":1}"#), &["spec", "ungated"]), "1");
        let updated = api.update(gadget(NAME, r#""spec":{"ungated":2},"extra":"x""#));
        assert_eq!((at(&updated, &["spec", "ungated"]), at(&updated, &["extra"])), ("2".into(), r#""x""#.into()));
    }
}

#[test]
fn rules_of_the_type_are_enforced_on_create_and_update() {
    let api = Api::default();
    let expected =
        r#"Gadget.example.com "g" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"#;
    assert_eq!(api.try_create(NAME, r#""spec":{"replicas":-1}"#).unwrap_err().to_string(), expected);
    api.create(NAME, "");
    assert_eq!(api.try_update(gadget(NAME, r#""spec":{"replicas":-1}"#)).unwrap_err().to_string(), expected);
}

#[test]
fn an_object_has_the_parts_that_its_type_always_has() {
    assert_eq!(at(&Api::default().create(NAME, ""), &["spec"]), r#"{"replicas":1}"#);
}

#[test]
fn defaults_of_the_type_are_set() {
    assert_eq!(at(&Api::default().create(NAME, r#""spec":{}"#), &["spec"]), r#"{"replicas":1}"#);
}

#[test]
fn the_system_says_who_and_when_an_object_is() {
    let api = Api::default();
    api.clock.advance(std::time::Duration::from_secs(90));
    let created = api.create(
        r#""name":"g","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z","deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":3,"selfLink":"/x""#,
        "",
    );
    assert_eq!(meta(&created, "creationTimestamp"), "1970-01-01T00:01:30Z");
    assert_eq!(meta(&created, "uid").len(), 36);
    for member in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        assert_eq!(meta(&created, member), "", "{member}");
    }
}

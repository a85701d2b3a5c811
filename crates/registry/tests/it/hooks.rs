//! Hooks of API authors, and what happens when they fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprag_field::{Error, Path};
use sprag_rest::{Cx, DeleteOptions, Strategy, StrategyConfig, WriteOptions};
use sprag_value::Value;

use crate::api::{Api, Gadget, at, config, gadget, meta, wait};

const NAME: &str = r#""name":"g""#;

#[test]
fn a_panic_in_a_hook_is_caught_counted_and_answered() {
    let strategy = StrategyConfig::<Gadget>::new().validate(|_, new, _| assert_ne!(new.spec.color, "boom"));
    let api = Api::new(config().strategy(strategy).define());
    let error = api.try_create(NAME, r#""spec":{"color":"boom"}"#).unwrap_err();
    assert_eq!((error.code(), error.reason()), (500, "InternalError"));
    assert_eq!(error.to_string(), "This request caused apiserver to panic. Look in the logs for details.");
    assert_eq!(api.registry.counters().panics(), 1);
    assert!(api.try_create(NAME, "").is_ok());
    assert_eq!(api.registry.counters().panics(), 1);
}

#[test]
fn every_place_where_a_panic_can_happen_is_guarded() {
    struct Panics;
    impl Strategy for Panics {
        fn prepare_for_create(&self, _: &Cx<'_>, _: &mut Value) {
            panic!("create");
        }
        fn prepare_for_update(&self, _: &Cx<'_>, _: &mut Value, _: &Value) {
            panic!("update");
        }
        fn check_graceful_delete(&self, _: &Cx<'_>, _: &Value, _: &mut DeleteOptions) -> bool {
            panic!("delete");
        }
    }
    let api = Api::new(config().create_strategy(Panics).define());
    assert_eq!(api.try_create(NAME, "").unwrap_err().code(), 500);
    let api = Api::new(config().update_strategy(Panics).delete_strategy(Panics).define());
    api.create(NAME, "");
    assert_eq!(api.try_update(gadget(NAME, "")).unwrap_err().code(), 500);
    assert_eq!(api.delete("g", &DeleteOptions::default()).unwrap_err().code(), 500);
    assert_eq!(api.registry.counters().panics(), 2);
}

#[test]
fn a_hook_changes_only_what_it_changes() {
    let strategy = StrategyConfig::<Gadget>::new().prepare_for_create(|cx, new| {
        new.spec.color.clone_from(&cx.user.name);
        new.metadata.labels.insert("by".into(), "hook".into());
    });
    let api = Api::new(config().strategy(strategy).define());
    let created = api.create(NAME, r#""spec":{"ungated":3},"extra":"x""#);
    assert_eq!(at(&created, &["spec"]), r#"{"color":"ada","replicas":1,"ungated":3}"#);
    assert_eq!((meta(&created, "labels"), at(&created, &["extra"])), (r#"{"by":"hook"}"#.into(), r#""x""#.into()));
    assert!(!meta(&created, "managedFields").is_empty());
}

#[test]
fn handwritten_errors_come_first_and_covered_ones_are_said_once() {
    let strategy = StrategyConfig::<Gadget>::new().validate(|_, new, errors| {
        let spec = Path::new("spec");
        if new.spec.replicas < Some(0) {
            let error = Error::invalid(&spec.child("replicas"), -1_i64, "by hand").with_origin("minimum");
            errors.push(error.with_covered_by_declarative());
        }
        errors.push(Error::required(&spec.child("color"), ""));
    });
    let api = Api::new(config().strategy(strategy).define());
    let error = api.try_create(NAME, r#""spec":{"replicas":-1}"#).unwrap_err();
    let causes = &error.parts().details.as_ref().unwrap().causes;
    let fields: Vec<_> = causes.iter().map(|cause| (cause.field.as_str(), cause.message.as_str())).collect();
    assert_eq!(
        fields,
        [("spec.color", "Required value"), ("spec.replicas", "Invalid value: -1: must be greater than or equal to 0"),]
    );
}

fn mismatches(api: &Api) -> Vec<(String, u64)> {
    api.registry.counters().mismatches().into_iter().collect()
}

#[test]
fn in_legacy_shadow_only_hooks_refuse_and_differences_are_counted() {
    let api = Api::new(config().strategy(StrategyConfig::new().legacy_shadow()).define());
    assert!(api.try_create(NAME, r#""spec":{"replicas":-1}"#).is_ok());
    assert_eq!(mismatches(&api), [("gadget_create".to_owned(), 1)]);
}

#[test]
fn a_covered_error_that_no_rule_finds_is_counted() {
    let strategy = StrategyConfig::<Gadget>::new().validate(|_, _, errors| {
        let error = Error::invalid(&Path::new("extra"), "x", "by hand").with_origin("made-up");
        errors.push(error.with_covered_by_declarative());
    });
    let api = Api::new(config().strategy(strategy).define());
    assert_eq!(api.try_create(NAME, "").unwrap_err().code(), 422);
    assert_eq!(mismatches(&api), [("gadget_create".to_owned(), 1)]);
}

#[test]
fn a_panic_in_a_conversion_is_caught_too() {
    let panics = |_: Gadget| -> Gadget { panic!("conversion") };
    let api = Api::new(config().version("v2", panics, |hub: Gadget| hub).define());
    let request = sprag_rest::Request { version: "v2", ..api.request("") };
    let body = crate::api::parse(r#"{"apiVersion":"example.com/v2","kind":"Gadget","metadata":{"name":"g"}}"#);
    let error = wait(api.registry.create(&request, body, &WriteOptions::default())).unwrap_err();
    assert_eq!((error.code(), api.registry.counters().panics()), (500, 1));
}

#[test]
fn a_verb_can_have_a_strategy_of_its_own() {
    #[derive(Clone)]
    struct Graceful(Arc<AtomicUsize>);
    impl Strategy for Graceful {
        fn check_graceful_delete(&self, _: &Cx<'_>, _: &Value, options: &mut DeleteOptions) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            options.grace_period_seconds.get_or_insert(30);
            true
        }
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let api = Api::new(config().delete_strategy(Graceful(calls.clone())).define());
    // Creates and updates still do the usual.
    let created = api.create(NAME, r#""status":{"phase":"Ready"}"#);
    assert_eq!((created.get("status"), meta(&created, "generation")), (None, "1".into()));
    let held = api.delete("g", &DeleteOptions::default()).unwrap();
    assert_eq!((meta(&held, "deletionGracePeriodSeconds"), meta(&held, "generation")), ("30".into(), "2".into()));
    assert_eq!(meta(&held, "deletionTimestamp"), "1970-01-01T00:00:30Z");
    let shorter = DeleteOptions { grace_period_seconds: Some(5), ..DeleteOptions::default() };
    let held = api.delete("g", &shorter).unwrap();
    assert_eq!(
        (meta(&held, "deletionGracePeriodSeconds"), meta(&held, "deletionTimestamp")),
        ("5".into(), "1970-01-01T00:00:05Z".into())
    );
    let longer = DeleteOptions { grace_period_seconds: Some(60), ..DeleteOptions::default() };
    assert_eq!(meta(&api.delete("g", &longer).unwrap(), "deletionGracePeriodSeconds"), "5");
    let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    assert_eq!(at(&api.delete("g", &now).unwrap(), &["status"]), r#""Success""#);
    assert_eq!((api.get("g").unwrap_err().code(), calls.load(Ordering::Relaxed)), (404, 1));
}

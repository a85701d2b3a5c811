//! Rules from shadow to enforced: gates, modes of a resource, panics, and reports of mismatches.

use std::sync::Mutex;

use sprag_field::Source;
use sprag_rest::{Difference, FeatureGates, MinorVersion, Observer, StrategyConfig};

use crate::api::{Api, Gadget, config, gates};

const NAME: &str = r#""name":"g""#;

fn older(switches: &str) -> FeatureGates {
    // The last release at which DeclarativeValidation can be switched.
    let mut gates = FeatureGates::at(MinorVersion { major: 1, minor: 35 }).with("GadgetGate", sprag_rest::Stage::Alpha);
    gates.set(switches).unwrap();
    gates
}

fn api(legacy_shadow: bool, gates: FeatureGates) -> Api {
    let strategy = StrategyConfig::<Gadget>::new();
    let strategy = if legacy_shadow { strategy.legacy_shadow() } else { strategy };
    Api::with_gates(config().strategy(strategy).define(), gates)
}

/// The code of the answer to an object of this color, and how often sides differed.
#[track_caller]
fn check(api: &Api, color: &str, code: u16, mismatches: u64) {
    let before: u64 = api.registry.counters().mismatches().values().sum();
    let answer = api.try_create(r#""generateName":"g-""#, &format!(r#""spec":{{"color":"{color}"}}"#));
    assert_eq!(answer.map_or_else(|error| error.code(), |_| 201), code, "{color}");
    assert_eq!(api.registry.counters().mismatches().values().sum::<u64>() - before, mismatches, "{color}");
}

#[test]
fn gates_decide_about_rules_of_a_resource_that_enforces_them() {
    let all_on = api(false, gates());
    check(&all_on, "alpha", 201, 1);
    check(&all_on, "beta", 422, 1);
    check(&all_on, "native", 422, 0);
    let mut beta_off = gates();
    beta_off.set("DeclarativeValidationBeta=false").unwrap();
    let beta_off = api(false, beta_off);
    check(&beta_off, "beta", 201, 1);
    check(&beta_off, "native", 422, 0);
    // Nothing is compared while the main gate is off; what is enforced stays so.
    let main_off = api(false, older("DeclarativeValidation=false"));
    check(&main_off, "alpha", 201, 0);
    check(&main_off, "native", 422, 0);
}

#[test]
fn in_legacy_shadow_only_native_rules_are_enforced() {
    let shadow = api(true, gates());
    check(&shadow, "alpha", 201, 1);
    check(&shadow, "beta", 201, 1);
    check(&shadow, "native", 422, 0);
    // Without the main gate no rule of such a resource runs.
    let off = api(true, older("DeclarativeValidation=false"));
    for color in ["alpha", "beta", "native", "panic"] {
        check(&off, color, 201, 0);
    }
}

#[test]
fn a_panic_of_a_rule_is_an_error_for_who_has_the_authority() {
    let enforcing = api(false, gates());
    let error = enforcing.try_create(NAME, r#""spec":{"color":"panic"}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        (
            422,
            "Gadget.example.com \"g\" is invalid: <nil>: Internal error: panic during declarative validation: a rule"
        )
    );
    let shadow = api(true, gates());
    assert!(shadow.try_create(NAME, r#""spec":{"color":"panic"}"#).is_ok());
    for api in [enforcing, shadow] {
        let counted: Vec<(String, u64)> = api.registry.counters().rule_panics().into_iter().collect();
        assert_eq!(counted, [("gadget_create".to_owned(), 1)]);
        assert_eq!(api.registry.counters().panics(), 0, "no hook panicked");
    }
}

#[test]
fn a_panic_of_a_hook_is_not_one_of_rules() {
    let strategy = StrategyConfig::<Gadget>::new().validate(|_, _, _| panic!("a hook"));
    let api = Api::new(config().strategy(strategy).define());
    assert_eq!(api.try_create(NAME, "").unwrap_err().code(), 500);
    assert_eq!(api.registry.counters().panics(), 1);
    assert!(api.registry.counters().rule_panics().is_empty());
}

#[derive(Default)]
struct Reports(Mutex<Vec<String>>);

impl Observer for Reports {
    fn differed(&self, difference: &Difference<'_>) {
        let Difference { cx, name, identifier, discrepancy } = difference;
        let by_hand = discrepancy.error.source == Source::HandWritten;
        let text = format!("{} {}/{name} {identifier} {by_hand} {}", cx.user.name, cx.namespace, discrepancy.text);
        self.0.lock().unwrap().push(text);
    }
}

#[test]
fn differences_are_told_without_values() {
    let reports = std::sync::Arc::new(Reports::default());
    let api = Api::observed(config().define(), reports.clone());
    api.try_create(NAME, r#""spec":{"color":"alpha"}"#).unwrap();
    api.try_create(r#""generateName":"made-""#, r#""spec":{"color":"alpha"}"#).unwrap();
    let reports = reports.0.lock().unwrap();
    assert_eq!(reports.len(), 2);
    assert!(reports[0].starts_with("ada default/g gadget_create false "), "{reports:?}");
    assert!(reports[1].starts_with("ada default/made-"), "{reports:?}");
    assert!(reports.iter().all(|report| !report.contains("alpha")), "{reports:?}");
}

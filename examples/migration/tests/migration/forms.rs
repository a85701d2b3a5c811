//! The errors that users see in each form, and with each setting of the gates.

use sprag::field::{BadValue, Error, Path};
use sprag::testing::{Api, Migration, untriggered};

use migration::{gated_convoys, shadow_convoys};

use crate::{
    beacons_in_shadow, beacons_that_graduate, convoys_in_shadow_without, enforced_beacons_beside_gated_ones,
    enforced_convoys_beside_gated_ones, gated_beacons_without, gated_convoys_without,
};

const BAD_BEACON: &str = r#"{"metadata":{"name":"x"},"spec":{"power":0,"range":11}}"#;
const GOOD_BEACON: &str = r#"{"metadata":{"name":"x"},"spec":{"power":1,"range":10}}"#;
const GOOD_CONVOY: &str =
    r#"{"metadata":{"name":"x"},"spec":{"lead":"Rose","speed":12,"ships":[{"name":"rose","tons":5}]}}"#;
const BAD_CONVOY: &str =
    r#"{"metadata":{"name":"x"},"spec":{"lead":"Lily","speed":31,"ships":[{"name":"rose","tons":0}]}}"#;

fn error(field: &str, origin: &'static str) -> Error {
    Error { field: field.to_owned(), ..Error::invalid(&Path::ROOT, BadValue::Nil, "").with_origin(origin) }
}

#[test]
fn every_form_of_beacons_refuses_the_same() {
    let errors = [error("spec.power", "minimum"), error("spec.range", "maximum")];
    for migration in [gated_beacons_without(""), beacons_that_graduate()] {
        migration.assert_errors(BAD_BEACON, None, &errors);
        migration.assert_errors(BAD_BEACON, Some(GOOD_BEACON), &errors);
        migration.assert_errors(BAD_BEACON, Some(BAD_BEACON), &[]);
        migration.assert_equivalent_over_http(BAD_BEACON, None);
        migration.assert_equivalent_over_http(BAD_BEACON, Some(GOOD_BEACON));
        assert_eq!(untriggered(&migration), [""; 0]);
    }
    enforced_beacons_beside_gated_ones().assert_errors(BAD_BEACON, None, &errors);
}

#[test]
fn a_hook_without_a_rule_is_not_compared() {
    let hooks = [error("spec.power", "minimum"), error("spec.range", "")];
    beacons_in_shadow().assert_errors(BAD_BEACON, None, &hooks);
    beacons_in_shadow().assert_equivalent_over_http(BAD_BEACON, Some(GOOD_BEACON));
}

#[test]
fn specs_are_shared_by_all_versions() {
    let errors = [error("spec.lead", "update"), error("spec.speed", "maximum"), error("spec.ships[0].tons", "minimum")];
    for migration in [convoys_in_shadow_without(""), gated_convoys_without(""), enforced_convoys_beside_gated_ones()] {
        migration.assert_errors(BAD_CONVOY, Some(GOOD_CONVOY), &errors);
        migration.assert_errors(BAD_CONVOY, None, &errors[1..]);
        migration.assert_errors(GOOD_CONVOY, Some(BAD_CONVOY), &errors[..1]);
        migration.assert_equivalent_over_http(BAD_CONVOY, Some(GOOD_CONVOY));
    }
}

#[test]
fn a_new_field_is_enforced_while_hooks_have_the_authority() {
    let api = Api::new(shadow_convoys(""));
    let convoy = r#"{"metadata":{"name":"x"},"spec":{"lead":"Rose","captain":"somebody with a long name"}}"#;
    let error = api.client("example.dev/v1", "convoys").create(convoy).unwrap_err().to_string();
    assert!(error.contains("spec.captain: Too long"), "{error}");
    assert!(api.client("example.dev/v1beta1", "convoys").create(convoy).is_err());
}

#[test]
fn alpha_rules_are_only_observed_and_beta_ones_can_be_switched_off() {
    let convoy = r#"{"metadata":{"name":"x"},"spec":{"lead":"Rose","speed":31,"cargo":{"gunpowder":1}}}"#;
    let refused = |beta: bool, without: &str| {
        let api = Api::builder().feature("DeclarativeValidationBeta", beta).resource(gated_convoys(without)).build();
        let verdict = api.client("example.dev/v1", "convoys").judge(convoy).unwrap();
        verdict.errors.iter().map(|error| error.field.clone()).collect::<Vec<_>>()
    };
    assert_eq!(refused(true, "speed"), ["spec.cargo", "spec.speed"]);
    assert_eq!(refused(false, "speed"), ["spec.cargo"]);
    assert_eq!(refused(true, "cargo"), ["spec.speed"]);
}

#[test]
fn fixtures_are_current_and_say_the_same_everywhere() {
    let rows: [(Migration, &str, &str); 7] = [
        (beacons_in_shadow(), "beacons-shadow", "../../src/parts.rs, ../../src/shadow.rs"),
        (gated_beacons_without(""), "beacons-gated", "../../src/parts.rs, ../../src/gated.rs"),
        (beacons_that_graduate(), "beacons-graduating", "../../src/graduating.rs"),
        (enforced_beacons_beside_gated_ones(), "beacons-enforced", "../../src/parts.rs, ../../src/enforced.rs"),
        (
            convoys_in_shadow_without(""),
            "convoys-shadow",
            "../../src/parts.rs, ../../src/shadow.rs, ../../src/v1beta1.rs",
        ),
        (gated_convoys_without(""), "convoys-gated", "../../src/parts.rs, ../../src/gated.rs"),
        (enforced_convoys_beside_gated_ones(), "convoys-enforced", "../../src/parts.rs, ../../src/enforced.rs"),
    ];
    for (migration, name, types) in rows {
        let path = format!("{}/tests/fixtures/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        migration.assert_fixtures(path, types);
        assert_eq!(untriggered(&migration), [""; 0], "{name}");
    }
}

#[test]
#[should_panic(expected = "hand-written code did not find what a rule found: spec.speed")]
fn a_missing_hook_is_reported() {
    convoys_in_shadow_without("speed").assert_equivalent(BAD_CONVOY, None);
}

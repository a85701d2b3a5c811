//! Random objects: both sides agree, and notice when a rule or a check is missing.

use std::time::Instant;

use sprag::testing::{Fuzz, Fuzzed, Migration};

use crate::{
    beacons_in_shadow, beacons_that_graduate, convoys_in_shadow_without, enforced_beacons_beside_gated_ones,
    enforced_convoys_beside_gated_ones, gated_beacons_without, gated_convoys_without,
};

const FEW: Fuzz = Fuzz { seed: 2, pairs: 5_000 };

/// Prints what was measured and checks it.
#[track_caller]
fn check(name: &str, migration: &Migration, fuzz: Fuzz) -> Fuzzed {
    let start = Instant::now();
    let fuzzed = migration.fuzz_equivalence(fuzz);
    let least = fuzzed.triggered.values().min().copied().unwrap_or_default();
    println!(
        "{name}: {} pairs, {} valid ({} %), {} rules, each triggered at least {least} times, {} mismatches, {:?}",
        fuzzed.pairs,
        fuzzed.valid,
        fuzzed.valid * 100 / fuzzed.pairs.max(1),
        fuzzed.triggered.len(),
        fuzzed.mismatches,
        start.elapsed()
    );
    fuzzed.assert_sound(30, if fuzz.pairs >= 100_000 { 100 } else { 10 });
    fuzzed
}

#[test]
fn beacons_agree_in_every_form() {
    check("gated beacons", &gated_beacons_without(""), Fuzz::from_env());
    check("beacons in shadow", &beacons_in_shadow(), FEW);
    check("graduating beacons", &beacons_that_graduate(), FEW);
    check("enforced beacons", &enforced_beacons_beside_gated_ones(), FEW);
}

#[test]
fn convoys_agree_in_every_form() {
    check("convoys in shadow", &convoys_in_shadow_without(""), Fuzz::from_env());
    check("gated convoys", &gated_convoys_without(""), FEW);
    check("enforced convoys", &enforced_convoys_beside_gated_ones(), FEW);
}

#[test]
fn the_same_seed_yields_the_same_objects() {
    let run = || convoys_in_shadow_without("").fuzz_equivalence(Fuzz { seed: 5, pairs: 300 });
    let one = run();
    let other = run();
    assert_eq!((one.valid, one.triggered), (other.valid, other.triggered));
}

#[test]
fn a_rule_that_is_removed_is_noticed() {
    let mut count = 0;
    for migration in [
        beacons_in_shadow(),
        gated_beacons_without(""),
        beacons_that_graduate(),
        enforced_beacons_beside_gated_ones(),
        convoys_in_shadow_without(""),
        gated_convoys_without(""),
        enforced_convoys_beside_gated_ones(),
    ] {
        count += migration.rules().len();
        assert_eq!(migration.unnoticed_rules(FEW), [""; 0]);
    }
    println!("{count} rules were removed in turn");
    assert!(count > 60, "{count}");
}

#[test]
fn a_hand_written_check_that_is_removed_is_noticed() {
    let convoys: Vec<&str> = migration::checks::shadow::CONVOY.iter().map(|(name, _)| *name).collect();
    let beacons = migration::checks::gated::BEACON.iter().map(|(name, _)| *name);
    let mutants = convoys.iter().map(|name| (*name, convoys_in_shadow_without(name)));
    let mutants = mutants.chain(convoys.iter().map(|name| (*name, gated_convoys_without(name))));
    for (name, migration) in mutants.chain(beacons.map(|name| (name, gated_beacons_without(name)))) {
        let noticed = migration.first_difference(FEW);
        assert!(noticed.is_some(), "nobody misses {name}");
    }
    assert_eq!(convoys_in_shadow_without("").first_difference(FEW), None);
}

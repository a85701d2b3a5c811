//! Random turbines, and each field of a feature gate, through the migration kit.

use sprag::Stage;
use sprag::testing::{Fuzz, Migration};

use crate::{rules, sources};

fn migrations() -> Vec<(&'static str, Migration)> {
    let of = |(source, definition)| {
        (source, Migration::new(definition, rules()).feature_gate("TurbineBlades", Stage::Alpha).rules_alone())
    };
    sources().into_iter().map(of).collect()
}

#[test]
fn each_gated_field_is_dropped_and_kept_where_it_should_be() {
    let fields = [
        "v1.spec.blades (TurbineBlades)",
        "v1.spec.alloy (TurbineBlades)",
        "v1.spec.thickness (TurbineBlades)",
        "v1.spec.sites[*].room (TurbineBlades)",
        "v1.status.blades (TurbineBlades)",
    ];
    for (source, migration) in migrations() {
        assert_eq!(migration.assert_gated_fields(), fields, "{source}");
    }
}

/// Conditions on subresources and features, enums with excluded values: the generated code and the interpreter agree.
#[test]
fn both_backends_agree_about_random_turbines() {
    for (source, migration) in migrations() {
        let fuzzed = migration.fuzz_equivalence(Fuzz { seed: 3, pairs: 2_500 });
        assert_eq!(fuzzed.mismatches, 0, "{source}: {}", fuzzed.examples[0]);
        let never: Vec<_> = fuzzed.triggered.iter().filter(|(_, count)| **count == 0).map(|(rule, _)| rule).collect();
        assert!(never.is_empty(), "{source}: {never:?}");
        assert!(fuzzed.valid * 10 > fuzzed.pairs, "{source}: {} valid", fuzzed.valid);
    }
}

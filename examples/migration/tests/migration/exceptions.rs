//! Hooks that say the same in other words.

use std::panic::{AssertUnwindSafe, catch_unwind};

use migration::checks::{self, Check};
use migration::shadow::Convoy;
use migration::shadow_convoys_with;
use sprag::field::{Error, Errors, Path};
use sprag::testing::{Exceptions, Fuzz, Migration};

const FEW: Fuzz = Fuzz { seed: 4, pairs: 1_000 };

/// Checks the speed with words of its own, and one of them with another type than the rule's.
fn speed(new: &Convoy, old: Option<&Convoy>, errors: &mut Errors) {
    let (Some(speed), false) = (new.spec.speed, old.is_some_and(|old| old.spec.speed == new.spec.speed)) else {
        return;
    };
    let spec = Path::new("spec");
    let path = spec.child("speed");
    if speed > 30 {
        let error = Error::invalid(&path, speed, format!("{speed} knots are too fast")).with_origin("maximum");
        errors.push(error.with_covered_by_declarative());
    }
    if speed < 1 {
        errors.push(Error::forbidden(&path, "a convoy does not stand still").with_covered_by_declarative());
    }
}

/// Convoys with that check in place of the usual one.
fn convoys() -> Migration {
    let others = checks::shadow::CONVOY.iter().filter(|(name, _)| *name != "speed").map(|(_, check)| *check);
    let checks: Vec<Check<Convoy>> = others.chain([speed as Check<Convoy>]).collect();
    Migration::new(shadow_convoys_with(checks), sprag::include_program!("shadow")).normalize("spec.knots", "spec.speed")
}

fn file(name: &str) -> Exceptions {
    Exceptions::read(format!("{}/tests/exceptions/{name}.yaml", env!("CARGO_MANIFEST_DIR")))
}

#[test]
fn other_words_and_types_are_differences() {
    let fuzzed = convoys().fuzz_equivalence(FEW);
    assert!(fuzzed.mismatches > 10, "{}", fuzzed.mismatches);
    let said: String = fuzzed.examples.iter().map(ToString::to_string).collect();
    assert!(said.contains("spec.speed") || said.contains("spec.knots"), "{said}");
}

#[test]
fn accepted_pairs_are_no_differences() {
    convoys().exceptions(file("accepted")).fuzz_equivalence(FEW).assert_sound(30, 1);
}

#[test]
fn an_exception_that_nothing_needs_is_reported() {
    let fuzzed = convoys().exceptions(file("too-many")).fuzz_equivalence(FEW);
    assert_eq!(fuzzed.mismatches, 0);
    assert_eq!(fuzzed.unused_exceptions, ["exceptions[2] (nobody says this)"]);
    let failed = catch_unwind(AssertUnwindSafe(|| fuzzed.assert_sound(30, 1)));
    assert!(failed.is_err());
}

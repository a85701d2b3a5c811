//! Both kinds through the migration kit.

#![allow(clippy::print_stdout, reason = "tests say what they measured")]

mod exceptions;
mod forms;
mod fuzz;
mod page;

use migration::{
    enforced_beacons, enforced_convoys, gated_beacons, gated_convoys, graduating_beacons, shadow_beacons,
    shadow_convoys,
};
use sprag::testing::Migration;

fn beacons_in_shadow() -> Migration {
    Migration::new(shadow_beacons(), sprag::include_program!("shadow"))
}

fn gated_beacons_without(check: &str) -> Migration {
    Migration::new(gated_beacons(check), sprag::include_program!("gated"))
}

fn beacons_that_graduate() -> Migration {
    Migration::new(graduating_beacons(), sprag::include_program!("graduating"))
}

fn enforced_beacons_beside_gated_ones() -> Migration {
    Migration::new(enforced_beacons(), sprag::include_program!("enforced")).reference(gated_beacons(""))
}

fn convoys_in_shadow_without(check: &str) -> Migration {
    Migration::new(shadow_convoys(check), sprag::include_program!("shadow")).normalize("spec.knots", "spec.speed")
}

fn gated_convoys_without(check: &str) -> Migration {
    Migration::new(gated_convoys(check), sprag::include_program!("gated"))
}

fn enforced_convoys_beside_gated_ones() -> Migration {
    Migration::new(enforced_convoys(), sprag::include_program!("enforced")).reference(gated_convoys(""))
}

//! Two kinds whose hand-written validation moves to tags, in every form on the way. `docs/migration.md` walks through it.
//!
//! | form | tags | hooks |
//! |---|---|---|
//! | [`shadow`] | standard ones, only observed | have the authority |
//! | [`gated`] | beta ones are enforced, alpha ones observed | still run; what a rule found, too, is said once |
//! | [`graduating`] | the first field has lost its prefix, the second is beta | as before |
//! | [`enforced`] | standard ones | gone |

pub mod checks;
pub mod enforced;
pub mod gated;
pub mod graduating;
pub mod parts;
pub mod shadow;
pub mod v1beta1;

/// The code that `build.rs` generates from the types.
pub mod generated {
    sprag::include_generated!();
}

use sprag::rest::Resource;
use sprag::{Definition, RestConfig, StrategyConfig};

use crate::checks::{Check, Checks};

const GROUP: &str = "example.dev";

/// Beacons while hooks have the authority: rules run in their shadow.
pub fn shadow_beacons() -> Definition {
    define("beacons", hooks(checks::shadow::BEACON, "").legacy_shadow()).define()
}

/// Beacons with a beta and an alpha rule beside the hooks, without the hook of this name.
pub fn gated_beacons(without: &str) -> Definition {
    define("beacons", hooks(checks::gated::BEACON, without)).define()
}

/// Beacons with a rule that cannot be switched off and a beta one.
pub fn graduating_beacons() -> Definition {
    define("beacons", hooks(checks::graduating::BEACON, "")).define()
}

/// Beacons with rules alone.
pub fn enforced_beacons() -> Definition {
    define("beacons", StrategyConfig::<enforced::Beacon>::new()).define()
}

/// Convoys in two versions while hooks have the authority, without the hook of this name.
pub fn shadow_convoys(without: &str) -> Definition {
    shadow_convoys_with(chosen(checks::shadow::CONVOY, without))
}

/// The same with these hooks.
pub fn shadow_convoys_with(checks: Vec<Check<shadow::Convoy>>) -> Definition {
    define("convoys", run(checks).legacy_shadow())
        .version("v1beta1", shadow::Convoy::from, v1beta1::Convoy::from)
        .define()
}

/// Convoys with beta and alpha rules beside the hooks, without the hook of this name.
pub fn gated_convoys(without: &str) -> Definition {
    define("convoys", hooks(checks::gated::CONVOY, without)).define()
}

/// Convoys with rules alone.
pub fn enforced_convoys() -> Definition {
    define("convoys", StrategyConfig::<enforced::Convoy>::new()).define()
}

fn define<T: Resource>(plural: &str, strategy: StrategyConfig<T>) -> RestConfig<T> {
    RestConfig::new(GROUP, "v1", plural).strategy(strategy)
}

/// The hooks of a kind: its hand-written checks but for one.
fn hooks<T: Resource>(checks: Checks<T>, without: &str) -> StrategyConfig<T> {
    run(chosen(checks, without))
}

fn chosen<T>(checks: Checks<T>, without: &str) -> Vec<Check<T>> {
    checks.iter().filter(|(name, _)| *name != without).map(|(_, check)| *check).collect()
}

fn run<T: Resource>(checks: Vec<Check<T>>) -> StrategyConfig<T> {
    let again = checks.clone();
    StrategyConfig::new()
        .validate(move |_, new: &T, errors| {
            for check in &checks {
                check(new, None, errors);
            }
        })
        .validate_update(move |_, new: &T, old: &T, errors| {
            for check in &again {
                check(new, Some(old), errors);
            }
        })
}

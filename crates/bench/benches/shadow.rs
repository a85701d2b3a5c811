//! Rules in the shadow of hooks: what they add to an update in process, on the kinds of the example `migration`.
//!
//! Both sides are measured in turn, so that the machine's moods are the same for both, and the fastest round of each counts.

use std::time::{Duration, Instant};

use divan::Bencher;
use sprag_rest::{Definition, FeatureGates, MinorVersion};
use sprag_testing::Api;

#[global_allocator]
static ALLOC: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The last release in which `DeclarativeValidation` can be switched off.
const SWITCHABLE: MinorVersion = MinorVersion { major: 1, minor: 35 };
const ROUNDS: usize = 300;
const UPDATES: u32 = 100;

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    println!("share of an update that shadowed rules take");
    for kind in [Kind::beacons(), Kind::convoys()] {
        let alone = Updates::new(&kind, false);
        let beside = Updates::new(&kind, true);
        let mut fastest_alone = Duration::MAX;
        let mut fastest_beside = Duration::MAX;
        for round in 0..ROUNDS {
            fastest_alone = fastest_alone.min(alone.round(round));
            fastest_beside = fastest_beside.min(beside.round(round));
        }
        let alone = fastest_alone.as_secs_f64();
        let beside = fastest_beside.as_secs_f64();
        let share = (beside / alone - 1.0) * 100.0;
        let alone = fastest_alone / UPDATES;
        let beside = fastest_beside / UPDATES;
        println!(
            "   {:<8} {alone:?} with hooks alone, {beside:?} with rules in shadow: {share:.1} % more",
            kind.plural
        );
    }
    divan::main();
}

/// A kind with two bodies that replace each other.
struct Kind {
    plural: &'static str,
    definition: fn() -> Definition,
    bodies: [&'static str; 2],
}

impl Kind {
    fn beacons() -> Kind {
        Kind {
            plural: "beacons",
            definition: migration::shadow_beacons,
            bodies: [
                r#"{"metadata":{"name":"x"},"spec":{"power":1,"range":10}}"#,
                r#"{"metadata":{"name":"x"},"spec":{"power":2,"range":9}}"#,
            ],
        }
    }

    fn convoys() -> Kind {
        Kind {
            plural: "convoys",
            definition: || migration::shadow_convoys(""),
            bodies: [
                r#"{"metadata":{"name":"x"},"spec":{"lead":"Rose","speed":12,"ships":[{"name":"rose","tons":5},{"name":"lily","tons":7}],"cargo":{"tea":3}}}"#,
                r#"{"metadata":{"name":"x"},"spec":{"lead":"Rose","speed":13,"ships":[{"name":"rose","tons":6},{"name":"lily","tons":7}],"cargo":{"tea":4}}}"#,
            ],
        }
    }
}

/// Updates of one object, with rules in shadow or without.
struct Updates<'k> {
    api: Api,
    kind: &'k Kind,
}

impl<'k> Updates<'k> {
    fn new(kind: &'k Kind, shadow: bool) -> Updates<'k> {
        let mut gates = if shadow { FeatureGates::default() } else { FeatureGates::at(SWITCHABLE) };
        if !shadow {
            gates.set("DeclarativeValidation=false").expect("it can be switched off at that release");
        }
        let api = Api::builder().gates(gates).resource((kind.definition)()).build();
        let updates = Updates { api, kind };
        updates.client().create(kind.bodies[0]).expect("the object is valid");
        updates
    }

    fn client(&self) -> sprag_testing::Client<'_> {
        self.api.client("example.dev/v1", self.kind.plural)
    }

    /// The time of some updates.
    fn round(&self, round: usize) -> Duration {
        let client = self.client();
        let start = Instant::now();
        for at in 0..UPDATES {
            let body = self.kind.bodies[(round + at as usize + 1) % 2];
            client.update(body).expect("the object is valid");
        }
        start.elapsed()
    }
}

fn measure(bencher: Bencher<'_, '_>, kind: &Kind, shadow: bool) {
    let updates = Updates::new(kind, shadow);
    let client = updates.client();
    let mut at = 0;
    bencher.bench_local(|| {
        at += 1;
        client.update(kind.bodies[at % 2]).expect("the object is valid")
    });
}

#[divan::bench]
fn beacon_update_with_hooks_alone(bencher: Bencher<'_, '_>) {
    measure(bencher, &Kind::beacons(), false);
}

#[divan::bench]
fn beacon_update_in_shadow(bencher: Bencher<'_, '_>) {
    measure(bencher, &Kind::beacons(), true);
}

#[divan::bench]
fn convoy_update_with_hooks_alone(bencher: Bencher<'_, '_>) {
    measure(bencher, &Kind::convoys(), false);
}

#[divan::bench]
fn convoy_update_in_shadow(bencher: Bencher<'_, '_>) {
    measure(bencher, &Kind::convoys(), true);
}

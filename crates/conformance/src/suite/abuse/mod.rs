//! `abuse`: clients that mean harm. Each case gets a server of its own in a process of its own, on loopback, and passes when the
//! server answers or hangs up as it should while its memory stays small and `/livez` stays quick.
//!
//! A case is a name and a function; a family of attacks is a file, and one line in the list below. With a folder as argument
//! this is the process that is attacked.

mod addresses;
mod arena;
mod audit;
mod bombs;
mod bypass;
mod connections;
mod credentials;
mod crowds;
mod elements;
mod errors;
mod extremes;
mod frames;
mod history;
mod messages;
mod numbers;
mod paths;
mod patterns;
mod plugins;
mod policies;
mod readers;
mod refusals;
mod rights;
mod selectors;
mod tenants;
mod tokens;
mod unread;
mod watches;
mod webhooks;
mod work;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use self::arena::Measured;
pub(super) use self::arena::{Answer, Arena, Client, Meter, serve};

use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "abuse",
    about: "hostile clients: memory, health and answers of a server under attack (SPRAG_FULL=1: larger)",
    recorded: "",
    run,
};

/// One attack.
pub(super) struct Case {
    name: &'static str,
    /// Arguments of the server beside the usual.
    arguments: &'static [&'static str],
    /// Maximum number of files that the server may have open.
    files: Option<u32>,
    attack: fn(Arc<Arena>) -> Attack,
}

/// An attack in progress.
type Attack = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The result of an attack in a few words, or its failure.
type Outcome = Result<String, String>;

/// A case with everything at its default.
macro_rules! case {
    ($attack:ident) => {
        crate::suite::abuse::Case {
            name: stringify!($attack),
            arguments: &[],
            files: None,
            attack: |arena| Box::pin(async move { $attack(&arena).await }),
        }
    };
}
use case;

/// The families, in the order in which they run.
static FAMILIES: &[(&str, &[Case])] = &[
    ("errors", errors::CASES),
    ("connections", connections::CASES),
    ("work", work::CASES),
    ("numbers", numbers::CASES),
    ("extremes", extremes::CASES),
    ("readers", readers::CASES),
    ("unread", unread::CASES),
    ("refusals", refusals::CASES),
    ("bombs", bombs::CASES),
    ("elements", elements::CASES),
    ("patterns", patterns::CASES),
    ("paths", paths::CASES),
    ("frames", frames::CASES),
    ("selectors", selectors::CASES),
    ("tokens", tokens::CASES),
    ("credentials", credentials::CASES),
    ("tenants", tenants::CASES),
    ("bypass", bypass::CASES),
    ("addresses", addresses::CASES),
    ("history", history::CASES),
    ("rights", rights::CASES),
    ("webhooks", webhooks::CASES),
    ("crowds", crowds::CASES),
    ("watches", watches::CASES),
    ("plugins", plugins::CASES),
    ("policies", policies::CASES),
    ("messages", messages::CASES),
    ("audit", audit::CASES),
];

/// The most memory that a case may cost beyond that of an idle server, in MB.
const MOST_MEMORY: f64 = 200.0;
/// The longest that `/livez` may take meanwhile. A build for debugging is several times slower.
const LONGEST_LIVEZ: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2500 } else { 250 });
/// The longest that one of a hundred reads of another user may take meanwhile.
const LONGEST_READ: Duration = LONGEST_LIVEZ;
/// The longest that one task may keep a thread of the server's runtime.
const LONGEST_HOLD: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 50 });
/// The memory of the server in all, in MB: at most, and a while after (`SPRAG_FULL=1`).
const MOST_IN_ALL: f64 = 600.0;
const MOST_AFTER: f64 = 100.0;
const AFTER: Duration = Duration::from_mins(1);
/// No case takes longer.
const LONGEST_CASE: Duration = Duration::from_mins(3);

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if !args.path.as_os_str().is_empty() {
        return serve(&args.path, &[]);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    Report::note(&format!("{:<44} {:>9} {:>9} {:>9} {:>9}  outcome", "case", "memory", "livez", "p99", "hold"));
    for (family, cases) in FAMILIES {
        for case in *cases {
            let name = format!("{family}::{}", case.name);
            if args.filter.as_ref().is_some_and(|filter| !name.contains(filter.as_str())) {
                continue;
            }
            match runtime.block_on(attack(case)) {
                Ok(fought) => {
                    Report::note(&fought.line(&name));
                    match fought.verdict() {
                        Ok(()) => report.pass(),
                        Err(problem) => report.fail(&name, &format!("  {problem}\n")),
                    }
                }
                Err(problem) => report.fail(&name, &format!("  {problem}\n")),
            }
        }
    }
    Ok(())
}

/// The result of a case.
struct Fought {
    outcome: Outcome,
    measured: Measured,
    /// The memory of the idle server, in MB.
    idle: f64,
    /// The longest that a task kept a thread of the runtime.
    hold: Duration,
    panics: u64,
    /// Whether memory went back.
    after: Result<(), String>,
}

impl Fought {
    fn line(&self, name: &str) -> String {
        let outcome = self.outcome.as_ref().map_or_else(|problem| format!("FAILED: {problem}"), Clone::clone);
        let Measured { memory, livez, reads } = &self.measured;
        let [livez, reads, hold] = [livez, reads, &self.hold].map(Duration::as_millis);
        format!("{name:<44} {memory:>6.1} MB {livez:>6} ms {reads:>6} ms {hold:>6} ms  {outcome}")
    }

    fn verdict(&self) -> Result<(), String> {
        self.outcome.as_ref().map_err(Clone::clone)?;
        let Measured { memory, livez, reads } = self.measured;
        if memory > MOST_MEMORY {
            return Err(format!("{memory:.0} MB over an idle server, more than {MOST_MEMORY}"));
        }
        if memory + self.idle > MOST_IN_ALL {
            return Err(format!("{:.0} MB in all, more than {MOST_IN_ALL}", memory + self.idle));
        }
        let times = [
            ("/livez took", livez, LONGEST_LIVEZ),
            ("the p99 of another user's reads was", reads, LONGEST_READ),
            ("a task kept a thread of the runtime for", self.hold, LONGEST_HOLD),
        ];
        for (what, took, longest) in times {
            if took > longest {
                return Err(format!("{what} {} ms, more than {}", took.as_millis(), longest.as_millis()));
            }
        }
        self.after.clone()?;
        if self.panics > 0 { Err(format!("{} panics", self.panics)) } else { Ok(()) }
    }
}

async fn attack(case: &Case) -> Result<Fought, String> {
    let arena = Arc::new(Arena::start(case.arguments, case.files).await?);
    let meter = Meter::start(&arena);
    let outcome = tokio::time::timeout(LONGEST_CASE, (case.attack)(arena.clone())).await;
    let outcome = outcome.unwrap_or_else(|_| Err("it takes too long".into()));
    let measured = meter.stop().await;
    let (hold, panics) = if arena.is_stopped() {
        (Duration::ZERO, 0)
    } else {
        (arena.longest_hold().await?, arena.panics().await?)
    };
    let after = arena.calms_down(AFTER, MOST_AFTER).await;
    Ok(Fought { outcome, measured, idle: arena.idle(), hold, panics, after })
}

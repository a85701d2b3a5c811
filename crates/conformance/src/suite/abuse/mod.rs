//! `abuse`: clients that mean harm. Each case gets a server of its own in a process of its own, on loopback, and passes when the
//! server answers or hangs up as it should while its memory stays small and `/livez` stays quick.
//!
//! A case is a name and a function; a family of attacks is a file, and one line in the list below. With a folder as argument
//! this is the process that is attacked.

mod arena;
mod bombs;
mod bypass;
mod connections;
mod credentials;
mod errors;
mod frames;
mod numbers;
mod paths;
mod readers;
mod refusals;
mod selectors;
mod tenants;
mod tokens;
mod work;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub(super) use self::arena::{Answer, Arena, Meter, serve};

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
    ("readers", readers::CASES),
    ("refusals", refusals::CASES),
    ("bombs", bombs::CASES),
    ("paths", paths::CASES),
    ("frames", frames::CASES),
    ("selectors", selectors::CASES),
    ("tokens", tokens::CASES),
    ("credentials", credentials::CASES),
    ("tenants", tenants::CASES),
    ("bypass", bypass::CASES),
];

/// The most memory that a case may cost beyond that of an idle server, in MB.
const MOST_MEMORY: f64 = 200.0;
/// The longest that `/livez` may take meanwhile. A build for debugging is several times slower.
const LONGEST_LIVEZ: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2500 } else { 250 });
/// No case takes longer.
const LONGEST_CASE: Duration = Duration::from_mins(3);

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if !args.path.as_os_str().is_empty() {
        return serve(&args.path, &[]);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    Report::note(&format!("{:<44} {:>9} {:>9}  outcome", "case", "memory", "livez"));
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
    /// MB beyond an idle server.
    memory: f64,
    livez: Duration,
    panics: u64,
}

impl Fought {
    fn line(&self, name: &str) -> String {
        let outcome = self.outcome.as_ref().map_or_else(|problem| format!("FAILED: {problem}"), Clone::clone);
        format!("{name:<44} {:>6.1} MB {:>6} ms  {outcome}", self.memory, self.livez.as_millis())
    }

    fn verdict(&self) -> Result<(), String> {
        self.outcome.as_ref().map_err(Clone::clone)?;
        if self.memory > MOST_MEMORY {
            return Err(format!("{:.0} MB over an idle server, more than {MOST_MEMORY}", self.memory));
        }
        if self.livez > LONGEST_LIVEZ {
            return Err(format!("/livez took {} ms", self.livez.as_millis()));
        }
        if self.panics > 0 { Err(format!("{} panics", self.panics)) } else { Ok(()) }
    }
}

async fn attack(case: &Case) -> Result<Fought, String> {
    let arena = Arc::new(Arena::start(case.arguments, case.files).await?);
    let meter = Meter::start(&arena);
    let outcome = tokio::time::timeout(LONGEST_CASE, (case.attack)(arena.clone())).await;
    let outcome = outcome.unwrap_or_else(|_| Err("it takes too long".into()));
    let (memory, livez) = meter.stop().await;
    let panics = if arena.is_stopped() { 0 } else { arena.panics().await? };
    Ok(Fought { outcome, memory, livez, panics })
}

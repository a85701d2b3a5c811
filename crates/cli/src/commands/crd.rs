//! `sprag crd`: definitions of custom resources.

mod annotate;
mod changes;
mod check;
pub(crate) mod cost;
mod lint;
mod objects;
mod text;
mod waiver;
mod wire;

use clap::{Args, Subcommand};

use crate::commands::Outcome;
use crate::output::Terminal;

pub(crate) use self::waiver::{Waiver, Waivers};

/// What to do with definitions.
#[derive(Args)]
pub(crate) struct CrdArgs {
    #[command(subcommand)]
    command: CrdCommand,
}

#[derive(Subcommand)]
enum CrdCommand {
    /// What a new definition does to the API and to stored objects.
    Check(check::CheckArgs),
    /// What the API server would refuse or warn about, and what is better done otherwise.
    Lint(lint::LintArgs),
}

pub(crate) fn run(args: &CrdArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match &args.command {
        CrdCommand::Check(args) => check::run(args, terminal),
        CrdCommand::Lint(args) => lint::run(args, terminal),
    }
}

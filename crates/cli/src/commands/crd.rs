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

/// Arguments of `sprag crd`.
#[derive(Args)]
pub(crate) struct CrdArgs {
    #[command(subcommand)]
    command: CrdCommand,
}

#[derive(Subcommand)]
enum CrdCommand {
    /// Compare two definitions: changes to the API, and effects on stored objects.
    Check(check::CheckArgs),
    /// Report errors and warnings of the API server about definitions, and advice.
    Lint(lint::LintArgs),
}

pub(crate) fn run(args: &CrdArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match &args.command {
        CrdCommand::Check(args) => check::run(args, terminal),
        CrdCommand::Lint(args) => lint::run(args, terminal),
    }
}

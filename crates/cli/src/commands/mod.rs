//! The subcommands.

mod cel;
mod check;
mod crd;
mod docs;
mod r#gen;
mod serve;
mod test;
mod types;
mod validate;

use clap::Subcommand;

pub(crate) use self::crd::Waiver;
pub(crate) use self::types::load_types;

use crate::output::Terminal;

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// Something that a pipeline should stop for.
    Findings,
    /// Some of it could not be read.
    Incomplete,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Evaluate CEL expressions as Kubernetes does.
    Cel(cel::CelArgs),
    /// Check an object against the tags of its type.
    Check(check::CheckArgs),
    /// Check definitions of custom resources.
    Crd(crd::CrdArgs),
    /// Print reference pages.
    Docs(docs::DocsArgs),
    /// Generate Rust types and validators.
    Gen(r#gen::GenArgs),
    /// Serve custom resources and core kinds as a Kubernetes API server.
    Serve(sprag_server::ServeArgs),
    /// Run tests for the rules of custom resources.
    Test(test::TestArgs),
    /// Validate manifests as the API server would.
    Validate(validate::ValidateArgs),
}

impl Command {
    pub(crate) fn run(self, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
        match self {
            Command::Cel(args) => cel::run(&args, terminal),
            Command::Check(args) => check::run(&args, terminal),
            Command::Crd(args) => crd::run(&args, terminal),
            Command::Docs(args) => docs::run(&args, terminal),
            Command::Gen(args) => r#gen::run(&args, terminal),
            Command::Serve(args) => serve::run(args),
            Command::Test(args) => test::run(&args, terminal),
            Command::Validate(args) => validate::run(&args, terminal),
        }
    }
}

//! The subcommands.

mod api;
mod backup;
mod cel;
mod check;
mod completions;
mod coverage;
mod crd;
pub(crate) mod crds;
mod docs;
mod doctor;
mod envtest;
mod explain;
mod r#gen;
mod kubeconfig;
mod lint;
mod lsp;
#[cfg(unix)]
mod run;
mod serve;
mod test;
mod types;
mod upgrade;
mod validate;
mod version;
mod welcome;

use clap::Subcommand;

pub(crate) use self::crd::Waiver;
pub(crate) use self::types::load_types;
pub(crate) use self::welcome::run as welcome;

use crate::output::Terminal;

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// Something that a pipeline should stop for.
    Findings,
    /// Some of it could not be read.
    Incomplete,
    /// What another command ended with.
    #[cfg(unix)]
    Exit(u8),
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print a snapshot of an API, and compare it with its last release.
    Api(api::ApiArgs),
    /// Copy the objects of a data folder to a file, also while its server runs.
    Backup(backup::BackupArgs),
    /// Evaluate CEL expressions as Kubernetes does.
    Cel(cel::CelArgs),
    /// Check an object against the tags of its type.
    Check(check::CheckArgs),
    /// Print a script by which a shell completes commands and flags.
    Completions(completions::CompletionsArgs),
    /// List the rules of types that no test triggers.
    Coverage(coverage::CoverageArgs),
    /// Check definitions of custom resources.
    Crd(crd::CrdArgs),
    /// Keep definitions of custom resources in the repository, for all commands.
    Crds(crds::CrdsArgs),
    /// Print reference pages.
    Docs(docs::DocsArgs),
    /// Show what counts in this folder, and from where: release, settings, definitions, gates.
    Doctor(doctor::DoctorArgs),
    /// Serve tests that use envtest, in place of kube-apiserver and etcd.
    Envtest(envtest::EnvtestArgs),
    /// Print the rules of a type or field, and where each comes from.
    Explain(explain::ExplainArgs),
    /// Generate Rust types and validators.
    Gen(r#gen::GenArgs),
    /// Print a kubeconfig for a user and groups.
    Kubeconfig(kubeconfig::KubeconfigArgs),
    /// Find mistakes in API types and definitions of custom resources.
    Lint(lint::LintArgs),
    /// Serve an editor: diagnostics, hover, completion and fixes while you type.
    Lsp(lsp::LspArgs),
    /// Write the manual pages of all commands to a folder.
    Man(completions::ManArgs),
    /// Put the objects of a backup into a data folder that has none.
    Restore(backup::RestoreArgs),
    /// Run a command against a Kubernetes API of its own, in memory.
    #[cfg(unix)]
    Run(run::RunArgs),
    /// Serve built-in kinds and custom resources as a Kubernetes API server.
    Serve(Box<sprag_server::ServeArgs>),
    /// Run tests for the rules of custom resources and declared types.
    Test(test::TestArgs),
    /// Report what an upgrade of Kubernetes rejects, warns of and changes.
    Upgrade(upgrade::UpgradeArgs),
    /// Validate manifests as the API server would.
    Validate(validate::ValidateArgs),
    /// Print the version, the commit and the release of Kubernetes that is emulated.
    Version(version::VersionArgs),
}

impl Command {
    pub(crate) fn run(self, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
        match self {
            Command::Api(args) => api::run(&args, terminal),
            Command::Backup(args) => backup::backup(&args, terminal),
            Command::Kubeconfig(args) => kubeconfig::run(&args, terminal),
            Command::Cel(args) => cel::run(&args, terminal),
            Command::Check(args) => check::run(&args, terminal),
            Command::Completions(args) => completions::completions(&args, terminal),
            Command::Coverage(args) => coverage::run(&args, terminal),
            Command::Crd(args) => crd::run(&args, terminal),
            Command::Crds(args) => crds::run(&args, terminal),
            Command::Docs(args) => docs::run(&args, terminal),
            Command::Doctor(args) => doctor::run(&args, terminal),
            Command::Envtest(args) => envtest::run(&args, terminal),
            Command::Explain(args) => explain::run(&args, terminal),
            Command::Gen(args) => r#gen::run(&args, terminal),
            Command::Lint(args) => lint::run(&args, terminal),
            Command::Lsp(_) => lsp::run(),
            Command::Man(args) => completions::man(&args, terminal),
            Command::Restore(args) => backup::restore(&args, terminal),
            #[cfg(unix)]
            Command::Run(args) => run::run(&args),
            Command::Serve(args) => serve::run(*args),
            Command::Test(args) => test::run(&args, terminal),
            Command::Upgrade(args) => upgrade::run(&args, terminal),
            Command::Validate(args) => validate::run(&args, terminal),
            Command::Version(args) => version::run(&args, terminal),
        }
    }
}

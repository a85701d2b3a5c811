//! `sprag completions` and `sprag man`: shell completions and manual pages, printed from the definition of the command line.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::Outcome;
use crate::Cli;
use crate::output::Terminal;

/// Print a script by which a shell completes commands and flags.
#[derive(Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", value_enum, hide_possible_values = true)]
    shell: Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions && sprag completions bash > ~/.local/share/bash-completion/completions/sprag
  mkdir -p ~/.zfunc && sprag completions zsh > ~/.zfunc/_sprag
  mkdir -p ~/.config/fish/completions && sprag completions fish > ~/.config/fish/completions/sprag.fish
  sprag completions powershell > sprag.ps1";

/// Write the manual pages of all commands to a folder.
#[derive(Args)]
#[command(after_help = MAN_HELP)]
pub(crate) struct ManArgs {
    /// The folder, which is created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

const MAN_HELP: &str = "\
Examples:
  sprag man ~/.local/share/man/man1";

pub(super) fn completions(args: &CompletionsArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    // The generator panics where it cannot write, as into a pipe that `head` has closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sprag", &mut script);
    terminal.out().write_all(&script)?;
    Ok(Outcome::Clean)
}

pub(super) fn man(args: &ManArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    terminal.line(format_args!("{}", folder.join("sprag.1").display()))?;
    Ok(Outcome::Clean)
}

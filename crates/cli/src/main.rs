//! The `sprag` command.

mod apidoc;
mod commands;
mod config;
mod output;
mod policies;
mod report;
mod spelling;

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use sprag_server::Entry;

use crate::commands::{Command, Outcome, welcome};
use crate::output::{Color, Terminal};

/// Objects are trees of small pieces that often end on another thread than they began on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Kubernetes API validation without a server: validate manifests, check definitions and types, test rules.
#[derive(Parser)]
#[command(name = "sprag", version, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
    #[arg(long, global = true, value_name = "WHEN", value_enum, hide_possible_values = true)]
    color: Option<Color>,

    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Exit codes: 0 clean, 1 findings, 2 usage or I/O

Examples:
  sprag validate -f manifests/ -R --crds crds/ --base origin/main
  sprag serve --crds config/crd/
  sprag run -- kubectl create deployment web --image=nginx:1.29
  KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...
  sprag check --types ./api/v1 --type Widget -f widget.json
  sprag gen --types ./api/v1 --out src/generated
  sprag docs tags > tags.md
  sprag cel eval 'self.replicas <= 5' --self widget.json";

const FINDINGS: u8 = 1;
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    if let Some(program) = std::env::args_os().next()
        && let Some(entry) = Entry::of(&program)
    {
        return run_as(entry, &program);
    }
    let arguments = match spelling::translate(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            Terminal::new().error(&anyhow::Error::msg(error));
            return ExitCode::from(FAILURE);
        }
    };
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed stream is no reason to fail.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS };
        }
    };
    cli.color.unwrap_or_default().choose();
    let mut terminal = Terminal::new();
    let result = match cli.command {
        Some(command) => command.run(&mut terminal),
        None => welcome(&mut terminal),
    };
    let result = result.and_then(|outcome| {
        terminal.flush()?;
        Ok(outcome)
    });
    match result {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(FINDINGS),
        #[cfg(unix)]
        Ok(Outcome::Exit(code)) => ExitCode::from(code),
        Ok(Outcome::Incomplete) => ExitCode::from(FAILURE),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal.error(&error);
            ExitCode::from(FAILURE)
        }
    }
}

/// Runs as another program, whose texts and exit codes are as that one has them.
fn run_as(entry: Entry, program: &OsStr) -> ExitCode {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match entry.run(program, &arguments.collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stream is no reason to fail differently.
            let _ = writeln!(io::stderr(), "Error: {error}\nrun {} --help to see what is known", entry.name());
            ExitCode::from(FINDINGS)
        }
    }
}

/// True if the reader of our output has gone, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

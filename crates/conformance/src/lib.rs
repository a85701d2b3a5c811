//! Runs the recorded suites: answers of the reference implementation, compared one by one.
//! Does not know: how the reference was recorded. It reads requests and answers, and sends the first to Sprag.

mod args;
mod compare;
mod custom_resource;
mod declarations;
mod generated;
mod model;
mod outcomes;
mod pack;
mod prose;
mod recorded;
mod report;
mod shown;
mod suite;
mod textproto;
mod volatile;
mod wire;

use std::path::Path;

use crate::args::{Args, Command};
use crate::report::Report;

pub use crate::declarations::{DeclarationsArgs, declarations};
pub use crate::pack::pack;
pub use crate::report::Totals;
pub use crate::suite::{OfflineAnswer, OfflineCase, replay_offline};

/// Runs a command line and prints what it has to say; returns whether nothing failed. `Err` is a message for the user.
pub fn command(words: Vec<String>) -> Result<bool, String> {
    match Command::parse(words)? {
        Command::Run(args) => run(&args).map(|totals| totals.failed == totals.known),
        Command::Declarations(args) => {
            let text = declarations(&args).map_err(|message| format!("error: {message}"))?;
            std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).map_err(|error| error.to_string())?;
            Ok(true)
        }
        Command::Pack { recordings, into } => {
            pack(&recordings, &into).map(|()| true).map_err(|message| format!("error: {message}"))
        }
    }
}

/// Runs the suite of this name on its recorded answers, with options as on the command line.
pub fn run_suite(name: &str, recorded: &Path, options: &[&str]) -> Result<Totals, String> {
    let words = [name.to_owned(), recorded.display().to_string()].into_iter();
    run(&Args::parse(words.chain(options.iter().map(|option| (*option).to_owned())))?)
}

fn run(args: &Args) -> Result<Totals, String> {
    let mut report = Report::new(args.most_diffs);
    (args.suite.run)(args, &mut report).map_err(|message| format!("error: {message}"))?;
    Ok(report.finish())
}

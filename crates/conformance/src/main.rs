//! Runs the recorded suites: answers of the reference implementation, compared one by one.

mod args;
mod compare;
mod custom_resource;
mod model;
mod report;
mod shown;
mod suite;
mod textproto;
mod volatile;
mod wire;

use std::process::ExitCode;

use crate::args::Args;
use crate::report::Report;

#[expect(clippy::print_stderr, reason = "a command speaks to its user")]
fn main() -> ExitCode {
    let args = match Args::parse(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let mut report = Report::new(args.most_diffs);
    if let Err(message) = (args.suite.run)(&args, &mut report) {
        eprintln!("error: {message}");
        return ExitCode::from(2);
    }
    if report.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! The `sprag-conformance` command.

use std::process::ExitCode;

#[expect(clippy::print_stderr, reason = "a command speaks to its user")]
fn main() -> ExitCode {
    match sprag_conformance::command(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

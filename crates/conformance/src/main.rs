//! The `sprag-conformance` command.

use std::process::ExitCode;

/// As in `sprag`: servers that are measured here need the memory that they need there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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

//! Runs the binary and shows what it said.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;

/// The fixtures, which are also the working directory of the binary.
pub(crate) const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Run {
    pub(crate) fn of(output: Output) -> Run {
        Run {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
    // Tests do not depend on the machine's module cache.
    command.args(args).current_dir(FIXTURES).env("GOMODCACHE", Path::new(FIXTURES).join("no-module-cache"));
    command
}

pub(crate) fn sprag(args: &[&str], stdin: &str) -> Run {
    sprag_in(Path::new(FIXTURES), args, stdin.as_bytes())
}

/// Runs the binary in another folder.
pub(crate) fn sprag_in(folder: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> Run {
    let mut command = command(args);
    command.current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The binary may be done before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
    Run::of(child.wait_with_output().unwrap())
}

/// Runs the binary with an upper limit on its memory, in bytes.
#[cfg(unix)]
pub(crate) fn sprag_within(memory: usize, args: &[&str]) -> Run {
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", memory >> 10);
    let mut command = Command::new("sh");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_sprag")]).args(args).current_dir(FIXTURES);
    Run::of(command.output().unwrap())
}

/// Compares standard output, standard error and exit code with a snapshot.
#[track_caller]
pub(crate) fn check(args: &[&str], stdin: &str, expect: &Expect) {
    let run = sprag(args, stdin);
    let stderr = if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    expect.assert_eq(&format!("{}{stderr}--- exit {}\n", run.stdout, run.code.unwrap()));
}

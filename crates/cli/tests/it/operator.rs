//! The sample operator in `examples/operator`, on the assets of `sprag envtest`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{Run, sprag};
use crate::scratch::Scratch;

/// The Go command in the folder of the operator, without a network.
fn go(args: &[&str]) -> Command {
    let mut command = Command::new("go");
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/operator"));
    command.env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GOTOOLCHAIN", "local").stdin(Stdio::null());
    command
}

#[test]
fn its_tests_pass() {
    if go(&["version"]).output().is_err() {
        eprintln!("skipped: examples/operator: go is not installed");
        return;
    }
    let has_modules = go(&["list", "-deps", "./..."]).output();
    if !has_modules.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: examples/operator: its modules are not there (run go mod tidy in that folder once with a network)"
        );
        return;
    }
    let scratch = Scratch::new("operator");
    let assets = sprag(&["envtest", "path", "--bin-dir", &scratch.path("assets")], "").stdout;
    let run = go(&["test", "-count=1", "./..."]).env("KUBEBUILDER_ASSETS", assets.trim_end()).output().unwrap();
    let run = Run::of(run);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

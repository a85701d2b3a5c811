//! The example crate: a build script with a tag of its own, built by cargo.

#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use expect_test::expect;

#[test]
fn build_script_with_a_tag_of_its_own() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/example");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example");
    fs::create_dir_all(folder.join("src")).unwrap();
    for name in ["build.rs", "tags.yaml", "src/api.rs", "src/checks.rs", "src/main.rs"] {
        put(&folder.join(name), &fs::read_to_string(from.join(name)).unwrap());
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = fs::read_to_string(from.join("Cargo.toml.in")).unwrap();
    put(&folder.join("Cargo.toml"), &manifest.replace("CRATES", &crates.display().to_string()));
    put(&folder.join("Cargo.lock"), &fs::read_to_string(crates.join("../Cargo.lock")).unwrap_or_default());
    let Some(said) = run(&folder) else { return };
    expect![[r##"
        shade: Invalid value: "#ff0000": must be a colour in rgba
        bulbs[1]: Invalid value: "#00ff00": must be a grey in rgb
        bulbs[2]: Invalid value: "green": must be a grey in rgb
        watts: Invalid value: -4: must be a multiple of 5
        watts: Invalid value: -4: must be greater than or equal to 1
        1 validators
    "##]]
    .assert_eq(&said);
}

fn put(path: &Path, text: &str) {
    if !fs::read_to_string(path).is_ok_and(|old| old == text) {
        fs::write(path, text).unwrap();
    }
}

/// Returns the output of the program; `None` if its libraries are not available.
fn run(folder: &Path) -> Option<String> {
    // The test of `sprag-codegen` uses the same folder with the same settings, so that libraries are compiled once.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nested-target");
    let child = Command::new(env!("CARGO"))
        .args(["run", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let Some(finished) = wait(child) else {
        eprintln!("skipped: building the example took longer than {} minutes", WAIT_STEPS / 600);
        return None;
    };
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let unavailable = ["no matching package", "attempting to make an HTTP request", "failed to select a version"];
    if !finished.status.success() && unavailable.iter().any(|reason| stderr.contains(reason)) {
        eprintln!("skipped: the libraries of the example are not available offline");
        return None;
    }
    assert!(finished.status.success() && !stderr.contains("warning"), "{stderr}");
    Some(String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// Timeout of the build, in tenths of a second.
const WAIT_STEPS: u32 = 6000;

fn wait(mut child: Child) -> Option<Output> {
    for _ in 0..WAIT_STEPS {
        if child.try_wait().unwrap().is_some() {
            return Some(child.wait_with_output().unwrap());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

//! Finds the commit that the binary is built from, for `sprag version`, and orders the functions of released binaries.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=SPRAG_COMMIT");
    if let Some(commit) = given().or_else(packaged).or_else(checked_out) {
        println!("cargo:rustc-env=SPRAG_COMMIT={commit}");
    }
    order_functions();
}

/// The commit given by the environment, for builds without a repository.
fn given() -> Option<String> {
    std::env::var("SPRAG_COMMIT").ok().filter(|commit| !commit.is_empty())
}

/// The commit that cargo wrote down when it packaged this crate.
fn packaged() -> Option<String> {
    const FILE: &str = ".cargo_vcs_info.json";
    // A path that is missing would be taken as changed, and this build would never be current.
    if !Path::new(FILE).exists() {
        return None;
    }
    println!("cargo:rerun-if-changed={FILE}");
    let text = std::fs::read_to_string(FILE).ok()?;
    let commit = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    Some(commit.to_owned())
}

/// The commit of the repository. Only for releases: others would be linked again after every commit.
fn checked_out() -> Option<String> {
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    // The log gets a line for whatever moves the head.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    git(&["rev-parse", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Puts the functions together that the start of a server runs. Linux maps 64 KB of code around each page that is run: spread over
/// the binary, these functions keep 6 MB more resident. `.ci/start-order` records them, `.ci/footprint` measures the effect.
fn order_functions() {
    const FUNCTIONS: &str = "start-order.txt";
    println!("cargo:rerun-if-changed={FUNCTIONS}");
    let variable = |name| std::env::var(name).unwrap_or_default();
    // Linkers of the user's choice may not read scripts; those that rustc and C compilers for Linux come with do.
    let is_chosen = variable("CARGO_ENCODED_RUSTFLAGS").contains("link") || std::env::var_os("RUSTC_LINKER").is_some();
    if variable("PROFILE") != "release" || variable("CARGO_CFG_TARGET_OS") != "linux" || is_chosen {
        return;
    }
    let functions = std::fs::read_to_string(FUNCTIONS).expect("the list of functions is part of the crate");
    let mut script = String::from("SECTIONS { .text.start : {\n");
    for function in functions.lines() {
        // Names end in a hash that every build has its own of, but for those of the standard library.
        let hash = if function.starts_with("_ZN") { "17h*" } else { "" };
        writeln!(script, "*(.text.{function}{hash} .text.unlikely.{function}{hash})").expect("text takes all");
    }
    script += "} } INSERT BEFORE .text;\n";
    let path = PathBuf::from(variable("OUT_DIR")).join("start-order.ld");
    std::fs::write(&path, script).expect("the folder of the build can be written");
    println!("cargo:rustc-link-arg-bins=-T{}", path.display());
}

//! Finds the commit that the binary is built from, for `sprag version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=SPRAG_COMMIT");
    if let Some(commit) = given().or_else(packaged).or_else(checked_out) {
        println!("cargo:rustc-env=SPRAG_COMMIT={commit}");
    }
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

//! The crates behind this one: no runtime, no cryptography, no terminal.

use std::process::Command;

/// Crates that a page or an editor should not have to bring.
const ABSENT: [&str; 8] =
    ["anyhow", "clap", "ring", "rustls", "sprag-registry", "sprag-server", "sprag-storage", "tokio"];

#[test]
fn neither_runtime_nor_cryptography_is_linked() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let arguments = ["tree", "--offline", "--edges", "normal", "--prefix", "none", "--manifest-path", manifest];
    let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"sprag-kinds"));
    for absent in ABSENT {
        assert!(!names.contains(&absent), "{absent} is linked");
    }
}

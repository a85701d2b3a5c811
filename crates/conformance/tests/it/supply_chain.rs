//! Dependencies are what `deny.toml` allows. cargo-deny knows advisories too; what is here needs no network.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(top().join(file)).expect("the file is part of the repository")
}

/// The texts in quotes of a list in `deny.toml`, or of what follows a word in it.
fn quoted(text: &str, start: &str, end: &str) -> Vec<String> {
    let list = text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).expect("the list is there").0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn everything_comes_from_one_registry_and_nothing_is_banned() {
    let deny = read("deny.toml");
    let lock = read("Cargo.lock");
    let mut sources: Vec<&str> = lock.lines().filter(|line| line.starts_with("source = ")).collect();
    sources.dedup();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(sources[0].starts_with("source = \"registry+"), "{sources:?}");
    let banned: Vec<&str> = deny.split("crate = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(banned.len() >= 4, "{banned:?}");
    for name in banned {
        assert!(!lock.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
    for section in ["[advisories]", "[licenses]", "[bans]", "[sources]"] {
        assert!(deny.contains(section), "{section}");
    }
}

#[test]
fn every_licence_is_accepted() {
    let allowed = quoted(&read("deny.toml"), "\nallow = [", "]");
    // Only what this platform needs is sure to be on the machine; cargo-deny looks at the others.
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its platform");
    let args =
        ["metadata", "--format-version", "1", "--offline", "--locked", "--all-features", "--filter-platform", host];
    let output = Command::new(env!("CARGO")).args(args).current_dir(top()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    let mut count = 0;
    for package in foreign {
        count += 1;
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "{} has {licence:?}", package["name"]);
    }
    assert!(count > 100, "{count}");
}

/// True if an SPDX expression can be met with what is allowed.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "_WITH_");
    let words: Vec<String> = spaced.split_whitespace().map(|word| word.replace("_WITH_", " WITH ")).collect();
    let mut at = 0;
    any(&words, &mut at, allowed) && at == words.len()
}

fn any(words: &[String], at: &mut usize, allowed: &[String]) -> bool {
    let mut found = all(words, at, allowed);
    while words.get(*at).is_some_and(|word| word == "OR") {
        *at += 1;
        found |= all(words, at, allowed);
    }
    found
}

fn all(words: &[String], at: &mut usize, allowed: &[String]) -> bool {
    let mut found = one(words, at, allowed);
    while words.get(*at).is_some_and(|word| word == "AND") {
        *at += 1;
        found &= one(words, at, allowed);
    }
    found
}

fn one(words: &[String], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if word != "(" {
        return allowed.contains(word);
    }
    let found = any(words, at, allowed);
    *at += 1;
    found
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/GPL-3.0", true),
        ("GPL-3.0 OR (MIT AND Apache-2.0)", true),
        ("(MIT OR GPL-3.0) AND GPL-2.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-3.0", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

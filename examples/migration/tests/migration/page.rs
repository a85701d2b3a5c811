//! The guide shows what is here: every paragraph of its Rust blocks is part of a source file.

use std::fs;
use std::path::Path;

/// Lines without what is around them.
fn lines(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_guide_shows_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = lines(&fs::read_to_string(root.join("build.rs")).unwrap());
    for folder in ["src", "tests/migration"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            sources.push_str(&lines(&fs::read_to_string(entry.unwrap().path()).unwrap()));
        }
    }
    let page = fs::read_to_string(root.join("../../docs/migration.md")).unwrap();
    let blocks: Vec<&str> = page.split("```rust").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 8, "{}", blocks.len());
    for paragraph in blocks.iter().filter_map(|block| block.split_once('\n')).flat_map(|(_, code)| code.split("\n\n")) {
        assert!(sources.contains(lines(paragraph).trim()), "not in the example:\n{paragraph}");
    }
}

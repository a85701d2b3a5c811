//! Generated code compiles, and says what it should.

#![expect(clippy::disallowed_methods, clippy::print_stderr, reason = "the test builds a crate on disk")]

use std::path::Path;
use std::process::{Child, Command, Output as Finished, Stdio};
use std::time::Duration;

use expect_test::expect;
use sprag_codegen::Output;

use crate::fixture;

const MANIFEST: &str = r#"
[package]
name = "generated-fixture"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
sprag-field = { path = "CRATES/field" }
sprag-idl = { path = "CRATES/idl" }
sprag-program = { path = "CRATES/program" }
sprag-tags = { path = "CRATES/tags" }
sprag-shape = { path = "CRATES/shape" }
sprag-checks = { path = "CRATES/checks" }
sprag-value = { path = "CRATES/value" }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
"#;

#[test]
fn generated_code_runs() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = |name: &str| std::fs::read_to_string(fixtures.join(name)).unwrap();
    let api = text("api.rs");
    let gadget = text("gadget.rs");
    let rust = [("crate::api", api.as_str()), ("crate::gadget", gadget.as_str())];
    let output = fixture::all(("example.dev/machines/v1", &text("types.go")), &rust);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated-fixture");
    write(&folder, &output);
    for (from, to) in
        [("api.rs", "api.rs"), ("compare.rs", "compare.rs"), ("gadget.rs", "gadget.rs"), ("run.rs", "main.rs")]
    {
        put(&folder.join("src").join(to), &text(from));
    }
    let Some(said) = run(&folder) else { return };
    expect![[r#"
        go: fine:
        go: members of embedded structs:
          Base.owner: Too long: may not be more than 3 characters
          Extra.level: Invalid value: -1: must be greater than or equal to 0
        go: enum and union:
          <nil>: Invalid value: "{a, b}": must specify exactly one of: `a`, `b`
          phase: Unsupported value: "Gone": supported values: "Running", "Stopped"
          type: Invalid value: "bad": no
        go: lists and maps:
          ports: Too many: 3: must have at most 2 items
          labels: Invalid value: "-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
          parts[2]: Duplicate value: {"name":"p"}
          parts[1].name: Required value
          pointers[0]: Invalid value: {"name":"q"}: forced failure: always
          data: Too many: 3: must have at most 2 items
        go: null elements:
          pointers[0]: Required value
        go: recursion:
          tree.next.branches[0].leaf: Too long: may not be more than 2 characters
          tree.next.leaf: Too long: may not be more than 2 characters
        go: unchanged parts are not judged again:
          parts[0]: Invalid value: null: field is immutable
          parts[0].kind: Invalid value: null: field is immutable
        rust: fine:
        rust: limits:
          replicas: Invalid value: 11: must be less than or equal to 10
          level: Invalid value: 10: must be less than or equal to 9
          names: Too many: 2: must have at most 1 item
          weights: Too long: may not be more than 2 characters
          weights[a]: Invalid value: 0: must be greater than or equal to 1
          weights[abc]: Invalid value: 0: must be greater than or equal to 1
          boxed.owner: Too long: may not be more than 3 characters
          type: Too few: 1: must have at least 2 items
          pattern: Invalid value: "b": must match the pattern "^a+$"
          owner: Too long: may not be more than 3 characters
        rust: parts:
          parts[1]: Duplicate value: {"name":"p","next":null,"colour":null}
          parts[0].next.name: Too long: may not be more than 4 characters
          parts[2].name: Required value
        rust: update:
          parts[0].colour: Invalid value: null: field cannot be modified once set
          labels[b]: Forbidden: item may not be added
        rust: absent and empty lists are the same:
        the same as the interpreter says: 3078 times
        read: Phase("") "hi" Some(Extra { level: Some(2), note: "" })
        written: {"typeMeta":0,"level":2,"note":"","Left":{"size":0},"Right":{"size":0},"phase":"","podIPs":"x","data":"aGk=","type":"","memory":"0","target":0,"started":null}
        faults in shapes: []
        owner: string Unset
        parts: []v1.Part Map(["name"])
        podIPs: string Unset
        constant: Running
    "#]].assert_eq(&said);
}

fn write(folder: &Path, output: &Output) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    put(&folder.join("Cargo.toml"), &MANIFEST.replace("CRATES", &crates.display().to_string()));
    let lock = std::fs::read_to_string(crates.join("../Cargo.lock")).unwrap_or_default();
    put(&folder.join("Cargo.lock"), &lock);
    for (path, text) in &output.files {
        put(&folder.join("src/generated").join(path), text);
    }
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::write(path, text).unwrap();
}

/// Returns the output of the program; `None` if its libraries are not available.
fn run(folder: &Path) -> Option<String> {
    // The test of `sprag-build` uses the same folder with the same settings, so that libraries are compiled once.
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
        eprintln!("skipped: building generated code took longer than {} minutes", WAIT_STEPS / 600);
        return None;
    };
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let unavailable = ["no matching package", "attempting to make an HTTP request", "failed to select a version"];
    if !finished.status.success() && unavailable.iter().any(|reason| stderr.contains(reason)) {
        eprintln!("skipped: the libraries of generated code are not available offline");
        return None;
    }
    assert!(finished.status.success() && !stderr.contains("warning"), "{stderr}");
    Some(String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// Timeout of a build, in tenths of a second.
const WAIT_STEPS: u32 = 6000;

fn wait(mut child: Child) -> Option<Finished> {
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

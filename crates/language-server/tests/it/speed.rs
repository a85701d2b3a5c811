//! How long an editor waits, printed for those who ask: `cargo test --release -- --ignored` is not needed, `SPRAG_FULL=1` is.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, Folder};
use crate::diagnostics::{DEFINITION, widget};

/// Keystrokes that are measured.
const KEYSTROKES: usize = 200;

fn is_full() -> bool {
    std::env::var_os("SPRAG_FULL").is_some()
}

#[expect(clippy::print_stdout, reason = "figures of a run by hand")]
fn shown(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("{name}: median {:.1} ms, p95 {:.1} ms, most {:.1} ms", at(50), at(95), at(100));
}

/// Types a letter and takes it away again, in a row of a text.
fn keystrokes(client: &mut Client, uri: &str, line: usize, character: usize, count: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for round in 0..count {
        let end = character + round % 2;
        let range = json!({"start": {"line": line, "character": character}, "end": {"line": line, "character": end}});
        let started = Instant::now();
        client.edit(uri, json!([{"range": range, "text": if round % 2 == 0 { "x" } else { "" }}]));
        client.wait(uri);
        times.push(started.elapsed());
    }
    times
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0) / 1024
}

fn deployments(lines: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.matches('\n').count() >= lines {
            break;
        }
        let _ = write!(
            text,
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{number}\n  labels:\n    app: web\nspec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: example.com/web:1\n        ports:\n        - containerPort: 80\n"
        );
    }
    text
}

/// A definition of so many lines.
fn definition(lines: usize) -> String {
    let mut text = DEFINITION.to_owned();
    for number in 0.. {
        if text.matches('\n').count() >= lines {
            break;
        }
        let _ = write!(
            text,
            "              field{number}:\n                type: object\n                description: A field of many.\n                properties:\n                  name:\n                    type: string\n                    maxLength: 63\n                  count:\n                    type: integer\n                    minimum: 0\n                x-kubernetes-validations:\n                - rule: \"!has(self.count) || self.count < 10 || has(self.name)\"\n"
        );
    }
    text
}

#[test]
fn keystrokes_are_answered() {
    let (count, lines, definition_lines) = if is_full() { (KEYSTROKES, 2_000, 10_000) } else { (4, 200, 300) };
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let uri = folder.uri("all.yaml");
    client.open(&uri, &deployments(lines));
    client.diagnostics(&uri);
    let times = keystrokes(&mut client, &uri, lines / 2 / 22 * 22 + 4, 8, count);
    shown("keystroke in a file of 2,000 lines", times);
    let mut times = Vec::new();
    for _ in 0..count {
        let started = Instant::now();
        let line = u32::try_from(lines / 2 / 22 * 22 + 7).unwrap();
        assert!(client.at("textDocument/completion", &uri, line, 0).is_array());
        times.push(started.elapsed());
    }
    shown("completion", times);
    let uri = folder.uri("crd.yaml");
    let text = definition(definition_lines);
    client.open(&uri, &text);
    client.diagnostics(&uri);
    let row = text.lines().position(|line| line.contains("How large it is.")).unwrap();
    let times = keystrokes(&mut client, &uri, row, 30, count);
    shown("keystroke in a definition of 10,000 lines", times);
}

#[test]
fn a_large_folder_is_opened() {
    let (files, definitions) = if is_full() { (10_000, 200) } else { (50, 2) };
    let folder = Folder::new();
    for number in 0..files {
        folder.write(&format!("apps/{}/{number}.yaml", number % 100), &deployments(22));
    }
    for number in 0..definitions {
        let text = definition(300)
            .replace("widgets", &format!("widgets{number}"))
            .replace("kind: Widget,", &format!("kind: Widget{number},"));
        folder.write(&format!("crds/{number}.yaml"), &text);
    }
    let before = resident();
    let started = Instant::now();
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(&uri, &widget("{size: 11}").replace("Widget", "Widget1"));
    assert_eq!(client.shown(&uri).len(), 1);
    println!("first diagnostics in a folder of {files} files: {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    println!("memory: {before} MB before, {} MB after", resident());
}

//! Folders that somebody sent: bounded, and the editor stays usable.

use std::fmt::Write as _;
use std::fs::File;
use std::time::Duration;

use crate::client::{Client, Folder};
use crate::diagnostics::{DEFINITION, widget};

#[test]
#[cfg(unix)]
fn links_out_of_the_folder_are_not_followed() {
    let outside = Folder::new();
    outside.write("widgets.yaml", DEFINITION);
    let folder = Folder::new();
    std::os::unix::fs::symlink(outside.path().join("widgets.yaml"), folder.path().join("widgets.yaml")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("folder")).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(&uri, &widget("{size: 11}"));
    assert_eq!(client.shown(&uri), [""; 0]);
}

#[test]
fn huge_files_are_passed_over() {
    let folder = Folder::new();
    File::create(folder.path().join("huge.yaml")).unwrap().set_len(1 << 30).unwrap();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(&uri, &widget("{size: 11}"));
    assert_eq!(client.shown(&uri).len(), 1);
}

#[test]
fn bombs_are_errors() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let mut bomb = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na0: &a0 [x]\n".to_owned();
    for level in 1..30 {
        let _ = writeln!(bomb, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 10].join(", "));
    }
    for (name, text) in [
        ("bomb.yaml", bomb),
        ("deep.yaml", format!("apiVersion: v1\nkind: Pod\nspec: {}", "[".repeat(100_000))),
        ("flow.yaml", format!("apiVersion: v1\nkind: Pod\nspec: {}", "{a: ".repeat(50_000))),
        ("dashes.yaml", format!("apiVersion: v1\nkind: Pod\nspec:\n{}", "- ".repeat(50_000))),
        (
            "indent.yaml",
            (0..2_000).fold("apiVersion: v1\nkind: Pod\n".to_owned(), |text, level| text + &" ".repeat(level) + "a:\n"),
        ),
    ] {
        let uri = folder.uri(name);
        client.open(&uri, &text);
        assert!(!client.shown(&uri).is_empty(), "{name}");
        let line = u32::try_from(text.lines().count() - 1).unwrap();
        client.at("textDocument/hover", &uri, line, 40);
        client.at("textDocument/completion", &uri, line, 40);
    }
    let uri = folder.uri("pod.yaml");
    client.open(&uri, "apiVersion: v1\nkind: Pod\nmetadata: {name: A}\n");
    assert!(client.shown(&uri)[0].contains("metadata.name"));
}

#[test]
fn catastrophic_expressions_do_not_hold_up_requests() {
    let folder = Folder::new();
    let nested = "self.all(a, self.all(b, self.all(c, self.all(d, a == b || c == d))))";
    let text = DEFINITION.replace("self == oldSelf", &format!("[{}].all(x, x)", vec![nested; 400].join(", ")));
    let mut client = Client::start(&folder);
    let uri = folder.uri("crd.yaml");
    let pod = folder.uri("pod.yaml");
    client.open(&pod, "apiVersion: v1\nkind: Pod\nspec:\n  \n");
    client.diagnostics(&pod);
    client.open(&uri, &text);
    let started = std::time::Instant::now();
    let answer = client.at("textDocument/completion", &pod, 3, 2);
    assert!(!answer.as_array().unwrap().is_empty());
    // Bounded in time: this is no measure of speed.
    assert!(started.elapsed() < Duration::from_secs(20));
    client.diagnostics(&uri);
}

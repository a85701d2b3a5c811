//! `sprag` alone: what it is, and three commands that work in this folder.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sprag_rest::Release;

use super::Outcome;
use crate::output::Terminal;

/// Maximum number of entries that are looked at: a guess must not take longer than a command.
const MAX_ENTRIES: usize = 2_000;
/// Levels below the working directory that are looked at.
const MAX_DEPTH: usize = 3;
/// Bytes of a file that are looked at.
const MAX_HEAD: u64 = 4 << 10;
/// Folders that hold what others made.
const FOREIGN: [&str; 4] = ["node_modules", "target", "vendor", "third_party"];

/// The kinds of sources in a folder; the first file of each.
#[derive(Debug, Default)]
struct Surroundings {
    manifest: Option<PathBuf>,
    definition: Option<PathBuf>,
    go_module: bool,
    go_types: Option<PathBuf>,
    envtest: bool,
    rust_crate: bool,
}

pub(crate) fn run(terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let release = Release::default();
    terminal.line(format_args!(
        "sprag {}: the verdict of the API server of Kubernetes {release}, without a cluster. Here:",
        env!("CARGO_PKG_VERSION")
    ))?;
    for (command, what) in suggestions(&Surroundings::of(Path::new("."))) {
        terminal.line(format_args!("  {command:<52}  {what}"))?;
    }
    Ok(Outcome::Clean)
}

/// Three commands, the most fitting first.
fn suggestions(here: &Surroundings) -> Vec<(String, &'static str)> {
    let mut commands = Vec::new();
    if here.manifest.is_some() {
        commands.push(("sprag validate .".to_owned(), "validate the manifests"));
    }
    if let Some(file) = &here.definition {
        commands.push((format!("sprag crd lint {}", folder_of(file)), "find mistakes in the definitions"));
    }
    if here.envtest {
        let command = "KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...";
        commands.push((command.to_owned(), "run the suites that use envtest"));
    }
    if let Some(file) = &here.go_types {
        commands.push((format!("sprag lint {}", folder_of(file)), "find mistakes in the API types"));
    }
    if here.rust_crate {
        commands.push(("sprag run -- cargo test".to_owned(), "run the tests with an API server of their own"));
    } else if here.go_module && !here.envtest {
        commands.push(("sprag run -- go test ./...".to_owned(), "run the tests with an API server of their own"));
    }
    for (command, what) in [
        ("sprag run -- kubectl get namespaces", "run a command with an API server of its own"),
        ("sprag doctor", "show the release, definitions and settings that count here"),
        ("sprag --help", "list all commands"),
    ] {
        commands.push((command.to_owned(), what));
    }
    commands.truncate(3);
    commands
}

fn folder_of(file: &Path) -> String {
    let folder = file.parent().and_then(|folder| folder.strip_prefix(".").ok()).unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() }
}

impl Surroundings {
    /// Looks at a folder and some levels below it; at the shallow ones first.
    fn of(folder: &Path) -> Surroundings {
        let mut found = Surroundings::default();
        let mut left = MAX_ENTRIES;
        let mut level = vec![folder.to_owned()];
        for _ in 0..=MAX_DEPTH {
            let mut next = Vec::new();
            for folder in level {
                let Ok(entries) = fs::read_dir(folder) else { continue };
                let mut entries: Vec<_> = entries.flatten().take(left).collect();
                left -= entries.len();
                entries.sort_by_key(fs::DirEntry::file_name);
                for entry in entries {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    // Links are not followed.
                    let Ok(kind) = entry.file_type() else { continue };
                    if kind.is_dir() && !name.starts_with('.') && !FOREIGN.contains(&&*name) {
                        next.push(entry.path());
                    } else if kind.is_file() {
                        found.see(&entry.path(), &name);
                    }
                }
            }
            level = next;
        }
        found
    }

    fn see(&mut self, path: &Path, name: &str) {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match (name, extension) {
            ("go.mod", _) => self.go_module = true,
            ("Cargo.toml", _) => self.rust_crate = true,
            (_, "yaml" | "yml" | "json") if self.manifest.is_none() || self.definition.is_none() => {
                self.see_manifest(path);
            }
            (_, "go") if name.ends_with("_test.go") => {
                self.envtest |= !self.envtest && head(path).contains("controller-runtime/pkg/envtest");
            }
            (_, "go") if self.go_types.is_none() => {
                let text = head(path);
                if ["+kubebuilder:", "+k8s:", "+genclient"].iter().any(|marker| text.contains(marker)) {
                    self.go_types = Some(path.to_owned());
                }
            }
            _ => {}
        }
    }

    fn see_manifest(&mut self, path: &Path) {
        let text = head(path);
        if text.contains("kind: CustomResourceDefinition") || text.contains("\"CustomResourceDefinition\"") {
            self.definition.get_or_insert_with(|| path.to_owned());
        } else if text.contains("apiVersion") && text.contains("kind") {
            self.manifest.get_or_insert_with(|| path.to_owned());
        }
    }
}

/// The beginning of a file; empty if it cannot be read.
fn head(path: &Path) -> String {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(MAX_HEAD).read_to_end(&mut bytes)) {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

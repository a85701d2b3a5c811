//! `--fix`: manifests of versions that Kubernetes does not serve any more, rewritten in their files.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use sprag_analysis::Standing;
use sprag_analysis::files::{Content, Found, read_limited};
use sprag_removals::{Change, Left, rewrite};

use crate::output::{Terminal, replace};
use sprag_rest::Release;

/// Rewrites files, and says what was done and what is left. Nothing is written through a link.
pub(super) fn rewrite_all(files: &[Found], release: Release, terminal: &mut Terminal) -> anyhow::Result<()> {
    for file in files.iter().filter(|file| !matches!(file.standing, Standing::Passed(_))) {
        match &file.content {
            Content::File(path) => rewrite_file(&file.name, path, release, terminal)?,
            Content::Unreadable(_) => {}
            Content::Held(_) | Content::Blob(_) => bail!("--fix writes to files, and {} is none", file.name),
        }
    }
    Ok(())
}

fn rewrite_file(name: &str, path: &Path, release: Release, terminal: &mut Terminal) -> anyhow::Result<()> {
    // What cannot be read is reported by validation.
    let Ok(bytes) = fs::File::open(path).and_then(read_limited) else { return Ok(()) };
    let rewritten = rewrite(&bytes, release.version().minor);
    for Left { line, kind, name: object, why, .. } in &rewritten.left {
        terminal.note(&format!("{name}:{line}: {} is left: {why}", titled(kind, object)));
    }
    if rewritten.changed.is_empty() {
        return Ok(());
    }
    if fs::symlink_metadata(path).is_ok_and(|kind| kind.is_symlink()) {
        terminal
            .warning(&format!("{name}: is a link, which nothing is written through: name the file that it leads to"));
        return Ok(());
    }
    replace(path, &rewritten.text).with_context(|| name.to_owned())?;
    for Change { line, kind, name: object, from, to, notes } in &rewritten.changed {
        let text = format!("{name}:{line}: {} was rewritten from {from} to {to}", titled(kind, object));
        terminal.note(&notes.iter().fold(text, |text, note| format!("{text}\n{note}")));
    }
    Ok(())
}

/// Kind and name.
fn titled(kind: &str, name: &str) -> String {
    if name.is_empty() { kind.to_owned() } else { format!("{kind} {name}") }
}

//! Generated files on disk: which differ, and putting them right.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::commands::Outcome;
use crate::output::{Terminal, replace};
use crate::report::visible::visible;

/// Maximum depth of the search for left-over files.
const MAX_DEPTH: usize = 32;

/// A file that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference<'o> {
    /// It is not there.
    Missing { path: PathBuf, text: &'o str },
    /// Its text is another.
    Stale { path: PathBuf, text: &'o str },
    /// An earlier run has written it, this one would not.
    Extra { path: PathBuf },
}

impl Difference<'_> {
    /// Its path below the output directory.
    pub(super) fn path(&self) -> &Path {
        match self {
            Difference::Missing { path, .. } | Difference::Stale { path, .. } | Difference::Extra { path } => path,
        }
    }

    pub(super) fn state(&self) -> &'static str {
        match self {
            Difference::Missing { .. } => "missing",
            Difference::Stale { .. } => "stale",
            Difference::Extra { .. } => "extra",
        }
    }

    /// Makes the file as it should be. Folders that are links which lead out of the output directory are refused unless they
    /// are to be followed.
    pub(super) fn settle(&self, out: &Path, follow_links: bool) -> anyhow::Result<()> {
        let place = out.join(self.path());
        if !follow_links {
            stay_inside(out, self.path())?;
        }
        let done = match self {
            Difference::Missing { text, .. } | Difference::Stale { text, .. } => replace(&place, text.as_bytes()),
            Difference::Extra { .. } => fs::remove_file(&place),
        };
        done.with_context(|| place.display().to_string())
    }
}

/// Writes the files that differ, or only names them.
pub(super) fn deliver(
    differences: &[Difference<'_>],
    out: &Path,
    verify: bool,
    follow_links: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    for difference in differences {
        let place = out.join(difference.path());
        if verify {
            terminal.line(visible(&format!("{}: {}", place.display(), difference.state())))?;
            continue;
        }
        difference.settle(out, follow_links)?;
        let done = if matches!(difference, Difference::Extra { .. }) { "removed" } else { "wrote" };
        terminal.line(visible(&format!("{done} {}", place.display())))?;
    }
    Ok(if verify && !differences.is_empty() { Outcome::Findings } else { Outcome::Clean })
}

/// Refuses a path below the output directory that a link leads out of it. The file itself may be one: it is replaced.
fn stay_inside(out: &Path, path: &Path) -> anyhow::Result<()> {
    let mut place = out.to_owned();
    for part in path.parent().into_iter().flat_map(Path::components) {
        place.push(part);
        if !place.is_symlink() {
            continue;
        }
        let top = out.canonicalize().with_context(|| out.display().to_string())?;
        let target = place.canonicalize().with_context(|| place.display().to_string())?;
        if !target.starts_with(&top) {
            let place = place.display();
            let out = out.display();
            bail!("{place}: a link that leads out of {out}: remove it, or allow that with --follow-links");
        }
    }
    Ok(())
}

/// Compares files with what is below a directory.
pub(super) fn compare<'o>(out: &Path, files: &'o [(String, String)]) -> anyhow::Result<Vec<Difference<'o>>> {
    let mut differences = Vec::new();
    for (path, text) in files {
        let place = out.join(path);
        let path = PathBuf::from(path);
        match fs::read(&place) {
            Ok(found) if found == text.as_bytes() => {}
            Ok(_) => differences.push(Difference::Stale { path, text }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                differences.push(Difference::Missing { path, text });
            }
            Err(error) => return Err(error).with_context(|| place.display().to_string()),
        }
    }
    let known: BTreeSet<PathBuf> = files.iter().map(|(path, _)| out.join(path)).collect();
    let header = files.first().and_then(|(_, text)| text.lines().next());
    let mut extra = Vec::new();
    if let Some(header) = header {
        find_generated(out, header, 0, &mut extra)?;
    }
    extra.sort();
    for place in extra.into_iter().filter(|place| !known.contains(place)) {
        let path = place.strip_prefix(out).unwrap_or(&place).to_owned();
        differences.push(Difference::Extra { path });
    }
    Ok(differences)
}

/// Rust and YAML files below a directory that begin with the line that marks generated ones.
fn find_generated(dir: &Path, header: &str, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if depth > MAX_DEPTH {
        bail!("{}: more than {MAX_DEPTH} directories deep", dir.display());
    }
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| dir.display().to_string()),
    };
    for entry in entries {
        let entry = entry.with_context(|| dir.display().to_string())?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            find_generated(&path, header, depth + 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "rs" || extension == "yaml") {
            let text = fs::read(&path).with_context(|| path.display().to_string())?;
            if text.strip_prefix(header.as_bytes()).is_some_and(|rest| rest.starts_with(b"\n")) {
                found.push(path);
            }
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_written_through_links_that_lead_out() {
        let top = std::env::temp_dir().join(format!("sprag-gen-links-{}", std::process::id()));
        let out = top.join("out");
        let outside = top.join("outside");
        fs::create_dir_all(out.join("inside")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("own.rs"), "own").unwrap();
        symlink(&outside, out.join("link")).unwrap();
        symlink("inside", out.join("fine")).unwrap();
        symlink(outside.join("own.rs"), out.join("mod.rs")).unwrap();
        let missing = |path: &str| Difference::Missing { path: path.into(), text: "new" };
        for path in ["link/a.rs", "link/deep/a.rs"] {
            let error = missing(path).settle(&out, false).unwrap_err().to_string();
            assert!(error.contains("link: a link that leads out of") && error.contains("--follow-links"), "{error}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        missing("fine/a.rs").settle(&out, false).unwrap();
        assert_eq!(fs::read_to_string(out.join("inside/a.rs")).unwrap(), "new");
        // A link in the place of the file is replaced, not followed.
        missing("mod.rs").settle(&out, false).unwrap();
        assert_eq!(fs::read_to_string(outside.join("own.rs")).unwrap(), "own");
        missing("link/a.rs").settle(&out, true).unwrap();
        assert_eq!(fs::read_to_string(outside.join("a.rs")).unwrap(), "new");
        fs::remove_dir_all(&top).unwrap();
    }
}

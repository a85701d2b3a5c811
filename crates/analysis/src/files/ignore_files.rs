//! `.gitignore` and `.helmignore`, read without git: what a repository's settings name could be a program to run.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Longer ignore files are cut, and so are those with more lines.
const MAX_BYTES: u64 = 1 << 20;
const MAX_LINES: usize = 10_000;

/// The patterns that hold in a folder: its own and those of the folders above.
#[derive(Clone, Default)]
pub(crate) struct IgnoreFiles(Option<Rc<Level>>);

struct Level {
    patterns: Gitignore,
    above: IgnoreFiles,
}

impl IgnoreFiles {
    /// The patterns of the folders above one, up to the top of its repository; none if they ignore the folder itself, which was
    /// named all the same.
    pub(crate) fn above(folder: &Path) -> IgnoreFiles {
        let Some(top) = folder.ancestors().find(|folder| folder.join(".git").exists()) else {
            return IgnoreFiles::default();
        };
        let mut folders: Vec<&Path> = folder.ancestors().skip(1).take_while(|above| above.starts_with(top)).collect();
        folders.reverse();
        let rules = folders.into_iter().fold(IgnoreFiles::default(), |rules, folder| rules.with(folder, ".gitignore"));
        let on_the_way = folder.ancestors().take_while(|above| above.starts_with(top));
        if on_the_way.into_iter().any(|folder| rules.ignores(folder, true)) { IgnoreFiles::default() } else { rules }
    }

    /// These and those of a file in a folder. A link is not read, as git does not.
    pub(crate) fn with(self, folder: &Path, name: &str) -> IgnoreFiles {
        let Some(text) = read(&folder.join(name)) else { return self };
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines().take(MAX_LINES) {
            // A line that is not a pattern ignores nothing.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(patterns) if !patterns.is_empty() => IgnoreFiles(Some(Rc::new(Level { patterns, above: self }))),
            _ => self,
        }
    }

    /// True if a path is ignored; the folder nearest to it decides. The path begins with that of the folders.
    pub(crate) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let mut rules = self;
        while let Some(level) = &rules.0 {
            if path.starts_with(level.patterns.path()) {
                match level.patterns.matched(path, is_folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
            rules = &level.above;
        }
        false
    }
}

fn read(path: &PathBuf) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

//! Path patterns that no shell has expanded: `manifests/*.yaml`, `apps/**/prod/*.yaml`.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::ReadError;
use super::discover::has_extension;

/// Maximum number of folders that one pattern visits.
const MAX_FOLDERS: usize = 100_000;
/// Maximum number of names that one pattern is compared with: a folder is read once for each part of the pattern that gets there.
const MAX_NAMES: usize = 5_000_000;

/// The paths that a pattern stands for, sorted; the path itself if it exists or is not a pattern.
///
/// `*` and `?` match within a name, `[a-z]` and `[!a-z]` match one character, `**` matches any number of folders. Hidden names
/// match only patterns that begin with a dot. Links to folders are not followed.
pub fn expand(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let Some(text) = path.to_str().filter(|text| is_pattern(text) && fs::symlink_metadata(path).is_err()) else {
        return Ok(vec![path.to_owned()]);
    };
    let mut parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    parts.dedup_by(|part, before| *part == "**" && *before == "**");
    if parts.last() == Some(&"**") {
        parts.push("*");
    }
    let start = if text.starts_with('/') { PathBuf::from("/") } else { PathBuf::new() };
    let mut walk = Walk::default();
    walk.visit(&start, &parts);
    if walk.is_over() {
        return Err(ReadError::new(format!(
            "{text}: the pattern visits more than {MAX_FOLDERS} folders or {MAX_NAMES} names: name the folder it begins in"
        )));
    }
    // `configs/*` stands for manifests, not for every file that is there.
    let names_extension = parts.last().is_some_and(|part| part.contains('.'));
    let is_meant = |path: &PathBuf| names_extension || path.is_dir() || has_extension(path);
    let found: Vec<PathBuf> = walk.found.into_iter().filter(is_meant).collect();
    if found.is_empty() {
        return Err(ReadError::new(format!("{text}: no .yaml, .yml or .json file matches this pattern")));
    }
    Ok(found)
}

/// The folder that all paths are in that a pattern stands for; the path itself if it is not a pattern.
pub fn folder(path: &Path) -> PathBuf {
    let is_plain = |part: &std::path::Component<'_>| part.as_os_str().to_str().is_none_or(|text| !is_pattern(text));
    let folder: PathBuf = path.components().take_while(is_plain).collect();
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

#[derive(Default)]
struct Walk {
    found: BTreeSet<PathBuf>,
    /// Folders with the number of parts that were left there: `**/**` leads to each in many ways.
    seen: HashSet<(PathBuf, usize)>,
    folders: usize,
    names: usize,
}

impl Walk {
    fn is_over(&self) -> bool {
        self.folders > MAX_FOLDERS || self.names > MAX_NAMES
    }

    fn visit(&mut self, folder: &Path, parts: &[&str]) {
        let Some((part, rest)) = parts.split_first() else {
            self.found.insert(folder.to_owned());
            return;
        };
        if !self.seen.insert((folder.to_owned(), parts.len())) {
            return;
        }
        if *part == "**" {
            // This folder, and all below it that are not hidden.
            self.visit(folder, rest);
            for (name, path) in self.entries(folder) {
                if !name.starts_with('.') && path.is_dir() && !path.is_symlink() {
                    self.visit(&path, parts);
                }
            }
        } else if is_pattern(part) {
            for (name, path) in self.entries(folder) {
                if matches(part, &name) && (rest.is_empty() || path.is_dir()) {
                    self.visit(&path, rest);
                }
            }
        } else if folder.join(part).exists() {
            self.visit(&folder.join(part), rest);
        }
    }

    fn entries(&mut self, folder: &Path) -> Vec<(String, PathBuf)> {
        self.folders += 1;
        if self.is_over() {
            return Vec::new();
        }
        let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = fs::read_dir(shown).into_iter().flatten().flatten();
        let entries: Vec<(String, PathBuf)> = entries
            .filter_map(|entry| Some((entry.file_name().to_str()?.to_owned(), folder.join(entry.file_name()))))
            .collect();
        self.names += entries.len();
        entries
    }
}

/// True if a name matches one part of a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let mut p = 0;
    let mut n = 0;
    let mut star = None;
    while n < name.len() {
        let step = pattern.get(p..).and_then(|rest| one(rest, name[n]));
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
        } else if let Some(len) = step {
            p += len;
            n += 1;
        } else if let Some((at, from)) = star {
            // The star takes one character more.
            star = Some((at, from + 1));
            (p, n) = (at + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The length of the pattern's first element if it matches a character.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            let Some(len) = rest.iter().skip(1).position(|c| *c == ']').map(|at| at + 1) else {
                return (c == '[').then_some(1);
            };
            let (negated, class) = match &rest[..len] {
                ['!' | '^', class @ ..] => (true, class),
                class => (false, class),
            };
            (in_class(class, c) != negated).then_some(len + 2)
        }
        [first, ..] if *first == c => Some(1),
        _ => None,
    }
}

fn in_class(class: &[char], c: char) -> bool {
    match class {
        [low, '-', high, rest @ ..] => (*low..=*high).contains(&c) || in_class(rest, c),
        [first, rest @ ..] => *first == c || in_class(rest, c),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        for name in yes {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for name in no {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn names_match_as_in_a_shell() {
        check("*.yaml", &["a.yaml", "a.b.yaml"], &["a.yml", ".hidden.yaml", "yaml"]);
        check("?[a-c]*", &["xa", "xbc"], &["xd", "x", ".a"]);
        check("[!a]*", &["b", "ba"], &["a", "ab"]);
        check("a*b*c", &["abc", "aXbYc", "abbc"], &["ab", "acb"]);
        check(".*", &[".a"], &["a"]);
        check("[x", &["[x"], &["x"]);
        check("*", &["ä", ""], &[".a"]);
    }

    #[test]
    fn many_stars_take_no_time() {
        assert!(!matches(&"*a".repeat(40), &"a".repeat(39)));
        assert!(!matches(&format!("{}b", "a*".repeat(50)), &"a".repeat(5000)));
    }
}

//! `go.mod`: the module's path, what it requires, what it replaces by a local directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A Go module on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// Its path, such as `k8s.io/api`.
    pub(super) path: String,
    /// The directory that holds its `go.mod`.
    pub(super) root: PathBuf,
    /// Required modules and their versions.
    pub(super) requires: BTreeMap<String, String>,
    /// Modules that are taken from a directory.
    pub(super) replaces: BTreeMap<String, PathBuf>,
}

impl Module {
    /// Reads the text of a `go.mod`; `None` when it does not name a module.
    pub(super) fn parse(text: &str, root: &Path) -> Option<Module> {
        let mut module = Module { root: root.to_owned(), ..Module::default() };
        let mut block: Option<String> = None;
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default();
            let mut words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(['"', '`'])).collect();
            match (words.as_slice(), &block) {
                ([], _) => {}
                ([")"], _) => block = None,
                ([verb, "("], _) => block = Some((*verb).to_owned()),
                (_, Some(verb)) => module.directive(verb, &words),
                (_, None) => {
                    let verb = words.remove(0);
                    module.directive(verb, &words);
                }
            }
        }
        (!module.path.is_empty()).then_some(module)
    }

    fn directive(&mut self, verb: &str, words: &[&str]) {
        match (verb, words) {
            ("module", [path]) => (*path).clone_into(&mut self.path),
            ("require", [path, version, ..]) => {
                self.requires.insert((*path).to_owned(), (*version).to_owned());
            }
            ("replace", [path, "=>", target] | [path, _, "=>", target]) if target.starts_with('.') => {
                self.replaces.insert((*path).to_owned(), self.root.join(target));
            }
            ("replace", [path, "=>", target] | [path, _, "=>", target]) if target.starts_with('/') => {
                self.replaces.insert((*path).to_owned(), PathBuf::from(target));
            }
            _ => {}
        }
    }

    /// The directory of an import path that this module or one of its replacements holds.
    pub(super) fn dir_of(&self, import: &str) -> Option<PathBuf> {
        let own = below(import, &self.path).map(|rest| self.root.join(rest));
        own.or_else(|| {
            let replaced = self.replaces.iter().filter_map(|(path, dir)| Some((path.len(), dir, below(import, path)?)));
            replaced.max_by_key(|(len, ..)| *len).map(|(_, dir, rest)| dir.join(rest))
        })
    }
}

/// Returns the part of an import path after the module path.
fn below<'i>(import: &'i str, module: &str) -> Option<&'i str> {
    let rest = import.strip_prefix(module)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// A version such as `v1.2.3-rc.1`, in the order of releases.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    numbers: [u64; 3],
    /// A release comes after its pre-releases.
    is_release: bool,
    /// The rest, compared as text: enough to choose the same one every time.
    rest: String,
}

impl Version {
    pub(super) fn parse(text: &str) -> Option<Version> {
        let text = text.strip_prefix('v')?;
        let (core, rest) = text.split_once(['-', '+']).unwrap_or((text, ""));
        let mut numbers = [0; 3];
        let mut parts = core.split('.');
        for number in &mut numbers {
            *number = parts.next()?.parse().ok()?;
        }
        Some(Version { numbers, is_release: !text.contains('-'), rest: rest.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_alone_and_in_blocks() {
        let text = "// a comment\nmodule k8s.io/api // another\n\ngo 1.24.0\n\nrequire (\n\tk8s.io/apimachinery v0.34.0\n\
                    \tgithub.com/gogo/protobuf v1.3.2 // indirect\n)\nrequire \"x.io/y\" v1.0.0\n\
                    replace k8s.io/apimachinery => ../apimachinery\nreplace x.io/y v1.0.0 => z.io/y v1.1.0\n";
        let module = Module::parse(text, Path::new("/src/api")).unwrap();
        assert_eq!(module.path, "k8s.io/api");
        assert_eq!(module.requires["k8s.io/apimachinery"], "v0.34.0");
        assert_eq!(module.requires["x.io/y"], "v1.0.0");
        assert_eq!(module.requires.len(), 3);
        let dir = module.dir_of("k8s.io/apimachinery/pkg/types");
        assert_eq!(dir, Some(PathBuf::from("/src/api/../apimachinery/pkg/types")));
        assert_eq!(module.dir_of("k8s.io/api/core/v1"), Some(PathBuf::from("/src/api/core/v1")));
        assert_eq!(module.dir_of("k8s.io/apiserver"), None);
        assert_eq!(Module::parse("go 1.24\n", Path::new("/")), None);
    }

    #[test]
    fn versions_are_ordered_by_number_and_releases_come_last() {
        let order = ["v0.9.0", "v0.34.0-alpha.1", "v0.34.0-rc.0", "v0.34.0", "v0.34.1", "v1.0.0+incompatible"];
        let versions: Vec<Version> = order.iter().map(|text| Version::parse(text).unwrap()).collect();
        assert!(versions.is_sorted());
        assert_eq!(Version::parse("0.1.0"), None);
        assert_eq!(Version::parse("v1.x"), None);
    }
}

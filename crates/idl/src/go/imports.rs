//! The imports of one file, and which path a name stands for.

use std::collections::BTreeMap;

/// One import.
#[derive(Clone)]
struct Import {
    /// The name given to it; `None` when the package's own name is used.
    alias: Option<String>,
    path: String,
}

/// The imports of one file.
#[derive(Clone, Default)]
pub(super) struct Imports(Vec<Import>);

impl Imports {
    pub(super) fn add(&mut self, alias: Option<&str>, path: String) {
        self.0.push(Import { alias: alias.map(str::to_owned), path });
    }

    /// The path behind a name used in this file.
    ///
    /// Without the imported package at hand, the name of an import without alias is a guess: the path's last
    /// element, or what convention makes of it (`…/semver/v4`, `gopkg.in/yaml.v3`, `go-cmp`).
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        let aliased = self.0.iter().find(|import| import.alias.as_deref() == Some(name));
        let unaliased = || self.0.iter().filter(|import| import.alias.is_none());
        let last = || unaliased().find(|import| last_element(&import.path) == name);
        let guessed = || unaliased().find(|import| is_conventional_name(&import.path, name));
        aliased.or_else(last).or_else(guessed).map(|import| import.path.as_str())
    }

    /// Alias to path, for all imports that can be referred to.
    pub(super) fn by_alias(&self) -> BTreeMap<String, String> {
        let named = self.0.iter().map(|import| {
            let alias = import.alias.as_deref().unwrap_or_else(|| last_element(&import.path));
            (alias.to_owned(), import.path.clone())
        });
        named.collect()
    }
}

fn last_element(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_conventional_name(path: &str, name: &str) -> bool {
    let mut elements = path.rsplit('/');
    let mut element = elements.next().unwrap_or(path);
    if is_version(element) {
        element = elements.next().unwrap_or(element);
    }
    if let Some((stem, version)) = element.rsplit_once('.')
        && is_version(version)
    {
        element = stem;
    }
    let stem = element.strip_prefix("go-").unwrap_or(element);
    let stem = ["-go", ".go"].iter().find_map(|suffix| stem.strip_suffix(suffix)).unwrap_or(stem);
    let last_word = stem.rsplit(['-', '.']).next().unwrap_or(stem);
    [element, stem, last_word].contains(&name) || stem.replace(['-', '.'], "") == name
}

fn is_version(element: &str) -> bool {
    element.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_alias_then_path_then_convention() {
        let mut imports = Imports::default();
        imports.add(Some("metav1"), "k8s.io/apimachinery/pkg/apis/meta/v1".to_owned());
        for path in ["k8s.io/api/core/v1", "github.com/blang/semver/v4", "gopkg.in/yaml.v3", "github.com/google/go-cmp"]
        {
            imports.add(None, path.to_owned());
        }
        for (name, path) in [
            ("metav1", Some("k8s.io/apimachinery/pkg/apis/meta/v1")),
            ("v1", Some("k8s.io/api/core/v1")),
            ("semver", Some("github.com/blang/semver/v4")),
            ("yaml", Some("gopkg.in/yaml.v3")),
            ("cmp", Some("github.com/google/go-cmp")),
            ("meta", None),
        ] {
            assert_eq!(imports.path(name), path, "{name}");
        }
        assert_eq!(imports.by_alias()["v1"], "k8s.io/api/core/v1");
    }
}

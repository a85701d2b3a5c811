//! The imports of one file, and which path a name stands for.

use std::collections::BTreeMap;

/// The imports of one file: what each name stands for.
///
/// Without the imported package at hand, the name of an import without alias is a guess: the path's last element, or
/// else what convention makes of it (`…/semver/v4`, `gopkg.in/yaml.v3`, `go-cmp`).
#[derive(Clone, Default)]
pub(super) struct Imports {
    aliased: BTreeMap<String, String>,
    by_last_element: BTreeMap<String, String>,
    by_convention: BTreeMap<String, String>,
}

impl Imports {
    pub(super) fn add(&mut self, alias: Option<&str>, path: String) {
        if let Some(alias) = alias {
            self.aliased.entry(alias.to_owned()).or_insert(path);
            return;
        }
        for name in conventional_names(&path) {
            self.by_convention.entry(name).or_insert_with(|| path.clone());
        }
        self.by_last_element.entry(last_element(&path).to_owned()).or_insert(path);
    }

    /// The path behind a name used in this file.
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        let maps = [&self.aliased, &self.by_last_element, &self.by_convention];
        maps.iter().find_map(|map| map.get(name)).map(String::as_str)
    }

    /// Alias to path, for all imports that can be referred to.
    pub(super) fn by_alias(&self) -> BTreeMap<String, String> {
        let mut all = self.by_last_element.clone();
        all.extend(self.aliased.clone());
        all
    }
}

fn last_element(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn conventional_names(path: &str) -> Vec<String> {
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
    vec![element.to_owned(), stem.to_owned(), last_word.to_owned(), stem.replace(['-', '.'], "")]
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

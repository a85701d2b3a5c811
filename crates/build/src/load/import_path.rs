//! The import path of a Go package, from where its directory is.

use std::path::{Component, Path, PathBuf};

/// Directories below which import paths begin.
const MARKERS: [&str; 3] = ["src", "mod", "vendor"];

/// The names of a path's directories.
pub(super) fn elements(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    names.collect()
}

/// A directory's name as import paths have it: without `@version`, capitals as in the module cache written back.
pub(super) fn unversioned(name: &str) -> String {
    let name = name.split('@').next().unwrap_or(name);
    let mut plain = String::with_capacity(name.len());
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '!' => plain.extend(letters.next().map(|letter| letter.to_ascii_uppercase())),
            letter => plain.push(letter),
        }
    }
    plain
}

/// An element of an import path as the module cache names its directory.
pub(super) fn escaped(element: &str) -> String {
    let mut name = String::with_capacity(element.len());
    for letter in element.chars() {
        if letter.is_ascii_uppercase() {
            name.push('!');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The part of a directory's path that reads like an import path: from `k8s.io` on in `…/src/k8s.io/api/core/v1`.
pub(super) fn trailing(dir: &Path) -> Option<String> {
    let elements = elements(dir);
    let after_marker = elements.iter().rposition(|name| MARKERS.contains(&name.as_str())).map(|at| at + 1);
    let first = after_marker.and_then(|from| {
        let at = elements[from..].iter().position(|name| is_host(name))?;
        Some(from + at)
    });
    let start = first.or_else(|| elements.iter().rposition(|name| is_host(name)))?;
    Some(joined(&elements[start..]))
}

/// The import path of a directory below a `vendor` directory, and that directory.
pub(super) fn vendored(dir: &Path) -> Option<(String, PathBuf)> {
    let vendor = dir.ancestors().skip(1).find(|ancestor| ancestor.ends_with("vendor"))?;
    let rest = dir.strip_prefix(vendor).ok()?;
    Some((joined(&elements(rest)), vendor.to_owned()))
}

/// Directory names as an import path.
pub(super) fn joined(elements: &[String]) -> String {
    elements.iter().map(|name| unversioned(name)).collect::<Vec<_>>().join("/")
}

/// The directory that import paths start in, when a directory's path ends in this import path.
pub(super) fn container(dir: &Path, import: &str) -> Option<PathBuf> {
    let wanted: Vec<&str> = import.split('/').collect();
    let elements = elements(dir);
    let start = elements.len().checked_sub(wanted.len())?;
    let matches = elements[start..].iter().zip(&wanted).all(|(name, wanted)| unversioned(name) == **wanted);
    let is_rooted = wanted.first().is_some_and(|first| is_host(first));
    (matches && is_rooted).then(|| dir.ancestors().nth(wanted.len()).map(Path::to_owned))?
}

/// True if a name reads like a host: `k8s.io`, not `yaml.v3` or `.cache`.
fn is_host(name: &str) -> bool {
    let Some((host, top)) = name.rsplit_once('.') else { return false };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    host.split('.').all(is_label) && top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_end_like_import_paths_have_them() {
        for (dir, path) in [
            ("/home/a/go/pkg/mod/k8s.io/api@v0.34.0/core/v1", Some("k8s.io/api/core/v1")),
            ("/k/staging/src/k8s.io/api/core/v1", Some("k8s.io/api/core/v1")),
            ("/go/pkg/mod/github.com/!azure/nats.go@v1.0.0", Some("github.com/Azure/nats.go")),
            ("/go/src/gopkg.in/yaml.v3", Some("gopkg.in/yaml.v3")),
            ("/x/example.com/api/v1", Some("example.com/api/v1")),
            ("/home/a/types/v1", None),
            ("/home/.cache/v1", None),
        ] {
            assert_eq!(trailing(Path::new(dir)).as_deref(), path, "{dir}");
        }
    }

    #[test]
    fn a_container_is_what_precedes_the_import_path() {
        let dir = Path::new("/m/k8s.io/api@v0.34.0");
        assert_eq!(container(dir, "k8s.io/api"), Some(PathBuf::from("/m")));
        assert_eq!(container(Path::new("/m/checkout"), "k8s.io/api"), None);
        assert_eq!(container(Path::new("/m/v1"), "v1"), None);
    }

    #[test]
    fn vendored_packages_have_the_path_below_the_directory() {
        let found = vendored(Path::new("/p/vendor/k8s.io/api/core/v1"));
        assert_eq!(found, Some(("k8s.io/api/core/v1".to_owned(), PathBuf::from("/p/vendor"))));
        assert_eq!(vendored(Path::new("/p/vendor")), None);
    }

    #[test]
    fn names_in_the_module_cache_keep_their_capitals_apart() {
        assert_eq!(escaped("Azure"), "!azure");
        assert_eq!(unversioned("!azure@v1.0.0"), "Azure");
    }
}

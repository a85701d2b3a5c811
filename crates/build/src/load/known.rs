//! Packages that nearly every API imports, known without their sources: `ObjectMeta` and the like.

/// The prefix of their file names, which are not on disk.
pub(crate) const PREFIX: &str = "built-in:";

/// The packages, by import path.
const PACKAGES: [(&str, &str); 2] = [
    ("k8s.io/apimachinery/pkg/apis/meta/v1", include_str!("known/meta_v1.go")),
    ("k8s.io/apimachinery/pkg/types", include_str!("known/types.go")),
];

/// The source of a package as far as it is known.
pub(super) fn source(path: &str) -> Option<&'static str> {
    PACKAGES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

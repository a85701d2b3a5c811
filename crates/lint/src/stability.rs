//! The stability of an API, by the name of its version.

use sprag_tags::Stability;

/// The stability that the last part of a package's path tells.
pub(crate) fn of_version(version: &str) -> Stability {
    if version.contains("alpha") {
        Stability::Alpha
    } else if version.contains("beta") {
        Stability::Beta
    } else {
        Stability::Stable
    }
}

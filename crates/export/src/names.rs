//! Names of resources that nobody gave one.

/// The plural of a kind in lower case.
// As upstream's meta.UnsafeGuessKindToResource.
pub(crate) fn plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.chars().last() {
        Some('s') => singular + "es",
        Some('y') => singular[..singular.len() - 1].to_owned() + "ies",
        _ => singular + "s",
    }
}

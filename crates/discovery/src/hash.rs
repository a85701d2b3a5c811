//! Hashes that clients compare to see whether something has changed.

use ring::digest::{SHA256, digest};
use sprag_value::base64;

/// Bytes of a hash that tells storage versions apart.
const STORAGE_VERSION_BYTES: usize = 8;

/// Tells in which version a kind is stored.
pub(crate) fn storage_version_hash(group: &str, version: &str, kind: &str) -> String {
    let hash = digest(&SHA256, format!("{group}/{version}/{kind}").as_bytes());
    base64::encode(&hash.as_ref()[..STORAGE_VERSION_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_storage_version_is_that_of_kubernetes() {
        assert_eq!(storage_version_hash("", "v1", "ConfigMap"), "qFsyl6wFWjQ=");
        assert_eq!(storage_version_hash("apps", "v1", "Deployment"), "8aSe+NMegvE=");
    }
}

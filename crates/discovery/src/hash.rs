//! Hashes that clients compare to see whether something has changed.

use ring::digest::{SHA256, SHA512, digest};
use sprag_value::base64;

/// Bytes of a hash that tells storage versions apart.
const STORAGE_VERSION_BYTES: usize = 8;

/// Tells in which version a kind is stored.
pub(crate) fn storage_version_hash(group: &str, version: &str, kind: &str) -> String {
    let hash = digest(&SHA256, format!("{group}/{version}/{kind}").as_bytes());
    base64::encode(&hash.as_ref()[..STORAGE_VERSION_BYTES])
}

/// Tells whether a document has changed: its entity tag, without quotes.
pub fn content_hash(text: &[u8]) -> String {
    let mut hex = String::with_capacity(128);
    for byte in digest(&SHA512, text).as_ref() {
        for digit in [byte >> 4, byte & 0xf] {
            hex.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
        }
    }
    hex
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

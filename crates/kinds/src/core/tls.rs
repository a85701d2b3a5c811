//! Certificates in secrets: whether there is a certificate and its key.

use sprag_value::base64;
use sprag_x509::check_key_pair;

use crate::views::core_v1::Secret;

/// Warnings about a secret for TLS, in the words of Go.
pub(crate) fn warnings(secret: Secret<'_>) -> Vec<String> {
    if secret.kind() != "kubernetes.io/tls" {
        return Vec::new();
    }
    let bytes = |key: &str| secret.data().get(key).and_then(|text| base64::decode(text).ok()).unwrap_or_default();
    check_key_pair(&bytes("tls.crt"), &bytes("tls.key")).err().into_iter().map(|flaw| flaw.to_string()).collect()
}

//! Certificates in secrets: whether there is a certificate and a key to begin with.

use sprag_value::base64;

use crate::views::core_v1::Secret;

/// Warnings about a secret for TLS, in the words of Go. What is inside of certificates and keys is not looked at.
pub(crate) fn warnings(secret: Secret<'_>) -> Vec<String> {
    if secret.kind() != "kubernetes.io/tls" {
        return Vec::new();
    }
    let bytes = |key: &str| secret.data().get(key).and_then(|text| base64::decode(text).ok()).unwrap_or_default();
    let blocks = |key: &str| block_types(&bytes(key));
    let flaw = flaw_of_certificate(&blocks("tls.crt")).or_else(|| flaw_of_key(&blocks("tls.key")));
    flaw.into_iter().map(|flaw| format!("tls: {flaw}")).collect()
}

fn flaw_of_certificate(types: &[String]) -> Option<String> {
    match types {
        [] => Some("failed to find any PEM data in certificate input".into()),
        _ if types.iter().any(|ty| ty == "CERTIFICATE") => None,
        [ty] if ty.ends_with("PRIVATE KEY") => Some(
            "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have \
             been switched"
                .into(),
        ),
        _ => Some(format!(
            "failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following \
             types: [{}]",
            types.join(" ")
        )),
    }
}

fn flaw_of_key(types: &[String]) -> Option<String> {
    match types {
        [] => Some("failed to find any PEM data in key input".into()),
        _ if types.iter().any(|ty| ty == "PRIVATE KEY" || ty.ends_with(" PRIVATE KEY")) => None,
        [ty] if ty == "CERTIFICATE" => {
            Some("found a certificate rather than a key in the PEM for the private key".into())
        }
        _ => Some(format!(
            "failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the \
             following types: [{}]",
            types.join(" ")
        )),
    }
}

/// The types of the blocks in PEM text.
fn block_types(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let (mut open, mut types) = (None, Vec::new());
    for line in text.lines().map(str::trim_end) {
        let named = |prefix| line.strip_prefix(prefix).and_then(|rest| rest.strip_suffix("-----"));
        if let Some(ty) = named("-----BEGIN ") {
            open = Some(ty);
        } else if let Some(ty) = named("-----END ")
            && open.take() == Some(ty)
        {
            types.push(ty.to_owned());
        }
    }
    types
}

//! Options of authentication.

use sprag_rest::User;
use sprag_value::{Object, Value, json};

/// Authentication of clients, beside the administrator's token.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Authentication {
    /// True if requests without credentials are those of `system:anonymous`. They are by default, and where everybody
    /// may do everything, only those for health and version.
    pub anonymous: Option<bool>,
    /// Certificates of authorities that vouch for clients beside the server's own, as PEM.
    pub client_ca: Option<String>,
    /// Tokens and the users that show them.
    pub static_tokens: Vec<(String, User)>,
    /// The front proxy whose headers are trusted.
    pub request_header: Option<RequestHeader>,
    /// Tokens of service accounts.
    pub service_accounts: ServiceAccounts,
}

impl Authentication {
    /// The data by which other API servers learn whom this one trusts.
    // As upstream's clusterauthenticationtrust.getConfigMapDataFor.
    pub(crate) fn published(&self) -> Object {
        let mut data = Object::new();
        let mut add = |key: &str, text: String| drop(data.insert(key.to_owned(), Value::from(text)));
        if let Some(authority) = &self.client_ca {
            add("client-ca-file", authority.clone());
        }
        if let Some(header) = &self.request_header {
            let list = |texts: &[String]| json::to_string(&texts.iter().map(String::as_str).collect::<Value>());
            add("requestheader-client-ca-file", header.client_ca.clone());
            add("requestheader-allowed-names", list(&header.allowed_names));
            add("requestheader-username-headers", list(&header.username_headers));
            add("requestheader-uid-headers", list(&header.uid_headers));
            add("requestheader-group-headers", list(&header.group_headers));
            add("requestheader-extra-headers-prefix", list(&header.extra_headers_prefixes));
        }
        data
    }
}

/// A front proxy that says who asks.
#[derive(Clone, Debug, Default)]
pub struct RequestHeader {
    /// Certificates of authorities that vouch for the proxy, as PEM.
    pub client_ca: String,
    /// The common names that its certificate may have; any if there are none.
    pub allowed_names: Vec<String>,
    /// Headers with the name of the user; the first that is there counts.
    pub username_headers: Vec<String>,
    /// Headers with the uid; the first that is there counts.
    pub uid_headers: Vec<String>,
    /// Headers with groups; all count.
    pub group_headers: Vec<String>,
    /// Header prefixes for the user's `extra`.
    pub extra_headers_prefixes: Vec<String>,
}

/// Signing and verification of service account tokens.
#[derive(Clone, Debug, Default)]
pub struct ServiceAccounts {
    /// Token issuers: the first signs, tokens of all are accepted. `https://kubernetes.default.svc` by default.
    pub issuers: Vec<String>,
    /// The audiences of tokens for this server; the issuers if there are none.
    pub audiences: Vec<String>,
    /// The key that signs tokens, as PEM: RSA, or ECDSA over P-256 or P-384. Without one the server makes its own.
    pub signing_key: Option<String>,
    /// More keys by which tokens are known, as PEM.
    pub keys: Vec<String>,
    /// The JWKS URI in the `OpenID` configuration, if not the server's own.
    pub jwks_uri: Option<String>,
}

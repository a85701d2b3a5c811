//! Reads PEM, X.509 certificates, PKCS#10 requests and private keys as Go's `encoding/pem`, `crypto/x509` and `crypto/tls` do,
//! with their words for what is wrong.
//!
//! Signatures, and whether a key belongs to a certificate, are computed with the feature `ring`; without it they are taken on trust, and
//! all else is read and reported alike. Servers have it; a program that shows verdicts on files need not.
//!
//! Does not know: who is trusted, what time it is, what a certificate is for; [`Distrust`] is told.
//!
//! ```
//! let error = sprag_x509::check_key_pair(b"no certificate", b"").unwrap_err();
//! assert_eq!(error.to_string(), "tls: failed to find any PEM data in certificate input");
//! ```

mod certificate;
mod crypto;
pub mod der;
mod key;
mod name;
mod pair;
mod pem;
mod request;
mod signature;
mod trust;

pub use crate::certificate::Certificate;
pub use crate::key::{Curve, PublicKey};
pub use crate::pair::check_key_pair;
pub use crate::pem::{Block, blocks, next_block};
pub use crate::request::CertificateRequest;
pub use crate::trust::Distrust;

/// The error of malformed bytes, with Go's message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(String);

impl From<&str> for Malformed {
    fn from(text: &str) -> Malformed {
        Malformed(text.to_owned())
    }
}

impl From<String> for Malformed {
    fn from(text: String) -> Malformed {
        Malformed(text)
    }
}

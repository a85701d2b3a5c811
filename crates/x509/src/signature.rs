//! Signatures under requests.

use crate::Malformed;
use crate::certificate::{has_no_parameters, read_algorithm};
use crate::crypto;
use crate::der::{Der, SEQUENCE};
use crate::key::PublicKey;

const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1];
const ECDSA_SHA2: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3];
const ECDSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const SHA2: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2];

/// A signature algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rsa(Hash),
    RsaPss(Hash),
    Ecdsa(Hash),
    Ed25519,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// As Go's `x509.checkSignature`.
pub(crate) fn check(key: &PublicKey, algorithm: Der<'_>, signed: &[u8], signature: &[u8]) -> Result<(), Malformed> {
    let unsupported = "x509: cannot verify signature: algorithm unimplemented";
    let algorithm = read(algorithm).ok_or(unsupported)?;
    match (key, algorithm) {
        (PublicKey::Rsa { modulus, exponent }, Algorithm::Rsa(_) | Algorithm::RsaPss(_)) => {
            let is_verified = crypto::is_rsa_signature(algorithm, (modulus, exponent), signed, signature);
            if is_verified { Ok(()) } else { Err("crypto/rsa: verification error".into()) }
        }
        (PublicKey::Ecdsa { curve, point }, Algorithm::Ecdsa(hash)) => {
            let is_verified = crypto::is_ecdsa_signature(*curve, hash, point, signed, signature);
            if is_verified { Ok(()) } else { Err("x509: ECDSA verification failure".into()) }
        }
        (PublicKey::Ed25519(key), Algorithm::Ed25519) => {
            let is_verified = crypto::is_ed25519_signature(key, signed, signature);
            if is_verified { Ok(()) } else { Err("x509: Ed25519 verification failure".into()) }
        }
        (PublicKey::Unknown, _) => Err(unsupported.into()),
        (key, _) => {
            let key = match key {
                PublicKey::Rsa { .. } => "*rsa.PublicKey",
                PublicKey::Ecdsa { .. } => "*ecdsa.PublicKey",
                _ => "ed25519.PublicKey",
            };
            let wanted = match algorithm {
                Algorithm::Rsa(_) | Algorithm::RsaPss(_) => "RSA",
                Algorithm::Ecdsa(_) => "ECDSA",
                Algorithm::Ed25519 => "Ed25519",
            };
            Err(format!(
                "x509: signature algorithm specifies an {wanted} public key, but have public key of type {key}"
            )
            .into())
        }
    }
}

/// As Go's `x509.getSignatureAlgorithmFromAI`.
fn read(algorithm: Der<'_>) -> Option<Algorithm> {
    let (id, parameters) = read_algorithm(algorithm).ok()?;
    if id == ED25519 {
        return parameters.is_empty().then_some(Algorithm::Ed25519);
    }
    if id == ECDSA_SHA1 {
        return Some(Algorithm::Ecdsa(Hash::Sha1));
    }
    if let Some([last]) = id.strip_prefix(ECDSA_SHA2) {
        let hash = [(2, Hash::Sha256), (3, Hash::Sha384), (4, Hash::Sha512)];
        return hash.into_iter().find(|(number, _)| number == last).map(|(_, hash)| Algorithm::Ecdsa(hash));
    }
    match id.strip_prefix(RSA)? {
        [5] => has_no_parameters(parameters).then_some(Algorithm::Rsa(Hash::Sha1)),
        [10] => pss_hash(parameters).map(Algorithm::RsaPss),
        [11] => Some(Algorithm::Rsa(Hash::Sha256)),
        [12] => Some(Algorithm::Rsa(Hash::Sha384)),
        [13] => Some(Algorithm::Rsa(Hash::Sha512)),
        _ => None,
    }
}

/// The hash in the parameters of RSA-PSS.
fn pss_hash(mut parameters: Der<'_>) -> Option<Hash> {
    let mut sequence = parameters.read(SEQUENCE)?;
    let mut hash = sequence.read(0xa0)?;
    match read_algorithm(hash.read(SEQUENCE)?).ok()?.0.strip_prefix(SHA2)? {
        [1] => Some(Hash::Sha256),
        [2] => Some(Hash::Sha384),
        [3] => Some(Hash::Sha512),
        _ => None,
    }
}

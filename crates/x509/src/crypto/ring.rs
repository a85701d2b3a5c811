//! Signatures and keys are checked by `ring`. Those of curves and hashes that it does not know count as right.

use ring::rand::SystemRandom;
use ring::signature::{
    self, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair,
    UnparsedPublicKey,
};

use crate::key::Curve;
use crate::signature::{Algorithm, Hash};

/// True if a signature is one of an RSA key, given by its modulus and exponent.
pub(crate) fn is_rsa_signature(algorithm: Algorithm, key: (&[u8], &[u8]), signed: &[u8], signature: &[u8]) -> bool {
    let Some(parameters) = rsa_parameters(algorithm) else { return true };
    let components = signature::RsaPublicKeyComponents { n: key.0, e: key.1 };
    components.verify(parameters, signed, signature).is_ok()
}

/// True if a signature is one of an ECDSA key, given by its point.
pub(crate) fn is_ecdsa_signature(curve: Curve, hash: Hash, point: &[u8], signed: &[u8], signature: &[u8]) -> bool {
    let Some(parameters) = ecdsa_parameters(curve, hash) else { return true };
    UnparsedPublicKey::new(parameters, point).verify(signed, signature).is_ok()
}

/// True if a signature is one of an Ed25519 key.
pub(crate) fn is_ed25519_signature(key: &[u8], signed: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(&signature::ED25519, key).verify(signed, signature).is_ok()
}

/// True if a public key is that of a private one, given by its seed.
pub(crate) fn is_ed25519_key(seed: &[u8], key: &[u8]) -> bool {
    Ed25519KeyPair::from_seed_unchecked(seed).is_ok_and(|pair| pair.public_key().as_ref() == key)
}

/// True if a point is that of a private key, given by its scalar. Of curves that are not known, the point in the key counts.
pub(crate) fn has_point(curve: Curve, scalar: &[u8], point: Option<&[u8]>, wanted: &[u8]) -> bool {
    let algorithm = match curve {
        Curve::P256 => &ECDSA_P256_SHA256_ASN1_SIGNING,
        Curve::P384 => &ECDSA_P384_SHA384_ASN1_SIGNING,
        Curve::P224 | Curve::P521 => return point.is_none_or(|point| point == wanted),
    };
    EcdsaKeyPair::from_private_key_and_public_key(algorithm, scalar, wanted, &SystemRandom::new()).is_ok()
}

fn rsa_parameters(algorithm: Algorithm) -> Option<&'static signature::RsaParameters> {
    Some(match algorithm {
        Algorithm::Rsa(Hash::Sha1) => &signature::RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY,
        Algorithm::Rsa(Hash::Sha256) => &signature::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
        Algorithm::Rsa(Hash::Sha384) => &signature::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::Rsa(Hash::Sha512) => &signature::RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
        Algorithm::RsaPss(Hash::Sha256) => &signature::RSA_PSS_2048_8192_SHA256,
        Algorithm::RsaPss(Hash::Sha384) => &signature::RSA_PSS_2048_8192_SHA384,
        Algorithm::RsaPss(Hash::Sha512) => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

fn ecdsa_parameters(curve: Curve, hash: Hash) -> Option<&'static signature::EcdsaVerificationAlgorithm> {
    Some(match (curve, hash) {
        (Curve::P256, Hash::Sha256) => &signature::ECDSA_P256_SHA256_ASN1,
        (Curve::P256, Hash::Sha384) => &signature::ECDSA_P256_SHA384_ASN1,
        (Curve::P384, Hash::Sha256) => &signature::ECDSA_P384_SHA256_ASN1,
        (Curve::P384, Hash::Sha384) => &signature::ECDSA_P384_SHA384_ASN1,
        _ => return None,
    })
}

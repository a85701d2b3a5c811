//! Keys that sign tokens, and keys by which they are known again.

use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED, ECDSA_P384_SHA384_FIXED_SIGNING,
    EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey,
    VerificationAlgorithm,
};
use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sprag_value::base64::RAW_URL;
use sprag_value::{Object, Value};

use crate::der::{self, BIT_STRING, SEQUENCE};

/// The identifiers of kinds of keys, as they stand in DER.
const RSA: &[u8] = &[0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0];
const P256: &[u8] = &[0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const P384: &[u8] = &[0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 0x06, 5, 0x2b, 0x81, 4, 0, 0x22];

/// An algorithm of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rs256,
    Es256,
    Es384,
}

/// A key that signs.
pub(crate) struct SigningKey {
    pair: Pair,
    random: SystemRandom,
    pub(crate) public: VerifyingKey,
}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    Ecdsa(Box<EcdsaKeyPair>),
}

/// A key that signatures are checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VerifyingKey {
    pub(crate) algorithm: Algorithm,
    /// As upstream's `keyIDFromPublicKey` derives it.
    pub(crate) id: String,
    /// The point, or the two numbers of RSA in DER.
    key: Vec<u8>,
}

impl Algorithm {
    /// The name in tokens.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Algorithm::Rs256 => "RS256",
            Algorithm::Es256 => "ES256",
            Algorithm::Es384 => "ES384",
        }
    }

    const fn identifier(self) -> &'static [u8] {
        match self {
            Algorithm::Rs256 => RSA,
            Algorithm::Es256 => P256,
            Algorithm::Es384 => P384,
        }
    }

    fn verification(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Algorithm::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
            Algorithm::Es256 => &ECDSA_P256_SHA256_FIXED,
            Algorithm::Es384 => &ECDSA_P384_SHA384_FIXED,
        }
    }
}

impl SigningKey {
    /// The key in a PEM file: RSA, or ECDSA over P-256 or P-384.
    pub(crate) fn read(pem: &str) -> Result<SigningKey, String> {
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|error| error.to_string())?;
        SigningKey::of(&key)
    }

    fn of(key: &PrivateKeyDer<'_>) -> Result<SigningKey, String> {
        let random = SystemRandom::new();
        let rsa = match key {
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()).ok(),
            PrivateKeyDer::Pkcs8(key) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).ok(),
            _ => None,
        };
        if let Some(pair) = rsa {
            let public = VerifyingKey::new(Algorithm::Rs256, pair.public().as_ref());
            return Ok(SigningKey { pair: Pair::Rsa(Box::new(pair)), random, public });
        }
        let curves: [(Algorithm, &'static EcdsaSigningAlgorithm); 2] = [
            (Algorithm::Es256, &ECDSA_P256_SHA256_FIXED_SIGNING),
            (Algorithm::Es384, &ECDSA_P384_SHA384_FIXED_SIGNING),
        ];
        for (algorithm, signing) in curves {
            let pair = match key {
                PrivateKeyDer::Sec1(key) => {
                    EcdsaKeyPair::from_pkcs8(signing, &in_pkcs8(algorithm, key.secret_sec1_der()), &random)
                }
                key => EcdsaKeyPair::from_pkcs8(signing, key.secret_der(), &random),
            };
            if let Ok(pair) = pair {
                let public = VerifyingKey::new(algorithm, pair.public_key().as_ref());
                return Ok(SigningKey { pair: Pair::Ecdsa(Box::new(pair)), random, public });
            }
        }
        Err("neither a key of RSA (2048 to 4096 bits) nor one of ECDSA over P-256 or P-384".to_owned())
    }

    /// The signature of a text.
    pub(crate) fn sign(&self, text: &[u8]) -> Result<Vec<u8>, String> {
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &self.random, text, &mut signature).map_err(|error| error.to_string())?;
                Ok(signature)
            }
            Pair::Ecdsa(pair) => {
                let signature = pair.sign(&self.random, text).map_err(|error| error.to_string())?;
                Ok(signature.as_ref().to_vec())
            }
        }
    }
}

impl VerifyingKey {
    fn new(algorithm: Algorithm, key: &[u8]) -> VerifyingKey {
        let bits: Vec<u8> = std::iter::once(0).chain(key.iter().copied()).collect();
        let info = [der::encode(SEQUENCE, algorithm.identifier()), der::encode(BIT_STRING, &bits)].concat();
        let id = RAW_URL.encode(digest(&SHA256, &der::encode(SEQUENCE, &info)).as_ref());
        VerifyingKey { algorithm, id, key: key.to_vec() }
    }

    /// The keys in a PEM file: public ones, those of certificates, and those that belong to private ones.
    // As upstream's keyutil.ParsePublicKeysPEM.
    pub(crate) fn read_all(pem: &str) -> Result<Vec<VerifyingKey>, String> {
        let mut keys = Vec::new();
        for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(pem.as_bytes()) {
            let (kind, bytes) = section.map_err(|error| error.to_string())?;
            let found = match kind {
                SectionKind::PublicKey => VerifyingKey::of_info(&bytes),
                SectionKind::Certificate => der::public_key_info(&bytes).and_then(VerifyingKey::of_info),
                kind => match PrivateKeyDer::from_pem(kind, bytes) {
                    Some(key) => Some(SigningKey::of(&key)?.public),
                    None => continue,
                },
            };
            keys.push(found.ok_or("a public key is neither of RSA nor of ECDSA over P-256 or P-384")?);
        }
        if keys.is_empty() {
            return Err("it has no keys".to_owned());
        }
        Ok(keys)
    }

    fn of_info(info: &[u8]) -> Option<VerifyingKey> {
        let (identifier, key) = der::public_key(info)?;
        let known = [Algorithm::Rs256, Algorithm::Es256, Algorithm::Es384];
        let algorithm = known.into_iter().find(|algorithm| algorithm.identifier() == identifier)?;
        Some(VerifyingKey::new(algorithm, key))
    }

    /// True if a signature is one of this key.
    pub(crate) fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(self.algorithm.verification(), &self.key).verify(text, signature).is_ok()
    }

    /// The key as others know it (RFC 7517).
    pub(crate) fn to_jwk(&self) -> Value {
        let text = |text: &str| Value::from(text);
        let number = |bytes: &[u8]| Value::from(RAW_URL.encode(bytes));
        let (kind, numbers): (&str, Vec<(&str, Value)>) = match self.algorithm {
            Algorithm::Rs256 => {
                let (modulus, exponent) = der::rsa_numbers(&self.key).unwrap_or_default();
                ("RSA", vec![("n", number(modulus)), ("e", number(exponent))])
            }
            algorithm => {
                let curve = if algorithm == Algorithm::Es256 { "P-256" } else { "P-384" };
                let point = self.key.get(1..).unwrap_or_default();
                let (x, y) = point.split_at(point.len() / 2);
                ("EC", vec![("crv", text(curve)), ("x", number(x)), ("y", number(y))])
            }
        };
        let head = [("use", text("sig")), ("kty", text(kind)), ("kid", text(&self.id))];
        let algorithm = [("alg", text(self.algorithm.name()))];
        Value::Object(head.into_iter().chain(algorithm).chain(numbers).collect::<Object>())
    }
}

/// A key of ECDSA in the form of RFC 5915, in the form of RFC 5208.
fn in_pkcs8(algorithm: Algorithm, key: &[u8]) -> Vec<u8> {
    const VERSION_0: &[u8] = &[2, 1, 0];
    const OCTETS: u8 = 4;
    let parts = [VERSION_0, &der::encode(SEQUENCE, algorithm.identifier()), &der::encode(OCTETS, key)].concat();
    der::encode(SEQUENCE, &parts)
}

/// The certificates in a PEM file.
pub(crate) fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match certificates {
        Ok(certificates) if certificates.is_empty() => Err("it has no certificates".to_owned()),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of `openssl genrsa`, of `openssl ecparam -genkey -name prime256v1 -noout` and of the same for
    /// secp384r1, and the digest of the public key that `openssl pkey -pubout -outform DER` prints of each.
    const KEYS: [(&str, &str, &str); 3] = [
        ("RS256", include_str!("../tests/keys/rsa.pem"), include_str!("../tests/keys/rsa.pub")),
        ("ES256", include_str!("../tests/keys/p256.pem"), include_str!("../tests/keys/p256.pub")),
        ("ES384", include_str!("../tests/keys/p384.pem"), include_str!("../tests/keys/p384.pub")),
    ];

    #[test]
    fn keys_of_openssl_are_read() {
        for (algorithm, private, public) in KEYS {
            let key = SigningKey::read(private).unwrap();
            assert_eq!(key.public.algorithm.name(), algorithm);
            let known = VerifyingKey::read_all(public).unwrap();
            assert_eq!(known, std::slice::from_ref(&key.public), "{algorithm}");
            assert_eq!(VerifyingKey::read_all(private).unwrap(), known);
            let signature = key.sign(b"text").unwrap();
            assert!(known[0].verifies(b"text", &signature) && !known[0].verifies(b"other", &signature));
        }
        assert!(SigningKey::read("").is_err() && VerifyingKey::read_all("").is_err());
    }

    #[test]
    fn keys_are_shown_as_others_read_them() {
        let jwk = |pem| SigningKey::read(pem).unwrap().public.to_jwk();
        let rsa = jwk(KEYS[0].1);
        assert_eq!(rsa.get("e").and_then(Value::as_str), Some("AQAB"));
        assert_eq!(RAW_URL.decode(rsa.get("n").and_then(Value::as_str).unwrap()).unwrap().len(), 256);
        let point = jwk(KEYS[2].1);
        assert_eq!(point.get("crv").and_then(Value::as_str), Some("P-384"));
        assert_eq!(RAW_URL.decode(point.get("y").and_then(Value::as_str).unwrap()).unwrap().len(), 48);
    }
}

//! Public keys.

use crate::Malformed;
use crate::der::{Der, NULL, SEQUENCE};

const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// An elliptic curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// P-224.
    P224,
    /// P-256.
    P256,
    /// P-384.
    P384,
    /// P-521.
    P521,
}

impl Curve {
    const ALL: [(Curve, &'static [u8]); 4] = [
        (Curve::P224, &[0x2b, 0x81, 4, 0, 33]),
        (Curve::P256, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]),
        (Curve::P384, &[0x2b, 0x81, 4, 0, 34]),
        (Curve::P521, &[0x2b, 0x81, 4, 0, 35]),
    ];

    pub(crate) fn of_id(id: &[u8]) -> Option<Curve> {
        Curve::ALL.iter().find(|(_, known)| *known == id).map(|(curve, _)| *curve)
    }

    /// The name that Go prints.
    pub fn name(self) -> &'static str {
        match self {
            Curve::P224 => "P-224",
            Curve::P256 => "P-256",
            Curve::P384 => "P-384",
            Curve::P521 => "P-521",
        }
    }

    /// The bytes of a coordinate.
    fn size(self) -> usize {
        match self {
            Curve::P224 => 28,
            Curve::P256 => 32,
            Curve::P384 => 48,
            Curve::P521 => 66,
        }
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// RSA: modulus and exponent without leading zeros.
    Rsa {
        /// The modulus.
        modulus: Vec<u8>,
        /// The exponent.
        exponent: Vec<u8>,
    },
    /// ECDSA: the curve and the uncompressed point.
    Ecdsa {
        /// The curve.
        curve: Curve,
        /// The point.
        point: Vec<u8>,
    },
    /// Ed25519.
    Ed25519(Vec<u8>),
    /// Another kind of key.
    Unknown,
}

impl PublicKey {
    /// Reads `SubjectPublicKeyInfo` without its outer sequence, as Go's `x509.parsePublicKey`.
    pub(crate) fn read(mut info: Der<'_>) -> Result<PublicKey, Malformed> {
        let malformed = "x509: malformed public key algorithm identifier";
        let mut algorithm = info.read(SEQUENCE).ok_or(malformed)?;
        let id = algorithm.object_id().ok_or("x509: malformed OID")?;
        let mut key = info;
        let key = key.bits().ok_or("x509: malformed subjectPublicKey")?.1;
        match id {
            RSA => read_rsa(algorithm, key),
            ECDSA => {
                let curve = algorithm.object_id().ok_or("x509: invalid ECDSA parameters")?;
                let curve = Curve::of_id(curve).ok_or("x509: unsupported elliptic curve")?;
                let is_point = key.first() == Some(&4) && key.len() == 1 + 2 * curve.size();
                is_point
                    .then(|| PublicKey::Ecdsa { curve, point: key.to_vec() })
                    .ok_or_else(|| "x509: failed to unmarshal elliptic curve point".into())
            }
            ED25519 if !algorithm.is_empty() => Err("x509: Ed25519 key encoded with illegal parameters".into()),
            ED25519 if key.len() != 32 => Err("x509: wrong Ed25519 public key size".into()),
            ED25519 => Ok(PublicKey::Ed25519(key.to_vec())),
            _ => Ok(PublicKey::Unknown),
        }
    }

    /// The bits of an RSA modulus in whole bytes; 0 for other keys.
    pub fn rsa_bits(&self) -> usize {
        if let PublicKey::Rsa { modulus, .. } = self { modulus.len() * 8 } else { 0 }
    }
}

fn read_rsa(mut parameters: Der<'_>, key: &[u8]) -> Result<PublicKey, Malformed> {
    if parameters.read(NULL).is_none_or(|null| !null.is_empty()) {
        return Err("x509: RSA key missing NULL parameters".into());
    }
    let mut key = Der(key).read(SEQUENCE).ok_or("x509: invalid RSA public key")?;
    let modulus = key.integer().ok_or("x509: invalid RSA modulus")?;
    let exponent = key.integer().ok_or("x509: invalid RSA public exponent")?;
    let positive = |bytes: &[u8]| bytes[0] & 0x80 == 0 && bytes.iter().any(|byte| *byte != 0);
    if !positive(modulus) {
        return Err("x509: RSA modulus is not a positive number".into());
    }
    if !positive(exponent) {
        return Err("x509: RSA public exponent is not a positive number".into());
    }
    Ok(PublicKey::Rsa { modulus: trimmed(modulus), exponent: trimmed(exponent) })
}

/// A number without leading zeros.
pub(crate) fn trimmed(number: &[u8]) -> Vec<u8> {
    let start = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
    number[start..].to_vec()
}

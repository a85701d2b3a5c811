//! A certificate together with its key, as Go's `tls.X509KeyPair` takes them.

use crate::Malformed;
use crate::certificate::{Certificate, read_algorithm};
use crate::crypto;
use crate::der::{Der, OCTET_STRING, SEQUENCE};
use crate::key::{Curve, PublicKey, trimmed};
use crate::pem::{Block, blocks};

/// Checks that a text has a certificate and another the key of the first one.
pub fn check_key_pair(certificate: &[u8], key: &[u8]) -> Result<(), Malformed> {
    let certificates: Vec<Block> = blocks(certificate).collect();
    let Some(first) = certificates.iter().find(|block| block.label == "CERTIFICATE") else {
        return Err(flaw_of_certificates(&certificates));
    };
    let keys: Vec<Block> = blocks(key).collect();
    let is_key = |block: &&Block| block.label == "PRIVATE KEY" || block.label.ends_with(" PRIVATE KEY");
    let Some(key) = keys.iter().find(is_key) else { return Err(flaw_of_keys(&keys)) };
    let certificate = Certificate::parse(&first.bytes)?;
    let key = PrivateKey::parse(&key.bytes).ok_or("tls: failed to parse private key")?;
    match key.is_of(&certificate.public_key) {
        Some(true) => Ok(()),
        Some(false) => Err("tls: private key does not match public key".into()),
        None if certificate.public_key == PublicKey::Unknown => Err("tls: unknown public key algorithm".into()),
        None => Err("tls: private key type does not match public key type".into()),
    }
}

fn flaw_of_certificates(blocks: &[Block]) -> Malformed {
    match blocks {
        [] => "tls: failed to find any PEM data in certificate input".into(),
        [block] if block.label.ends_with("PRIVATE KEY") => {
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have \
             been switched"
                .into()
        }
        _ => format!(
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following \
             types: [{}]",
            labels(blocks)
        )
        .into(),
    }
}

fn flaw_of_keys(blocks: &[Block]) -> Malformed {
    match blocks {
        [] => "tls: failed to find any PEM data in key input".into(),
        [block] if block.label == "CERTIFICATE" => {
            "tls: found a certificate rather than a key in the PEM for the private key".into()
        }
        _ => format!(
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the \
             following types: [{}]",
            labels(blocks)
        )
        .into(),
    }
}

fn labels(blocks: &[Block]) -> String {
    blocks.iter().map(|block| block.label.as_str()).collect::<Vec<_>>().join(" ")
}

/// A private key, as far as its public half can be compared.
enum PrivateKey<'d> {
    Rsa { modulus: Vec<u8> },
    Ecdsa { curve: Option<Curve>, scalar: &'d [u8], point: Option<&'d [u8]> },
    Ed25519 { seed: &'d [u8] },
}

impl<'d> PrivateKey<'d> {
    /// As Go's `tls.parsePrivateKey`: PKCS#1, PKCS#8 or SEC 1.
    fn parse(bytes: &'d [u8]) -> Option<PrivateKey<'d>> {
        let mut input = Der(bytes);
        let content = input.read(SEQUENCE).filter(|_| input.is_empty())?;
        Self::pkcs1(content).or_else(|| Self::pkcs8(content)).or_else(|| Self::sec1(content, None))
    }

    fn pkcs1(mut key: Der<'d>) -> Option<PrivateKey<'d>> {
        let version = key.integer()?;
        let modulus = key.integer()?;
        // The exponents, the primes and what follows from them.
        let rest = (0..7).filter(|_| key.integer().is_some()).count();
        (version.len() == 1 && rest == 7).then(|| PrivateKey::Rsa { modulus: trimmed(modulus) })
    }

    fn pkcs8(mut key: Der<'d>) -> Option<PrivateKey<'d>> {
        key.integer()?;
        let (id, mut parameters) = read_algorithm(key.read(SEQUENCE)?).ok()?;
        let mut inner = key.read(OCTET_STRING)?;
        match id {
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1] => Self::pkcs1(inner.read(SEQUENCE)?),
            [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1] => {
                let curve = Curve::of_id(parameters.object_id()?)?;
                Self::sec1(inner.read(SEQUENCE)?, Some(curve))
            }
            [0x2b, 0x65, 0x70] => {
                let seed = inner.read(OCTET_STRING)?.0;
                (seed.len() == 32).then_some(PrivateKey::Ed25519 { seed })
            }
            _ => None,
        }
    }

    fn sec1(mut key: Der<'d>, curve: Option<Curve>) -> Option<PrivateKey<'d>> {
        if key.integer()? != [1] {
            return None;
        }
        let scalar = key.read(OCTET_STRING)?.0;
        let named = key.optional(0xa0)?.found();
        let curve = match named {
            Some(mut id) => Some(Curve::of_id(id.object_id()?)?),
            None => curve,
        };
        let point = match key.optional(0xa1)?.found() {
            Some(mut point) => Some(point.bytes_of_bits()?),
            None => None,
        };
        curve.is_some().then_some(PrivateKey::Ecdsa { curve, scalar, point })
    }

    /// Tells if the key belongs to a public key; nothing where their kinds differ.
    fn is_of(&self, public: &PublicKey) -> Option<bool> {
        match (self, public) {
            (PrivateKey::Rsa { modulus }, PublicKey::Rsa { modulus: other, .. }) => Some(modulus == other),
            (PrivateKey::Ecdsa { curve, scalar, point }, PublicKey::Ecdsa { curve: other, point: wanted }) => {
                Some(*curve == Some(*other) && crypto::has_point(*other, scalar, *point, wanted))
            }
            (PrivateKey::Ed25519 { seed }, PublicKey::Ed25519(key)) => Some(crypto::is_ed25519_key(seed, key)),
            _ => None,
        }
    }
}

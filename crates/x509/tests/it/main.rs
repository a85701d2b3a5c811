//! Certificates, requests and keys of OpenSSL.

#![expect(clippy::unwrap_used, reason = "tests may fail where they are")]

use sprag_x509::{Certificate, CertificateRequest, Curve, PublicKey, blocks, check_key_pair};

const EC_CERTIFICATE: &[u8] = include_bytes!("../fixtures/ec.crt");
const EC_KEY: &[u8] = include_bytes!("../fixtures/ec.key");
const EC_REQUEST: &[u8] = include_bytes!("../fixtures/ec.csr");
const ED_CERTIFICATE: &[u8] = include_bytes!("../fixtures/ed.crt");
const ED_KEY: &[u8] = include_bytes!("../fixtures/ed.key");
const ED_REQUEST: &[u8] = include_bytes!("../fixtures/ed.csr");
const RSA_KEY: &[u8] = include_bytes!("../fixtures/rsa.key");
const RSA_REQUEST: &[u8] = include_bytes!("../fixtures/rsa.csr");

fn der(pem: &[u8]) -> Vec<u8> {
    blocks(pem).next().unwrap().bytes
}

#[test]
fn certificates_say_whom_they_are_for() {
    let certificate = Certificate::parse(&der(EC_CERTIFICATE)).unwrap();
    assert_eq!(certificate.dns_names, ["example.com"]);
    assert_eq!(certificate.email_addresses, ["a@example.com"]);
    assert!(certificate.is_ca && certificate.basic_constraints_valid);
    assert!(matches!(certificate.public_key, PublicKey::Ecdsa { curve: Curve::P256, .. }));
    let life = certificate.not_after.unix_seconds() - certificate.not_before.unix_seconds();
    assert_eq!(life, 36_500 * 86_400);
    let twice = [der(EC_CERTIFICATE), der(ED_CERTIFICATE)].concat();
    assert_eq!(Certificate::parse_all(&twice).unwrap().len(), 2);
    assert_eq!(Certificate::parse(&twice).unwrap_err().to_string(), "x509: trailing data");
}

#[test]
fn requests_are_signed_with_their_key() {
    for (pem, flaw) in [
        (EC_REQUEST, "x509: ECDSA verification failure"),
        (ED_REQUEST, "x509: Ed25519 verification failure"),
        (RSA_REQUEST, "crypto/rsa: verification error"),
    ] {
        let mut bytes = der(pem);
        CertificateRequest::parse(&bytes).unwrap().check_signature().unwrap();
        // A letter of the subject is another one: the length of the name stays as it is.
        let at = bytes.windows(4).position(|part| part[..3] == [0x55, 4, 3] && part[3] == 0x0c).unwrap() + 5;
        bytes[at] ^= 1;
        let forged = CertificateRequest::parse(&bytes).unwrap().check_signature();
        assert_eq!(forged.unwrap_err().to_string(), flaw);
    }
    let bits = CertificateRequest::parse(&der(RSA_REQUEST)).unwrap().public_key.rsa_bits();
    assert_eq!(bits, 2048);
}

#[test]
fn keys_belong_to_certificates() {
    check_key_pair(EC_CERTIFICATE, EC_KEY).unwrap();
    check_key_pair(ED_CERTIFICATE, ED_KEY).unwrap();
    // Content before a certificate or key does not matter.
    check_key_pair(&[ED_KEY, EC_CERTIFICATE].concat(), &[ED_CERTIFICATE, EC_KEY].concat()).unwrap();
    let flaw = |certificate: &[u8], key: &[u8]| check_key_pair(certificate, key).unwrap_err().to_string();
    assert_eq!(flaw(EC_CERTIFICATE, RSA_KEY), "tls: private key type does not match public key type");
    assert_eq!(flaw(EC_CERTIFICATE, ED_KEY), "tls: private key type does not match public key type");
    let pem = |label: &str| format!("-----BEGIN {label}-----\nMA==\n-----END {label}-----\n").into_bytes();
    assert_eq!(flaw(&pem("CERTIFICATE"), EC_KEY), "x509: malformed certificate");
    assert_eq!(flaw(EC_CERTIFICATE, &pem("PRIVATE KEY")), "tls: failed to parse private key");
}

#[test]
fn no_bytes_make_it_panic() {
    for pem in [EC_CERTIFICATE, ED_CERTIFICATE, EC_REQUEST, ED_REQUEST, EC_KEY, ED_KEY] {
        let bytes = der(pem);
        for end in 0..bytes.len() {
            let _ = Certificate::parse(&bytes[..end]);
            let _ = CertificateRequest::parse(&bytes[..end]);
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                let _ = Certificate::parse(&changed);
                let _ = CertificateRequest::parse(&changed);
            }
        }
        for end in 0..pem.len() {
            let _ = check_key_pair(&pem[..end], &pem[end..]);
            let _ = check_key_pair(EC_CERTIFICATE, &pem[..end]);
        }
    }
}

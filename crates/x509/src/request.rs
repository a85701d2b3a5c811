//! Requests for certificates (PKCS#10, RFC 2986), read as Go's `x509.ParseCertificateRequest` reads them.

use crate::Malformed;
use crate::der::{Der, SEQUENCE};
use crate::key::PublicKey;
use crate::name::{self, check_name};
use crate::signature;

/// A request for a certificate.
#[derive(Clone, Debug)]
pub struct CertificateRequest<'d> {
    /// The key of who asks.
    pub public_key: PublicKey,
    /// The organizations of the subject.
    pub organizations: Vec<String>,
    /// The common name of the subject, the last of several; empty if it has none.
    pub common_name: String,
    signed: &'d [u8],
    algorithm: Der<'d>,
    signature: &'d [u8],
}

impl<'d> CertificateRequest<'d> {
    /// Reads a request and nothing behind it.
    pub fn parse(bytes: &'d [u8]) -> Result<CertificateRequest<'d>, Malformed> {
        let truncated = "asn1: syntax error: data truncated";
        let mut input = Der(bytes);
        let mut outer = input.read(SEQUENCE).ok_or_else(|| flaw_of_start(bytes))?;
        if !input.is_empty() {
            return Err("asn1: syntax error: trailing data".into());
        }
        let (mut info, signed) = outer.element(SEQUENCE).ok_or(truncated)?;
        let algorithm = outer.read(SEQUENCE).ok_or(truncated)?;
        let signature = outer.bits().ok_or(truncated)?.1;
        info.integer().ok_or(truncated)?;
        let subject = info.read(SEQUENCE).ok_or(truncated)?;
        check_name(subject)?;
        let public_key = PublicKey::read(info.read(SEQUENCE).ok_or(truncated)?)?;
        info.optional(0xa0).ok_or(truncated)?;
        Ok(CertificateRequest {
            public_key,
            organizations: name::values(subject, name::ORGANIZATION),
            common_name: name::values(subject, name::COMMON_NAME).pop().unwrap_or_default(),
            signed,
            algorithm,
            signature,
        })
    }

    /// Checks that who asks has the key, as Go's `CertificateRequest.CheckSignature`.
    ///
    /// Signatures with curves and hashes that the library behind it does not know are taken on trust: those with P-224 and
    /// P-521, and those of P-256 and P-384 with SHA-1 and SHA-512.
    pub fn check_signature(&self) -> Result<(), Malformed> {
        signature::check(&self.public_key, self.algorithm, self.signed, self.signature)
    }
}

/// Returns the error of Go's `asn1.Unmarshal` for bytes that are not a sequence.
fn flaw_of_start(bytes: &[u8]) -> Malformed {
    match (bytes, Der(bytes).any()) {
        ([], _) => "asn1: syntax error: sequence truncated".into(),
        (_, None) => "asn1: syntax error: data truncated".into(),
        ([tag, ..], Some((_, content, _))) => {
            let class = tag >> 6;
            let is_compound = tag & 0x20 != 0;
            let number = tag & 0x1f;
            let length = content.len();
            format!(
                "asn1: structure error: tags don't match (16 vs {{class:{class} tag:{number} length:{length} \
                 isCompound:{is_compound}}}) {{optional:false explicit:false application:false private:false \
                 defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}} certificateRequest @2"
            )
            .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bytes_are_refused() {
        let flaw = |bytes: &[u8]| CertificateRequest::parse(bytes).unwrap_err().to_string();
        assert_eq!(flaw(b""), "asn1: syntax error: sequence truncated");
        assert_eq!(flaw(&[0x30, 5]), "asn1: syntax error: data truncated");
        assert_eq!(flaw(&[0x30, 0]), "asn1: syntax error: data truncated");
        assert!(
            flaw(&[2, 1, 3]).starts_with("asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 ")
        );
    }
}

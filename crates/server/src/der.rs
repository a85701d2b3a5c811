//! Certificates and keys in DER, as far as the server looks into them (RFC 5280).

pub(crate) use sprag_x509::der::{BIT_STRING, SEQUENCE};
use sprag_x509::der::{Der, GENERALIZED_TIME, INTEGER, OBJECT_ID, SET, UTC_TIME};

const VERSION: u8 = 0xa0;
const UTF8: u8 = 0x0c;

/// Attributes of names.
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const ORGANIZATION: &[u8] = &[0x55, 4, 10];
const UID: &[u8] = &[0x2b, 6, 1, 4, 1, 0x83, 0xc2, 0x53, 2];

/// The subject of a certificate, and its expiry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The last common name, which is the one that counts in Go.
    pub(crate) common_name: String,
    pub(crate) organizations: Vec<String>,
    /// The attributes 1.3.6.1.4.1.57683.2.
    pub(crate) uids: Vec<String>,
}

impl Subject {
    fn encode(&self) -> Vec<u8> {
        let organizations = self.organizations.iter().map(|name| (ORGANIZATION, name));
        let uids = self.uids.iter().map(|uid| (UID, uid));
        let attribute = |(id, text): (&[u8], &String)| {
            let parts = [encode(OBJECT_ID, id), encode(UTF8, text.as_bytes())].concat();
            encode(SET, &encode(SEQUENCE, &parts))
        };
        let all = organizations.chain([(COMMON_NAME, &self.common_name)]).chain(uids);
        encode(SEQUENCE, &all.flat_map(attribute).collect::<Vec<u8>>())
    }
}

/// Returns the expiry of a certificate, in seconds since 1970 (`Certificate.tbsCertificate.validity.notAfter`).
pub(crate) fn not_after(certificate: &[u8]) -> Option<u64> {
    let validity = element(after_issuer(certificate)?, SEQUENCE)?.0;
    let (_, end) = time(validity)?;
    seconds(&time(end)?.0)
}

/// A certificate with another subject, signed again.
pub(crate) fn with_subject(
    certificate: &[u8],
    subject: &Subject,
    sign: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let (parts, _) = element(certificate, SEQUENCE)?;
    let (body, rest) = element(parts, SEQUENCE)?;
    let (algorithm, _) = element(rest, SEQUENCE)?;
    let old = after_subject_start(certificate)?;
    let after = element(old, SEQUENCE)?.1;
    let before = &body[..body.len() - old.len()];
    let body = encode(SEQUENCE, &[before, &subject.encode(), after].concat());
    let signature = [&[0], sign(&body)?.as_slice()].concat();
    Some(encode(SEQUENCE, &[body, encode(SEQUENCE, algorithm), encode(BIT_STRING, &signature)].concat()))
}

/// Bytes as PEM (RFC 7468).
pub(crate) fn pem(label: &str, bytes: &[u8]) -> String {
    let text = sprag_value::base64::encode(bytes);
    let lines: Vec<&str> = text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Returns the subject of a certificate (`Certificate.tbsCertificate.subject`).
pub(crate) fn subject(certificate: &[u8]) -> Option<Subject> {
    let (mut names, _) = element(after_subject_start(certificate)?, SEQUENCE)?;
    let mut subject = Subject::default();
    while !names.is_empty() {
        let (mut attributes, rest) = element(names, SET)?;
        names = rest;
        while !attributes.is_empty() {
            let (attribute, rest) = element(attributes, SEQUENCE)?;
            attributes = rest;
            let (id, value) = element(attribute, OBJECT_ID)?;
            match id {
                COMMON_NAME => subject.common_name = string(value)?,
                ORGANIZATION => subject.organizations.push(string(value)?),
                UID => subject.uids.push(string(value)?),
                _ => {}
            }
        }
    }
    Some(subject)
}

/// A certificate of version 1 as its issuer signed it. Such have no extensions, and libraries refuse them; `openssl x509 -req`
/// of OpenSSL 3.0 makes them.
pub(crate) struct Version1<'c> {
    /// The signed part of the certificate.
    pub(crate) body: &'c [u8],
    /// The name of the issuer, without its head.
    pub(crate) issuer: &'c [u8],
    pub(crate) not_before: u64,
    pub(crate) not_after: u64,
    /// The identifier of the algorithm, without its head.
    pub(crate) algorithm: &'c [u8],
    pub(crate) signature: &'c [u8],
}

impl<'c> Version1<'c> {
    /// Reads a certificate; nothing if it is of another version.
    pub(crate) fn read(certificate: &'c [u8]) -> Option<Version1<'c>> {
        let (parts, _) = element(certificate, SEQUENCE)?;
        let (content, rest) = element(parts, SEQUENCE)?;
        let (algorithm, signature) = element(rest, SEQUENCE)?;
        let (_, after_serial) = element(content, INTEGER)?;
        let (inner, after_algorithm) = element(after_serial, SEQUENCE)?;
        let (issuer, _) = element(after_algorithm, SEQUENCE)?;
        let (validity, _) = element(after_issuer(certificate)?, SEQUENCE)?;
        let (not_before, end) = time(validity)?;
        Some(Version1 {
            body: parts.get(..parts.len() - rest.len())?,
            issuer,
            not_before: seconds(&not_before)?,
            not_after: seconds(&time(end)?.0)?,
            algorithm: Some(algorithm).filter(|algorithm| *algorithm == inner)?,
            signature: element(signature, BIT_STRING)?.0.strip_prefix(&[0])?,
        })
    }
}

/// The name of the subject of a certificate, without its head.
pub(crate) fn subject_name(certificate: &[u8]) -> Option<&[u8]> {
    Some(element(after_subject_start(certificate)?, SEQUENCE)?.0)
}

/// The algorithm of a public key without its head, and the key.
pub(crate) fn public_key(info: &[u8]) -> Option<(&[u8], &[u8])> {
    let (content, _) = element(info, SEQUENCE)?;
    let (algorithm, rest) = element(content, SEQUENCE)?;
    Some((algorithm, element(rest, BIT_STRING)?.0.strip_prefix(&[0])?))
}

/// The public key of a certificate with its algorithm, as an element (`Certificate.tbsCertificate.subjectPublicKeyInfo`).
pub(crate) fn public_key_info(certificate: &[u8]) -> Option<&[u8]> {
    let rest = element(after_subject_start(certificate)?, SEQUENCE)?.1;
    let after = element(rest, SEQUENCE)?.1;
    rest.get(..rest.len() - after.len())
}

/// An element with this tag and content.
pub(crate) fn encode(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    if let Ok(length @ 0..=0x7f) = u8::try_from(content.len()) {
        bytes.push(length);
    } else {
        let length = content.len().to_be_bytes();
        let digits: Vec<u8> = length.into_iter().skip_while(|digit| *digit == 0).collect();
        bytes.extend(u8::try_from(digits.len()).map(|length| 0x80 | length));
        bytes.extend(digits);
    }
    bytes.extend(content);
    bytes
}

/// The two numbers of the public key of RSA, without leading zeros.
pub(crate) fn rsa_numbers(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let (numbers, _) = element(key, SEQUENCE)?;
    let (modulus, rest) = element(numbers, INTEGER)?;
    let (exponent, _) = element(rest, INTEGER)?;
    let bare = |number: &[u8]| number.iter().take_while(|digit| **digit == 0).count();
    Some((&modulus[bare(modulus)..], &exponent[bare(exponent)..]))
}

/// The rest of a certificate after serial number, algorithm and issuer.
fn after_issuer(certificate: &[u8]) -> Option<&[u8]> {
    let mut body = element(element(certificate, SEQUENCE)?.0, SEQUENCE)?.0;
    if let Some((_, rest)) = element(body, VERSION) {
        body = rest;
    }
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        body = element(body, tag)?.1;
    }
    Some(body)
}

/// The subject and what follows it.
fn after_subject_start(certificate: &[u8]) -> Option<&[u8]> {
    Some(element(after_issuer(certificate)?, SEQUENCE)?.1)
}

/// A text of one of the kinds that names are written in.
fn string(bytes: &[u8]) -> Option<String> {
    const PRINTABLE: u8 = 0x13;
    const IA5: u8 = 0x16;
    let text = [UTF8, PRINTABLE, IA5].into_iter().find_map(|tag| element(bytes, tag))?.0;
    String::from_utf8(text.to_vec()).ok()
}

/// The content of the first element, which must have this tag, and what follows it.
pub(crate) fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let mut rest = Der(bytes);
    let content = rest.read(tag)?;
    Some((content.0, rest.0))
}

/// The first element as a time, with four digits for the year, and what follows it.
fn time(bytes: &[u8]) -> Option<(String, &[u8])> {
    if let Some((text, rest)) = element(bytes, UTC_TIME) {
        let text = std::str::from_utf8(text).ok()?;
        // As RFC 5280 4.1.2.5.1: years from 50 on are in the twentieth century.
        let century = if text.get(..2)? < "50" { "20" } else { "19" };
        return Some((format!("{century}{text}"), rest));
    }
    let (text, rest) = element(bytes, GENERALIZED_TIME)?;
    Some((std::str::from_utf8(text).ok()?.to_owned(), rest))
}

/// Seconds since 1970 of a time like `20330102030405Z`.
fn seconds(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('Z').filter(|digits| digits.len() == 14 && digits.is_ascii())?;
    let parts = [&digits[..4], &digits[4..6], &digits[6..8], &digits[8..10], &digits[10..12], &digits[12..]];
    let [year, month, day, hour, minute, second] = parts;
    let time: sprag_value::Time = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").parse().ok()?;
    u64::try_from(time.unix_seconds()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificates::Authority;
    use crate::keys::certificates;

    #[test]
    fn a_subject_is_written_and_read() {
        let authority = Authority::new(1_794_800_000).unwrap();
        let groups = ["b", "a", "system:masters", "ü", &"x".repeat(300)].map(str::to_owned);
        let (certificate, _) = authority.issue_client("ann", &groups, 1_794_800_000, 2).unwrap();
        let certificate = certificates(&certificate).unwrap().remove(0);
        let found = subject(&certificate).unwrap();
        assert_eq!((found.common_name.as_str(), found.organizations.as_slice()), ("ann", groups.as_slice()));
        assert_eq!(not_after(&certificate), Some(1_794_800_000 + 2 * 24 * 3600));
        for length in 0..certificate.len() {
            assert_eq!((subject(&certificate[..length]), public_key_info(&certificate[..length])), (None, None));
        }
    }
}

//! Certificates (RFC 5280), read as Go's `x509.ParseCertificate` reads them.

use std::net::IpAddr;

use sprag_value::Time;

use crate::Malformed;
use crate::der::{self, BOOLEAN, Der, INTEGER, NULL, OCTET_STRING, SEQUENCE};
use crate::key::PublicKey;
use crate::name::{self, check_name};

const SUBJECT_KEY_ID: &[u8] = &[0x55, 29, 14];
const KEY_USAGE: &[u8] = &[0x55, 29, 15];
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 29, 17];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 29, 19];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 29, 37];

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificate {
    /// The start of its validity.
    pub not_before: Time,
    /// Until when it is valid.
    pub not_after: Time,
    /// The key of its subject.
    pub public_key: PublicKey,
    /// True if it has basic constraints.
    pub basic_constraints_valid: bool,
    /// True if it is that of an authority.
    pub is_ca: bool,
    /// The names of hosts.
    pub dns_names: Vec<String>,
    /// The mail addresses.
    pub email_addresses: Vec<String>,
    /// The addresses of hosts.
    pub ip_addresses: Vec<IpAddr>,
    /// True if it has alternative names of its subject, whatever they are.
    pub has_alt_names: bool,
    /// The common name of its subject; empty for none.
    pub common_name: String,
    /// The organizations of its subject.
    pub organizations: Vec<String>,
    /// Its name, as it is written.
    pub(crate) subject: Vec<u8>,
    /// The name of who signed it, as it is written.
    pub(crate) issuer: Vec<u8>,
    /// Its number, the highest byte first.
    pub(crate) serial: Vec<u8>,
    pub(crate) version: u8,
    /// The first byte of what its key is for; nothing if that is not said.
    pub(crate) key_usage: Option<u8>,
    /// The signed bytes, the algorithm and the signature.
    pub(crate) signed: Vec<u8>,
    pub(crate) algorithm: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

impl Certificate {
    /// Reads a certificate and nothing behind it.
    pub fn parse(bytes: &[u8]) -> Result<Certificate, Malformed> {
        let (certificate, rest) = parse_first(bytes)?;
        if rest.is_empty() { Ok(certificate) } else { Err("x509: trailing data".into()) }
    }

    /// Reads certificates, one after the other.
    pub fn parse_all(bytes: &[u8]) -> Result<Vec<Certificate>, Malformed> {
        let mut found = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (certificate, after) = parse_first(rest)?;
            found.push(certificate);
            rest = after;
        }
        Ok(found)
    }
}

fn parse_first(bytes: &[u8]) -> Result<(Certificate, &[u8]), Malformed> {
    let mut input = Der(bytes);
    let mut outer = input.read(SEQUENCE).ok_or("x509: malformed certificate")?;
    let (mut tbs, signed) = outer.element(SEQUENCE).ok_or("x509: malformed tbs certificate")?;
    let version = read_version(&mut tbs)?;
    let serial = tbs.integer().ok_or("x509: malformed serial number")?;
    if serial[0] & 0x80 != 0 {
        return Err("x509: negative serial number".into());
    }
    let algorithm = tbs.read(SEQUENCE).ok_or("x509: malformed signature algorithm identifier")?;
    let outer_algorithm = outer.read(SEQUENCE).ok_or("x509: malformed algorithm identifier")?;
    if algorithm != outer_algorithm {
        return Err("x509: inner and outer signature algorithm identifiers don't match".into());
    }
    read_algorithm(algorithm)?;
    let issuer = tbs.read(SEQUENCE).ok_or("x509: malformed issuer")?;
    check_name(issuer)?;
    let mut validity = tbs.read(SEQUENCE).ok_or("x509: malformed validity")?;
    let not_before = read_time(&mut validity)?;
    let not_after = read_time(&mut validity)?;
    // Go has the same words for the subject.
    let subject = tbs.read(SEQUENCE).ok_or("x509: malformed issuer")?;
    check_name(subject)?;
    let public_key = PublicKey::read(tbs.read(SEQUENCE).ok_or("x509: malformed spki")?)?;
    let mut certificate = Certificate {
        not_before,
        not_after,
        public_key,
        basic_constraints_valid: false,
        is_ca: false,
        dns_names: Vec::new(),
        email_addresses: Vec::new(),
        ip_addresses: Vec::new(),
        has_alt_names: false,
        common_name: name::values(subject, name::COMMON_NAME).pop().unwrap_or_default(),
        organizations: name::values(subject, name::ORGANIZATION),
        subject: subject.0.to_vec(),
        issuer: issuer.0.to_vec(),
        serial: serial.to_vec(),
        version,
        key_usage: None,
        signed: signed.to_vec(),
        algorithm: algorithm.0.to_vec(),
        signature: Vec::new(),
    };
    if version > 1 {
        tbs.optional(0x81).ok_or("x509: malformed issuerUniqueID")?;
        tbs.optional(0x82).ok_or("x509: malformed subjectUniqueID")?;
    }
    if version == 3
        && let Some(extensions) = tbs.optional(0xa3).ok_or("x509: malformed extensions")?.found()
    {
        read_extensions(extensions, &mut certificate)?;
    }
    certificate.signature = outer.bits().ok_or("x509: malformed signature")?.1.to_vec();
    Ok((certificate, input.0))
}

fn read_version(tbs: &mut Der<'_>) -> Result<u8, Malformed> {
    let malformed = "x509: malformed version";
    let Some(mut version) = tbs.optional(0xa0).ok_or(malformed)?.found() else { return Ok(1) };
    match version.integer().filter(|_| version.is_empty()).ok_or(malformed)? {
        [number] if number & 0x80 != 0 => Err(malformed.into()),
        [number @ 0..=2] => Ok(number + 1),
        _ => Err("x509: invalid version".into()),
    }
}

/// As Go's `x509.parseAI`: an identifier, and perhaps parameters.
pub(crate) fn read_algorithm(mut algorithm: Der<'_>) -> Result<(&[u8], Der<'_>), Malformed> {
    let id = algorithm.object_id().ok_or("x509: malformed OID")?;
    let parameters = algorithm;
    if !algorithm.is_empty() {
        algorithm.any().ok_or("x509: malformed parameters")?;
    }
    Ok((id, parameters))
}

/// As Go's `x509.parseTime`.
fn read_time(validity: &mut Der<'_>) -> Result<Time, Malformed> {
    let (malformed, century_digits) = match validity.peek() {
        Some(der::UTC_TIME) => ("x509: malformed UTCTime", 2),
        Some(der::GENERALIZED_TIME) => ("x509: malformed GeneralizedTime", 4),
        _ => return Err("x509: unsupported time format".into()),
    };
    let (_, text, _) = validity.any().ok_or(malformed)?;
    let text = std::str::from_utf8(text).ok().and_then(|text| text.strip_suffix('Z')).ok_or(malformed)?;
    seconds(text, century_digits).map(|seconds| Time::from_unix(seconds, 0)).ok_or_else(|| malformed.into())
}

/// Seconds since 1970 of a date such as `20260102030405`.
fn seconds(text: &str, year_digits: usize) -> Option<i64> {
    if text.len() != year_digits + 10 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().ok();
    let mut year = number(0..year_digits)?;
    if year_digits == 2 {
        year += if year >= 50 { 1900 } else { 2000 };
    }
    let part = |index: usize| number(year_digits + 2 * index..year_digits + 2 * index + 2);
    let month = part(0)?;
    let day = part(1)?;
    let hour = part(2)?;
    let minute = part(3)?;
    let second = part(4)?;
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = usize::try_from(month - 1).ok().and_then(|month| days.get(month))?;
    if !(1..=*length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since 1970, with March as the first month of a year.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era_years = shifted_year.rem_euclid(400);
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = era_years * 365 + era_years / 4 - era_years / 100 + day_of_year;
    let days = shifted_year.div_euclid(400) * 146_097 + day_of_era - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

fn read_extensions(mut extensions: Der<'_>, certificate: &mut Certificate) -> Result<(), Malformed> {
    let mut extensions = extensions.read(SEQUENCE).ok_or("x509: malformed extensions")?;
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut found = Vec::new();
    while !extensions.is_empty() {
        let mut extension = extensions.read(SEQUENCE).ok_or("x509: malformed extension")?;
        let id = extension.object_id().ok_or("x509: malformed extension OID field")?;
        if extension.peek() == Some(BOOLEAN) {
            extension.boolean().ok_or("x509: malformed extension critical field")?;
        }
        let value = extension.read(OCTET_STRING).ok_or("x509: malformed extension value field")?;
        if seen.contains(&id) {
            return Err("x509: certificate contains duplicate extensions".into());
        }
        seen.push(id);
        found.push((id, value));
    }
    found.into_iter().try_for_each(|(id, value)| read_extension(id, value, certificate))
}

/// As the part of Go's `x509.processExtensions` about extensions that somebody here asks for.
fn read_extension(id: &[u8], mut value: Der<'_>, certificate: &mut Certificate) -> Result<(), Malformed> {
    match id {
        KEY_USAGE => {
            let (_, bits) = value.bits().ok_or("x509: invalid key usage")?;
            certificate.key_usage = Some(bits.first().copied().unwrap_or_default());
            Ok(())
        }
        BASIC_CONSTRAINTS => {
            certificate.is_ca = read_basic_constraints(value).ok_or("x509: invalid basic constraints")?;
            certificate.basic_constraints_valid = true;
            Ok(())
        }
        SUBJECT_ALT_NAME => read_alt_names(value, certificate),
        EXTENDED_KEY_USAGE => {
            let invalid = "x509: invalid extended key usages";
            let mut usages = value.read(SEQUENCE).ok_or(invalid)?;
            while !usages.is_empty() {
                usages.object_id().ok_or(invalid)?;
            }
            Ok(())
        }
        SUBJECT_KEY_ID => {
            value.read(OCTET_STRING).map(|_| ()).ok_or_else(|| "x509: invalid subject key identifier".into())
        }
        _ => Ok(()),
    }
}

fn read_basic_constraints(mut value: Der<'_>) -> Option<bool> {
    let mut constraints = value.read(SEQUENCE)?;
    let mut is_ca = false;
    if constraints.peek() == Some(BOOLEAN) {
        is_ca = constraints.boolean()?;
    }
    if constraints.peek() == Some(INTEGER) {
        constraints.integer()?;
    }
    Some(is_ca)
}

/// As Go's `x509.parseSANExtension`.
fn read_alt_names(mut value: Der<'_>, certificate: &mut Certificate) -> Result<(), Malformed> {
    let invalid = "x509: invalid subject alternative names";
    let mut names = value.read(SEQUENCE).ok_or(invalid)?;
    certificate.has_alt_names = true;
    while !names.is_empty() {
        let (tag, name, _) = names.any().ok_or(invalid)?;
        let text = || std::str::from_utf8(name).ok().filter(|text| text.is_ascii());
        match tag {
            0x81 => {
                let text = text().ok_or("x509: SAN rfc822Name is malformed")?;
                certificate.email_addresses.push(text.to_owned());
            }
            0x82 => {
                let text = text().ok_or("x509: SAN dNSName is malformed")?;
                certificate.dns_names.push(text.to_owned());
            }
            0x86 if text().is_none() => return Err("x509: SAN uniformResourceIdentifier is malformed".into()),
            0x87 => certificate.ip_addresses.push(read_address(name)?),
            _ => {}
        }
    }
    Ok(())
}

fn read_address(bytes: &[u8]) -> Result<IpAddr, Malformed> {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return Ok(bytes.into());
    }
    let malformed = || format!("x509: cannot parse IP address of length {}", bytes.len()).into();
    <[u8; 16]>::try_from(bytes).map(IpAddr::from).map_err(|_| malformed())
}

/// Tells if parameters are absent or null.
pub(crate) fn has_no_parameters(mut parameters: Der<'_>) -> bool {
    parameters.is_empty() || parameters.read(NULL).is_some_and(Der::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seconds() {
        assert_eq!(seconds("700101000000", 2), Some(0));
        assert_eq!(seconds("20240229120000", 4), Some(1_709_208_000));
        assert_eq!(seconds("20230229120000", 4), None);
        assert_eq!(seconds("20231301120000", 4), None);
        assert_eq!(seconds("2023", 4), None);
    }

    #[test]
    fn bad_bytes_are_named_as_go_does() {
        let flaw = |bytes: &[u8]| Certificate::parse(bytes).unwrap_err().to_string();
        assert_eq!(flaw(b""), "x509: malformed certificate");
        assert_eq!(flaw(b"abc"), "x509: malformed certificate");
        assert_eq!(flaw(&[0x30, 0]), "x509: malformed tbs certificate");
        assert_eq!(flaw(&[0x30, 2, 0x30, 0]), "x509: malformed serial number");
        assert_eq!(flaw(&[0x30, 5, 0x30, 3, 2, 1, 0xff]), "x509: negative serial number");
        assert_eq!(flaw(&[0x30, 7, 0x30, 5, 0xa0, 3, 2, 1, 9]), "x509: invalid version");
    }
}

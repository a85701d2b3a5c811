//! Reasons to reject a certificate, in the order and the words of Go's `x509.Certificate.Verify`.

use std::net::IpAddr;

use sprag_value::Time;

use crate::Malformed;
use crate::certificate::Certificate;
use crate::der::Der;
use crate::signature;

/// Maximum number of certificates between one and its root; Go counts signatures in place of them.
const MAX_DEPTH: usize = 8;
/// The bit of keys that may sign certificates, counted from the highest: 5.
const CERT_SIGN: u8 = 0x80 >> 5;
/// As Go's `maxNamesIncluded`.
const MAX_NAMES: usize = 100;

/// The trusted authorities, and the requirements on a server's certificate.
#[derive(Clone, Copy, Debug)]
pub struct Distrust<'a> {
    /// Certificates that are trusted.
    pub roots: &'a [Certificate],
    /// Those that the server sent beside its own.
    pub intermediates: &'a [Certificate],
    /// The name or address of the server.
    pub host: &'a str,
    /// The time.
    pub now: Time,
}

impl Distrust<'_> {
    /// Returns the reason why a server's certificate is rejected; `None` if none of the reasons known here applies.
    pub fn explain(&self, certificate: &Certificate) -> Option<String> {
        let flaw = self.flaw_of_time(certificate).or_else(|| flaw_of_host(certificate, self.host));
        if flaw.is_some() || self.roots.contains(certificate) {
            return flaw;
        }
        self.flaw_of_chain(certificate, 0)
    }

    // As Go's x509.Certificate.isValid.
    fn flaw_of_time(&self, certificate: &Certificate) -> Option<String> {
        let now = self.now.unix_seconds();
        let (word, limit) = if now < certificate.not_before.unix_seconds() {
            ("before", certificate.not_before)
        } else if now > certificate.not_after.unix_seconds() {
            ("after", certificate.not_after)
        } else {
            return None;
        };
        let now = Time::from_unix(now, 0);
        Some(format!("x509: certificate has expired or is not yet valid: current time {now} is {word} {limit}"))
    }

    // As Go's x509.Certificate.buildChains.
    fn flaw_of_chain(&self, certificate: &Certificate, depth: usize) -> Option<String> {
        let mut flaw = None;
        let mut hint = None;
        let roots = self.roots.iter().map(|root| (root, true));
        let candidates = roots.chain(self.intermediates.iter().map(|between| (between, false)));
        for (candidate, is_root) in candidates.filter(|(candidate, _)| candidate.subject == certificate.issuer) {
            if candidate == certificate || depth >= MAX_DEPTH {
                continue;
            }
            if let Err(why) = certificate.check_signature_from(candidate) {
                hint.get_or_insert((why.to_string(), candidate));
                continue;
            }
            let of_candidate = self.flaw_of_time(candidate);
            if let Some(why) = of_candidate.or_else(|| flaw_of_authority(candidate, is_root)) {
                hint.get_or_insert((why.clone(), candidate));
                flaw = Some(why);
                continue;
            }
            if is_root {
                return None;
            }
            flaw = Some(self.flaw_of_chain(candidate, depth + 1)?);
        }
        Some(flaw.unwrap_or_else(|| unknown_authority(hint)))
    }
}

impl Certificate {
    /// Checks that an authority signed the certificate, as Go's `Certificate.CheckSignatureFrom`.
    fn check_signature_from(&self, parent: &Certificate) -> Result<(), Malformed> {
        let is_authority = if parent.basic_constraints_valid { parent.is_ca } else { parent.version != 3 };
        let may_sign = parent.key_usage.is_none_or(|usage| usage == 0 || usage & CERT_SIGN != 0);
        if !is_authority || !may_sign {
            // As Go's x509.ConstraintSignatureError.
            let why = "x509: invalid signature: parent certificate cannot sign this kind of certificate";
            return Err(why.into());
        }
        signature::check(&parent.public_key, Der(&self.algorithm), &self.signed, &self.signature)
    }

    /// The name by which Go's errors know an authority.
    fn authority_name(&self) -> String {
        match (self.common_name.as_str(), self.organizations.first()) {
            ("", Some(organization)) => organization.clone(),
            ("", None) => format!("serial:{}", decimal(&self.serial)),
            (name, _) => name.to_owned(),
        }
    }
}

fn flaw_of_authority(certificate: &Certificate, is_root: bool) -> Option<String> {
    let may_sign = is_root || certificate.basic_constraints_valid && certificate.is_ca;
    (!may_sign).then(|| "x509: certificate is not authorized to sign other certificates".to_owned())
}

// As Go's x509.UnknownAuthorityError.
fn unknown_authority(hint: Option<(String, &Certificate)>) -> String {
    let unknown = "x509: certificate signed by unknown authority";
    match hint {
        None => unknown.to_owned(),
        Some((why, candidate)) => format!(
            "{unknown} (possibly because of {} while trying to verify candidate authority certificate {})",
            sprag_field::quote::go(&why),
            sprag_field::quote::go(&candidate.authority_name())
        ),
    }
}

// As Go's x509.Certificate.VerifyHostname and x509.HostnameError.
fn flaw_of_host(certificate: &Certificate, host: &str) -> Option<String> {
    let names = &certificate.dns_names;
    let addresses = &certificate.ip_addresses;
    let valid = if let Ok(address) = host.parse::<IpAddr>() {
        if addresses.contains(&address) {
            return None;
        }
        if addresses.is_empty() {
            let why = "because it doesn't contain any IP SANs";
            return Some(format!("x509: cannot validate certificate for {host} {why}"));
        }
        if addresses.len() >= MAX_NAMES {
            return Some(format!(
                "x509: certificate is valid for {} IP SANs, but none matched {host}",
                addresses.len()
            ));
        }
        addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    } else {
        if names.iter().any(|name| matches_host(name, host)) {
            return None;
        }
        if !certificate.has_alt_names && matches_host(&certificate.common_name, host) {
            return Some("x509: certificate relies on legacy Common Name field, use SANs instead".to_owned());
        }
        if names.len() >= MAX_NAMES {
            return Some(format!("x509: certificate is valid for {} names, but none matched {host}", names.len()));
        }
        names.join(", ")
    };
    Some(if valid.is_empty() {
        format!("x509: certificate is not valid for any names, but wanted to match {host}")
    } else {
        format!("x509: certificate is valid for {valid}, not {host}")
    })
}

// As Go's x509.matchHostnames.
fn matches_host(pattern: &str, host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    if pattern.is_empty() || host.is_empty() || pattern.split('.').count() != host.split('.').count() {
        return false;
    }
    let mut parts = pattern.split('.').zip(host.split('.')).enumerate();
    parts.all(|(at, (pattern, part))| at == 0 && pattern == "*" || pattern.eq_ignore_ascii_case(part))
}

/// A number, the highest byte first, as text.
fn decimal(bytes: &[u8]) -> String {
    let mut digits = vec![0_u32];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            let value = *digit * 256 + carry;
            (*digit, carry) = (value % 10, value / 10);
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    digits.iter().rev().filter_map(|digit| char::from_digit(*digit, 10)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_written() {
        assert_eq!(decimal(&[0]), "0");
        assert_eq!(decimal(&[1, 0]), "256");
        assert_eq!(decimal(&[0xff; 16]), u128::MAX.to_string());
    }

    #[test]
    fn names_match_hosts() {
        for (pattern, host, expected) in [
            ("a.example.com", "A.example.com.", true),
            ("*.example.com", "a.example.com", true),
            ("*.example.com", "a.b.example.com", false),
            ("a.*.com", "a.b.com", false),
            ("", "", false),
        ] {
            assert_eq!(matches_host(pattern, host), expected, "{pattern} {host}");
        }
    }
}

//! Certificates: an authority that clients know, and a certificate of the server that is renewed before it ends, without a
//! restart. Only the authority is kept.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData as _, SanType, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::Error;

const DAY: u64 = 24 * 60 * 60;
/// How long the authority vouches. One that ends within a year is replaced when the server starts.
const AUTHORITY_LIFE: u64 = 10 * 365 * DAY;
const AUTHORITY_RENEWAL: u64 = 365 * DAY;
/// How long a certificate of the server is good for, and how long before its end the next one is made.
const SERVER_LIFE: u64 = 90 * DAY;
const SERVER_RENEWAL: u64 = 30 * DAY;
/// Clocks of clients may be this much behind.
const CLOCK_SKEW: u64 = 60 * 60;
/// Names that every server has.
const LOCAL_NAMES: [&str; 4] = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/// Who vouches for the server.
#[derive(Clone)]
pub(crate) struct Authority {
    certificate: String,
    key: String,
    /// In seconds since 1970.
    not_after: u64,
}

impl Authority {
    /// A new one.
    pub(crate) fn new(now: u64) -> Result<Authority, Error> {
        let key = KeyPair::generate().map_err(failed)?;
        let not_after = now + AUTHORITY_LIFE;
        let certificate = authority_params(now, not_after, &key).self_signed(&key).map_err(failed)?;
        Ok(Authority { certificate: certificate.pem(), key: key.serialize_pem(), not_after })
    }

    /// The one of a certificate and a key, as PEM; nothing if they are not what [`Authority::new`] makes.
    pub(crate) fn read(certificate: &str, key: &str) -> Option<Authority> {
        let der = CertificateDer::from_pem_slice(certificate.as_bytes()).ok()?;
        let pair = KeyPair::from_pem(key).ok()?;
        let not_after = not_after(&der).filter(|_| contains(&der, pair.der_bytes()))?;
        Some(Authority { certificate: certificate.to_owned(), key: key.to_owned(), not_after })
    }

    /// The certificate as PEM.
    pub(crate) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// The private key as PEM.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Whether it should be replaced.
    pub(crate) fn ends_soon(&self, now: u64) -> bool {
        now + AUTHORITY_RENEWAL > self.not_after
    }

    /// A certificate of the server for these names, good from now on.
    fn issue(&self, names: &[String], now: u64) -> Result<CertifiedKey, Error> {
        let authority_key = KeyPair::from_pem(&self.key).map_err(failed)?;
        let issuer = Issuer::new(authority_params(now, self.not_after, &authority_key), authority_key);
        let key = KeyPair::generate().map_err(failed)?;
        let mut server = params("sprag", now, (now + SERVER_LIFE).min(self.not_after));
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        for name in names {
            server.subject_alt_names.push(match name.parse::<IpAddr>() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName(name.as_str().try_into().map_err(failed)?),
            });
        }
        let certificate = server.signed_by(&key, &issuer).map_err(failed)?;
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes());
        let key = key.map_err(|error| Error::Certificates(error.to_string()))?;
        let key = ring::sign::any_supported_type(&key).map_err(|error| Error::Certificates(error.to_string()))?;
        Ok(CertifiedKey::new(vec![certificate.der().clone()], key))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` calls it")]
fn failed(error: rcgen::Error) -> Error {
    Error::Certificates(error.to_string())
}

fn params(name: &str, now: u64, not_after: u64) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(1970, 1, 1) + Duration::from_secs(now.saturating_sub(CLOCK_SKEW));
    params.not_after = date_time_ymd(1970, 1, 1) + Duration::from_secs(not_after);
    params
}

/// The parameters of an authority. Its name differs with its key, so that clients that know several do not mix them up.
fn authority_params(now: u64, not_after: u64, key: &KeyPair) -> CertificateParams {
    let id = key.der_bytes().iter().rev().take(6).fold(0, |id: u64, byte| id << 8 | u64::from(*byte));
    let mut params = params(&format!("sprag-ca@{id:012x}"), now, not_after);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

/// The names in the certificate of a server: this machine's, and these.
pub(crate) fn server_names(more: impl IntoIterator<Item = String>) -> Vec<String> {
    let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let mut names: Vec<String> = LOCAL_NAMES.map(str::to_owned).into();
    for name in local.iter().map(ToString::to_string).chain(more) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The TLS settings of a server with these names.
pub(crate) fn tls(
    authority: Authority,
    names: Vec<String>,
    clock: impl Fn() -> u64 + Send + Sync + 'static,
) -> Result<Arc<ServerConfig>, Error> {
    let now = clock();
    let current = RwLock::new(Current { key: Arc::new(authority.issue(&names, now)?), renew_at: renewal(now) });
    let certificates = Renewing { authority, names, clock: Box::new(clock), current };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Certificates(error.to_string()))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(certificates));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn renewal(now: u64) -> u64 {
    now + SERVER_LIFE - SERVER_RENEWAL
}

/// Shows each client a certificate that does not end soon.
struct Renewing {
    authority: Authority,
    names: Vec<String>,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    current: RwLock<Current>,
}

struct Current {
    key: Arc<CertifiedKey>,
    renew_at: u64,
}

impl Renewing {
    fn certificate(&self) -> Arc<CertifiedKey> {
        let now = (self.clock)();
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if now < current.renew_at {
            return current.key.clone();
        }
        drop(current);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if now >= current.renew_at {
            current.renew_at = renewal(now);
            match self.authority.issue(&self.names, now) {
                Ok(key) => current.key = Arc::new(key),
                Err(error) => {
                    current.renew_at = now + DAY;
                    tracing::error!(%error, "the certificate could not be renewed; the next attempt is in a day");
                }
            }
            if self.authority.ends_soon(now) {
                tracing::error!("the certificate authority ends within a year: restart the server to replace it");
            }
        }
        current.key.clone()
    }
}

impl ResolvesServerCert for Renewing {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.certificate())
    }
}

impl fmt::Debug for Renewing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renewing").field("names", &self.names).finish_non_exhaustive()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// When a certificate in DER ends, in seconds since 1970 (RFC 5280, `Certificate.tbsCertificate.validity.notAfter`).
fn not_after(certificate: &[u8]) -> Option<u64> {
    const SEQUENCE: u8 = 0x30;
    const VERSION: u8 = 0xa0;
    let mut body = element(element(certificate, SEQUENCE)?.0, SEQUENCE)?.0;
    if let Some((_, rest)) = element(body, VERSION) {
        body = rest;
    }
    // The serial number, the algorithm and the issuer come before.
    for tag in [0x02, SEQUENCE, SEQUENCE] {
        body = element(body, tag)?.1;
    }
    let validity = element(body, SEQUENCE)?.0;
    let (_, end) = time(validity)?;
    seconds(&time(end)?.0)
}

/// The content of the first element, which must have this tag, and what follows it.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, first], rest) = bytes.split_first_chunk::<2>()?;
    if found != tag {
        return None;
    }
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// The first element as a time, with four digits for the year, and what follows it.
fn time(bytes: &[u8]) -> Option<(String, &[u8])> {
    const UTC_TIME: u8 = 0x17;
    const GENERALIZED_TIME: u8 = 0x18;
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
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// The middle of November 2026.
    const NOW: u64 = 1_794_800_000;

    #[test]
    fn an_authority_is_read_back_with_its_end() {
        let authority = Authority::new(NOW).unwrap();
        let read = Authority::read(authority.certificate(), authority.key()).unwrap();
        assert_eq!(read.not_after, NOW + AUTHORITY_LIFE);
        assert!(!read.ends_soon(NOW + AUTHORITY_LIFE - AUTHORITY_RENEWAL));
        assert!(read.ends_soon(NOW + AUTHORITY_LIFE - AUTHORITY_RENEWAL + 1));
        let other = Authority::new(NOW).unwrap();
        assert!(Authority::read(authority.certificate(), other.key()).is_none(), "another's key");
        for (certificate, key) in [("", ""), (authority.certificate(), ""), ("-----", authority.key())] {
            assert!(Authority::read(certificate, key).is_none());
        }
        // Beyond 2049, times have four digits for the year.
        let late = Authority::new(NOW + 30 * 365 * DAY).unwrap();
        let read = Authority::read(late.certificate(), late.key()).unwrap();
        assert_eq!(read.not_after, late.not_after);
    }

    #[test]
    fn damaged_certificates_have_no_end() {
        let authority = Authority::new(NOW).unwrap();
        let der = CertificateDer::from_pem_slice(authority.certificate().as_bytes()).unwrap();
        for length in 0..der.len() {
            assert_eq!(not_after(&der[..length]), None, "{length}");
        }
    }

    #[test]
    fn a_certificate_is_renewed_before_it_ends() {
        static CLOCK: AtomicU64 = AtomicU64::new(NOW);
        let authority = Authority::new(NOW).unwrap();
        let names = server_names(["10.1.2.3".to_owned(), "api.example.com".to_owned()]);
        let key = Arc::new(authority.issue(&names, NOW).unwrap());
        let current = RwLock::new(Current { key, renew_at: renewal(NOW) });
        let clock = Box::new(|| CLOCK.load(Ordering::Relaxed));
        let renewing = Renewing { authority, names, clock, current };
        let end = |key: &CertifiedKey| not_after(&key.cert[0]).unwrap();
        let first = renewing.certificate();
        assert_eq!(end(&first), NOW + SERVER_LIFE);
        CLOCK.store(renewal(NOW) - 1, Ordering::Relaxed);
        assert!(Arc::ptr_eq(&first, &renewing.certificate()));
        CLOCK.store(renewal(NOW), Ordering::Relaxed);
        let second = renewing.certificate();
        assert_eq!(end(&second), renewal(NOW) + SERVER_LIFE);
        assert!(Arc::ptr_eq(&second, &renewing.certificate()));
        assert!(contains(&second.cert[0], b"api.example.com") && contains(&second.cert[0], &[10, 1, 2, 3]));
    }
}

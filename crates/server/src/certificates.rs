//! Certificates: an authority that clients know, and a certificate of the server that is renewed before it ends, without a
//! restart. Only the authority is kept.

use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData as _, SanType, SigningKey as _, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;

use crate::Error;
use crate::authentication::AnyCertificate;
use crate::der::{self, not_after};
use crate::identity::now;

const DAY: u64 = 24 * 60 * 60;
/// Lifetime of the certificate authority. One that expires within a year is replaced on start.
const AUTHORITY_LIFE: u64 = 10 * 365 * DAY;
const AUTHORITY_RENEWAL: u64 = 365 * DAY;
/// Lifetime of the serving certificate, and how long before its expiry it is renewed.
const SERVER_LIFE: u64 = 90 * DAY;
const SERVER_RENEWAL: u64 = 30 * DAY;
/// Clocks of clients may be this much behind.
const CLOCK_SKEW: u64 = 60 * 60;
/// Names that every server has.
const LOCAL_NAMES: [&str; 4] = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/// The certificate authority of the server.
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

    /// True if it should be replaced.
    pub(crate) fn ends_soon(&self, now: u64) -> bool {
        now + AUTHORITY_RENEWAL > self.not_after
    }

    fn issuer(&self, now: u64) -> Result<Issuer<'_, KeyPair>, Error> {
        let key = KeyPair::from_pem(&self.key).map_err(failed)?;
        Ok(Issuer::new(authority_params(now, self.not_after, &key), key))
    }

    /// A certificate of a client and its key, as PEM: the common name is the user, organizations are groups.
    pub(crate) fn issue_client(
        &self,
        user: &str,
        groups: &[String],
        now: u64,
        days: u32,
    ) -> Result<(String, String), Error> {
        let key = KeyPair::generate().map_err(failed)?;
        let mut client = params(user, now, (now + u64::from(days) * DAY).min(self.not_after));
        client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        client.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        let certificate = client.signed_by(&key, &self.issuer(now)?).map_err(failed)?;
        // The library writes one organization at most, so the subject is put in its place and signed again.
        let subject = der::Subject { common_name: user.to_owned(), organizations: groups.to_vec(), uids: Vec::new() };
        let authority = KeyPair::from_pem(&self.key).map_err(failed)?;
        let sign = |text: &[u8]| authority.sign(text).ok();
        let certificate = der::with_subject(certificate.der(), &subject, &sign)
            .ok_or_else(|| Error::Certificates("a client certificate cannot be made".to_owned()))?;
        Ok((der::pem("CERTIFICATE", &certificate), key.serialize_pem()))
    }

    /// A certificate of the server for these names, good from now on, and its key, as PEM.
    pub(crate) fn issue(&self, names: &[String], now: u64) -> Result<(String, String), Error> {
        let issuer = self.issuer(now)?;
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
        Ok((certificate.pem(), key.serialize_pem()))
    }

    fn certify(&self, names: &[String], now: u64) -> Result<CertifiedKey, Error> {
        let (certificate, key) = self.issue(names, now)?;
        certified(&certificate, &key)
    }
}

/// A certificate, those that vouch for it, and its key, of PEM.
fn certified(chain: &str, key: &str) -> Result<CertifiedKey, Error> {
    let failed = |what: &str, error: &dyn fmt::Display| Error::Certificates(format!("{what}: {error}"));
    let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| failed("the certificate", &error))?;
    if chain.is_empty() {
        return Err(failed("the certificate", &"no PEM block CERTIFICATE found"));
    }
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| failed("the key", &error))?;
    let key = ring::sign::any_supported_type(&key).map_err(|error| failed("the key", &error))?;
    let certified = CertifiedKey::new(chain, key);
    certified.keys_match().map_err(|error| failed("the key is not that of the certificate", &error))?;
    Ok(certified)
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
    clients: AnyCertificate,
) -> Result<Arc<ServerConfig>, Error> {
    let now = clock();
    let current = RwLock::new(Current { key: Arc::new(authority.certify(&names, now)?), renew_at: renewal(now) });
    let certificates = Renewing { authority, names, clock: Box::new(clock), current };
    config(Arc::new(certificates), Arc::new(clients), &[b"h2".to_vec(), b"http/1.1".to_vec()])
}

/// The same with this certificate and key, as PEM.
pub(crate) fn tls_of(chain: &str, key: &str, clients: AnyCertificate) -> Result<Arc<ServerConfig>, Error> {
    let certificate = Given(Arc::new(certified(chain, key)?));
    config(Arc::new(certificate), Arc::new(clients), &[b"h2".to_vec(), b"http/1.1".to_vec()])
}

/// TLS settings with this certificate and key, as PEM, for HTTP/1.1 and clients without certificates.
pub(crate) fn plain_tls(chain: &str, key: &str) -> Result<Arc<ServerConfig>, Error> {
    let certificate = Given(Arc::new(certified(chain, key)?));
    config(Arc::new(certificate), WebPkiClientVerifier::no_client_auth(), &[b"http/1.1".to_vec()])
}

fn config(
    certificates: Arc<dyn ResolvesServerCert>,
    clients: Arc<dyn ClientCertVerifier>,
    protocols: &[Vec<u8>],
) -> Result<Arc<ServerConfig>, Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Certificates(error.to_string()))?
        .with_client_cert_verifier(clients)
        .with_cert_resolver(certificates);
    config.alpn_protocols = protocols.to_vec();
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
            match self.authority.certify(&self.names, now) {
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

/// Shows each client the certificate that was given.
#[derive(Debug)]
struct Given(Arc<CertifiedKey>);

impl ResolvesServerCert for Given {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
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

/// A certificate of a server and its key, both as PEM. Certificates of those who vouch for it may follow in the chain.
#[derive(Clone)]
pub struct ServingCertificate {
    /// The certificate, and who vouches for it.
    pub chain: String,
    /// The private key.
    pub key: String,
}

impl ServingCertificate {
    /// The one in two files.
    pub fn read(certificate: &Path, key: &Path) -> Result<ServingCertificate, Error> {
        let read = |path: &Path| fs::read_to_string(path).map_err(|error| Error::file("read", path, error));
        let serving = ServingCertificate { chain: read(certificate)?, key: read(key)? };
        certified(&serving.chain, &serving.key)?;
        Ok(serving)
    }

    /// A new one for these names, with the authority that vouches for it behind it, as upstream's
    /// `GenerateSelfSignedCertKey` makes it.
    pub(crate) fn new(names: &[String]) -> Result<ServingCertificate, Error> {
        let authority = Authority::new(now())?;
        let (certificate, key) = authority.issue(names, now())?;
        Ok(ServingCertificate { chain: format!("{certificate}{}", authority.certificate()), key })
    }
}

impl fmt::Debug for ServingCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServingCertificate").field("chain", &self.chain).finish_non_exhaustive()
    }
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
        let key = Arc::new(authority.certify(&names, NOW).unwrap());
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

//! Client certificates: taken in the handshake whatever they are, judged with each request.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use ring::digest::{SHA256, digest};
use rustls::crypto::{self, ring as provider};
use rustls::pki_types::{CertificateDer, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error as TlsError, RootCertStore, SignatureScheme,
};
use sprag_rest::{FeatureGates, User};

use super::{CREDENTIAL_ID, Refused};
use crate::der::{self, Subject, Version1};
use crate::error::Error;
use crate::keys::certificates;

/// Authorities that vouch for clients.
#[derive(Debug)]
pub(crate) struct ClientCas {
    roots: Vec<CertificateDer<'static>>,
    verifier: Option<Arc<dyn ClientCertVerifier>>,
}

impl ClientCas {
    /// The authorities in these PEM files.
    pub(crate) fn new<'p>(pems: impl IntoIterator<Item = &'p str>) -> Result<ClientCas, Error> {
        let failed = |error: String| Error::Certificates(format!("client certificate authority: {error}"));
        let mut store = RootCertStore::empty();
        let mut roots = Vec::new();
        for pem in pems {
            for certificate in certificates(pem).map_err(failed)? {
                roots.push(certificate.clone());
                store.add(certificate).map_err(|error| failed(error.to_string()))?;
            }
        }
        if roots.is_empty() {
            return Ok(ClientCas { roots, verifier: None });
        }
        let provider = Arc::new(provider::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(store), provider).build();
        let verifier = verifier.map_err(|error| failed(error.to_string()))?;
        Ok(ClientCas { roots, verifier: Some(verifier) })
    }

    /// Their names.
    pub(super) fn subjects(&self) -> Vec<DistinguishedName> {
        self.verifier.iter().flat_map(|verifier| verifier.root_hint_subjects().iter().cloned()).collect()
    }

    fn vouch_for(&self, chain: &[CertificateDer<'static>], now: u64) -> bool {
        let (Some(verifier), Some((first, others))) = (&self.verifier, chain.split_first()) else { return false };
        if let Some(certificate) = Version1::read(first) {
            return self.roots.iter().any(|root| signed(root, &certificate, now).is_some());
        }
        let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(now));
        let verified = verifier.verify_client_cert(first, others, now);
        verified.inspect_err(|error| tracing::debug!(%error, "a client certificate is refused")).is_ok()
    }
}

/// Checks that an authority signed a certificate of version 1, and that it is valid now.
// As Go's Certificate.Verify, which takes them: without extensions there are none that could limit them.
fn signed(root: &CertificateDer<'_>, certificate: &Version1<'_>, now: u64) -> Option<()> {
    if der::subject_name(root)? != certificate.issuer
        || !(certificate.not_before..=certificate.not_after).contains(&now)
    {
        return None;
    }
    let (algorithm, key) = der::public_key(der::public_key_info(root)?)?;
    let known = provider::default_provider().signature_verification_algorithms;
    let mut fitting = known.all.iter().filter(|known| {
        known.public_key_alg_id().as_ref() == algorithm && known.signature_alg_id().as_ref() == certificate.algorithm
    });
    let is_signed = fitting.any(|known| known.verify_signature(key, certificate.body, certificate.signature).is_ok());
    is_signed.then_some(())
}

/// The client certificate of a connection and the result of its verification.
pub(crate) struct Peer {
    chain: Vec<CertificateDer<'static>>,
    subject: Option<Subject>,
    not_after: u64,
    /// The results of verification by the authorities of clients, and of front proxies.
    verified: [OnceLock<bool>; 2],
}

impl Peer {
    /// The certificates of a client, its own first; none if it showed none.
    pub(crate) fn new(chain: Option<&[CertificateDer<'_>]>) -> Option<Peer> {
        let chain: Vec<_> = chain?.iter().map(|certificate| certificate.clone().into_owned()).collect();
        let first = chain.first()?;
        let subject = der::subject(first);
        let not_after = der::not_after(first).unwrap_or(0);
        Some(Peer { chain, subject, not_after, verified: Default::default() })
    }

    /// Until when it is good, in seconds since 1970.
    pub(super) fn not_after(&self) -> u64 {
        self.not_after
    }

    /// Returns the subject, if these authorities signed the certificate and it has not expired. Asked once a connection
    /// for each place.
    pub(super) fn verified_by(&self, place: usize, cas: &ClientCas, now: u64) -> Option<&Subject> {
        let is_verified = *self.verified[place].get_or_init(|| cas.vouch_for(&self.chain, now));
        self.subject.as_ref().filter(|_| is_verified && now <= self.not_after)
    }
}

/// The user of a certificate; `None` without a common name.
// As upstream's x509.CommonNameUserConversion and parseUIDFromCert.
pub(super) fn user(subject: &Subject, peer: &Peer, gates: &FeatureGates) -> Result<Option<User>, Refused> {
    if subject.common_name.is_empty() {
        return Ok(None);
    }
    let uid = match subject.uids.as_slice() {
        [] => String::new(),
        _ if !gates.enabled("AllowParsingUserUIDFromCertAuth") => String::new(),
        [uid] if !uid.is_empty() => uid.clone(),
        _ => return Err(Refused),
    };
    let first = peer.chain.first().map(AsRef::as_ref).unwrap_or_default();
    let mut id = "X509SHA256=".to_owned();
    for byte in digest(&SHA256, first).as_ref() {
        let _ = write!(id, "{byte:02x}");
    }
    Ok(Some(User {
        name: subject.common_name.clone(),
        uid,
        groups: subject.organizations.clone(),
        extra: vec![(CREDENTIAL_ID.to_owned(), vec![id])],
    }))
}

/// Takes every client certificate whose key the client has: who it is of is looked at with each request.
#[derive(Debug)]
pub(crate) struct AnyCertificate {
    pub(crate) hints: Vec<DistinguishedName>,
}

impl ClientCertVerifier for AnyCertificate {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.hints
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, TlsError> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, TlsError> {
        let known = provider::default_provider().signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signature, &known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, TlsError> {
        let known = provider::default_provider().signature_verification_algorithms;
        // By the key alone, so that certificates of version 1 get as far as being judged.
        let key =
            der::public_key_info(certificate).ok_or(TlsError::InvalidCertificate(CertificateError::BadEncoding))?;
        crypto::verify_tls13_signature_with_raw_key(message, &SubjectPublicKeyInfoDer::from(key), signature, &known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::SigningKey as _;

    use super::*;
    use crate::certificates::Authority;

    const NOW: u64 = 1_794_800_000;
    const DAYS: u32 = 10;

    fn client(authority: &Authority) -> CertificateDer<'static> {
        let (pem, _) = authority.issue_client("ann", &["dev".to_owned()], NOW, DAYS).unwrap();
        certificates(&pem).unwrap().remove(0)
    }

    /// The same certificate without version and extensions, signed again.
    fn version_1(certificate: &CertificateDer<'_>, authority: &Authority) -> CertificateDer<'static> {
        const VERSION: u8 = 0xa0;
        let (parts, _) = der::element(certificate, der::SEQUENCE).unwrap();
        let (body, rest) = der::element(parts, der::SEQUENCE).unwrap();
        let (algorithm, _) = der::element(rest, der::SEQUENCE).unwrap();
        let key = der::public_key_info(certificate).unwrap();
        let end = body.windows(key.len()).position(|window| window == key).unwrap() + key.len();
        let start = body.len() - der::element(body, VERSION).unwrap().1.len();
        let body = der::encode(der::SEQUENCE, &body[start..end]);
        let signature = rcgen::KeyPair::from_pem(authority.key()).unwrap().sign(&body).unwrap();
        let signature = [&[0], signature.as_slice()].concat();
        let algorithm = der::encode(der::SEQUENCE, algorithm);
        let parts = [body, algorithm, der::encode(der::BIT_STRING, &signature)].concat();
        der::encode(der::SEQUENCE, &parts).into()
    }

    #[track_caller]
    fn check(certificate: &CertificateDer<'static>, cas: &ClientCas, now: u64, expected: Option<&str>) {
        let gates = FeatureGates::default();
        let peer = Peer::new(Some(std::slice::from_ref(certificate))).unwrap();
        let found = peer.verified_by(0, cas, now);
        let user = found.map(|subject| user(subject, &peer, &gates).ok().flatten().unwrap());
        assert_eq!(user.as_ref().map(|user| user.name.as_str()), expected, "{now}");
        if let Some(user) = user {
            assert_eq!(user.groups, ["dev"]);
            assert!(user.extra[0].1[0].starts_with("X509SHA256="));
        }
    }

    #[test]
    fn uids_of_certificates_count_while_the_gate_is_on() {
        let authority = Authority::new(NOW).unwrap();
        let peer = Peer::new(Some(std::slice::from_ref(&client(&authority)))).unwrap();
        let subject = |uids: &[&str]| Subject {
            common_name: "ann".into(),
            uids: uids.iter().map(|uid| (*uid).to_owned()).collect(),
            ..Subject::default()
        };
        let uid = |switches: &str, uids: &[&str]| {
            let mut gates = FeatureGates::default();
            gates.set(switches).unwrap();
            user(&subject(uids), &peer, &gates).map(|user| user.unwrap().uid).ok()
        };
        assert_eq!(uid("", &["u"]).as_deref(), Some("u"));
        assert_eq!(uid("", &["u", "v"]), None);
        let off = "AllowParsingUserUIDFromCertAuth=false";
        assert_eq!(uid(off, &["u"]).as_deref(), Some(""));
        assert_eq!(uid(off, &["u", "v"]).as_deref(), Some(""));
    }

    #[test]
    fn certificates_are_good_while_their_authority_and_their_time_say_so() {
        let authority = Authority::new(NOW).unwrap();
        let other = Authority::new(NOW).unwrap();
        let cas = ClientCas::new([authority.certificate()]).unwrap();
        let end = NOW + u64::from(DAYS) * 24 * 3600;
        for make in [|known: &Authority| client(known), |known: &Authority| version_1(&client(known), known)] {
            check(&make(&authority), &cas, NOW, Some("ann"));
            check(&make(&authority), &cas, end, Some("ann"));
            check(&make(&authority), &cas, end + 1, None);
            check(&make(&authority), &cas, NOW - 7200, None);
            check(&make(&other), &cas, NOW, None);
            check(&make(&authority), &ClientCas::new([]).unwrap(), NOW, None);
        }
        // Signed by another who says to be the authority.
        check(&version_1(&client(&authority), &other), &cas, NOW, None);
    }

    #[test]
    fn a_certificate_that_ends_is_refused_on_an_open_connection() {
        let authority = Authority::new(NOW).unwrap();
        let cas = ClientCas::new([authority.certificate()]).unwrap();
        let peer = Peer::new(Some(&[client(&authority)])).unwrap();
        assert!(peer.verified_by(0, &cas, NOW).is_some());
        assert!(peer.verified_by(0, &cas, peer.not_after() + 1).is_none());
        assert!(Peer::new(None).is_none() && Peer::new(Some(&[])).is_none());
    }
}

//! Trust of webhook clients in servers, with Go's messages for those they reject.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use sprag_value::Time;
use sprag_x509::{Certificate, Distrust};

/// The files in which systems keep the certificates that they trust.
// As Go's x509.certFiles on Linux.
const SYSTEM: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The configuration of clients that trust these certificates; those of the system if there are none.
pub(crate) fn client_config(ca_bundle: &[u8]) -> Result<Arc<ClientConfig>, String> {
    let system = if ca_bundle.is_empty() { system_bundle() } else { Vec::new() };
    let bundle = if ca_bundle.is_empty() { &system } else { ca_bundle };
    let trusted: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(bundle).flatten().collect();
    // As client-go's transport.rootCertPool.
    if trusted.is_empty() && !ca_bundle.is_empty() {
        return Err("unable to load root certificates: unable to parse bytes as PEM block".to_owned());
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let authorities = if roots.is_empty() {
        None
    } else {
        let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone());
        Some(builder.build().map_err(|error| error.to_string())?)
    };
    config(Verifier { authorities, trusted, skips_certificates: false, provider })
}

/// The configuration of clients that take any certificate.
// As Go's tls.Config with InsecureSkipVerify.
pub(crate) fn insecure_config() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    config(Verifier { authorities: None, trusted: Vec::new(), skips_certificates: true, provider })
}

fn config(verifier: Verifier) -> Result<Arc<ClientConfig>, String> {
    let provider = verifier.provider.clone();
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn system_bundle() -> Vec<u8> {
    let given = std::env::var_os("SSL_CERT_FILE").map(std::path::PathBuf::from);
    let mut files = given.into_iter().chain(SYSTEM.iter().map(std::path::PathBuf::from));
    files.find_map(|file| std::fs::read(file).ok()).unwrap_or_default()
}

/// Trusts what the authorities have signed, and certificates that are in the bundle themselves: a webhook whose certificate signs
/// itself is as good in Go.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    trusted: Vec<CertificateDer<'static>>,
    /// True if any certificate will do.
    skips_certificates: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.skips_certificates {
            return Ok(ServerCertVerified::assertion());
        }
        // As Go's x509.Certificate.Verify, which takes a certificate of the pool as it is.
        let verified = if self.trusted.iter().any(|trusted| trusted == end_entity) {
            let parsed = ParsedCertificate::try_from(end_entity)?;
            check_time(end_entity, now).and_then(|()| verify_server_name(&parsed, server_name))
        } else {
            match &self.authorities {
                Some(authorities) => authorities
                    .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
                    .map(|_| ()),
                None => Err(CertificateError::UnknownIssuer.into()),
            }
        };
        match verified {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(error) => Err(self.explained(error, end_entity, intermediates, server_name, now)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl Verifier {
    /// An error with Go's reason for it, where it is one that Go knows.
    fn explained(
        &self,
        error: Error,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        now: UnixTime,
    ) -> Error {
        let parse = |certificates: &[CertificateDer<'_>]| -> Vec<Certificate> {
            certificates.iter().filter_map(|certificate| Certificate::parse(certificate).ok()).collect()
        };
        let certificate = match Certificate::parse(end_entity) {
            Ok(certificate) => certificate,
            Err(why) => return reason(format!("tls: failed to parse certificate from server: {why}")),
        };
        let roots = parse(&self.trusted);
        let intermediates = parse(intermediates);
        let now = Time::from_unix(i64::try_from(now.as_secs()).unwrap_or(i64::MAX), 0);
        let host = server_name.to_str();
        let distrust = Distrust { roots: &roots, intermediates: &intermediates, host: &host, now };
        match distrust.explain(&certificate) {
            Some(why) => reason(format!("tls: failed to verify certificate: {why}")),
            None => error,
        }
    }
}

/// An error that is told as it is.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Reason(String);

fn reason(why: String) -> Error {
    CertificateError::Other(OtherError(Arc::new(Reason(why)))).into()
}

fn check_time(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let parsed = Certificate::parse(certificate).map_err(|_| CertificateError::BadEncoding)?;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    if now > parsed.not_after.unix_seconds() {
        return Err(CertificateError::Expired.into());
    }
    if now < parsed.not_before.unix_seconds() {
        return Err(CertificateError::NotValidYet.into());
    }
    Ok(())
}

/// Explains a failed TLS handshake with Go's message.
pub(crate) fn explain(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(CertificateError::Other(OtherError(reason))) => reason.to_string(),
        Error::InvalidCertificate(error) => {
            let why = match error {
                CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
                    "certificate specifies an incompatible key usage"
                }
                _ => "certificate signed by unknown authority",
            };
            format!("tls: failed to verify certificate: x509: {why}")
        }
        Error::InvalidMessage(_) => "tls: first record does not look like a TLS handshake".to_owned(),
        Error::AlertReceived(alert) => format!("remote error: tls: {}", alert_text(*alert)),
        other => format!("tls: {other}"),
    }
}

fn alert_text(alert: rustls::AlertDescription) -> String {
    let mut text = String::new();
    for c in format!("{alert:?}").chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(c.to_lowercase());
    }
    text
}

//! The identities: tokens in a file, certificates of two authorities that the server knows and one that it does not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

use super::wire::{Certificate, Identity};
use crate::suite::http::client::Credentials;

/// The second organization of a subject: rcgen keeps one value of each type, and compares types by more than their number.
const ORGANIZATION: [u64; 4] = [2, 5, 4, 10];

/// A certificate authority.
struct Authority {
    name: &'static str,
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

/// All identities, and what the server must know of them.
pub(super) struct Identities {
    /// By name; those that get a token later have none.
    pub(super) credentials: BTreeMap<String, Credentials>,
    /// Service accounts by the name of the identity, `namespace/name`.
    pub(super) accounts: BTreeMap<String, String>,
    /// The token file.
    pub(super) tokens: String,
    pub(super) client_ca: String,
    pub(super) request_header_ca: String,
}

impl Identities {
    pub(super) fn new(identities: &BTreeMap<String, Identity>) -> Result<Identities, String> {
        let authorities = ["client CA", "request header CA", "unknown"].map(Authority::new);
        let [client, request_header, unknown] = authorities;
        let authorities = [client?, request_header?, unknown?];
        let mut made = Identities {
            credentials: BTreeMap::new(),
            accounts: BTreeMap::new(),
            tokens: String::new(),
            client_ca: authorities[0].certificate.clone(),
            request_header_ca: authorities[1].certificate.clone(),
        };
        for (name, identity) in identities {
            let mut credentials = Credentials { token: identity.token.clone(), certificate: None };
            if let Some(token) = &identity.token {
                let groups = identity.groups.join(",");
                // A column that is there and empty would be one group without a name.
                let groups = Some(&groups).filter(|groups| !groups.is_empty());
                let fields = [token, &identity.user, &identity.uid].into_iter().chain(groups);
                let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
                let _ = writeln!(made.tokens, "{}", fields.map(quoted).collect::<Vec<_>>().join(","));
            }
            if let Some(certificate) = &identity.certificate {
                let authority = authorities.iter().find(|authority| authority.name == certificate.ca);
                let authority = authority.ok_or_else(|| format!("{name}: no authority {:?}", certificate.ca))?;
                credentials.certificate = Some(authority.issue(certificate)?);
            }
            if let Some(request) = &identity.token_request {
                made.accounts.insert(name.clone(), format!("{}/{}", request.namespace, request.serviceaccount));
            }
            made.credentials.insert(name.clone(), credentials);
        }
        Ok(made)
    }
}

impl Authority {
    fn new(name: &'static str) -> Result<Authority, String> {
        let key = KeyPair::generate().map_err(failed)?;
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let certificate = params.self_signed(&key).map_err(failed)?.pem();
        Ok(Authority { name, certificate, issuer: Issuer::new(params, key) })
    }

    /// A certificate and its key, as PEM.
    fn issue(&self, wanted: &Certificate) -> Result<(String, String), String> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        let mut organizations = 0;
        for part in wanted.subject.split('/').filter(|part| !part.is_empty()) {
            let (kind, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is no part of a subject"))?;
            let kind = match kind {
                "CN" => DnType::CommonName,
                "OU" => DnType::OrganizationalUnitName,
                "O" => {
                    organizations += 1;
                    match organizations {
                        1 => DnType::OrganizationName,
                        2 => DnType::CustomDnType(ORGANIZATION.to_vec()),
                        _ => return Err(format!("{}: more than two organizations", wanted.subject)),
                    }
                }
                other => return Err(format!("{other:?} is no part of a subject")),
            };
            params.distinguished_name.push(kind, value);
        }
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        params.extended_key_usages = vec![match wanted.extended_key_usage.as_str() {
            "serverAuth" => ExtendedKeyUsagePurpose::ServerAuth,
            _ => ExtendedKeyUsagePurpose::ClientAuth,
        }];
        let first = wanted.not_before.as_deref();
        let last = wanted.not_after.as_deref();
        let (year, month, day) = date(first.unwrap_or("2025-01-01"))?;
        params.not_before = date_time_ymd(year, month, day);
        let (year, month, day) = date(last.unwrap_or("2099-01-01"))?;
        params.not_after = date_time_ymd(year, month, day);
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(failed)?;
        Ok((certificate.pem(), key.serialize_pem()))
    }
}

fn date(text: &str) -> Result<(i32, u8, u8), String> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return Err(format!("{text:?} is no date")) };
    let wrong = |_| format!("{text:?} is no date");
    Ok((year.parse().map_err(wrong)?, month.parse().map_err(wrong)?, day.parse().map_err(wrong)?))
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` calls it")]
fn failed(error: rcgen::Error) -> String {
    error.to_string()
}

//! Flags about who may ask, under upstream's names.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::authentication::{Authentication, RequestHeader, ServiceAccounts, read_token_file};
use crate::error::Error;
use crate::folder;
use crate::keys::certificates;

/// Authentication of clients.
#[derive(Args, Clone, Debug, Default)]
pub struct AuthenticationArgs {
    /// CA certificates of clients, beside the server's own: the common name is the user, organizations are groups
    #[arg(long, value_name = "FILE")]
    pub client_ca_file: Option<PathBuf>,

    /// A file with tokens of users: lines of `token,user,uid,"group1,group2"`
    #[arg(long, value_name = "FILE")]
    pub token_auth_file: Option<PathBuf>,

    /// Answer requests without credentials as `system:anonymous`; with `AlwaysAllow` only those for health and version
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub anonymous_auth: Option<bool>,

    /// Issuer of service account tokens; the first of several issues, and tokens of all are accepted [default:
    /// `https://kubernetes.default.svc`]
    #[arg(long, value_name = "ISSUER")]
    pub service_account_issuer: Vec<String>,

    /// The key that signs tokens of service accounts, in place of the one in the folder: RSA, or ECDSA over P-256 or P-384
    #[arg(long, value_name = "FILE")]
    pub service_account_signing_key_file: Option<PathBuf>,

    /// More keys that verify tokens of service accounts: public or private ones, or certificates
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub service_account_key_file: Vec<PathBuf>,

    /// URL where clients find the keys of tokens, if not at the server itself
    #[arg(long, value_name = "URL")]
    pub service_account_jwks_uri: Option<String>,

    /// Audiences of tokens for this server, in place of their issuers
    #[arg(long, value_name = "AUDIENCE", value_delimiter = ',')]
    pub api_audiences: Vec<String>,

    /// CA certificates of a front proxy, whose headers name the user
    #[arg(long, value_name = "FILE")]
    pub requestheader_client_ca_file: Option<PathBuf>,

    /// Common names that the certificate of a front proxy may have; any if there are none
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub requestheader_allowed_names: Vec<String>,

    /// Headers of a front proxy with the name of the user
    #[arg(long, value_name = "HEADER", value_delimiter = ',')]
    pub requestheader_username_headers: Vec<String>,

    /// Headers of a front proxy with the uid of the user
    #[arg(long, value_name = "HEADER", value_delimiter = ',')]
    pub requestheader_uid_headers: Vec<String>,

    /// Headers of a front proxy with groups of the user
    #[arg(long, value_name = "HEADER", value_delimiter = ',')]
    pub requestheader_group_headers: Vec<String>,

    /// Prefix of a front proxy's headers with extra information about the user
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub requestheader_extra_headers_prefix: Vec<String>,
}

impl AuthenticationArgs {
    /// Reads the files that the flags name.
    pub(super) fn read(&self) -> Result<Authentication, Error> {
        let static_tokens = match &self.token_auth_file {
            Some(path) => read_token_file(&path.display().to_string(), &text("--token-auth-file", path)?)
                .map_err(|error| Error::Usage(format!("--token-auth-file: {error}")))?,
            None => Vec::new(),
        };
        Ok(Authentication {
            anonymous: self.anonymous_auth,
            client_ca: self.client_ca_file.as_deref().map(|path| authorities("--client-ca-file", path)).transpose()?,
            static_tokens,
            request_header: self.request_header()?,
            service_accounts: self.service_accounts()?,
        })
    }

    fn service_accounts(&self) -> Result<ServiceAccounts, Error> {
        if self.service_account_issuer.iter().any(String::is_empty) {
            return Err(Error::Usage("--service-account-issuer should not be an empty string".to_owned()));
        }
        Ok(ServiceAccounts {
            issuers: self.service_account_issuer.clone(),
            audiences: self.api_audiences.clone(),
            signing_key: self
                .service_account_signing_key_file
                .as_deref()
                .map(|path| text("--service-account-signing-key-file", path))
                .transpose()?,
            keys: self
                .service_account_key_file
                .iter()
                .map(|path| text("--service-account-key-file", path))
                .collect::<Result<_, _>>()?,
            jwks_uri: self.service_account_jwks_uri.clone(),
        })
    }

    fn request_header(&self) -> Result<Option<RequestHeader>, Error> {
        let Some(path) = &self.requestheader_client_ca_file else { return Ok(None) };
        Ok(Some(RequestHeader {
            client_ca: authorities("--requestheader-client-ca-file", path)?,
            allowed_names: self.requestheader_allowed_names.clone(),
            username_headers: headers(&self.requestheader_username_headers)?,
            uid_headers: headers(&self.requestheader_uid_headers)?,
            group_headers: headers(&self.requestheader_group_headers)?,
            extra_headers_prefixes: headers(&self.requestheader_extra_headers_prefix)?,
        }))
    }
}

fn text(flag: &str, path: &Path) -> Result<String, Error> {
    let text = folder::read(path).and_then(|text| text.ok_or_else(|| Error::missing_file(path)));
    text.map_err(|error| error.of_flag(flag))
}

/// Reads a file with certificates of authorities.
fn authorities(flag: &str, path: &Path) -> Result<String, Error> {
    let pem = text(flag, path)?;
    match certificates(&pem) {
        Ok(_) => Ok(pem),
        Err(error) => {
            Err(Error::Usage(format!("{flag}: {}: {error}: PEM blocks CERTIFICATE are read", path.display())))
        }
    }
}

/// The names of headers; those that are blank are refused.
// As upstream's headerrequest.trimHeaders.
fn headers(names: &[String]) -> Result<Vec<String>, Error> {
    let trim = |name: &String| match name.trim() {
        "" => Err(Error::Usage(format!("empty header {name:?}"))),
        name => Ok(name.to_owned()),
    };
    names.iter().map(trim).collect()
}

//! How clients know the server, and how it knows them: certificates and a token, made once and kept in a folder.

use std::fs;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SanType, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::Error;

const TOKEN_BYTES: usize = 32;

/// The certificates and the token of a server.
#[derive(Clone)]
pub(crate) struct Identity {
    /// Who vouches for the server, as PEM.
    pub(crate) authority: String,
    chain: String,
    key: String,
    /// What the administrator shows.
    pub(crate) token: String,
}

impl Identity {
    /// A new one, for connections to this machine and to these addresses.
    pub(crate) fn new(addresses: &[IpAddr]) -> Result<Identity, Error> {
        let failed = |error: rcgen::Error| Error::Certificates(error.to_string());
        let authority_key = KeyPair::generate().map_err(failed)?;
        let mut authority = params("sprag-ca");
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = authority.self_signed(&authority_key).map_err(failed)?;
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().map_err(failed)?;
        let mut server = params("sprag");
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        for name in ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"] {
            server.subject_alt_names.push(SanType::DnsName(name.try_into().map_err(failed)?));
        }
        let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        let addresses = local.iter().chain(addresses.iter().filter(|address| !local.contains(address)));
        server.subject_alt_names.extend(addresses.map(|address| SanType::IpAddress(*address)));
        let chain = server.signed_by(&key, &issuer).map_err(failed)?.pem();
        Ok(Identity { authority: certificate.pem(), chain, key: key.serialize_pem(), token: random_token()? })
    }

    /// The one in a folder; a new one if there is none.
    pub(crate) fn in_folder(folder: &Path, addresses: &[IpAddr]) -> Result<Identity, Error> {
        let files = Files::in_folder(folder);
        if let Some(known) = files.read()? {
            return Ok(known);
        }
        let identity = Identity::new(addresses)?;
        files.write(&identity)?;
        Ok(identity)
    }

    /// The TLS settings of the server.
    pub(crate) fn tls(&self) -> Result<Arc<ServerConfig>, Error> {
        let failed = |error: String| Error::Certificates(error);
        let chain = CertificateDer::pem_slice_iter(self.chain.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| failed(error.to_string()))?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(|error| failed(error.to_string()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| failed(error.to_string()))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2120, 1, 1);
    params
}

fn random_token() -> Result<String, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Error::Randomness(error.to_string()))?;
    Ok(sprag_value::base64::RAW_URL.encode(&bytes))
}

/// Where an identity is kept.
struct Files {
    authority: PathBuf,
    chain: PathBuf,
    key: PathBuf,
    token: PathBuf,
}

impl Files {
    fn in_folder(folder: &Path) -> Files {
        let pki = folder.join("pki");
        Files {
            authority: pki.join("ca.crt"),
            chain: pki.join("server.crt"),
            key: pki.join("server.key"),
            token: folder.join("token"),
        }
    }

    fn read(&self) -> Result<Option<Identity>, Error> {
        let [authority, chain, key, token] =
            [&self.authority, &self.chain, &self.key, &self.token].map(|path| read_private(path));
        let (authority, chain, key, token) = (authority?, chain?, key?, token?);
        Ok(authority.zip(chain).zip(key.zip(token)).map(|((authority, chain), (key, token))| Identity {
            authority,
            chain,
            key,
            token: token.trim().to_owned(),
        }))
    }

    fn write(&self, identity: &Identity) -> Result<(), Error> {
        let Identity { authority, chain, key, token } = identity;
        for (path, text) in [(&self.authority, authority), (&self.chain, chain), (&self.key, key), (&self.token, token)]
        {
            write_private(path, text)?;
        }
        Ok(())
    }
}

/// Reads a file that [`write_private`] wrote; nothing if there is none.
pub(crate) fn read_private(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        // A file that is empty was being written when the machine lost power.
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", path, error)),
    }
}

/// Writes a file that only its owner can read, all or nothing.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::file("make the folder of", path, error))?;
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || -> std::io::Result<()> {
        let mut file = options.open(&temporary)?;
        file.write_all(text.as_bytes())?;
        fs::rename(&temporary, path)
    };
    write().map_err(|error| Error::file("write", path, error))
}

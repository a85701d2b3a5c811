//! A server that listens somewhere: how to reach it, and a small HTTP/1.1 client.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST};
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use sprag_decode::yaml;
use sprag_server::Running;
use sprag_value::{Value, base64};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A server that listens somewhere.
#[derive(Clone, Debug, Default)]
pub struct Remote {
    /// `https://host:port`
    url: String,
    /// Certificates that vouch for it, as PEM.
    authorities: String,
    token: Option<String>,
    /// A client certificate and its key, as PEM.
    certificate: Option<(String, String)>,
}

impl Remote {
    /// The server of the current context of a kubeconfig: of this file, or else of the one that `KUBECONFIG` names, or else of
    /// `~/.kube/config`. Credentials are a token or a client certificate.
    ///
    /// Objects are created there, in the namespace `enforce` and in no namespace, and deleted again: take a cluster that
    /// nobody needs.
    pub fn from_kubeconfig(path: Option<&Path>) -> Result<Remote, String> {
        let path = match path {
            Some(path) => path.to_owned(),
            None => env::var_os("KUBECONFIG")
                .map(Into::into)
                .or_else(|| Some(env::home_dir()?.join(".kube/config")))
                .ok_or("no kubeconfig")?,
        };
        let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        parse(&text, folder).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(super) fn of(server: &Running) -> Remote {
        Remote {
            url: server.url().to_owned(),
            authorities: server.ca().to_owned(),
            token: Some(server.token().to_owned()),
            certificate: None,
        }
    }

    /// Sends one request on a connection of its own.
    pub(super) async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Incoming>, String> {
        let failed = |error: &dyn Display| format!("{}: {error}", self.url);
        let (authority, host) = self.address()?;
        let name = ServerName::try_from(host).map_err(|error| failed(&error))?;
        let stream = TcpStream::connect(&authority).await.map_err(|error| failed(&error))?;
        let tls = TlsConnector::from(Arc::new(self.tls().map_err(|error| failed(&error))?));
        let stream = tls.connect(name, stream).await.map_err(|error| failed(&error))?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| failed(&error))?;
        tokio::spawn(connection);
        let headers = request.headers_mut();
        headers.insert(HOST, authority.parse().map_err(|error| failed(&error))?);
        if let Some(token) = &self.token {
            headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().map_err(|error| failed(&error))?);
        }
        sender.send_request(request.map(Full::new)).await.map_err(|error| failed(&error))
    }

    /// Host with port, and the host alone.
    fn address(&self) -> Result<(String, String), String> {
        let authority =
            self.url.strip_prefix("https://").ok_or_else(|| format!("{:?} does not begin with https://", self.url))?;
        let authority = authority.trim_end_matches('/').to_owned();
        let (host, _) = authority.rsplit_once(':').ok_or_else(|| format!("{:?} has no port", self.url))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok((authority, host))
    }

    fn tls(&self) -> Result<rustls::ClientConfig, String> {
        let mut roots = rustls::RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(self.authorities.as_bytes()) {
            roots.add(certificate.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots);
        let Some((certificate, key)) = &self.certificate else { return Ok(config.with_no_client_auth()) };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect();
        let chain = chain.map_err(|error| format!("the certificate of the client: {error}"))?;
        let key =
            PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| format!("the key of the client: {error}"))?;
        config.with_client_auth_cert(chain, key).map_err(|error| error.to_string())
    }
}

/// Reads what the current context of a kubeconfig says. Files that it names are relative to its folder.
fn parse(text: &[u8], folder: &Path) -> Result<Remote, String> {
    let config = yaml::decode(text).map_err(|error| error.to_string())?;
    let named = |list: &str, name: &str, member: &str| {
        let found = config
            .get(list)?
            .as_array()?
            .iter()
            .find(|entry| entry.get("name").and_then(Value::as_str) == Some(name))?;
        found.get(member).cloned()
    };
    let current = config.get("current-context").and_then(Value::as_str).ok_or("it has no current-context")?;
    let context = named("contexts", current, "context").ok_or_else(|| format!("no context {current:?}"))?;
    let part = |member: &str| context.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    let cluster = named("clusters", &part("cluster"), "cluster").ok_or("the context has no cluster")?;
    let user = named("users", &part("user"), "user").unwrap_or_default();
    let certificate = match (pem(&user, "client-certificate", folder)?, pem(&user, "client-key", folder)?) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        _ => None,
    };
    let token = match (user.get("token").and_then(Value::as_str), user.get("tokenFile").and_then(Value::as_str)) {
        (Some(token), _) => Some(token.to_owned()),
        (None, Some(file)) => Some(read(&folder.join(file))?.trim().to_owned()),
        (None, None) => None,
    };
    if token.is_none() && certificate.is_none() {
        return Err("the user has neither a token nor a client certificate".to_owned());
    }
    Ok(Remote {
        url: cluster.get("server").and_then(Value::as_str).unwrap_or_default().to_owned(),
        authorities: pem(&cluster, "certificate-authority", folder)?.unwrap_or_default(),
        token,
        certificate,
    })
}

/// PEM that is in the kubeconfig itself, or in a file.
fn pem(from: &Value, name: &str, folder: &Path) -> Result<Option<String>, String> {
    if let Some(data) = from.get(&format!("{name}-data")).and_then(Value::as_str) {
        let bytes = base64::decode(data).map_err(|_| format!("{name}-data is not base64"))?;
        return String::from_utf8(bytes).map(Some).map_err(|_| format!("{name}-data is not PEM"));
    }
    from.get(name).and_then(Value::as_str).map(|file| read(&folder.join(file))).transpose()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_context_says_where_the_server_is() {
        let config = "current-context: b\ncontexts: [{name: a, context: {cluster: x, user: x}}, {name: b, context: {cluster: c, user: u}}]\n\
                      clusters: [{name: c, cluster: {server: 'https://[::1]:6443', certificate-authority-data: UEVN}}]\n\
                      users: [{name: u, user: {token: t}}]\n";
        let remote = parse(config.as_bytes(), Path::new(".")).unwrap();
        assert_eq!((remote.authorities.as_str(), remote.token.as_deref()), ("PEM", Some("t")));
        assert_eq!(remote.address().unwrap(), ("[::1]:6443".to_owned(), "::1".to_owned()));
    }

    #[test]
    fn a_user_without_credentials_is_refused() {
        let config = "current-context: b\ncontexts: [{name: b, context: {cluster: c, user: u}}]\n\
                      clusters: [{name: c, cluster: {server: 'https://a:1'}}]\nusers: [{name: u, user: {exec: {}}}]\n";
        assert_eq!(
            parse(config.as_bytes(), Path::new(".")).unwrap_err(),
            "the user has neither a token nor a client certificate"
        );
    }
}

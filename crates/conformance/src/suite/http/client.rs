//! A small HTTP/1.1 client: one connection at a time, kept while the server keeps it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, USER_AGENT, WARNING};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

/// The longest time until a server begins to answer.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// The longest time that an answer is read; a stream that is still open then ends here.
const MAX_READ: Duration = Duration::from_secs(10);

/// Every request says so; it becomes the manager of fields.
const AGENT: &str = "conformance";

/// The address of a server and the credentials for it.
pub(in crate::suite) struct Endpoint {
    authority: String,
    server_name: ServerName<'static>,
    tls: TlsConnector,
    authorization: Option<String>,
}

/// Credentials: any of these, or none.
#[derive(Clone, Default)]
pub(in crate::suite) struct Credentials {
    /// A bearer token.
    pub(in crate::suite) token: Option<String>,
    /// A client certificate and its key, as PEM.
    pub(in crate::suite) certificate: Option<(String, String)>,
}

impl Credentials {
    /// Credentials with a token.
    pub(in crate::suite) fn of_token(token: &str) -> Credentials {
        Credentials { token: Some(token.to_owned()), certificate: None }
    }
}

impl Endpoint {
    /// A server at `https://host:port` whose certificate is signed by one of these.
    pub(in crate::suite) fn new(url: &str, ca: &[u8], credentials: &Credentials) -> Result<Endpoint, String> {
        let authority = url.strip_prefix("https://").ok_or_else(|| format!("{url:?} does not begin with https://"))?;
        let authority = authority.trim_end_matches('/').to_owned();
        let (host, _) = authority.rsplit_once(':').ok_or_else(|| format!("{url:?} has no port"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let server_name = ServerName::try_from(host).map_err(|error| format!("{url:?}: {error}"))?;
        let mut roots = rustls::RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(ca) {
            let certificate = certificate.map_err(|error| format!("the certificates of {url}: {error}"))?;
            roots.add(certificate).map_err(|error| format!("the certificates of {url}: {error}"))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots);
        let config = match &credentials.certificate {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect();
                let chain = chain.map_err(|error| format!("the certificate of a client: {error}"))?;
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes());
                let key = key.map_err(|error| format!("the key of a client: {error}"))?;
                config.with_client_auth_cert(chain, key).map_err(|error| error.to_string())?
            }
        };
        let tls = TlsConnector::from(Arc::new(config));
        let authorization = credentials.token.as_ref().map(|token| format!("Bearer {token}"));
        Ok(Endpoint { authority, server_name, tls, authorization })
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.authority);
        let stream = TcpStream::connect(&self.authority).await.map_err(|error| failed(&error))?;
        stream.set_nodelay(true).map_err(|error| failed(&error))?;
        let stream = self.tls.connect(self.server_name.clone(), stream).await.map_err(|error| failed(&error))?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| failed(&error))?;
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// The answer of a server.
pub(in crate::suite) struct Received {
    pub(in crate::suite) code: u16,
    headers: HeaderMap,
    pub(in crate::suite) body: Vec<u8>,
}

impl Received {
    /// An answer whose body is not read.
    pub(in crate::suite) fn of_head(answer: &Response<Incoming>) -> Received {
        Received { code: answer.status().as_u16(), headers: answer.headers().clone(), body: Vec::new() }
    }

    /// A header's first value.
    pub(in crate::suite) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    }

    pub(in crate::suite) fn content_type(&self) -> Option<String> {
        self.header(CONTENT_TYPE.as_str())
    }

    /// All values of a header, in order.
    pub(in crate::suite) fn headers(&self, name: &str) -> Vec<String> {
        let values = self.headers.get_all(name).iter();
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
    }

    /// The warnings, raw and in order.
    pub(in crate::suite) fn warnings(&self) -> Vec<String> {
        self.headers(WARNING.as_str())
    }
}

/// Sends requests one after the other.
pub(in crate::suite) struct Client {
    endpoint: Arc<Endpoint>,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    pub(in crate::suite) fn new(endpoint: Arc<Endpoint>) -> Client {
        Client { endpoint, connection: None }
    }

    /// Asks for a path without a body.
    pub(in crate::suite) async fn get(&mut self, path: &str) -> Result<Received, String> {
        self.send("GET", path, std::iter::empty(), String::new()).await
    }

    /// Sends one request and reads its answer.
    pub(in crate::suite) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: impl Iterator<Item = (&str, &str)>,
        body: String,
    ) -> Result<Received, String> {
        let answer = self.open(method, path, headers, body).await?;
        self.read(answer).await.map_err(|error| format!("{method} {path}: {error}"))
    }

    /// Sends one request; what it is answered is for the caller to read.
    pub(in crate::suite) async fn open(
        &mut self,
        method: &str,
        path: &str,
        headers: impl Iterator<Item = (&str, &str)>,
        body: String,
    ) -> Result<Response<Incoming>, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.endpoint.authority)
            .header(USER_AGENT, AGENT);
        if let Some(authorization) = &self.endpoint.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        for (name, value) in headers {
            request = request.header(name, value.as_bytes());
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| format!("{method} {path}: {error}"))?;
        let answer = timeout(MAX_WAIT, self.exchange(request)).await;
        let answer = answer.map_err(|_| format!("{method} {path}: no answer within {MAX_WAIT:?}"))?;
        answer.map_err(|error| format!("{method} {path}: {error}"))
    }

    /// Forgets the connection, on which an answer may still come.
    pub(in crate::suite) fn hang_up(&mut self) {
        self.connection = None;
    }

    async fn exchange(&mut self, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String> {
        if let Some(mut sender) = self.connection.take()
            && sender.ready().await.is_ok()
        {
            match sender.try_send_request(request).await {
                Ok(answer) => {
                    self.connection = Some(sender);
                    return Ok(answer);
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(error.into_error().to_string()),
                },
            }
        }
        let mut sender = self.endpoint.connect().await?;
        let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
        self.connection = Some(sender);
        Ok(answer)
    }

    async fn read(&mut self, answer: Response<Incoming>) -> Result<Received, String> {
        let (head, mut incoming) = answer.into_parts();
        let deadline = Instant::now() + MAX_READ;
        let mut body = Vec::new();
        loop {
            match timeout_at(deadline, incoming.frame()).await {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    if let Ok(data) = frame.map_err(|error| error.to_string())?.into_data() {
                        body.extend_from_slice(&data);
                    }
                }
                Err(_) => {
                    self.connection = None;
                    break;
                }
            }
        }
        Ok(Received { code: head.status.as_u16(), headers: head.headers, body })
    }
}

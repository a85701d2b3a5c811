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
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

/// The longest time until a server begins to answer.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// The longest time that an answer is read; a stream that is still open then ends here.
const MAX_READ: Duration = Duration::from_secs(10);

/// Every request says so; it becomes the manager of fields.
const AGENT: &str = "conformance";

/// Where a server is, and how to be let in.
pub(super) struct Endpoint {
    authority: String,
    server_name: ServerName<'static>,
    tls: TlsConnector,
    authorization: String,
}

impl Endpoint {
    /// A server at `https://host:port` whose certificate is signed by one of these.
    pub(super) fn new(url: &str, ca: &[u8], token: &str) -> Result<Endpoint, String> {
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
            .with_root_certificates(roots)
            .with_no_client_auth();
        let tls = TlsConnector::from(Arc::new(config));
        Ok(Endpoint { authority, server_name, tls, authorization: format!("Bearer {token}") })
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

/// What a server answered.
pub(super) struct Answer {
    pub(super) code: u16,
    headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// A header's first value.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    }

    pub(super) fn content_type(&self) -> Option<String> {
        self.header(CONTENT_TYPE.as_str())
    }

    /// The warnings, raw and in order.
    pub(super) fn warnings(&self) -> Vec<String> {
        let values = self.headers.get_all(WARNING).iter();
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
    }
}

/// Sends requests one after the other.
pub(super) struct Client {
    endpoint: Arc<Endpoint>,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    pub(super) fn new(endpoint: Arc<Endpoint>) -> Client {
        Client { endpoint, connection: None }
    }

    /// Asks for a path without a body.
    pub(super) async fn get(&mut self, path: &str) -> Result<Answer, String> {
        self.send("GET", path, std::iter::empty(), String::new()).await
    }

    /// Sends one request and reads its answer.
    pub(super) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: impl Iterator<Item = (&str, &str)>,
        body: String,
    ) -> Result<Answer, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.endpoint.authority)
            .header(USER_AGENT, AGENT)
            .header(AUTHORIZATION, &self.endpoint.authorization);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| format!("{method} {path}: {error}"))?;
        let answer = timeout(MAX_WAIT, self.exchange(request)).await;
        let answer = answer.map_err(|_| format!("{method} {path}: no answer within {MAX_WAIT:?}"))?;
        let answer = answer.map_err(|error| format!("{method} {path}: {error}"))?;
        self.read(answer).await.map_err(|error| format!("{method} {path}: {error}"))
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

    async fn read(&mut self, answer: Response<Incoming>) -> Result<Answer, String> {
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
        Ok(Answer { code: head.status.as_u16(), headers: head.headers, body })
    }
}

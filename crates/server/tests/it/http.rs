//! A small HTTP client that hides nothing: codes, headers, warnings and bodies as they come.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, WARNING};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use sprag_server::Running;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::harness::PATIENCE;

pub(crate) const JSON: &str = "application/json";
pub(crate) const YAML: &str = "application/yaml";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(crate) const STRATEGIC_PATCH: &str = "application/strategic-merge-patch+json";
pub(crate) const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// A client of one server, as its administrator by default.
pub(crate) struct Client {
    address: SocketAddr,
    tls: Arc<rustls::ClientConfig>,
    token: Option<String>,
    /// The connection of all requests; another one once the server takes no more on it.
    shared: Mutex<Option<http2::SendRequest<Full<Bytes>>>>,
}

impl Client {
    pub(crate) fn new(server: &Running) -> Client {
        let roots = roots(server);
        let tls = Arc::new(builder(roots).with_no_client_auth());
        let mut address = server.address();
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        Client { address, tls, token: Some(server.token().to_owned()), shared: Mutex::default() }
    }

    /// The same client with another token, or with none.
    pub(crate) fn with_token(self, token: Option<&str>) -> Client {
        Client { token: token.map(str::to_owned), ..self }
    }

    /// A client without a token that shows a certificate, as PEM.
    pub(crate) fn with_certificate(server: &Running, certificate: &str, key: &str) -> Client {
        let certificates = CertificateDer::pem_slice_iter(certificate.as_bytes()).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let tls = builder(roots(server)).with_client_auth_cert(certificates, key).unwrap();
        Client { tls: Arc::new(tls), token: None, ..Client::new(server) }
    }

    /// True if the certificate of a server has a name.
    pub(crate) async fn trusts(server: &Running, name: &str) -> bool {
        let client = Client::new(server);
        let stream = TcpStream::connect(client.address).await.unwrap();
        let name = rustls::pki_types::ServerName::try_from(name.to_owned()).unwrap();
        TlsConnector::from(client.tls.clone()).connect(name, stream).await.is_ok()
    }

    /// A connection on which exactly one of these protocols can be agreed.
    pub(crate) async fn connect(&self, protocol: &str) -> TlsStream<TcpStream> {
        let mut tls = (*self.tls).clone();
        tls.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let stream = TlsConnector::from(Arc::new(tls)).connect(self.address.ip().into(), stream).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(protocol.as_bytes()));
        stream
    }

    /// A separate HTTP/1.1 connection.
    pub(crate) async fn http1(&self) -> http1::SendRequest<Full<Bytes>> {
        let stream = TokioIo::new(self.connect("http/1.1").await);
        let (sender, connection) = http1::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        sender
    }

    async fn http2(&self) -> http2::SendRequest<Full<Bytes>> {
        let stream = TokioIo::new(self.connect("h2").await);
        let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
        tokio::spawn(connection);
        sender
    }

    async fn sender(&self) -> http2::SendRequest<Full<Bytes>> {
        let mut shared = self.shared.lock().await;
        match &*shared {
            Some(open) if !open.is_closed() => open.clone(),
            _ => shared.insert(self.http2().await).clone(),
        }
    }

    /// A request by this client, to be completed.
    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask<'_> {
        let mut request = Request::builder().method(method).uri(format!("https://{}{path}", self.address));
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        Ask { client: self, request: request.body(Full::default()).unwrap() }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).send().await
    }

    pub(crate) async fn post(&self, path: &str, object: &Value) -> Answer {
        self.ask("POST", path).body(JSON, object.to_string()).send().await
    }

    pub(crate) async fn put(&self, path: &str, object: &Value) -> Answer {
        self.ask("PUT", path).body(JSON, object.to_string()).send().await
    }

    pub(crate) async fn patch(&self, path: &str, content_type: &str, patch: &Value) -> Answer {
        self.ask("PATCH", path).body(content_type, patch.to_string()).send().await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path).send().await
    }

    /// Follows the events of a collection.
    pub(crate) async fn watch(&self, path: &str) -> Events {
        self.ask("GET", path).events().await
    }
}

fn roots(server: &Running) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(server.ca().as_bytes()) {
        roots.add(certificate.unwrap()).unwrap();
    }
    roots
}

fn builder(roots: RootCertStore) -> rustls::ConfigBuilder<rustls::ClientConfig, rustls::client::WantsClientCert> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    builder.unwrap().with_root_certificates(roots)
}

/// A request that is not sent yet.
pub(crate) struct Ask<'c> {
    client: &'c Client,
    request: Request<Full<Bytes>>,
}

impl Ask<'_> {
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.request.headers_mut().append(name, value.parse().unwrap());
        self
    }

    pub(crate) fn accept(self, value: &str) -> Self {
        self.header(ACCEPT, value)
    }

    pub(crate) fn body(self, content_type: &str, body: impl Into<Bytes>) -> Self {
        let mut ask = self.header(CONTENT_TYPE, content_type);
        *ask.request.body_mut() = Full::new(body.into());
        ask
    }

    async fn begin(self) -> Response<Incoming> {
        let what = format!("{} {}", self.request.method(), self.request.uri());
        loop {
            let mut sender = self.client.sender().await;
            let answer = timeout(PATIENCE, sender.send_request(self.request.clone())).await;
            match answer.unwrap_or_else(|_| panic!("no answer to {what}")) {
                Ok(answer) => return answer,
                // It was not sent, because the server has said goodbye to clients that it does not know.
                Err(error) if error.is_canceled() => {}
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }

    pub(crate) async fn send(self) -> Answer {
        let asked = format!("{} {}", self.request.method(), self.request.uri().path());
        Answer::read(asked, self.begin().await).await
    }

    /// Sends a request whose answer has no end.
    pub(crate) async fn events(self) -> Events {
        assert_eq!(self.request.method(), Method::GET);
        let (head, body) = self.begin().await.into_parts();
        assert_eq!(head.status, 200, "{:?}", body.collect().await.map(http_body_util::Collected::to_bytes));
        Events { body, read: Vec::new() }
    }
}

/// The answer of a server.
#[derive(Debug)]
pub(crate) struct Answer {
    asked: String,
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Reads the rest of an answer.
    pub(crate) async fn read(asked: String, answer: Response<Incoming>) -> Answer {
        let (head, body) = answer.into_parts();
        let body = timeout(PATIENCE, body.collect()).await.expect("an answer ends").unwrap().to_bytes();
        Answer { asked, code: head.status.as_u16(), headers: head.headers, body }
    }

    /// The object in the answer, which must have this code.
    #[track_caller]
    pub(crate) fn expect(&self, code: u16) -> Value {
        assert_eq!(self.code, code, "{}: {}", self.asked, self.text());
        self.json()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{}: {error}: {}", self.asked, self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The message of a Status.
    #[track_caller]
    pub(crate) fn message(&self) -> String {
        text(&self.json(), "/message").to_owned()
    }

    pub(crate) fn header(&self, name: HeaderName) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The texts of the `Warning` headers, unquoted.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let values = self.headers.get_all(WARNING).iter().map(|value| std::str::from_utf8(value.as_bytes()).unwrap());
        let quoted =
            values.map(|value| value.strip_prefix("299 - \"").and_then(|rest| rest.strip_suffix('"')).unwrap());
        quoted.map(|text| text.replace("\\\"", "\"").replace("\\\\", "\\")).collect()
    }
}

/// A watch, event by event.
pub(crate) struct Events {
    body: Incoming,
    read: Vec<u8>,
}

impl Events {
    /// The next event; none when the server has ended the watch.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let frame = timeout(PATIENCE, self.body.frame()).await.expect("an event or the end of the watch");
            self.read.extend_from_slice(&frame?.unwrap().into_data().unwrap_or_default());
        }
    }

    /// The type of the next event and the name of its object.
    pub(crate) async fn next_name(&mut self) -> Option<(String, String)> {
        let event = self.next().await?;
        Some((text(&event, "/type").to_owned(), text(&event, "/object/metadata/name").to_owned()))
    }
}

/// The text at a path of an object; empty if absent.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

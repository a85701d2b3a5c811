//! The webhooks of the suite: an HTTPS server that answers as the cases say, and remembers what it was asked.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sprag_value::{Value, base64, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use super::convert;
use super::wire::Review;

/// The stub, as long as it runs.
pub(super) struct Stub {
    address: SocketAddr,
    ca: String,
    other_ca: String,
    hooks: Arc<Hooks>,
    serving: JoinHandle<()>,
}

/// The answers, by path.
#[derive(Default)]
struct Hooks(Mutex<BTreeMap<String, Arc<Hook>>>);

struct Hook {
    behaviour: Value,
    calls: AtomicUsize,
    asked: Asked,
}

/// The requests that the webhooks of a case received.
pub(super) type Asked = Arc<Mutex<Vec<Review>>>;

impl Stub {
    pub(super) async fn start() -> Result<Stub, String> {
        let failed = |error: &dyn std::fmt::Display| format!("webhook stub: {error}");
        let (ca, issuer) = authority("webhooks")?;
        let (other_ca, _) = authority("others")?;
        let acceptor = acceptor(&issuer)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let hooks = Arc::new(Hooks::default());
        let serving = tokio::spawn(serve(listener, acceptor, hooks.clone()));
        Ok(Stub { address, ca, other_ca, hooks, serving })
    }

    /// Puts where the stub is, and whom to trust, into the text of cases.
    pub(super) fn fill(&self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        let encoded = |pem: &str| base64::encode(pem.as_bytes());
        let text = text.replace("${webhook}", &self.address.to_string());
        let text = text.replace("${ca}", &encoded(&self.ca)).replace("${otherca}", &encoded(&self.other_ca));
        text.into_bytes()
    }

    /// Answers for a case; what it is asked goes to the returned list.
    pub(super) fn add(&self, behaviours: &BTreeMap<String, Value>) -> Asked {
        let asked = Asked::default();
        let mut hooks = self.hooks.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, behaviour) in behaviours {
            let hook = Hook { behaviour: behaviour.clone(), calls: AtomicUsize::new(0), asked: asked.clone() };
            hooks.insert(path.clone(), Arc::new(hook));
        }
        asked
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// An authority: its certificate, and what signs with its key.
/// Authorities have different names: one of the same name that did not sign is part of Go's error.
pub(in crate::suite) fn authority(name: &str) -> Result<(String, Issuer<'static, KeyPair>), String> {
    let failed = |error: rcgen::Error| error.to_string();
    let key = KeyPair::generate().map_err(failed)?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let certificate = params.self_signed(&key).map_err(failed)?.pem();
    Ok((certificate, Issuer::new(params, key)))
}

pub(in crate::suite) fn acceptor(issuer: &Issuer<'static, KeyPair>) -> Result<TlsAcceptor, String> {
    let failed = |error: rcgen::Error| error.to_string();
    let key = KeyPair::generate().map_err(failed)?;
    let mut params = CertificateParams::default();
    params.subject_alt_names = vec![SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST))];
    let certificate = params.signed_by(&key, issuer).map_err(failed)?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .map_err(|error| error.to_string())?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, hooks: Arc<Hooks>) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        let hooks = hooks.clone();
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service = service_fn(move |request| answer(hooks.clone(), request));
            // A hook that closes the connection is an error here.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The connection is closed without an answer.
#[derive(Debug, Clone, Copy)]
struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("closed")
    }
}

impl std::error::Error for Closed {}

async fn answer(hooks: Arc<Hooks>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Closed> {
    let (head, body) = request.into_parts();
    let text = body.collect().await.map_err(|_| Closed)?.to_bytes();
    let body = json::parse(&text).unwrap_or_default();
    let hook = hooks.0.lock().unwrap_or_else(PoisonError::into_inner).get(head.uri.path()).cloned();
    let Some(hook) = hook else { return Ok(plain(404, "no such hook")) };
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut headers = BTreeMap::new();
    for name in ["Accept", "Content-Type"] {
        headers.extend(header(name).map(|value| (name.to_owned(), value)));
    }
    let path = head.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let review = Review { path, headers, body: body.clone() };
    hook.asked.lock().unwrap_or_else(PoisonError::into_inner).push(review);
    let call = hook.calls.fetch_add(1, Ordering::Relaxed);
    let behaviour = match hook.behaviour.get("sequence").and_then(Value::as_array) {
        Some(sequence) => &sequence[call.min(sequence.len().saturating_sub(1))],
        None => &hook.behaviour,
    };
    behave(behaviour, &body).await
}

async fn behave(behaviour: &Value, review: &Value) -> Result<Response<Full<Bytes>>, Closed> {
    if let Some(seconds) = behaviour.get("delay").and_then(number) {
        sleep(Duration::from_secs_f64(seconds)).await;
    }
    if behaviour.get("close").and_then(Value::as_bool) == Some(true) {
        return Err(Closed);
    }
    let code = behaviour.get("code").and_then(Value::as_i64).unwrap_or(200);
    let body = match behaviour {
        behaviour if behaviour.get("convert").is_some() => {
            let mode = behaviour.get("convert").and_then(Value::as_str).unwrap_or_default();
            json::to_string_plain(&convert::answer(mode, review))
        }
        behaviour => match (behaviour.get("body"), behaviour.get("raw"), behaviour.get("repeat")) {
            (Some(body), _, _) => {
                let uid = review.lookup(&["request", "uid"]).and_then(Value::as_str).unwrap_or_default();
                json::to_string_plain(&filled(body, uid))
            }
            (_, Some(raw), _) => raw.as_str().unwrap_or_default().to_owned(),
            (_, _, Some(repeat)) => repeated(repeat),
            _ => String::new(),
        },
    };
    let mut response = plain(u16::try_from(code).unwrap_or(500), &body);
    let given = behaviour.get("headers").and_then(Value::as_object);
    for (name, value) in given.into_iter().flat_map(|headers| headers.iter()) {
        let name = http::HeaderName::from_bytes(name.as_str().as_bytes());
        let value = http::HeaderValue::from_str(value.as_str().unwrap_or_default());
        if let (Ok(name), Ok(value)) = (name, value) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

fn plain(code: u16, body: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_owned())));
    *response.status_mut() = http::StatusCode::from_u16(code).unwrap_or_default();
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}

/// A body with what stands for other texts put in.
fn filled(value: &Value, uid: &str) -> Value {
    match value {
        Value::String(text) => Value::from(text.as_str().replace("${uid}", uid)),
        Value::Array(items) => items.iter().map(|item| filled(item, uid)).collect(),
        Value::Object(object) => {
            let encoded = |text: &str| Value::from(base64::encode(text.as_bytes()));
            if let Some(inner) = object.get("$json") {
                return encoded(&json::to_string_plain(inner));
            }
            if let Some(text) = object.get("$b64") {
                return encoded(text.as_str().unwrap_or_default());
            }
            if let Some(repeat) = object.get("$repeat") {
                return Value::from(repeated(repeat));
            }
            let mut made = Value::object();
            for (key, value) in object {
                made.insert(key.as_str(), filled(value, uid));
            }
            made
        }
        value => value.clone(),
    }
}

fn repeated(repeat: &Value) -> String {
    let text = repeat.as_array().and_then(|repeat| repeat.first()).and_then(Value::as_str).unwrap_or_default();
    let count = repeat.as_array().and_then(|repeat| repeat.get(1)).and_then(Value::as_i64).unwrap_or_default();
    text.repeat(usize::try_from(count).unwrap_or_default())
}

fn number(value: &Value) -> Option<f64> {
    json::to_string_plain(value).parse().ok()
}

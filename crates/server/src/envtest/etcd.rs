//! This program as `etcd`: it answers that it is well, and holds no data. A `kube-apiserver` of ours that is pointed to it
//! attaches itself and keeps objects in its own memory.

use std::convert::Infallible;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::flags::ETCD;
use super::pflag::{self, Given};
use crate::certificates;
use crate::error::Error;
use crate::serve::{StopSignals, single_thread};

/// As etcd's default of `--listen-client-urls`.
const DEFAULT_URL: &str = "http://localhost:2379";
/// The path at which Sprag's kube-apiserver attaches to Sprag's etcd, and the header that identifies it.
const ATTACH: &str = "/sprag/attach";
const MARK: &str = "x-sprag-etcd";
/// Timeout of that request; a slower peer is taken for a real etcd.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time that an etcd may take to listen, as upstream's `dialTimeout`, and the pause between attempts.
const START_TIMEOUT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);
/// The longest head of that answer.
const MAX_HEAD: usize = 4096;
/// The release reported to clients.
const VERSION: &str = "3.6.0";

const HELP: &str = "\
Sprag as etcd: it answers health checks and holds no data. Sprag as kube-apiserver keeps objects in its own memory when it is
pointed to it, for as long as it runs; one server can do so at a time.

Examples:
  etcd --listen-client-urls=http://127.0.0.1:2379 --data-dir=/tmp/etcd
  kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=127.0.0.1 --cert-dir=/tmp/certs
";

/// Runs as etcd until the process receives a stop signal.
pub(super) fn etcd(arguments: &[String]) -> Result<(), Error> {
    let given = Given::parse(ETCD, arguments).map_err(Error::Usage)?;
    let mut out = std::io::stdout().lock();
    // A closed stream is not a reason to fail.
    if given.is_on("help") {
        let _ = out.write_all(pflag::help(HELP, ETCD).as_bytes());
        return Ok(());
    }
    if given.is_on("version") {
        let _ = writeln!(out, "etcd Version: {VERSION}\nGit SHA: sprag {}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    drop(out);
    if let Some(why) = given.refused() {
        return Err(Error::Usage(why));
    }
    single_thread()?.block_on(async {
        let mut signals = StopSignals::new()?;
        let tls = tls(&given)?;
        let slot = Arc::new(Slot::default());
        let mut sockets = Vec::new();
        for url in given.get("listen-client-urls").unwrap_or(DEFAULT_URL).split(',') {
            sockets.push(listen(url, tls.clone(), slot.clone()).await?);
        }
        signals.next().await;
        for socket in sockets.into_iter().flatten() {
            let _ = std::fs::remove_file(socket);
        }
        Ok(())
    })
}

fn tls(given: &Given) -> Result<Option<TlsAcceptor>, Error> {
    let (Some(certificate), Some(key)) = (given.get("cert-file"), given.get("key-file")) else { return Ok(None) };
    let read = |path: &str| {
        let path = Path::new(path);
        std::fs::read_to_string(path).map_err(|error| Error::file("read", path, error))
    };
    let config = certificates::plain_tls(&read(certificate)?, &read(key)?)?;
    Ok(Some(TlsAcceptor::from(config)))
}

/// Listens on a URL. Returns the file of a socket, which has to be removed in the end.
async fn listen(url: &str, tls: Option<TlsAcceptor>, slot: Arc<Slot>) -> Result<Option<PathBuf>, Error> {
    let usage = |why: &str| Error::Usage(format!("--listen-client-urls: {url:?} {why}"));
    let (scheme, place) =
        url.split_once("://").ok_or_else(|| usage("is no URL: write it like http://127.0.0.1:2379"))?;
    let tls = match (scheme, tls) {
        ("http" | "unix", _) => None,
        ("https" | "unixs", Some(tls)) => Some(tls),
        ("https" | "unixs", None) => return Err(usage("needs --cert-file and --key-file")),
        _ => return Err(usage("must begin with http://, https:// or unix://")),
    };
    let failed = |error| Error::Usage(format!("cannot listen on {url}: {error}"));
    if scheme.starts_with("unix") {
        let path = PathBuf::from(place);
        #[cfg(unix)]
        {
            let listener = tokio::net::UnixListener::bind(&path).map_err(failed)?;
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(connection(stream, tls.clone(), slot.clone()));
                }
            });
            return Ok(Some(path));
        }
        #[cfg(not(unix))]
        return Err(usage("names a socket, which this system has not"));
    }
    let listener = TcpListener::bind(place.trim_end_matches('/')).await.map_err(failed)?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, tls.clone(), slot.clone()));
        }
    });
    Ok(None)
}

async fn connection<S>(stream: S, tls: Option<TlsAcceptor>, slot: Arc<Slot>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match tls {
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                serve(stream, slot).await;
            }
        }
        None => serve(stream, slot).await,
    }
}

async fn serve<S>(stream: S, slot: Arc<Slot>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = answer(request.uri().path(), &slot);
        std::future::ready(Ok::<_, Infallible>(answer))
    });
    // Whoever breaks the connection off has their reasons.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

type HealthResponse = Response<UnsyncBoxBody<Bytes, Infallible>>;

fn answer(path: &str, slot: &Arc<Slot>) -> HealthResponse {
    match path {
        // The texts of etcd's own handlers.
        "/health" => json(StatusCode::OK, "{\"health\":\"true\",\"reason\":\"\"}"),
        "/readyz" | "/livez" => json(StatusCode::OK, "ok\n"),
        "/version" => {
            let text = format!("{{\"etcdserver\":\"{VERSION}\",\"etcdcluster\":\"{VERSION}\",\"storage\":\"none\"}}");
            json(StatusCode::OK, &text)
        }
        ATTACH => attachment(slot),
        _ => json(StatusCode::NOT_FOUND, "404 page not found: this is Sprag in place of etcd, which holds no data\n"),
    }
}

fn json(code: StatusCode, text: &str) -> HealthResponse {
    let mut answer = Response::new(Full::new(Bytes::from(text.to_owned())).boxed_unsync());
    *answer.status_mut() = code;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// The attachment of a server, now or before.
#[derive(Debug, Default)]
struct Slot(AtomicU8);

impl Slot {
    const TAKEN: u8 = 1;
    const LEFT: u8 = 2;
}

/// A server that is attached; it leaves when the connection ends.
struct Seat(Arc<Slot>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.0.store(Slot::LEFT, Ordering::Release);
    }
}

/// The answer to a server that attaches itself: it ends when the server does.
fn attachment(slot: &Arc<Slot>) -> HealthResponse {
    let before = slot.0.swap(Slot::TAKEN, Ordering::AcqRel);
    let mut answer = if before == Slot::TAKEN {
        json(StatusCode::CONFLICT, "")
    } else {
        let seat = Seat(slot.clone());
        let lasting = stream::unfold(seat, |seat| async move {
            std::future::pending::<()>().await;
            Some((Ok::<_, Infallible>(Frame::data(Bytes::new())), seat))
        });
        Response::new(StreamBody::new(lasting).boxed_unsync())
    };
    let mark = if before == Slot::LEFT { "again" } else { "first" };
    answer.headers_mut().insert(MARK, HeaderValue::from_static(mark));
    answer
}

/// The connection by which a server is attached to our etcd.
#[derive(Debug)]
pub(super) struct Attached {
    _stream: Box<dyn std::any::Any + Send>,
}

/// Who listens at a URL.
#[derive(Debug)]
enum Found {
    /// An etcd of ours; this process is attached to it.
    Ours(Attached),
    /// Another one, or it cannot be told: its own client finds out.
    Other,
    /// Nobody.
    Nobody,
}

/// Attaches this process to an etcd of ours; nothing if another etcd is there. Waits until any listens.
pub(super) async fn attach(urls: &[&str]) -> Result<Option<Attached>, Error> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        let mut is_there = false;
        for url in urls {
            match find(url).await? {
                Found::Ours(attached) => return Ok(Some(attached)),
                Found::Other => is_there = true,
                Found::Nobody => {}
            }
        }
        if is_there {
            return Ok(None);
        }
        if Instant::now() >= deadline {
            return Err(Error::Usage(format!(
                "--etcd-servers {}: etcd is not ready: nobody listened there for {} seconds",
                urls.join(","),
                START_TIMEOUT.as_secs()
            )));
        }
        sleep(PAUSE).await;
    }
}

async fn find(url: &str) -> Result<Found, Error> {
    let Some((scheme, place)) = url.split_once("://") else { return Ok(Found::Other) };
    match scheme {
        "http" => match timeout(PATIENCE, TcpStream::connect(place.trim_end_matches('/'))).await {
            Ok(Ok(stream)) => ask(url, stream).await,
            Ok(Err(error)) => Ok(unreached(&error)),
            Err(_) => Ok(Found::Nobody),
        },
        #[cfg(unix)]
        "unix" => match tokio::net::UnixStream::connect(place).await {
            Ok(stream) => ask(url, stream).await,
            Err(error) => Ok(unreached(&error)),
        },
        // Ours serves TLS only to be like etcd; envtest does not use it.
        _ => Ok(Found::Other),
    }
}

fn unreached(error: &io::Error) -> Found {
    match error.kind() {
        // A socket that is not there yet, or is one that was left behind.
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => Found::Nobody,
        _ => Found::Other,
    }
}

async fn ask<S>(url: &str, mut stream: S) -> Result<Found, Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Ok(head) = timeout(PATIENCE, exchange(&mut stream)).await else { return Ok(Found::Other) };
    let mark = head.lines().find_map(|line| line.strip_prefix(MARK)?.strip_prefix(": "));
    let Some(mark) = mark else { return Ok(Found::Other) };
    if head.starts_with("HTTP/1.1 409") {
        return Err(Error::Usage(format!(
            "--etcd-servers {url}: another server keeps its objects there already, and this etcd holds no data that two \
             could share: start another one, or a real etcd"
        )));
    }
    if mark == "again" {
        tracing::warn!("--etcd-servers {url}: this etcd holds no data: objects of the server before are gone");
    }
    Ok(Found::Ours(Attached { _stream: Box::new(stream) }))
}

/// Sends the request and reads the response head in lower case; empty without a response.
async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> String {
    let question = format!("GET {ATTACH} HTTP/1.1\r\nhost: etcd\r\n\r\n");
    let mut head = Vec::new();
    if stream.write_all(question.as_bytes()).await.is_ok() {
        while head.len() < MAX_HEAD && !head.ends_with(b"\r\n\r\n") {
            let Ok(byte) = stream.read_u8().await else { return String::new() };
            head.push(byte);
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

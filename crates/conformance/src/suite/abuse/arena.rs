//! The server under attack, and the tools of attackers.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::Parser as _;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::client::WantsClientCert;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::ConfigBuilder;
use serde_json::Value;
use sprag_server::ServeArgs;
use sprag_storage::testing::Scratch;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The longest time that an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Interval of the samples of memory and health.
const INTERVAL: Duration = Duration::from_millis(10);
/// Interval of another user's reads.
const BETWEEN_READS: Duration = Duration::from_millis(20);
/// The environment variable with the arguments of the attacked process.
const ARGUMENTS: &str = "SPRAG_ABUSE_ARGUMENTS";
/// The environment variable with another build of this program, to be attacked in its place.
const PROGRAM: &str = "SPRAG_ABUSE_PROGRAM";
/// Stands for the folder of the server in its arguments.
const FOLDER: &str = "{folder}";
/// The policy of an audit log that has everything.
const AUDIT_EVERYTHING: &str = r#"{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"RequestResponse"}]}"#;
/// The policy of an audit log that says who did what, and not with what.
const AUDIT_METADATA: &str = r#"{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}"#;

/// Serves from a folder: the process that is attacked.
pub(in crate::suite) fn serve(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let given = std::env::var(ARGUMENTS).unwrap_or_default();
    let storage: &[&str] = if given.contains("--storage") { &[] } else { &["--storage", "memory"] };
    let usual = [&["serve", "--listen", "127.0.0.1:0"], storage, &["--data-dir"]].concat();
    let words = usual.into_iter().map(str::to_owned).chain([folder.display().to_string()]);
    let words = words.chain(arguments.iter().map(|word| (*word).to_owned()));
    let words = words.chain(given.split_whitespace().map(str::to_owned));
    let args = ServeArgs::try_parse_from(words).map_err(|error| error.to_string())?;
    args.serve(|server| server).map_err(|error| error.to_string())
}

/// A server in a process of its own.
pub(in crate::suite) struct Arena {
    child: Mutex<Child>,
    pid: u32,
    address: SocketAddr,
    tls: Arc<rustls::ClientConfig>,
    /// The authority of the server's certificate, as PEM.
    authority: String,
    pub(in crate::suite) token: String,
    idle: f64,
    full: bool,
    stopped: AtomicBool,
    /// The server may speak until it ends.
    _stdout: BufReader<ChildStdout>,
    folder: Scratch,
}

impl Arena {
    pub(in crate::suite) async fn start(arguments: &[&str], files: Option<u32>) -> Result<Arena, String> {
        let failed = |error: &dyn std::fmt::Display| format!("no server: {error}");
        let folder = Scratch::new("abuse").map_err(|error| failed(&error))?;
        for (name, policy) in [("audit.json", AUDIT_EVERYTHING), ("metadata.json", AUDIT_METADATA)] {
            std::fs::write(folder.path().join(name), policy).map_err(|error| failed(&error))?;
        }
        let program = match std::env::var_os(PROGRAM) {
            Some(program) => program.into(),
            None => std::env::current_exe().map_err(|error| failed(&error))?,
        };
        let limit = files.map(|files| format!("ulimit -n {files}; ")).unwrap_or_default();
        let mut child = Command::new("sh")
            .args(["-c", &format!("{limit}exec \"$0\" abuse \"$1\"")])
            .arg(program)
            .arg(folder.path())
            .env(ARGUMENTS, arguments.join(" ").replace(FOLDER, &folder.path().display().to_string()))
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().ok_or("no output")?);
        stdout.read_line(&mut line).map_err(|error| failed(&error))?;
        let address = line.trim().strip_prefix("listening on https://").and_then(|address| address.parse().ok());
        let address = address.ok_or_else(|| format!("the server said {line:?}"))?;
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).map_err(|error| failed(&error));
        let authority = read("pki/ca.crt")?;
        let token = read("token")?;
        let pid = child.id();
        let full = std::env::var_os("SPRAG_FULL").is_some();
        let tls = Arc::new(trusting(&authority)?.with_no_client_auth());
        let token = token.trim().to_owned();
        let child = Mutex::new(child);
        let stopped = AtomicBool::new(false);
        let mut arena = Arena { child, pid, address, tls, authority, token, idle: 0.0, full, stopped, _stdout: stdout, folder };
        arena.get("/readyz").await?.expect(200)?;
        arena.idle = arena.memory();
        Ok(arena)
    }

    /// A number of clients or objects: what the issue asks for, or less for every day.
    pub(super) fn count(&self, small: usize, full: usize) -> usize {
        if self.full { full } else { small }
    }

    /// The folder of the server.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The memory of the idle server in MB.
    pub(super) fn idle(&self) -> f64 {
        self.idle
    }

    /// The memory of the server in MB.
    pub(in crate::suite) fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
    }

    /// Waits until little memory is left in use, which after a large attack may take a while.
    pub(super) async fn calms_down(&self, longest: Duration, most: f64) -> Result<(), String> {
        let started = Instant::now();
        while self.full && !self.is_stopped() && self.memory() > most {
            if started.elapsed() > longest {
                return Err(format!("{:.0} MB are in use {longest:?} after", self.memory()));
            }
            sleep(INTERVAL).await;
        }
        Ok(())
    }

    /// The memory beyond that of the idle server, in MB.
    pub(super) fn cost(&self) -> f64 {
        (self.memory() - self.idle).max(0.0)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Asks the server to stop, and waits until it has.
    pub(super) async fn stop(&self, longest: Duration) -> Result<Duration, String> {
        self.stopped.store(true, Ordering::Relaxed);
        let started = Instant::now();
        let killed = Command::new("kill").arg(self.pid.to_string()).status();
        killed.map_err(|error| error.to_string())?;
        while started.elapsed() < longest {
            if self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().is_ok_and(|ended| ended.is_some()) {
                return Ok(started.elapsed());
            }
            sleep(INTERVAL).await;
        }
        Err(format!("it still runs {longest:?} after SIGTERM"))
    }

    /// Kills the server without warning.
    pub(in crate::suite) fn kill(&self) -> Result<(), String> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.kill().and_then(|()| child.wait()).map(drop).map_err(|error| error.to_string())
    }

    /// A plain connection.
    pub(in crate::suite) async fn tcp(&self) -> Result<TcpStream, String> {
        let stream = TcpStream::connect(self.address).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(stream)
    }

    /// A connection on which a protocol is agreed.
    pub(in crate::suite) async fn connect(&self, protocol: &str) -> Result<TlsStream<TcpStream>, String> {
        self.connect_with((*self.tls).clone(), protocol).await
    }

    async fn connect_with(
        &self,
        mut tls: rustls::ClientConfig,
        protocol: &str,
    ) -> Result<TlsStream<TcpStream>, String> {
        tls.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let name = ServerName::from(self.address.ip());
        let connected = TlsConnector::from(Arc::new(tls)).connect(name, self.tcp().await?);
        let connected = timeout(PATIENCE, connected).await.map_err(|_| "no TLS in time".to_owned())?;
        connected.map_err(|error| error.to_string())
    }

    /// A client with a connection of its own.
    pub(in crate::suite) async fn client(&self) -> Result<Client, String> {
        self.client_on(self.connect("http/1.1").await?).await
    }

    /// A client that shows a certificate.
    pub(super) async fn client_with(
        &self,
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Client, String> {
        let shown = trusting(&self.authority)?.with_client_auth_cert(chain, key).map_err(|error| error.to_string())?;
        self.client_on(self.connect_with(shown, "http/1.1").await?).await
    }

    async fn client_on(&self, stream: TlsStream<TcpStream>) -> Result<Client, String> {
        let stream = TokioIo::new(stream);
        let mut builder = http1::Builder::new();
        // Warnings are headers, of which there may be many.
        builder.max_headers(1000);
        let (sender, connection) = builder.handshake(stream).await.map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        Ok(Client { sender, host: self.address.to_string(), token: self.token.clone() })
    }

    /// One request on a connection of its own.
    pub(in crate::suite) async fn ask(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: impl Into<Bytes>,
    ) -> Result<Answer, String> {
        self.client().await?.ask(method, path, content_type, body).await
    }

    pub(in crate::suite) async fn get(&self, path: &str) -> Result<Answer, String> {
        self.ask("GET", path, "", "").await
    }

    pub(in crate::suite) async fn post(&self, path: &str, object: &Value) -> Result<Answer, String> {
        self.ask("POST", path, "application/json", object.to_string()).await
    }

    /// The longest time that a task kept a thread of the server's runtime.
    pub(super) async fn longest_hold(&self) -> Result<Duration, String> {
        let metrics = self.get("/metrics").await?.text();
        let line = metrics.lines().find_map(|line| line.strip_prefix("sprag_runtime_longest_hold_seconds "));
        let seconds = line.and_then(|seconds| seconds.parse().ok()).ok_or("no metric of the longest hold")?;
        Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
    }

    /// Returns the number of the server's panics.
    pub(in crate::suite) async fn panics(&self) -> Result<u64, String> {
        let metrics = self.get("/metrics").await?.text();
        let count = |name: &str| {
            metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        Ok(count("apiserver_request_panics_total")
            + count("apiserver_validation_declarative_validation_panic_total"))
    }

    /// The head of a request in HTTP/1.1, to be written by hand.
    pub(in crate::suite) fn head(&self, method: &str, path: &str, more: &str) -> String {
        let address = self.address;
        let token = &self.token;
        format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{more}\r\n")
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn trusting(authority: &str) -> Result<ConfigBuilder<rustls::ClientConfig, WantsClientCert>, String> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| error.to_string())?;
    Ok(config.with_root_certificates(roots))
}

/// A client on one connection.
pub(in crate::suite) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    pub(super) token: String,
}

impl Client {
    pub(in crate::suite) async fn ask(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: impl Into<Bytes>,
    ) -> Result<Answer, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.host)
            .header(AUTHORIZATION, format!("Bearer {}", self.token));
        if !content_type.is_empty() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let request = request.body(Full::new(body.into())).map_err(|error| error.to_string())?;
        self.send(request).await
    }

    /// The same as another user, who may do everything.
    pub(super) async fn ask_as(
        &mut self,
        user: &str,
        method: &str,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<Answer, String> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.host)
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .header(CONTENT_TYPE, "application/json")
            .header("impersonate-user", user)
            .header("impersonate-group", "system:masters");
        self.send(request.body(Full::new(body.into())).map_err(|error| error.to_string())?).await
    }

    /// A request without a body that has these headers, too.
    pub(super) async fn ask_with(&mut self, method: &str, path: &str, headers: &[(&str, &str)]) -> Result<Answer, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.host)
            .header(AUTHORIZATION, format!("Bearer {}", self.token));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Full::default()).map_err(|error| error.to_string())?).await
    }

    pub(super) async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Answer, String> {
        let exchanged = async {
            self.sender.ready().await.map_err(|error| error.to_string())?;
            let answer = self.sender.send_request(request).await.map_err(|error| error.to_string())?;
            let (head, body) = answer.into_parts();
            let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
            Ok(Answer { code: head.status.as_u16(), headers: head.headers, body })
        };
        timeout(PATIENCE, exchanged).await.unwrap_or_else(|_| Err("no answer in time".into()))
    }
}

/// The server's answer.
pub(in crate::suite) struct Answer {
    pub(in crate::suite) code: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(in crate::suite) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(in crate::suite) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The answer, which must have this code.
    pub(in crate::suite) fn expect(self, code: u16) -> Result<Answer, String> {
        if self.code == code {
            return Ok(self);
        }
        let text: String = self.text().chars().take(300).collect();
        Err(format!("{} where {code} was expected: {text}", self.code))
    }

    /// The answer, which must be a refusal of the client.
    pub(super) fn refused(self) -> Result<Answer, String> {
        if (400..500).contains(&self.code) {
            return Ok(self);
        }
        let text: String = self.text().chars().take(300).collect();
        Err(format!("{} where a refusal was expected: {text}", self.code))
    }
}

/// Looks at the memory and the health of a server for as long as a case takes, and at how long another user waits.
pub(in crate::suite) struct Meter {
    tasks: Vec<JoinHandle<()>>,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    /// The most memory beyond that of the idle server, in KB.
    peak: AtomicU64,
    /// The longest `/livez`, in milliseconds.
    livez: AtomicU64,
    /// The times of another user's reads.
    reads: Mutex<Vec<Duration>>,
}

/// The result of a [`Meter`].
pub(super) struct Measured {
    /// The most memory beyond that of the idle server, in MB.
    pub(super) memory: f64,
    pub(super) livez: Duration,
    /// The 99th percentile of another user's reads.
    pub(super) reads: Duration,
}

impl Meter {
    pub(in crate::suite) fn start(arena: &Arc<Arena>) -> Meter {
        let seen = Arc::new(Seen::default());
        let tasks = vec![
            tokio::spawn(watch_memory(arena.clone(), seen.clone())),
            tokio::spawn(watch_health(arena.clone(), seen.clone())),
            tokio::spawn(read(arena.clone(), seen.clone())),
        ];
        Meter { tasks, seen }
    }

    pub(super) async fn stop(self) -> Measured {
        sleep(INTERVAL).await;
        self.tasks.iter().for_each(JoinHandle::abort);
        #[expect(clippy::cast_precision_loss, reason = "memory is small")]
        let memory = self.seen.peak.load(Ordering::Relaxed) as f64 / 1024.0;
        let mut reads = std::mem::take(&mut *self.seen.reads.lock().unwrap_or_else(PoisonError::into_inner));
        reads.sort_unstable();
        let reads = reads.get(reads.len() * 99 / 100).copied().unwrap_or_default();
        Measured { memory, livez: Duration::from_millis(self.seen.livez.load(Ordering::Relaxed)), reads }
    }
}

async fn watch_memory(arena: Arc<Arena>, seen: Arc<Seen>) {
    loop {
        let over = ((arena.memory() - arena.idle) * 1024.0).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "memory is small and positive")]
        seen.peak.fetch_max(over as u64, Ordering::Relaxed);
        sleep(INTERVAL).await;
    }
}

async fn watch_health(arena: Arc<Arena>, seen: Arc<Seen>) {
    while !arena.is_stopped() {
        let started = Instant::now();
        let asked = arena.get("/livez").await;
        let is_well = asked.is_ok_and(|answer| answer.code == 200);
        let took = if is_well { started.elapsed() } else { PATIENCE };
        if !arena.is_stopped() {
            seen.livez.fetch_max(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        sleep(INTERVAL).await;
    }
}

/// Another user, who was there before and reads one object again and again.
async fn read(arena: Arc<Arena>, seen: Arc<Seen>) {
    let mut client = arena.client().await;
    while !arena.is_stopped() {
        let started = Instant::now();
        let asked = match &mut client {
            Ok(client) => client.ask_as("reader", "GET", "/api/v1/namespaces/default", "").await,
            Err(problem) => Err(problem.clone()),
        };
        match asked {
            Ok(_) => seen.reads.lock().unwrap_or_else(PoisonError::into_inner).push(started.elapsed()),
            Err(_) => client = arena.client().await,
        }
        sleep(BETWEEN_READS).await;
    }
}

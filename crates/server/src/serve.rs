//! The server as a command: its flags, from its start to a signal.

mod audit;
mod authentication;
mod crds;
mod etcd;
mod handshake;
mod temporary;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use sprag_admission::builtin::DefaultTolerationSeconds;
use sprag_authorization::AuthorizationMode;
use sprag_kinds::{ServiceRanges, ServiceRangesError};
use sprag_rest::{MinorVersion, Release};
use sprag_storage::{Embedded, EmbeddedOptions, Etcd, Memory, Retention, Store, SystemClock};
use sprag_value::Quantity;
use tracing_subscriber::EnvFilter;

pub use self::audit::AuditArgs;
pub use self::authentication::AuthenticationArgs;
pub use self::etcd::EtcdArgs;
pub use self::handshake::{Announcement, HandshakeArgs};

use self::handshake::ReadyFile;
use self::temporary::TemporaryFolder;
use crate::admission::{self, Configured};
use crate::certificates::ServingCertificate;
use crate::connection;
use crate::error::Error;
use crate::folder;
use crate::gates::gates_emulating;
use crate::identity::given_secret;
use crate::limits::Limits;
use crate::server::{Running, Server};

/// The least memory for history: some objects of the largest size.
const LEAST_HISTORY: usize = 1 << 20;

/// Serve built-in kinds and custom resources as a Kubernetes API server.
#[derive(Parser, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Folder for objects, certificates, the token and the kubeconfig
    #[arg(long, value_name = "DIR", default_value = ".sprag")]
    pub data_dir: PathBuf,

    /// Keep objects in memory and the rest in a new folder, which is removed when the server stops
    #[arg(long, conflicts_with_all = ["data_dir", "storage"])]
    pub temporary: bool,

    /// Store of the objects: `embedded` in the folder, `memory`, or `etcd://host:port,…`
    #[arg(long, value_name = "STORE", default_value = "embedded")]
    pub storage: String,

    /// Connection to etcd.
    #[command(flatten)]
    pub etcd: EtcdArgs,

    /// Custom resource definitions to load before listening: files or folders
    #[arg(long, value_name = "PATH")]
    pub crds: Vec<PathBuf>,

    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:6443", value_parser = address)]
    pub listen: SocketAddr,

    /// Let other machines connect although `AlwaysAllow` lets everyone with credentials do everything
    #[arg(long)]
    pub i_know_this_is_open: bool,

    /// Host name or address by which clients reach the server, if it is not the one it listens on
    #[arg(long, value_name = "HOST")]
    pub advertise_address: Option<String>,

    /// More host names and addresses for the certificate
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub tls_san: Vec<String>,

    /// Serving certificate, in place of a generated one; intermediate certificates may follow in the file
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file")]
    pub tls_cert_file: Option<PathBuf>,

    /// Key of the serving certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    pub tls_private_key_file: Option<PathBuf>,

    /// File with the administrator's bearer token, in place of the one in the folder
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// Authentication of clients.
    #[command(flatten)]
    pub authentication: AuthenticationArgs,

    /// Features to switch: `Name=true,Other=false`
    #[arg(long, value_name = "GATES", default_value = "")]
    pub feature_gates: String,

    /// Release of Kubernetes to answer as, from 1.33 on [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: Option<Release>,

    /// The version whose features and defaults to have, up to three before the release; fields and rules stay those of the release
    #[arg(long, value_name = "VERSION", value_parser = emulated_version)]
    pub emulated_version: Option<MinorVersion>,

    /// Authorization modes, in order: `RBAC`, `AlwaysAllow`, `AlwaysDeny`; `Node` is accepted and decides nothing
    #[arg(long, value_name = "MODES", value_delimiter = ',', default_value = "RBAC")]
    pub authorization_mode: Vec<AuthorizationMode>,

    /// Maximum concurrent reads, watches excluded; more wait, then get 429
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().reads)]
    pub max_requests_inflight: usize,

    /// Maximum concurrent writes; more wait, then get 429
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().writes)]
    pub max_mutating_requests_inflight: usize,

    /// Leave deleted namespaces, garbage, quotas and service accounts of namespaces to a controller manager
    #[arg(long)]
    pub no_controllers: bool,

    /// Admission plug-ins to switch on beside those that are on
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub enable_admission_plugins: Vec<String>,

    /// Admission plug-ins to switch off
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub disable_admission_plugins: Vec<String>,

    /// Configurations of admission plug-ins, an `AdmissionConfiguration`
    #[arg(long, value_name = "FILE")]
    pub admission_control_config_file: Option<PathBuf>,

    /// Seconds that pods stay on a node that is not ready, unless they set a toleration themselves
    #[arg(long, value_name = "SECONDS", default_value_t = DefaultTolerationSeconds::default().not_ready)]
    pub default_not_ready_toleration_seconds: i64,

    /// Seconds that pods stay on a node that is unreachable, unless they set a toleration themselves
    #[arg(long, value_name = "SECONDS", default_value_t = DefaultTolerationSeconds::default().unreachable)]
    pub default_unreachable_toleration_seconds: i64,

    /// Audit log.
    #[command(flatten)]
    pub audit: AuditArgs,

    /// API versions to switch: `batch/v1=false`, `api/beta=true`
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    pub runtime_config: Vec<String>,

    /// Time for a request, which its `timeout` can only shorten; watches are not limited
    #[arg(long, value_name = "TIME", default_value = "1m0s", value_parser = request_time)]
    pub request_timeout: std::time::Duration,

    /// Time for which history is kept for watches and paged lists: `5m`, `90s`
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub history: String,

    /// Memory that history may take; beyond it the oldest goes before its time. etcd keeps its own
    #[arg(long, value_name = "QUANTITY", default_value = "256Mi", value_parser = history_memory)]
    pub history_memory: usize,

    /// Range of addresses for services; a second one of the other family, behind a comma, gives them both
    #[arg(long, value_name = "CIDR", default_value = "10.0.0.0/16")]
    pub service_cluster_ip_range: String,

    /// Ports of nodes for services
    #[arg(long, value_name = "FIRST-LAST", default_value = "30000-32767")]
    pub service_node_port_range: String,

    /// Flags for programs that start the server.
    #[command(flatten)]
    pub handshake: HandshakeArgs,

    /// Log level on standard error: `error`, `warn`, `info`, `debug`; `access=info` logs requests
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    pub log: String,

    /// Log format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// Reads an emulated version, of the one component that is there.
// As upstream's componentGlobalsRegistry.Set.
fn emulated_version(text: &str) -> Result<MinorVersion, String> {
    text.strip_prefix("kube=").unwrap_or(text).parse()
}

/// The stack of a thread: values may be 512 levels deep, and what walks them needs some of it for each.
pub(crate) const STACK: usize = 8 << 20;

/// The log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  sprag serve --crds config/crd/
  KUBECONFIG=.sprag/kubeconfig kubectl get crds
  sprag serve --storage memory --listen 127.0.0.1:0 --log access=info
  sprag serve --audit-policy-file audit.yaml --audit-log-path audit.log";

impl ServeArgs {
    /// Starts a server, prints its address, and serves until the process receives a stop signal. `finish` adds resources to the
    /// server.
    pub fn serve(mut self, finish: impl FnOnce(Server) -> Server) -> Result<(), Error> {
        self.start_log()?;
        let temporary = self.temporary.then(TemporaryFolder::new).transpose()?;
        if let Some(folder) = &temporary {
            folder.path().clone_into(&mut self.data_dir);
            "memory".clone_into(&mut self.storage);
        }
        let file = self.handshake.ready_file.as_deref().map(ReadyFile::new).transpose()?;
        let orphaned = async {
            if self.handshake.exit_with_stdin {
                handshake::stdin_closed().await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        let start = async { Ok((self.start(finish).await?, ())) };
        until_stopped(start, orphaned, |(running, ())| handshake::announce(&self, file.as_ref(), running))
    }

    /// Starts a server.
    pub async fn start(&self, finish: impl FnOnce(Server) -> Server) -> Result<Running, Error> {
        self.check_listen()?;
        folder::prepare(&self.data_dir).map_err(|error| error.of_flag("--data-dir"))?;
        let mut server = self.server()?.store(self.store().await?).data_dir(&self.data_dir);
        if let Some(host) = &self.advertise_address {
            server = server.advertise(host);
        }
        finish(server).start().await
    }

    /// The server of these flags, without its store, its folder and where clients find it: what is wrong with flags is said before
    /// anything is opened.
    pub(crate) fn server(&self) -> Result<Server, Error> {
        self.check_emulated_version()?;
        let plugins =
            admission::plugins(&self.enable_admission_plugins, &self.disable_admission_plugins, self.release())?;
        let configured = Configured::read(&plugins, self.admission_control_config_file.as_deref())?;
        let mut server = Server::new(Arc::new(Memory::new()))
            .service_ranges(self.service_ranges()?)
            .gates(gates_emulating(self.release(), self.emulated()))
            .switch_features(&self.feature_gates)
            .switch_versions(&self.runtime_config)?
            .admission(plugins, configured)
            .tolerations(DefaultTolerationSeconds {
                not_ready: self.default_not_ready_toleration_seconds,
                unreachable: self.default_unreachable_toleration_seconds,
            })
            .listen(self.listen)
            .authentication(self.authentication.read()?)
            .authorization(self.authorization_mode.clone())
            .controllers(!self.no_controllers)
            .namespace_accounts(!self.no_controllers)
            .identity_lease(sprag_controllers::RENEWED_EVERY)
            .limits(Limits {
                reads: self.max_requests_inflight,
                writes: self.max_mutating_requests_inflight,
                request: self.request_timeout,
                ..Limits::default()
            });
        if let Some(options) = self.audit.options() {
            server = server.audit(options);
        }
        if let Some(file) = &self.token_file {
            server = server.token(given_secret("--token-file", file)?);
        }
        if let (Some(certificate), Some(key)) = (&self.tls_cert_file, &self.tls_private_key_file) {
            server = server.serving_certificate(
                ServingCertificate::read(certificate, key)
                    .map_err(|error| error.of_flag("--tls-cert-file and --tls-private-key-file"))?,
            );
        }
        for name in &self.tls_san {
            server = server.certificate_name(name);
        }
        for path in &self.crds {
            for (origin, definition) in crds::read(path).map_err(|error| error.of_flag("--crds"))? {
                server = server.crd(origin, definition);
            }
        }
        Ok(server)
    }

    /// The release to answer as.
    pub(crate) fn release(&self) -> Release {
        self.kubernetes_version.unwrap_or_default()
    }

    /// The version whose features and defaults to have.
    pub(crate) fn emulated(&self) -> MinorVersion {
        self.emulated_version.unwrap_or(self.release().version())
    }

    /// As upstream's `effectiveVersion.Validate`. The second error is about a version that no flag sets, and that has the same limit.
    fn check_emulated_version(&self) -> Result<(), Error> {
        let oldest = self.release().oldest_emulated();
        let newest = self.release().version();
        let version = self.emulated();
        if (oldest..=newest).contains(&version) {
            return Ok(());
        }
        let error = format!("emulation version {version} is not between [{oldest}, {newest}.0]");
        Err(Error::Usage(if version > newest {
            error
        } else {
            format!("[{error}, minCompatibilityVersion version {oldest} is not between [{oldest}, {version}]]")
        }))
    }

    fn service_ranges(&self) -> Result<ServiceRanges, Error> {
        let ranges = ServiceRanges::new(&self.service_cluster_ip_range, &self.service_node_port_range);
        ranges.map_err(|error| {
            let flag = match error {
                ServiceRangesError::NodePorts(_) => "--service-node-port-range",
                _ => "--service-cluster-ip-range",
            };
            Error::Usage(format!("{flag}: {error}"))
        })
    }

    /// The history to keep.
    pub(crate) fn retention(&self) -> Result<Retention, Error> {
        let text = &self.history;
        let age = time(text)
            .ok_or_else(|| Error::Usage(format!("--history: {text:?} is not a time: write it like 5m or 1h30m")))?;
        Ok(Retention { age, bytes: self.history_memory, ..Retention::default() })
    }

    async fn store(&self) -> Result<Arc<dyn Store>, Error> {
        let retention = self.retention()?;
        if let Some(endpoints) = self.storage.strip_prefix("etcd://") {
            let options = self.etcd.options(endpoints, retention.age)?;
            let connected = Etcd::connect(&options).await;
            let etcd = connected.map_err(|error| Error::from(error).of_flag(&format!("--storage {}", self.storage)))?;
            return Ok(Arc::new(etcd));
        }
        match self.storage.as_str() {
            "embedded" => {
                let options = EmbeddedOptions { retention, ..EmbeddedOptions::default() };
                Ok(Arc::new(Embedded::open_with(self.data_dir.join("store"), options)?))
            }
            "memory" => Ok(Arc::new(Memory::with(retention, Arc::new(SystemClock)))),
            other => Err(Error::Usage(format!(
                "--storage: {other:?} is not one of embedded, memory and etcd://host:port,host:port"
            ))),
        }
    }

    /// Refuses to let other machines in where credentials are all there is between them and everything.
    pub(crate) fn check_listen(&self) -> Result<(), Error> {
        let allows_all = self.authorization_mode.contains(&AuthorizationMode::AlwaysAllow);
        let is_local = self.listen.ip().to_canonical().is_loopback();
        if is_local || self.i_know_this_is_open || !allows_all {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "--listen {}: other machines could connect, and with --authorization-mode AlwaysAllow everyone with credentials \
             may do everything: add --i-know-this-is-open if that is meant, leave the mode at RBAC, or listen on 127.0.0.1",
            self.listen
        )))
    }

    pub(crate) fn start_log(&self) -> Result<(), Error> {
        let filter = EnvFilter::try_new(&self.log).map_err(|error| Error::Usage(format!("--log: {error}")))?;
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        let started = match self.log_format {
            LogFormat::Text => {
                let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
                log.with_ansi(colours).try_init()
            }
            LogFormat::Json => log.json().try_init(),
        };
        started.map_err(|error| Error::Usage(format!("the log cannot be started: {error}")))
    }
}

/// Reads the address of `--listen`.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:6443 or [::1]:0".to_owned())
}

/// Reads the time of `--request-timeout`.
fn request_time(text: &str) -> Result<std::time::Duration, String> {
    time(text).ok_or_else(|| "write a time such as 60s or 1m30s".to_owned())
}

/// A time as Go writes it, if it is one and positive.
fn time(text: &str) -> Option<std::time::Duration> {
    let nanos = u64::try_from(text.parse::<sprag_value::Duration>().ok()?.as_nanos()).ok()?;
    (nanos > 0).then(|| std::time::Duration::from_nanos(nanos))
}

/// Reads the quantity of `--history-memory`.
fn history_memory(text: &str) -> Result<usize, String> {
    let bytes = text.parse::<Quantity>().ok().and_then(|quantity| usize::try_from(quantity.value()).ok());
    bytes
        .filter(|bytes| *bytes >= LEAST_HISTORY)
        .ok_or_else(|| "write a quantity of at least 1Mi, such as 256Mi".to_owned())
}

/// Time that computations of requests have left when everything else has stopped.
const LAST_WORK: std::time::Duration = std::time::Duration::from_secs(1);

/// Starts a server, and runs it and its guards until the process receives a stop signal or is `orphaned`.
pub(crate) fn until_stopped<T>(
    start: impl Future<Output = Result<(Running, T), Error>>,
    orphaned: impl Future<Output = ()>,
    ready: impl FnOnce(&(Running, T)) -> Result<(), Error>,
) -> Result<(), Error> {
    connection::raise_open_files();
    // One thread alone would answer no health check while it is busy.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).max(2);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(threads).thread_stack_size(STACK);
    let runtime = finish(runtime)?;
    let outcome = runtime.block_on(async {
        tokio::pin!(orphaned);
        let mut signals = StopSignals::new()?;
        let started = tokio::select! {
            started = start => started?,
            () = signals.next() => return Ok(()),
            () = &mut orphaned => {
                let why = "--exit-with-stdin: standard input was closed before the server was ready: give it a pipe that stays open";
                return Err(Error::Usage(why.to_owned()));
            }
        };
        ready(&started)?;
        tokio::select! {
            () = signals.next() => {}
            () = orphaned => {}
        }
        let (running, _with) = started;
        tokio::select! {
            () = running.shutdown() => {}
            () = signals.next() => {}
        }
        Ok(())
    });
    // Requests that are still computing are waited for no longer: dropping the runtime would wait until they are done.
    runtime.shutdown_timeout(LAST_WORK);
    outcome
}

/// A runtime on this thread alone.
pub(crate) fn single_thread() -> Result<tokio::runtime::Runtime, Error> {
    finish(tokio::runtime::Builder::new_current_thread())
}

fn finish(mut runtime: tokio::runtime::Builder) -> Result<tokio::runtime::Runtime, Error> {
    runtime.enable_all().build().map_err(|error| Error::Usage(format!("cannot start threads: {error}")))
}

/// The signals that stop a server. They are received from the moment this is made, so it comes before all that is started.
#[cfg(unix)]
pub(crate) struct StopSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    pub(crate) fn new() -> Result<StopSignals, Error> {
        use tokio::signal::unix::{SignalKind, signal};
        let receive = |kind| signal(kind).map_err(|error| Error::Usage(format!("cannot receive signals: {error}")));
        Ok(StopSignals { interrupt: receive(SignalKind::interrupt())?, terminate: receive(SignalKind::terminate())? })
    }

    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The key that stops a server.
#[cfg(not(unix))]
pub(crate) struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    pub(crate) fn new() -> Result<StopSignals, Error> {
        Ok(StopSignals)
    }

    pub(crate) async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

//! The server as a command: its flags, from its start to a signal.

mod crds;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use sprag_storage::{Embedded, Etcd, EtcdOptions, Memory, Store};
use tracing_subscriber::EnvFilter;

use crate::auth::AuthorizationMode;
use crate::connection;
use crate::error::Error;
use crate::limits::Limits;
use crate::server::{Running, Server};

/// Serve custom resources and core kinds as a Kubernetes API server.
#[derive(Parser, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Folder for objects, certificates, the token and the kubeconfig
    #[arg(long, value_name = "DIR", default_value = ".sprag")]
    pub data_dir: PathBuf,

    /// Where objects are kept: `embedded` in the folder, `memory`, or `etcd://host:port,…`
    #[arg(long, value_name = "STORE", default_value = "embedded")]
    pub storage: String,

    /// Allow plain text to etcd on other machines
    #[arg(long)]
    pub etcd_insecure: bool,

    /// Custom resource definitions to load before listening: files or folders
    #[arg(long, value_name = "PATH")]
    pub crds: Vec<PathBuf>,

    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:6443")]
    pub listen: SocketAddr,

    /// Features to switch: `Name=true,Other=false`
    #[arg(long, value_name = "GATES", default_value = "")]
    pub feature_gates: String,

    /// Who may do what once their token is known
    #[arg(long, value_name = "MODE", default_value = "AlwaysAllow")]
    pub authorization_mode: AuthorizationMode,

    /// Requests at once that read, but for watches; others wait, then are refused
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().reads)]
    pub max_requests_inflight: usize,

    /// Requests at once that write; others wait, then are refused
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().writes)]
    pub max_mutating_requests_inflight: usize,

    /// Leave deleted namespaces and garbage to a controller manager
    #[arg(long)]
    pub no_controllers: bool,

    /// What to log on standard error: `error`, `warn`, `info`, `debug`; `access=info` logs requests
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    pub log: String,

    /// How to log
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// The stack of a thread: values may be 512 levels deep, and what walks them needs some of it for each.
const STACK: usize = 8 << 20;

/// How to log.
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
  sprag serve --storage memory --listen 127.0.0.1:0 --log access=info";

impl ServeArgs {
    /// Starts a server, says where it is, and serves until the process is told to stop. `finish` adds resources to the
    /// server.
    pub fn serve(self, finish: impl FnOnce(Server) -> Server) -> Result<(), Error> {
        self.start_log()?;
        connection::raise_open_files();
        // One thread alone would answer no health check while it is busy.
        let threads = std::thread::available_parallelism().map_or(1, usize::from).max(2);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_stack_size(STACK)
            .enable_all()
            .build()
            .map_err(|error| Error::Usage(format!("cannot start threads: {error}")))?;
        runtime.block_on(async {
            let running = self.start(finish).await?;
            announce(&running);
            wait_for_signal().await;
            tokio::select! {
                () = running.shutdown() => {}
                () = wait_for_signal() => {}
            }
            Ok(())
        })
    }

    /// Starts a server.
    pub async fn start(&self, finish: impl FnOnce(Server) -> Server) -> Result<Running, Error> {
        let mut server = Server::new(self.store().await?)
            .switch_features(&self.feature_gates)
            .listen(self.listen)
            .data_dir(&self.data_dir)
            .authorization(self.authorization_mode)
            .controllers(!self.no_controllers)
            .limits(Limits {
                reads: self.max_requests_inflight,
                writes: self.max_mutating_requests_inflight,
                ..Limits::default()
            });
        for path in &self.crds {
            for (origin, definition) in crds::read(path)? {
                server = server.crd(origin, definition);
            }
        }
        finish(server).start().await
    }

    async fn store(&self) -> Result<Arc<dyn Store>, Error> {
        if let Some(endpoints) = self.storage.strip_prefix("etcd://") {
            let mut options = EtcdOptions::new(endpoints.split(','));
            options.allow_plaintext = self.etcd_insecure;
            return Ok(Arc::new(Etcd::connect(&options).await?));
        }
        match self.storage.as_str() {
            "embedded" => Ok(Arc::new(Embedded::open(self.data_dir.join("store"))?)),
            "memory" => Ok(Arc::new(Memory::new())),
            other => Err(Error::Usage(format!(
                "--storage: {other:?} is none of embedded, memory and etcd://host:port,host:port"
            ))),
        }
    }

    fn start_log(&self) -> Result<(), Error> {
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

/// Says where the server is. A closed stream is no reason to stop.
fn announce(running: &Running) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "listening on {}", running.url());
    if let Some(kubeconfig) = running.kubeconfig() {
        let _ = writeln!(out, "export KUBECONFIG={}", kubeconfig.display());
    }
    let _ = out.flush();
}

async fn wait_for_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            let _ = interrupt.await;
            return;
        };
        tokio::select! {
            _ = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    let _ = interrupt.await;
}

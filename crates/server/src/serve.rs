//! The server as a command: its flags, from its start to a signal.

mod crds;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use sprag_kinds::{ServiceRanges, ServiceRangesError};
use sprag_storage::{Embedded, Etcd, EtcdOptions, Memory, Store};
use tracing_subscriber::EnvFilter;

use crate::auth::AuthorizationMode;
use crate::error::Error;
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

    /// Leave deleted namespaces and garbage to a controller manager
    #[arg(long)]
    pub no_controllers: bool,

    /// Range of addresses for services; a second one of the other family, behind a comma, gives them both
    #[arg(long, value_name = "CIDR", default_value = "10.0.0.0/16")]
    pub service_cluster_ip_range: String,

    /// Ports of nodes for services
    #[arg(long, value_name = "FIRST-LAST", default_value = "30000-32767")]
    pub service_node_port_range: String,

    /// What to log on standard error: `error`, `warn`, `info`, `debug`; `access=info` logs requests
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    pub log: String,

    /// How to log
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

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
        let runtime = tokio::runtime::Builder::new_multi_thread()
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
        let ranges = ServiceRanges::new(&self.service_cluster_ip_range, &self.service_node_port_range);
        let ranges = ranges.map_err(|error| {
            let flag = match error {
                ServiceRangesError::NodePorts(_) => "--service-node-port-range",
                _ => "--service-cluster-ip-range",
            };
            Error::Usage(format!("{flag}: {error}"))
        })?;
        let mut server = Server::new(self.store().await?)
            .service_ranges(ranges)
            .switch_features(&self.feature_gates)
            .listen(self.listen)
            .data_dir(&self.data_dir)
            .authorization(self.authorization_mode)
            .controllers(!self.no_controllers);
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

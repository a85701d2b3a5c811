//! The handshake with the program that starts a server: it learns where the server is once it is ready, and the server ends with it.
//!
//! The document is described in `docs/serve.md`; members may be added to it, none are renamed or removed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sprag_value::{Object, Value, json};
use tokio::sync::oneshot;

use super::ServeArgs;
use crate::error::Error;
use crate::folder::write_private;
use crate::server::Running;

/// Flags for programs that start the server: how it reports that it is ready, and whether it ends with them.
#[derive(Args, Clone, Debug)]
pub struct HandshakeArgs {
    /// File to write when the server is ready: a JSON object with address, certificate, kubeconfig, process id and version
    #[arg(long, value_name = "FILE")]
    pub ready_file: Option<PathBuf>,

    /// Stop when standard input is closed, so that the server ends with the program that started it
    #[arg(long)]
    pub exit_with_stdin: bool,

    /// Format of the message that the server is ready: text, or json for the object of `--ready-file` on one line
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value = "text", hide_possible_values = true)]
    pub output: Announcement,
}

/// Format of the message that the server is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Announcement {
    /// For people.
    Text,
    /// One JSON object on one line.
    Json,
}

/// The file that says that the server is ready. It is gone when the server has stopped.
#[derive(Debug)]
pub(super) struct ReadyFile(PathBuf);

impl ReadyFile {
    /// The file at a path. One that an earlier server left there is removed: a client that waits for it must not find that server.
    pub(super) fn new(path: &Path) -> Result<ReadyFile, Error> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::file("remove", path, error)),
            _ => Ok(ReadyFile(path.to_owned())),
        }
    }

    fn write(&self, ready: &Value) -> Result<(), Error> {
        write_private(&self.0, &format!("{}\n", json::to_string(ready)))
    }
}

impl Drop for ReadyFile {
    fn drop(&mut self) {
        // It is missing if the server never became ready.
        let _ = fs::remove_file(&self.0);
    }
}

/// Says where the server is: in the file first, so that it exists when a client reads standard output. A closed stream is no
/// reason to stop.
pub(super) fn announce(args: &ServeArgs, file: Option<&ReadyFile>, running: &Running) -> Result<(), Error> {
    let ready = ready(args, running)?;
    if let Some(file) = file {
        file.write(&ready)?;
    }
    let mut out = std::io::stdout().lock();
    let _ = match args.handshake.output {
        Announcement::Text => out.write_all(text(args, running).as_bytes()),
        Announcement::Json => writeln!(out, "{}", json::to_string(&ready)),
    };
    let _ = out.flush();
    Ok(())
}

/// The tasks that kube-controller-manager has and this server does, too.
const CONTROLLERS: &str = "deletion of namespaces, garbage collection, quotas, default service accounts";

fn text(args: &ServeArgs, running: &Running) -> String {
    let listened = format!("https://{}", running.address());
    let mut lines = vec![format!("listening on {listened}")];
    if listened != running.url() {
        lines.push(format!("clients connect to {}", running.url()));
    }
    lines.extend(running.kubeconfig().map(|path| format!("export KUBECONFIG={}", path.display())));
    let controllers = if args.no_controllers { String::new() } else { format!(", {CONTROLLERS}") };
    lines.push(format!("runs: the API, admission{controllers}"));
    lines.push("does not run: nodes (pods stay Pending), workload controllers (a Deployment makes no pods)".to_owned());
    lines.join("\n") + "\n"
}

/// The document for clients. Secrets are named by the files that hold them: standard output ends up in logs.
fn ready(args: &ServeArgs, running: &Running) -> Result<Value, Error> {
    let absolute = |path: &Path| -> Result<String, Error> {
        let path = std::path::absolute(path).map_err(|error| Error::file("resolve", path, error))?;
        Ok(path.to_string_lossy().into_owned())
    };
    let token = args.token_file.clone().unwrap_or_else(|| args.data_dir.join("token"));
    let kubeconfig = args.data_dir.join("kubeconfig");
    Ok(Value::Object(Object::from([
        ("apiVersion", Value::from("sprag.dev/v1alpha1")),
        ("kind", Value::from("Ready")),
        ("url", Value::from(running.url())),
        ("certificateAuthority", Value::from(running.ca())),
        ("tokenFile", Value::from(absolute(&token)?)),
        ("kubeconfig", Value::from(absolute(&kubeconfig)?)),
        ("pid", Value::from(u64::from(std::process::id()))),
        ("version", Value::from(env!("CARGO_PKG_VERSION"))),
        ("kubernetesVersion", Value::from(args.emulated().to_string())),
    ])))
}

/// Ends when standard input is closed, at the other end or by an error.
pub(super) async fn stdin_closed() {
    let (send, closed) = oneshot::channel();
    // A thread of its own: reading standard input cannot be cancelled, and must not hold up the end of the runtime.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        // Nobody listens any more when the server has stopped for another reason.
        let _ = send.send(());
    });
    let _ = closed.await;
}

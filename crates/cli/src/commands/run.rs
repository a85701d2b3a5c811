//! `sprag run`: a command with a Kubernetes API of its own, which is there as long as the command runs.
//!
//! Three processes: this one waits, the server is `sprag serve --temporary` at the other end of a pipe, and the command replaces
//! a copy of this program that asked to end with it. So nothing stays behind, even if this process is killed: the pipe closes, the
//! server stops and removes its folder, and Linux ends the command.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use sprag_rest::Release;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::{Outcome, envtest};
use crate::output::Terminal;

/// Run a command against a Kubernetes API of its own, in memory.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Custom resource definitions to load before the command starts: files or folders
    #[arg(long, value_name = "PATH")]
    crds: Vec<PathBuf>,

    /// Release of Kubernetes to answer as, from 1.33 on [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<Release>,

    /// Features to switch: `Name=true,Other=false`
    #[arg(long, value_name = "GATES")]
    feature_gates: Option<String>,

    /// Log level of the server on standard error: `error`, `warn`, `info`, `debug`; `access=info` logs requests
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,

    /// Become the command, and end with the process of this id
    #[arg(long, value_name = "PID", hide = true)]
    end_with: Option<i32>,

    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
The command gets KUBECONFIG, and KUBEBUILDER_ASSETS for suites of envtest, which start servers of their own. The exit code is
that of the command; 128 and the signal if one ended it, 127 if it does not exist, 126 if it cannot be run, 2 if there is no
server.

Examples:
  sprag run -- kubectl create deployment web --image=nginx:1.29
  sprag run --crds config/crd/ -- bash -c 'kubectl apply -f config/samples && kubectl get widgets'
  sprag run --kubernetes-version 1.34 -- go test ./...";

/// Exit codes of shells, `env` and `timeout`.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;
const SIGNALED: i32 = 128;

/// Maximum time that the server takes to stop once the command has ended.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    if let Some(parent) = args.end_with {
        return become_command(parent, &args.command);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Before anything is started: a signal that comes early must not leave something behind.
        let mut signals = Signals::new()?;
        let (server, kubeconfig) = tokio::select! {
            started = Server::start(args) => started?,
            received = signals.next() => return Ok(Outcome::Exit(exit_code_of(received))),
        };
        let outcome = run_command(args, &kubeconfig, &mut signals).await;
        server.stop().await?;
        outcome
    })
}

/// The server process. It stops when its standard input closes, by whatever end of this process.
struct Server {
    process: Child,
    stdin: ChildStdin,
}

impl Server {
    /// Starts a server and waits until it is ready; the path of its kubeconfig.
    async fn start(args: &RunArgs) -> anyhow::Result<(Server, PathBuf)> {
        let mut command = Command::new(this_binary()?);
        command.args(["serve", "--temporary", "--listen", "127.0.0.1:0", "--exit-with-stdin", "--output", "json"]);
        for path in &args.crds {
            command.arg("--crds").arg(path);
        }
        if let Some(release) = args.kubernetes_version {
            command.args(["--kubernetes-version", &release.to_string()]);
        }
        if let Some(gates) = &args.feature_gates {
            command.args(["--feature-gates", gates]);
        }
        if let Some(filter) = &args.log {
            command.args(["--log", filter]);
        }
        // A group of its own: Ctrl-C is for the command, which may need the server to clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("the server cannot be started")?;
        let stdin = process.stdin.take().context("the server has no standard input")?;
        let stdout = process.stdout.take().context("the server has no standard output")?;
        let Some(ready) = BufReader::new(stdout).lines().next_line().await? else {
            process.wait().await?;
            bail!("the server did not start");
        };
        let ready: serde_json::Value = serde_json::from_str(&ready).context("the server's message")?;
        let kubeconfig = ready["kubeconfig"].as_str().context("the server has no kubeconfig")?;
        Ok((Server { process, stdin }, PathBuf::from(kubeconfig)))
    }

    /// Stops the server; it is gone, with its folder, when this returns.
    async fn stop(mut self) -> anyhow::Result<()> {
        drop(self.stdin);
        if let Ok(stopped) = tokio::time::timeout(STOP_TIMEOUT, self.process.wait()).await {
            let status = stopped?;
            if !status.success() {
                bail!("the server ended too early: {status}");
            }
            return Ok(());
        }
        self.process.kill().await?;
        bail!("the server did not stop within {} seconds and was killed", STOP_TIMEOUT.as_secs())
    }
}

/// Runs the command to its end and passes on what signals this process receives.
async fn run_command(args: &RunArgs, kubeconfig: &Path, signals: &mut Signals) -> anyhow::Result<Outcome> {
    let folder = kubeconfig.parent().context("the kubeconfig has no folder")?;
    let mut command = Command::new(this_binary()?);
    command.args(["run", "--end-with", &process::id().to_string(), "--"]).args(&args.command);
    let assets = envtest::link_assets(&folder.join("envtest"), args.kubernetes_version.unwrap_or_default())?;
    command.env("KUBECONFIG", kubeconfig).env("KUBEBUILDER_ASSETS", assets);
    let mut child = command.spawn().context("the command cannot be started")?;
    let pid = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)).context("the command has no process id")?;
    loop {
        tokio::select! {
            status = child.wait() => return Ok(Outcome::Exit(exit_code(status?))),
            signal = signals.next() => {
                if !reached_by_terminal(signal) {
                    // It fails only if the command has just ended.
                    let _ = kill_process(pid, signal);
                }
            }
        }
    }
}

/// Replaces this process by the command.
fn become_command(parent: i32, command: &[OsString]) -> anyhow::Result<Outcome> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
    // It may have ended before the line above.
    if rustix::process::getppid().map(Pid::as_raw_pid) != Some(parent) {
        return Ok(Outcome::Exit(exit_code_of(Signal::TERM)));
    }
    let Some((program, arguments)) = command.split_first() else { bail!("there is no command") };
    let error = process::Command::new(program).args(arguments).exec();
    Terminal::new().error(&anyhow::anyhow!("cannot run {}: {error}", program.display()));
    Ok(Outcome::Exit(if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN }))
}

fn this_binary() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this binary cannot be found")
}

/// The signals that ask a process to end.
struct Signals([(Signal, tokio::signal::unix::Signal); 4]);

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals([
            (Signal::INT, signal(SignalKind::interrupt())?),
            (Signal::TERM, signal(SignalKind::terminate())?),
            (Signal::HUP, signal(SignalKind::hangup())?),
            (Signal::QUIT, signal(SignalKind::quit())?),
        ]))
    }

    async fn next(&mut self) -> Signal {
        let [interrupt, terminate, hangup, quit] = &mut self.0;
        tokio::select! {
            _ = interrupt.1.recv() => interrupt.0,
            _ = terminate.1.recv() => terminate.0,
            _ = hangup.1.recv() => hangup.0,
            _ = quit.1.recv() => quit.0,
        }
    }
}

/// True if a terminal sends this signal to the command, too: keys such as Ctrl-C reach all processes in the foreground.
fn reached_by_terminal(signal: Signal) -> bool {
    let is_key = signal == Signal::INT || signal == Signal::QUIT;
    is_key && std::fs::File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(terminal) == Ok(getpgrp()))
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| SIGNALED + signal));
    code.and_then(|code| code.try_into().ok()).unwrap_or(u8::MAX)
}

fn exit_code_of(signal: Signal) -> u8 {
    u8::try_from(SIGNALED + signal.as_raw()).unwrap_or(u8::MAX)
}

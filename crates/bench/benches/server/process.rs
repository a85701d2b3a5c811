//! The server in a process of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::{Outcome, SERVE};

/// The number of definitions the server starts with, and their maximum size.
const DEFINITIONS: usize = 20;
const MAX_DEFINITION: u64 = 26 * 1024;

/// A folder that is removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Outcome<Folder> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("sprag-bench-{}-{number}", std::process::id()));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        Ok(Folder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The address of a server, and what a client needs to use it.
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    /// Its certificate authority, which may come after other certificates.
    pub(crate) authority: String,
    pub(crate) token: String,
}

/// A server that listens.
pub(crate) struct Server {
    child: Child,
    folder: Option<Folder>,
    pub(crate) endpoint: Endpoint,
    /// From before the process was there to its first good answer.
    pub(crate) ready_in: Duration,
}

impl Server {
    /// Starts a server with an empty store.
    pub(crate) fn start(arguments: &[PathBuf]) -> Outcome<Server> {
        Server::start_in(Folder::new()?, arguments)
    }

    /// Starts a server over what another one left.
    pub(crate) fn start_in(folder: Folder, arguments: &[PathBuf]) -> Outcome<Server> {
        let started = Instant::now();
        let mut child = Command::new(std::env::current_exe()?)
            .env(SERVE, "1")
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on https://").ok_or("the server did not start")?.parse()?;
        let read = |name: &str| fs::read_to_string(folder.path().join(name));
        let authority = read("pki/ca.crt")?;
        let token = read("token")?;
        let endpoint = Endpoint { address, authority, token };
        let mut server = Server { child, folder: Some(folder), endpoint, ready_in: Duration::default() };
        Client::connect(&server.endpoint)?.send("GET", "/readyz", None, b"")?;
        server.ready_in = started.elapsed();
        Ok(server)
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The CPU time of all threads of the server so far.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        let mut total = Duration::ZERO;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            // A thread may end while its siblings are counted.
            let Ok(cpu) = cpu_of(&task?.path()) else { continue };
            total += cpu;
        }
        Ok(total)
    }

    /// The memory of the server in MB.
    pub(crate) fn resident(&self) -> Outcome<f64> {
        resident_of(self.child.id())
    }

    /// Stops the server and returns what it leaves.
    pub(crate) fn stop(mut self) -> Outcome<Folder> {
        self.end();
        self.folder.take().ok_or_else(|| "the folder is gone".into())
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// The memory of a process in MB.
pub(crate) fn resident_of(process: u32) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kilobytes / 1024.0)
}

/// The CPU time so far of the thread that a folder of `/proc` is about.
pub(crate) fn cpu_of(thread: &Path) -> Outcome<Duration> {
    let text = fs::read_to_string(thread.join("schedstat"))?;
    Ok(Duration::from_nanos(text.split(' ').next().unwrap_or("0").parse()?))
}

/// A folder with definitions of the corpus, the largest that are not too large; none if there is no corpus.
pub(crate) fn crds() -> Option<Folder> {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/crds"));
    let mut files: Vec<(u64, PathBuf)> = fs::read_dir(corpus)
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter_map(|path| fs::metadata(&path).ok().map(|metadata| (metadata.len(), path)))
        .filter(|(size, _)| *size <= MAX_DEFINITION)
        .collect();
    files.sort_unstable();
    let folder = Folder::new().ok()?;
    for (_, file) in files.iter().rev().take(DEFINITIONS) {
        fs::copy(file, folder.path().join(file.file_name()?)).ok()?;
    }
    Some(folder)
}

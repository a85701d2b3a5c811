//! etcd servers that belong to one test.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::Scratch;
use crate::etcd::{EtcdOptions, member_names};

const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Ports are free when chosen and may be taken when used; so that is tried a few times.
const ATTEMPTS: usize = 5;

/// True if there is an etcd to start.
pub fn etcd_is_installed() -> bool {
    Command::new("etcd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A cluster of etcd servers on this machine. Ends with the test.
#[derive(Debug)]
pub struct EtcdCluster {
    folder: Scratch,
    token: String,
    members: Vec<Member>,
    scheme: &'static str,
    arguments: Vec<String>,
}

#[derive(Debug)]
struct Member {
    name: String,
    client_port: u16,
    peer_port: u16,
    process: Option<Child>,
}

impl EtcdCluster {
    /// Starts so many servers and waits until they answer, each with the name it was given.
    pub async fn start(size: usize) -> io::Result<EtcdCluster> {
        EtcdCluster::start_with(size, "http", &[]).await
    }

    /// Starts servers with more arguments, for clients that use this scheme. With TLS nobody waits for them.
    pub async fn start_with(size: usize, scheme: &'static str, arguments: &[&str]) -> io::Result<EtcdCluster> {
        let mut last = io::Error::other("etcd was not tried");
        for _ in 0..ATTEMPTS {
            let mut cluster = EtcdCluster::plan(size, scheme, arguments)?;
            match cluster.launch().await {
                Ok(()) => return Ok(cluster),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn plan(size: usize, scheme: &'static str, arguments: &[&str]) -> io::Result<EtcdCluster> {
        let folder = Scratch::new("etcd")?;
        let token = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        // All listeners are open at the same time, so that no port is given twice.
        let listeners = (0..size * 2).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<io::Result<Vec<_>>>()?;
        let ports = listeners.iter().map(|l| Ok(l.local_addr()?.port())).collect::<io::Result<Vec<u16>>>()?;
        let members = ports.chunks(2).enumerate().map(|(index, ports)| Member {
            name: format!("{token}-{index}"),
            client_port: ports[0],
            peer_port: ports[1],
            process: None,
        });
        let members = members.collect();
        let arguments = arguments.iter().map(ToString::to_string).collect();
        Ok(EtcdCluster { folder, token, members, scheme, arguments })
    }

    async fn launch(&mut self) -> io::Result<()> {
        for index in 0..self.members.len() {
            self.restart(index)?;
        }
        if self.scheme == "http" { self.wait_until_ours().await } else { Ok(()) }
    }

    /// The options to connect to it.
    pub fn options(&self) -> EtcdOptions {
        let scheme = self.scheme;
        EtcdOptions::new(self.members.iter().map(|member| format!("{scheme}://127.0.0.1:{}", member.client_port)))
    }

    /// Kills a server without warning.
    pub fn kill(&mut self, index: usize) -> io::Result<()> {
        if let Some(mut process) = self.members[index].process.take() {
            process.kill()?;
            process.wait()?;
        }
        Ok(())
    }

    /// Starts a server, again or for the first time, with the data it had.
    pub fn restart(&mut self, index: usize) -> io::Result<()> {
        let cluster =
            self.members.iter().map(|member| format!("{}=http://127.0.0.1:{}", member.name, member.peer_port));
        let cluster = cluster.collect::<Vec<_>>().join(",");
        let member = &self.members[index];
        let client = format!("{}://127.0.0.1:{}", self.scheme, member.client_port);
        let peer = format!("http://127.0.0.1:{}", member.peer_port);
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log(index))?;
        let process = Command::new("etcd")
            .args(["--name", &member.name, "--initial-cluster-token", &self.token, "--initial-cluster", &cluster])
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--experimental-watch-progress-notify-interval", "200ms"])
            .arg("--data-dir")
            .arg(self.folder.path().join(&member.name))
            .args(&self.arguments)
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        self.members[index].process = Some(process);
        Ok(())
    }

    /// Waits until every server answers and says it has our name, not that of somebody else's on the same port.
    async fn wait_until_ours(&mut self) -> io::Result<()> {
        let deadline = Instant::now() + START_TIMEOUT;
        let expected = self.members.iter().map(|member| member.name.clone()).collect::<Vec<_>>();
        for index in 0..self.members.len() {
            loop {
                let exited = self.members[index].process.as_mut().map(Child::try_wait).transpose()?.flatten();
                let options = EtcdOptions::new([format!("127.0.0.1:{}", self.members[index].client_port)]);
                let names = if exited.is_none() { member_names(&options).await } else { None };
                match names {
                    Some(mut names) => {
                        names.sort();
                        if names == expected {
                            break;
                        }
                        return Err(io::Error::other(format!("another etcd has the port: {names:?}")));
                    }
                    None if exited.is_some() || Instant::now() > deadline => {
                        let log = fs::read_to_string(self.log(index)).unwrap_or_default();
                        return Err(io::Error::other(format!("etcd does not start:\n{log}")));
                    }
                    None => sleep(Duration::from_millis(50)).await,
                }
            }
        }
        Ok(())
    }

    /// The log file of a server.
    fn log(&self, index: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("{}.log", self.members[index].name))
    }
}

impl Drop for EtcdCluster {
    fn drop(&mut self) {
        for index in 0..self.members.len() {
            // A server that is gone already is what was wanted.
            let _ = self.kill(index);
        }
    }
}

//! kube-apiserver with etcd, as somebody would start them by hand.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};

use crate::Outcome;
use crate::client::Client;
use crate::process::{Endpoint, Folder};
use crate::side::Side;

/// It is ready within this time, or not at all.
const READY_WITHIN: Duration = Duration::from_mins(2);
const TOKEN: &str = "bench-token";

/// kube-apiserver with etcd.
pub(crate) struct Reference {
    etcd: Child,
    apiserver: Option<Child>,
    folder: Folder,
    endpoint: Endpoint,
    ready_in: Duration,
}

impl Reference {
    pub(crate) fn start(apiserver: &Path, etcd: &Path) -> Outcome<Reference> {
        let folder = Folder::new()?;
        let started = Instant::now();
        let [clients, peers, port] = free_ports()?;
        let etcd = start_etcd(etcd, &folder, clients, peers)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let endpoint = Endpoint { address, authority: String::new(), token: TOKEN.to_owned() };
        let mut reference = Reference { etcd, apiserver: None, folder, endpoint, ready_in: Duration::ZERO };
        reference.apiserver = Some(reference.start_apiserver(apiserver, clients)?);
        reference.await_ready(started)?;
        Ok(reference)
    }

    fn start_apiserver(&self, program: &Path, etcd: u16) -> Outcome<Child> {
        let path = |name: &str| self.folder.path().join(name);
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        fs::write(path("sa.key"), key.serialize_pem())?;
        fs::write(path("sa.pub"), key.public_key_pem())?;
        fs::write(path("tokens.csv"), format!("{TOKEN},admin,admin,\"system:masters\"\n"))?;
        let flag = |name: &str, value: &Path| format!("--{name}={}", value.display());
        let output = File::create(path("apiserver.log"))?;
        let child = Command::new(program)
            .args([
                format!("--etcd-servers=http://127.0.0.1:{etcd}"),
                "--bind-address=127.0.0.1".to_owned(),
                format!("--secure-port={}", self.endpoint.address.port()),
                "--advertise-address=10.9.9.9".to_owned(),
                "--endpoint-reconciler-type=none".to_owned(),
                "--service-cluster-ip-range=10.0.0.0/16".to_owned(),
                "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
                "--authorization-mode=RBAC".to_owned(),
                flag("cert-dir", &path("certificates")),
                flag("service-account-key-file", &path("sa.pub")),
                flag("service-account-signing-key-file", &path("sa.key")),
                flag("token-auth-file", &path("tokens.csv")),
            ])
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        Ok(child)
    }

    fn await_ready(&mut self, started: Instant) -> Outcome<()> {
        loop {
            match self.ask() {
                Ok(()) => break,
                Err(error) if started.elapsed() > READY_WITHIN => return Err(error),
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
            if let Some(status) = self.apiserver.as_mut().map(Child::try_wait).transpose()?.flatten() {
                let log = fs::read_to_string(self.folder.path().join("apiserver.log"))?;
                let end: Vec<&str> = log.lines().rev().take(5).collect();
                return Err(format!("kube-apiserver ended with {status}:\n{}", end.join("\n")).into());
            }
        }
        self.ready_in = started.elapsed();
        Ok(())
    }

    /// Asks whether it is ready. Its certificate is there once it listens.
    fn ask(&mut self) -> Outcome<()> {
        self.endpoint.authority = fs::read_to_string(self.folder.path().join("certificates/apiserver.crt"))?;
        Client::connect(&self.endpoint)?.send("GET", "/readyz", None, b"").map(drop)
    }
}

fn start_etcd(program: &Path, folder: &Folder, clients: u16, peers: u16) -> Outcome<Child> {
    let clients = format!("http://127.0.0.1:{clients}");
    let peers = format!("http://127.0.0.1:{peers}");
    let child = Command::new(program)
        .arg("--data-dir")
        .arg(folder.path().join("etcd"))
        .args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients])
        .args(["--listen-peer-urls", &peers, "--initial-advertise-peer-urls", &peers])
        .args(["--initial-cluster", &format!("default={peers}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(child)
}

fn free_ports() -> Outcome<[u16; 3]> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listeners = [listen()?, listen()?, listen()?];
    let mut ports = [0; 3];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

impl Side for Reference {
    fn name(&self) -> &'static str {
        "kube-apiserver"
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn processes(&self) -> Vec<u32> {
        self.apiserver.iter().chain([&self.etcd]).map(Child::id).collect()
    }

    fn ready_in(&self) -> Duration {
        self.ready_in
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        for child in self.apiserver.iter_mut().chain([&mut self.etcd]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

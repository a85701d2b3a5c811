//! Protection of a server's secrets and its disk, and its errors when the disk fails.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser;
use serde_json::json;
use sprag_server::{ServeArgs, Server};
use sprag_storage::testing::Scratch;
use sprag_storage::{Error, Event, Health, Layer, Memory, Reply, Retention, Store, Write};

use crate::harness::{Home, server};
use crate::http::Client;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn args(folder: &Path, more: &[&str]) -> ServeArgs {
    let listen: &[&str] = if more.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
    let own = ["sprag", "--data-dir", folder.to_str().unwrap()];
    ServeArgs::try_parse_from(own.iter().chain(listen).chain(more)).unwrap()
}

#[test]
fn memory_for_history_has_a_least_size() {
    let given = |quantity: &str| {
        ServeArgs::try_parse_from(["sprag", "--history-memory", quantity]).map(|args| args.history_memory)
    };
    assert_eq!(given("1Mi").unwrap(), 1 << 20);
    for little in ["1048575", "0", "much"] {
        let error = given(little).unwrap_err().to_string();
        assert!(error.contains("write a quantity of at least 1Mi, such as 256Mi"), "{error}");
    }
    assert_eq!(ServeArgs::try_parse_from(["sprag"]).unwrap().history_memory, Retention::DEFAULT_BYTES);
}

async fn refused(args: ServeArgs) -> String {
    args.start(|server| server).await.err().expect("the server is not to start").to_string()
}

#[tokio::test]
async fn everything_in_the_folder_is_for_its_owner() {
    let scratch = Scratch::new("modes").unwrap();
    let folder = scratch.path().join(".sprag");
    for round in 0..2 {
        let running = args(&folder, &[]).start(|server| server).await.unwrap();
        Client::new(&running).post(MAPS, &json!({"metadata": {"name": format!("map-{round}")}})).await.expect(201);
        let mut folders = vec![folder.clone()];
        while let Some(folder) = folders.pop() {
            assert_eq!(mode(&folder), 0o700, "{}", folder.display());
            for item in fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()) {
                if item.is_dir() {
                    folders.push(item);
                } else {
                    assert_eq!(mode(&item), 0o600, "{}", item.display());
                }
            }
        }
        assert!(folder.join(".gitignore").exists());
        running.shutdown().await;
        // As an earlier release left it.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(folder.join("store"), fs::Permissions::from_mode(0o755)).unwrap();
        for item in fs::read_dir(folder.join("store")).unwrap().map(|item| item.unwrap().path()) {
            fs::set_permissions(item, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }
}

#[tokio::test]
async fn a_token_file_that_is_no_secret_keeps_the_server_from_starting() {
    let scratch = Scratch::new("tokens").unwrap();
    let token = scratch.path().join("token");
    for (text, mode, why) in [
        ("\n", 0o600, "it is blank: delete the file, and the next start makes a new token"),
        ("secret", 0o600, "it has fewer than 16 characters"),
        ("0123456789abcdef", 0o644, "others can read it (mode 0644)"),
    ] {
        fs::write(&token, text).unwrap();
        fs::set_permissions(&token, fs::Permissions::from_mode(mode)).unwrap();
        let error = refused(args(scratch.path(), &[])).await;
        assert!(error.starts_with(&format!("token file {}: {why}", token.display())), "{error}");
    }
    fs::remove_file(&token).unwrap();
    args(scratch.path(), &[]).start(|server| server).await.unwrap().shutdown().await;

    let given = scratch.path().join("given");
    fs::write(&given, "mine\n").unwrap();
    let flag = ["--token-file", given.to_str().unwrap()];
    let running = args(scratch.path(), &flag).start(|server| server).await.unwrap();
    assert_eq!(running.token(), "mine");
    Client::new(&running).get(MAPS).await.expect(200);
    running.shutdown().await;
    fs::write(&given, " ").unwrap();
    assert!(refused(args(scratch.path(), &flag)).await.ends_with("it is blank: put a secret there"));
}

#[tokio::test]
async fn other_machines_are_let_in_only_when_that_is_meant() {
    let scratch = Scratch::new("open").unwrap();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:192.0.2.1]:0"] {
        let flags = ["--listen", address, "--authorization-mode", "RBAC,AlwaysAllow"];
        let error = refused(args(scratch.path(), &flags)).await;
        assert!(error.starts_with(&format!("--listen {address}: other machines could connect")), "{error}");
        assert!(error.contains("--i-know-this-is-open"), "{error}");
    }
    // Roles and bindings decide unless flags say otherwise.
    args(scratch.path(), &["--listen", "0.0.0.0:0"]).start(|server| server).await.unwrap().shutdown().await;
    let all = ["--authorization-mode", "AlwaysAllow", "--i-know-this-is-open"];
    let open = [&["--listen", "0.0.0.0:0", "--advertise-address", "localhost"], &all[..]].concat();
    let running = args(scratch.path(), &open).start(|server| server).await.unwrap();
    assert!(running.address().ip().is_unspecified());
    assert_eq!(running.url(), format!("https://localhost:{}", running.address().port()));
    let versions = Client::new(&running).get("/api").await.expect(200);
    let advertised = &versions["serverAddressByClientCIDRs"][0]["serverAddress"];
    assert_eq!(*advertised, format!("localhost:{}", running.address().port()));
    running.shutdown().await;
}

#[tokio::test]
async fn an_authority_outlives_restarts_and_names_of_the_certificate_follow_the_flags() {
    let scratch = Scratch::new("names").unwrap();
    let first = args(scratch.path(), &[]).start(|server| server).await.unwrap();
    let authority = first.ca().to_owned();
    assert!(!Client::trusts(&first, "api.example.com").await);
    first.shutdown().await;
    let more = ["--tls-san", "api.example.com,10.1.2.3", "--advertise-address", "2001:db8::1"];
    let second = args(scratch.path(), &more).start(|server| server).await.unwrap();
    assert_eq!(second.ca(), authority);
    assert_eq!(second.url(), format!("https://[2001:db8::1]:{}", second.address().port()));
    for name in ["localhost", "127.0.0.1", "api.example.com", "10.1.2.3", "2001:db8::1", "kubernetes.default.svc"] {
        assert!(Client::trusts(&second, name).await, "{name}");
    }
    assert!(!Client::trusts(&second, "example.com").await);
    second.shutdown().await;
}

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    etcd: sprag_server::EtcdArgs,
}

#[test]
fn flags_for_etcd_need_each_other() {
    let check = |flags: &[&str]| Flags::try_parse_from(["sprag"].iter().chain(flags)).map(|flags| flags.etcd).is_ok();
    assert!(check(&[]));
    assert!(check(&["--etcd-cafile", "ca", "--etcd-certfile", "crt", "--etcd-keyfile", "key"]));
    assert!(check(&["--etcd-user", "root", "--etcd-password-file", "file"]));
    for flags in [
        &["--etcd-certfile", "crt", "--etcd-keyfile", "key"][..],
        &["--etcd-cafile", "ca", "--etcd-certfile", "crt"],
        &["--etcd-user", "root"],
        &["--etcd-password-file", "file"],
        &["--etcd-server-name", "etcd"],
    ] {
        assert!(!check(flags), "{flags:?}");
    }
}

/// A store whose disk can be full.
#[derive(Default)]
struct Failing {
    memory: Memory,
    is_full: AtomicBool,
}

impl Failing {
    fn problem(&self) -> Option<Error> {
        self.is_full.load(Ordering::Relaxed).then(|| Error::Io {
            action: "write",
            path: "/srv/secret/0001.log".into(),
            source: Arc::new(std::io::ErrorKind::StorageFull.into()),
        })
    }
}

impl Layer for Failing {
    fn inner(&self) -> &dyn Store {
        &self.memory
    }

    fn on_write(&self, write: Write) -> Reply<'_, Event> {
        match self.problem() {
            Some(error) => Reply::ready(Err(error)),
            None => self.memory.write(write),
        }
    }

    fn on_health(&self) -> Health {
        Health { problem: self.problem(), failed_writes: 3, cut_bytes: 4096, ..Health::default() }
    }
}

#[tokio::test]
async fn a_full_disk_is_said_by_health_checks_and_metrics() {
    let store = Arc::new(Failing::default());
    let running = Server::new(store.clone()).start().await.unwrap();
    let client = Client::new(&running);
    let shown = async |line: &str| {
        let metrics = client.get("/metrics").await.text();
        assert!(metrics.lines().any(|shown| shown == line), "{line} in {metrics}");
    };
    shown("sprag_storage_writable 1").await;
    shown("sprag_storage_failed_writes_total 3").await;
    shown("sprag_storage_cut_bytes 4096").await;
    assert_eq!(client.get("/readyz").await.code, 200);
    store.is_full.store(true, Ordering::Relaxed);
    let ready = client.get("/readyz").await;
    assert_eq!(ready.code, 500);
    assert!(ready.text().contains("[-]etcd-readiness failed: reason withheld"), "{}", ready.text());
    assert_eq!(client.get("/livez").await.code, 200, "another start would not help");
    let why = client.get("/readyz/etcd-readiness").await;
    assert_eq!((why.code, why.text().contains("no storage space")), (500, true), "{}", why.text());
    shown("sprag_storage_writable 0").await;
    let refused = client.post(MAPS, &json!({"metadata": {"name": "a"}})).await;
    let status = refused.expect(500);
    assert_eq!(status["message"], "Internal error occurred: the store cannot write a file: no storage space");
    for text in [refused.text(), why.text(), ready.text()] {
        assert!(!text.contains("secret"), "{text}");
    }
    client.get(MAPS).await.expect(200);
    store.is_full.store(false, Ordering::Relaxed);
    assert_eq!(client.get("/readyz").await.code, 200);
    client.post(MAPS, &json!({"metadata": {"name": "a"}})).await.expect(201);
    running.shutdown().await;
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn requests_are_logged_without_their_query() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_env_filter("access=info").with_writer(move || writer.clone());
    let _default = tracing::subscriber::set_default(subscriber.finish());
    let server = server().await;
    // Another test may be the first to log a request, at the same time, and then nobody would seem to want it.
    server.client().get(MAPS).await.expect(200);
    tracing::callsite::rebuild_interest_cache();
    server.client().get(&format!("{MAPS}?labelSelector=password%3Dhunter2")).await.expect(200);
    server.stop().await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains(MAPS), "{text}");
    assert!(!text.contains("hunter2") && !text.contains("labelSelector"), "{text}");
}

/// Only the writes to its own object reach a watch of one.
#[tokio::test]
async fn a_watch_of_one_object_is_told_of_it() {
    let server = Home::memory().await.unwrap().start().await;
    let client = server.client();
    let mut named = client.watch(&format!("{MAPS}?watch=true&fieldSelector=metadata.name%3Dmine")).await;
    let everywhere = "/api/v1/configmaps?watch=true&fieldSelector=metadata.name%3Dmine,metadata.namespace%3Ddefault";
    let mut everywhere = client.watch(everywhere).await;
    for name in ["other", "mine"] {
        client.post(MAPS, &json!({"metadata": {"name": name}})).await.expect(201);
    }
    for watch in [&mut named, &mut everywhere] {
        let event = watch.next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("ADDED"), &json!("mine")));
    }
    server.stop().await;
}

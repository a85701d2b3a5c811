//! Servers for tests: each with a store of its own, and nothing left of them when they are stopped.

use std::sync::{Arc, Weak};
use std::time::Duration;

use sprag_server::{Running, Server};
use sprag_storage::testing::{EtcdCluster, Scratch, etcd_is_installed};
use sprag_storage::{Embedded, Etcd, Memory, Store};
use tokio::time::{sleep, timeout};

use crate::http::Client;

/// Nothing that a test waits for takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// The interval at which a test checks for what it waits for.
const INTERVAL: Duration = Duration::from_millis(10);

/// Runs a test on each of these stores.
macro_rules! stores {
    ($test:ident: $($store:ident)*) => {
        mod $test {
            $(#[tokio::test]
            async fn $store() {
                if let Some(home) = crate::harness::Home::$store().await {
                    super::$test(home).await;
                }
            })*
        }
    };
}
pub(crate) use stores;

/// The store of a test's servers. Outlives each of them.
pub(crate) enum Home {
    Memory(Arc<Memory>),
    Embedded(Scratch),
    Etcd(Box<EtcdCluster>),
}

impl Home {
    #[expect(clippy::unused_async, reason = "every kind of home is asked for in the same way")]
    pub(crate) async fn memory() -> Option<Home> {
        Some(Home::Memory(Arc::new(Memory::new())))
    }

    #[expect(clippy::unused_async, reason = "every kind of home is asked for in the same way")]
    pub(crate) async fn embedded() -> Option<Home> {
        Some(Home::Embedded(Scratch::new("server").unwrap()))
    }

    /// None when there is no etcd on this machine.
    pub(crate) async fn etcd() -> Option<Home> {
        if !etcd_is_installed() {
            eprintln!("skipped: etcd is not installed");
            return None;
        }
        Some(Home::Etcd(Box::new(EtcdCluster::start(1).await.unwrap())))
    }

    async fn store(&self) -> Arc<dyn Store> {
        match self {
            Home::Memory(store) => store.clone(),
            Home::Embedded(folder) => Arc::new(Embedded::open(folder.path().join("store")).unwrap()),
            Home::Etcd(cluster) => Arc::new(Etcd::connect(&cluster.options()).await.unwrap()),
        }
    }

    /// A server with everything at its default.
    pub(crate) async fn start(&self) -> TestServer {
        self.start_with(|server| server).await
    }

    /// A server that is set up further before it starts.
    pub(crate) async fn start_with(&self, set_up: impl FnOnce(Server) -> Server) -> TestServer {
        let store = self.store().await;
        let held = Arc::downgrade(&store);
        let users_before = Arc::strong_count(&store) - 1;
        let running = set_up(Server::new(store)).start().await.unwrap();
        TestServer { running, held, users_before }
    }
}

/// A server under test.
pub(crate) struct TestServer {
    pub(crate) running: Running,
    held: Weak<dyn Store>,
    users_before: usize,
}

impl TestServer {
    /// The administrator's client, over HTTP/2.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.running)
    }

    /// Stops the server and looks whether anything is left of it. Of several on one store the last goes first.
    pub(crate) async fn stop(self) {
        timeout(PATIENCE, self.running.shutdown()).await.expect("a server stops in time");
        is_gone(&self.held, self.users_before).await;
    }

    /// Drops the server without stopping it first, and looks whether anything is left of it.
    pub(crate) async fn drop(self) {
        drop(self.running);
        is_gone(&self.held, self.users_before).await;
    }
}

/// Whatever runs for a server uses its store.
async fn is_gone(store: &Weak<dyn Store>, users_before: usize) {
    eventually("the store is let go", async || (store.strong_count() <= users_before).then_some(())).await;
}

/// A server on a store in memory, for tests to which the store does not matter.
pub(crate) async fn server() -> TestServer {
    Home::memory().await.unwrap().start().await
}

/// Waits until something is the case.
pub(crate) async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(INTERVAL).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("not within {PATIENCE:?}: {what}"))
}

//! The server under test: one at an address, or one that is started here.

use std::sync::Arc;

use sprag_server::{Running, Server};
use sprag_storage::testing::{EtcdCluster, Scratch};
use sprag_storage::{Embedded, Etcd, Memory, Store};

use super::client::{Credentials, Endpoint};
use crate::args::{Http, StoreKind};

/// A server under test.
pub(super) struct Target {
    endpoint: Arc<Endpoint>,
    own: Option<Own>,
}

/// A server that was started for the tests of one file, and what it needs to live.
struct Own {
    server: Running,
    _scratch: Option<Scratch>,
    _cluster: Option<EtcdCluster>,
}

impl Target {
    /// The server that the user named, or a new one.
    pub(super) async fn open(http: &Http) -> Result<Target, String> {
        let Some(url) = &http.url else { return Target::start(http.store).await };
        let ca = http.ca.as_ref().ok_or("--url needs --ca")?;
        let ca = std::fs::read(ca).map_err(|error| format!("{}: {error}", ca.display()))?;
        Ok(Target { endpoint: Arc::new(Endpoint::new(url, &ca, &Credentials::of_token(&http.token))?), own: None })
    }

    async fn start(kind: StoreKind) -> Result<Target, String> {
        let failed = |error: &dyn std::fmt::Display| format!("no server: {error}");
        let mut scratch = None;
        let mut cluster = None;
        let store: Arc<dyn Store> = match kind {
            StoreKind::Memory => Arc::new(Memory::new()),
            StoreKind::Embedded => {
                let scratch = scratch.insert(Scratch::new("http").map_err(|error| failed(&error))?);
                Arc::new(Embedded::open(scratch.path().join("store")).map_err(|error| failed(&error))?)
            }
            StoreKind::Etcd => {
                let cluster = cluster.insert(EtcdCluster::start(1).await.map_err(|error| failed(&error))?);
                Arc::new(Etcd::connect(&cluster.options()).await.map_err(|error| failed(&error))?)
            }
        };
        // As the reference was recorded: nothing beside the server tidies up.
        let server = Server::new(store).controllers(false).start().await.map_err(|error| failed(&error))?;
        let endpoint = Endpoint::new(server.url(), server.ca().as_bytes(), &Credentials::of_token(server.token()))?;
        Ok(Target { endpoint: Arc::new(endpoint), own: Some(Own { server, _scratch: scratch, _cluster: cluster }) })
    }

    pub(super) fn endpoint(&self) -> Arc<Endpoint> {
        self.endpoint.clone()
    }

    /// True if all that a request causes is done when it is answered.
    pub(super) fn is_synchronous(&self) -> bool {
        self.own.is_some()
    }

    pub(super) async fn close(self) {
        if let Some(own) = self.own {
            own.server.shutdown().await;
        }
    }
}

//! Servers for tests that use the client of kube-rs.

use std::error::Error;
use std::sync::Arc;

use kube::config::{KubeConfigOptions, Kubeconfig};
use sprag_rest::Release;
use sprag_server::Running;
use sprag_storage::Memory;
use sprag_value::{Value, to_value};

use crate::Server;

/// A server of a test: in this process, in memory, on a free port. Dropping it stops it at once.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// use k8s_openapi::api::core::v1::Namespace;
/// use kube::Api;
///
/// let server = sprag::TestServer::start().await?;
/// let namespaces: Api<Namespace> = Api::all(server.client());
/// assert_eq!(namespaces.get("default").await?.metadata.name.as_deref(), Some("default"));
/// # Ok(())
/// # }
/// ```
pub struct TestServer {
    running: Running,
    client: kube::Client,
}

/// A server of a test before it starts.
#[derive(Default)]
pub struct TestServerBuilder {
    server: Server,
    release: Release,
    crds: Vec<Result<Value, String>>,
}

/// The reason why a server of a test did not start.
pub type StartError = Box<dyn Error + Send + Sync>;

impl TestServer {
    /// Starts a server with what every server has.
    pub async fn start() -> Result<TestServer, StartError> {
        TestServer::builder().start().await
    }

    /// A server before it starts, to add resources and definitions.
    pub fn builder() -> TestServerBuilder {
        TestServerBuilder::default()
    }

    /// The client of the administrator.
    pub fn client(&self) -> kube::Client {
        self.client.clone()
    }

    /// The kubeconfig of the administrator, for other clients.
    pub fn kubeconfig(&self) -> String {
        self.running.kubeconfig_text()
    }

    /// Ends watches, waits for requests that are under way, and stops.
    pub async fn shutdown(self) {
        self.running.shutdown().await;
    }
}

impl TestServerBuilder {
    /// Serves resources of a server of your own, with its features.
    #[must_use]
    pub fn server(self, server: Server) -> TestServerBuilder {
        TestServerBuilder { server, ..self }
    }

    /// Serves a `CustomResourceDefinition`: `Widget::crd()` of kube-rs, or anything else that serializes as one.
    #[must_use]
    pub fn crd(mut self, definition: &impl serde::Serialize) -> TestServerBuilder {
        self.crds.push(to_value(definition).map_err(|error| error.to_string()));
        self
    }

    /// Answers as a release of Kubernetes; the newest by default.
    #[must_use]
    pub fn kubernetes(self, release: Release) -> TestServerBuilder {
        TestServerBuilder { release, ..self }
    }

    /// Starts it, and returns when it is ready.
    pub async fn start(self) -> Result<TestServer, StartError> {
        let gates = sprag_server::gates_of(self.release);
        let mut server = self.server.over_gates(Arc::new(Memory::new()), gates);
        for (number, definition) in self.crds.into_iter().enumerate() {
            server = server.crd(format!("definition {}", number + 1), definition?);
        }
        let running = server.start().await?;
        let kubeconfig = Kubeconfig::from_yaml(&running.kubeconfig_text())?;
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        Ok(TestServer { running, client: kube::Client::try_from(config)? })
    }
}

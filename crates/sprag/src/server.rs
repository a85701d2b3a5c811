//! The server of an API author: what it serves, before flags say how.

use std::sync::Arc;

use clap::{CommandFactory as _, FromArgMatches as _};
use sprag_rest::{Definition, Stage};
use sprag_server::ServeArgs;
use sprag_storage::Store;
#[cfg(feature = "testing")]
use sprag_testing::enforce::{Subject, Target};

use crate::Result;

/// A server of own resources, beside custom resources and the core kinds.
///
/// ```no_run
/// use sprag::{Definition, Stage};
///
/// fn serve(widgets: Definition) -> sprag::Result<()> {
///     sprag::Server::new().feature_gate("WidgetPriority", Stage::Alpha).resource(widgets).serve_from_args()
/// }
/// ```
///
/// Which allocator a program uses is its own choice. A write over HTTP costs about 15 % less CPU with mimalloc, which is two
/// lines in `main.rs`: `#[global_allocator] static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;`.
#[derive(Clone, Default)]
pub struct Server {
    gates: Vec<(String, Stage)>,
    definitions: Vec<Definition>,
}

impl Server {
    /// A server without resources of its own.
    pub fn new() -> Server {
        Server::default()
    }

    /// Adds a feature that `--feature-gates` can switch.
    #[must_use]
    pub fn feature_gate(mut self, name: impl Into<String>, stage: Stage) -> Server {
        self.gates.push((name.into(), stage));
        self
    }

    /// Serves a resource: a [`RestConfig`](crate::RestConfig) or the [`Definition`] that one yields.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<Definition>) -> Server {
        self.definitions.push(resource.into());
        self
    }

    /// Serves until the process receives a stop signal, with the flags of `sprag serve` from the command line. Ends the
    /// process when they are wrong or ask for help.
    pub fn serve_from_args(self) -> Result<()> {
        let command = ServeArgs::command().after_help(None::<&str>);
        let args = ServeArgs::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
        self.serve(args)
    }

    /// Serves until the process receives a stop signal.
    pub fn serve(self, args: ServeArgs) -> Result<()> {
        args.serve(|server| self.add_to(server)).map_err(Into::into)
    }

    /// The server over a store, for programs that start it themselves: one per test, on a free port.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// let server = sprag::Server::new().over(Arc::new(sprag::serve::Memory::new()));
    /// ```
    pub fn over(self, store: Arc<dyn Store>) -> sprag_server::Server {
        self.add_to(sprag_server::Server::new(store))
    }

    /// The same with all features of a release of Kubernetes.
    #[cfg(feature = "kube")]
    pub(crate) fn over_gates(self, store: Arc<dyn Store>, gates: sprag_rest::FeatureGates) -> sprag_server::Server {
        self.add_to(sprag_server::Server::new(store).gates(gates))
    }

    fn add_to(self, server: sprag_server::Server) -> sprag_server::Server {
        let server = self.gates.into_iter().fold(server, |server, (name, stage)| server.feature_gate(name, stage));
        self.definitions.into_iter().fold(server, sprag_server::Server::resource)
    }
}

/// `sprag::testing::enforce` starts it in process.
#[cfg(feature = "testing")]
impl Target for Server {
    fn subject(&self) -> Subject<'_> {
        Subject::Start(Box::new(|store| self.clone().over(store)))
    }
}

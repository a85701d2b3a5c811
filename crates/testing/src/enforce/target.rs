//! The servers that can be looked at, and the way to ask each.

use std::sync::Arc;

use sprag_rest::Definition;
use sprag_server::{InProcess, Running, Server};
use sprag_storage::Store;

use super::remote::Remote;

/// A server to look at.
pub trait Target {
    /// Returns the subject.
    fn subject(&self) -> Subject<'_>;
}

/// Starts a server over a store.
pub type Start<'s> = Box<dyn Fn(Arc<dyn Store>) -> Server + Send + Sync + 's>;

/// The subject of a [`Target`].
#[non_exhaustive]
pub enum Subject<'s> {
    /// A server that is started for the purpose, without sockets: once as it is, once with all features that can be switched
    /// on, once with none. Only of such a server it can be seen what becomes of fields when a feature is switched off.
    Start(Start<'s>),
    /// A server in this process.
    InProcess(&'s InProcess),
    /// A server that listens, with what it serves if that is known.
    Remote(Remote, Vec<Arc<Definition>>),
}

/// A server that is started for the purpose.
///
/// ```no_run
/// use sprag_testing::enforce::{enforce, starting};
///
/// enforce(&starting(|store| sprag_server::Server::new(store)), "api-exceptions.yaml");
/// ```
pub fn starting<F: Fn(Arc<dyn Store>) -> Server + Send + Sync>(start: F) -> Starting<F> {
    Starting(start)
}

/// See [`starting`].
pub struct Starting<F>(F);

impl<F: Fn(Arc<dyn Store>) -> Server + Send + Sync> Target for Starting<F> {
    fn subject(&self) -> Subject<'_> {
        Subject::Start(Box::new(&self.0))
    }
}

impl Target for InProcess {
    fn subject(&self) -> Subject<'_> {
        Subject::InProcess(self)
    }
}

/// A server that listens. It needs threads of its own to answer while the test waits:
/// `#[tokio::test(flavor = "multi_thread")]`.
impl Target for Running {
    fn subject(&self) -> Subject<'_> {
        Subject::Remote(Remote::of(self), self.registry().definitions())
    }
}

/// A server anywhere, by its kubeconfig: see [`Remote::from_kubeconfig`].
impl Target for Remote {
    fn subject(&self) -> Subject<'_> {
        Subject::Remote(self.clone(), Vec::new())
    }
}

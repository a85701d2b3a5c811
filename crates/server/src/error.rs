//! Errors that keep a server from starting.

use std::path::{Path, PathBuf};

/// Errors that keep a server from starting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// The attempted action.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Certificates cannot be made or read.
    #[error("certificates: {0}")]
    Certificates(String),
    /// The machine has no randomness.
    #[error("randomness: {0}")]
    Randomness(String),
    /// The store cannot be opened.
    #[error("storage: {0}")]
    Storage(#[from] sprag_storage::Error),
    /// A definition that was to be loaded is refused.
    #[error("{origin}: {message}")]
    Definition {
        /// Its origin: file or flag.
        origin: String,
        /// The reason.
        message: String,
    },
    /// The built-in objects could not be created.
    #[error("start: {0}")]
    Start(#[from] sprag_rest::ApiError),
    /// Something panicked.
    #[error("start: {0}")]
    Task(String),
    /// An option makes no sense.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> Error {
        Error::File { action, path: path.to_owned(), source }
    }
}

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
    #[error("cannot listen on {address}{}: {source}", listen_hint(source))]
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
    /// The same error with the flag that led to it.
    pub(crate) fn of_flag(self, flag: &str) -> Error {
        Error::Usage(format!("{flag}: {self}"))
    }

    pub(crate) fn missing_file(path: &Path) -> Error {
        let source = std::fs::metadata(path).err().unwrap_or_else(|| std::io::ErrorKind::NotFound.into());
        Error::file("read", path, source)
    }

    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> Error {
        Error::File { action, path: path.to_owned(), source }
    }
}

/// The next step for an address that cannot be listened on.
fn listen_hint(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => " (choose another port; port 0 takes a free one)",
        std::io::ErrorKind::AddrNotAvailable => {
            " (this machine has no such address; 127.0.0.1 and 0.0.0.0 always work)"
        }
        std::io::ErrorKind::PermissionDenied => " (ports below 1024 need privileges)",
        _ => "",
    }
}

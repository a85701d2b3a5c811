//! Errors of stores.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Entry, Revision};

/// The outcome of an operation of a store.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of stores.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key is not at the revision that the write expects. Nothing was changed.
    #[error("the stored object is not the expected one")]
    Conflict {
        /// The current entry: saves the caller a read before a retry.
        current: Option<Arc<Entry>>,
    },
    /// An entry that the write [requires](crate::Write::requiring) is not there. Nothing was changed.
    #[error("an entry that the write requires is gone")]
    Unmet,
    /// The history before a revision is no longer kept (HTTP 410).
    #[error("too old resource version: {requested} ({oldest})")]
    Gone {
        /// The requested revision.
        requested: Revision,
        /// The oldest revision that can still be read and watched from; 0 if the store did not say.
        oldest: Revision,
    },
    /// A read at a revision that does not exist yet.
    #[error("Too large resource version: {requested}, current: {current}")]
    Future {
        /// The requested revision.
        requested: Revision,
        /// The current revision; 0 if unknown.
        current: Revision,
    },
    /// The write is larger than [`MAX_WRITE_BYTES`](crate::MAX_WRITE_BYTES), in etcd's words, which clients know.
    #[error("etcdserver: request is too large")]
    TooLarge {
        /// Key and value together.
        bytes: usize,
    },
    /// The connection broke while a write was under way: it happened once or not at all, and only a read can tell.
    #[error("the outcome of the write is unknown: {reason}")]
    Uncertain {
        /// The reason.
        reason: String,
    },
    /// No server of the cluster answered in time. Nothing was changed.
    #[error("the store does not answer: {reason}")]
    Unavailable {
        /// The last failure.
        reason: String,
    },
    /// The cluster refused the request.
    #[error("{reason}")]
    Refused {
        /// In its words.
        reason: String,
    },
    /// Reading or writing a file failed. A failed write left nothing behind, and reads go on.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: Arc<io::Error>,
    },
    /// A file does not hold what was written to it.
    #[error("{} is damaged at byte {offset}: {detail}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The offset in the file.
        offset: u64,
        /// The reason.
        detail: String,
    },
    /// Another process has the store open.
    #[error("{} is in use by another process{}", path.display(), holder.map(|pid| format!(" ({pid})")).unwrap_or_default())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process that holds it, if it said so.
        holder: Option<u32>,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// The store cannot be opened the way it was asked.
    #[error("{reason}")]
    Config {
        /// The reason.
        reason: String,
    },
}

impl Error {
    /// True if the disk has no room: worth another try once there is.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match self {
            Error::Io { source, .. } => matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge),
            // As etcd's rpctypes.ErrGRPCNoSpace.
            Error::Refused { reason } => reason.contains("database space exceeded"),
            _ => false,
        }
    }

    /// The error in words for clients, which name no file of this machine.
    pub fn for_clients(&self) -> String {
        match self {
            Error::Io { action, source, .. } => format!("the store cannot {action} a file: {source}"),
            Error::Corrupt { .. } => "a file of the store is damaged".into(),
            Error::Locked { .. } => "the store is in use by another process".into(),
            other => other.to_string(),
        }
    }

    /// Names the file and the attempt behind an I/O error.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io { action, path: path.to_owned(), source: Arc::new(source) }
    }

    pub(crate) fn corrupt(path: &Path, offset: u64, detail: impl Into<String>) -> Error {
        Error::Corrupt { path: path.to_owned(), offset, detail: detail.into() }
    }
}

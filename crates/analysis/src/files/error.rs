//! Files and folders that cannot be read.

use std::fmt::Display;
use std::io;

/// The reason why files cannot be found or read, with the path that it is about.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(String);

impl ReadError {
    pub(super) fn new(message: impl Into<String>) -> ReadError {
        ReadError(message.into())
    }

    /// An error about a path or an action.
    pub(super) fn about(what: impl Display) -> impl FnOnce(io::Error) -> ReadError {
        move |error| ReadError(format!("{what}: {error}"))
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError(error.to_string())
    }
}

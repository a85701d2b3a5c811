//! Errors of patches.

/// Errors of applying a patch. A server maps each kind to a status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch is malformed; the text is meant for the client.
    #[error("{0}")]
    BadRequest(String),
    /// The patch does not fit the object; the text is for logs, clients get a generic answer.
    #[error("{0}")]
    Unprocessable(String),
    /// The patched object cannot be decoded, or not without strict findings.
    #[error("patch: Invalid value: {value:?}: {detail}")]
    Invalid {
        /// The patched object or the patch, as the reference quotes it.
        value: String,
        /// The reason.
        detail: String,
    },
    /// Other managers own fields that the applied object changes.
    #[error("{0}")]
    Conflict(Conflicts),
    /// The stored object stands in the way; the text is meant for the client.
    #[error("{0}")]
    Internal(String),
    /// The patch is larger than allowed.
    #[error("{0}")]
    TooLarge(String),
}

/// One field that is owned by another manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The owner: `conflict with "kubectl" using apps/v1`.
    pub message: String,
    /// The path of the field: `.spec.replicas`.
    pub field: String,
}

/// All fields that are owned by other managers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Conflicts {
    /// The text that lists them all.
    pub message: String,
    /// One cause for each of them, sorted by manager and path.
    pub causes: Vec<Cause>,
}

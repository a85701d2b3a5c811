//! Errors that end a server.

use std::fmt;

/// The error of a server that did not start.
///
/// Its debug form is for people, too: that is what is shown when `main` returns it.
pub struct Error(sprag_server::Error);

/// The result of `main` of a server.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The reason, to match on.
    pub fn reason(&self) -> &sprag_server::Error {
        &self.0
    }
}

impl From<sprag_server::Error> for Error {
    fn from(error: sprag_server::Error) -> Self {
        Error(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_shows_the_text_of_an_error() {
        let error = Error::from(sprag_server::Error::Usage("--storage: no".into()));
        assert_eq!(format!("{error:?}"), "--storage: no");
        assert!(matches!(error.reason(), sprag_server::Error::Usage(_)));
    }
}

//! The data folder of a server that keeps nothing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::folder;
use crate::identity::random_token;

/// Length of the random part of the name: nobody guesses it.
const RANDOM_LENGTH: usize = 16;

/// A new folder below the system's temporary one, for its owner only. It is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub(super) fn new() -> Result<TemporaryFolder, Error> {
        let random = random_token()?;
        let path = std::env::temp_dir().join(format!("sprag-{}", &random[..RANDOM_LENGTH]));
        folder::make_new(&path)?;
        Ok(TemporaryFolder(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "the temporary folder cannot be removed");
        }
    }
}

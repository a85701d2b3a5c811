//! What the server is given by the command around it: settings and the engines behind them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sprag_analysis::files::git::Revision;
use sprag_analysis::files::{Found, IgnorePatterns};
use sprag_analysis::{BuiltIn, Choices, NewPolicyEngine, Types};
use sprag_lint::Chosen;

/// Reads settings.
pub trait Host: Send + Sync {
    /// The settings for the files of a folder: of the nearest settings file.
    fn settings(&self, folder: &Path) -> Result<Settings, Problem>;

    /// Returns the problem of a text that is a settings file or a test file, if it is one and has one.
    fn check(&self, path: &Path, text: &str) -> Option<Problem>;

    /// Runs admission policies.
    fn policy_engine(&self) -> Option<NewPolicyEngine>;
}

/// A mistake in settings or tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
}

/// Settings of a folder.
#[derive(Default)]
pub struct Settings {
    /// The built-in kinds, of a release and under feature gates.
    pub built_in: Arc<BuiltIn>,
    /// Files with definitions of custom resources.
    pub definitions: Vec<Found>,
    /// Types that are declared in Go or Rust.
    pub types: Option<Arc<Types>>,
    /// Files with admission policies.
    pub policies: Vec<Found>,
    /// Choices that the API server does not have.
    pub choices: Choices,
    /// The revision that objects are updates of; the last commit if there is none here.
    pub base: Option<Revision>,
    /// Paths that are passed over.
    pub ignored: IgnorePatterns,
    /// The rules for types and definitions.
    pub lint: Chosen,
    /// A Go module cache, in which imported packages are looked for.
    pub module_cache: Option<PathBuf>,
}

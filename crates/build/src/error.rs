//! Errors of code generation.

use std::fmt;
use std::io;
use std::path::PathBuf;

use sprag_idl::{Finding, Severity, Sources};
use sprag_tags::CustomTagError;

use crate::load::LoadError;
use crate::tags::TagsFileError;

/// Errors of code generation.
///
/// Its debug form is for people, too: that is what cargo shows when `main` of a build script returns it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The types could not be read.
    #[error("cannot read types: {0}")]
    Load(#[from] LoadError),
    /// The types or their tags are wrong.
    #[error("{0}")]
    Findings(Findings),
    /// A tag of the author's own cannot be added.
    #[error(transparent)]
    Tag(#[from] CustomTagError),
    /// A file with tags of the author's own is wrong.
    #[error(transparent)]
    TagsFile(#[from] TagsFileError),
    /// An environment variable that cargo sets is missing.
    #[error("{0} is not set: this runs in a build script only")]
    NotInBuildScript(&'static str),
    /// Generated code that is checked in is not what the types yield.
    #[error("{} is not what the types yield: generate it again", .0.display())]
    Stale(PathBuf),
    /// Generated code could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
}

impl fmt::Debug for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Errors in the types: one line each, with file, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings(pub Vec<String>);

impl Findings {
    /// All findings.
    pub fn all<'f>(findings: impl IntoIterator<Item = &'f Finding>, sources: &Sources) -> Findings {
        Findings(findings.into_iter().map(|finding| render(finding, sources)).collect())
    }

    /// The findings that stop output.
    pub fn errors(findings: &[Finding], sources: &Sources) -> Findings {
        Findings::all(findings.iter().filter(|finding| finding.severity == Severity::Error), sources)
    }
}

/// A finding as a line: place, severity, message, and how to mend it.
fn render(finding: &Finding, sources: &Sources) -> String {
    let place = sources.locate(finding.span).map(|at| format!("{at}: ")).unwrap_or_default();
    let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
    let help = finding.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{place}{severity}: {}{help}", finding.message)
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

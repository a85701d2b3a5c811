//! The declarations that a new release of Kubernetes needs: two `OpenAPI` documents and two tables of gates in, tags and rows out.
//!
//! Does not know: which rules changed. Those are in upstream's validation code, and in recorded answers.

mod gates;
mod openapi;

use std::fs;
use std::path::{Path, PathBuf};

use sprag_rest::MinorVersion;

/// Larger files are no `OpenAPI` documents.
const MAX_BYTES: u64 = 256 << 20;

/// Arguments of `declarations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclarationsArgs {
    /// `OpenAPI` documents of the release before and of the new one: files, or folders with one file for each group version.
    pub openapi: Option<(PathBuf, PathBuf)>,
    /// Tables of gates of the release before and of the new one.
    pub gates: Option<(PathBuf, PathBuf)>,
    /// The new release.
    pub since: MinorVersion,
}

const USAGE: &str = "\
Prints the declarations that a new release of Kubernetes needs.

Usage: sprag-conformance declarations --since 1.38 [--openapi OLD NEW] [--gates OLD NEW]

OLD and NEW of --openapi are OpenAPI documents, of version 2 or 3, or folders with such files (`kubectl get --raw /openapi/v2`, or
`/openapi/v3/…` of each group version). Those of --gates are the metric kubernetes_feature_enabled as text (`kubectl get --raw /metrics`)
or JSON, {\"Name\": {\"stage\": \"BETA\", \"enabled\": true}}. With what `sprag serve` answers as OLD, only what is missing here is printed.";

impl DeclarationsArgs {
    /// Reads the words behind `declarations`.
    pub fn parse(words: &[String]) -> Result<DeclarationsArgs, String> {
        let mut args = DeclarationsArgs::default();
        let mut since = None;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n\n{USAGE}"));
            match word.as_str() {
                "--since" => since = Some(value()?.parse::<MinorVersion>()?),
                "--openapi" => args.openapi = Some((value()?.into(), value()?.into())),
                "--gates" => args.gates = Some((value()?.into(), value()?.into())),
                _ => return Err(USAGE.to_owned()),
            }
        }
        let since = since.ok_or_else(|| format!("--since is missing\n\n{USAGE}"))?;
        if args.openapi.is_none() && args.gates.is_none() {
            return Err(format!("there is nothing to compare\n\n{USAGE}"));
        }
        Ok(DeclarationsArgs { since, ..args })
    }
}

/// Returns the declarations as text.
pub fn declarations(args: &DeclarationsArgs) -> Result<String, String> {
    let mut text = String::new();
    if let Some((old, new)) = &args.openapi {
        text += &openapi::declarations(&openapi::Types::read(old)?, &openapi::Types::read(new)?, args.since);
    }
    if let Some((old, new)) = &args.gates {
        text += &gates::declarations(&gates::read(old)?, &gates::read(new)?, args.since);
    }
    Ok(if text.is_empty() { "nothing differs\n".to_owned() } else { text })
}

/// The version before one.
fn before(version: MinorVersion) -> MinorVersion {
    MinorVersion { minor: version.minor.saturating_sub(1), ..version }
}

/// The text of a file.
fn text(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > MAX_BYTES {
        return Err(format!("{}: larger than {} MiB", path.display(), MAX_BYTES >> 20));
    }
    fs::read_to_string(path).map_err(failed)
}

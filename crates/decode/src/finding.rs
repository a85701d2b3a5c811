//! Findings of strict decoding in a text that could be read.

use std::fmt;

use sprag_field::quote;

/// The number of findings after which a reader stops to collect.
pub(crate) const MAX_FINDINGS: usize = 10_000;

/// Something in a text that strict decoding refuses and lenient decoding overlooks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// A JSON member whose name occurred before.
    DuplicateField {
        /// The path of the member: `spec.list[0].name`.
        path: String,
    },
    /// A member that the type does not declare.
    UnknownField {
        /// The path of the member.
        path: String,
    },
    /// A member that a structural schema does not describe. Its path is printed as it is.
    // As upstream's apiextensions-apiserver schemaCoercingDecoder.Decode, which does not escape it.
    PrunedField {
        /// The path of the member.
        path: String,
    },
    /// A YAML key that was set before.
    RepeatedKey {
        /// The line of its value in the document, from 1.
        line: usize,
        /// The key in Go's notation.
        key: String,
    },
}

impl Finding {
    /// The path of the member, when the finding has one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::DuplicateField { path } | Self::UnknownField { path } | Self::PrunedField { path } => Some(path),
            Self::RepeatedKey { .. } => None,
        }
    }
}

/// The text as a warning says it.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateField { path } => write!(f, "duplicate field {}", quote::go(path)),
            Self::UnknownField { path } => write!(f, "unknown field {}", quote::go(path)),
            Self::PrunedField { path } => write!(f, "unknown field \"{path}\""),
            Self::RepeatedKey { line, key } => write!(f, "line {line}: key {key} already set in map"),
        }
    }
}

/// The error that findings amount to under strict decoding: `strict decoding error: unknown field "a", …`.
///
/// Repeated YAML keys come first and are one error with a line for each.
pub fn strict_error(findings: &[Finding]) -> Option<String> {
    if findings.is_empty() {
        return None;
    }
    let fields = findings.iter().filter(|finding| finding.path().is_some()).map(Finding::to_string);
    let all: Vec<String> = repeated_keys_error(findings).into_iter().chain(fields).collect();
    Some(format!("strict decoding error: {}", all.join(", ")))
}

/// The error that go-yaml makes of repeated keys, of several lines.
pub fn repeated_keys_error(findings: &[Finding]) -> Option<String> {
    let keys: Vec<String> =
        findings.iter().filter(|finding| finding.path().is_none()).map(|key| format!("\n  {key}")).collect();
    (!keys.is_empty()).then(|| format!("yaml: unmarshal errors:{}", keys.concat()))
}

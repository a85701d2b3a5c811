//! Packed suites: a stream of JSON values, compressed with gzip.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The first value.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Header {
    pub(crate) suite: String,
    /// The members of recorded answers whose texts are blanked; see `prose`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blanked: Vec<String>,
}

/// Each further value: a file of the suite, with its text as it was recorded.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry<'a> {
    pub(crate) file: String,
    #[serde(borrow)]
    pub(crate) content: &'a RawValue,
}

/// A file of the `crd` suite, as far as packing looks into it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DefinitionFile {
    #[serde(default)]
    pub(crate) crd_file: Option<IgnoredAny>,
}

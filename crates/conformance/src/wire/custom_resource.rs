//! The files of the suites about custom resources.

use serde::Deserialize;
use serde_json::value::RawValue;
use sprag_value::Value;

/// A definition and objects of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrdFile {
    pub(crate) name: String,
    /// The file with the definition, below the recorded definitions.
    #[serde(default, rename = "crdFile")]
    pub(crate) definition: Option<String>,
    #[serde(default)]
    pub(crate) crd: Option<Value>,
    /// The version of all objects; that which is stored when it is left out.
    #[serde(default)]
    pub(crate) version: Option<String>,
    #[serde(default)]
    pub(crate) crd_errors: Vec<FieldError>,
    #[serde(default)]
    pub(crate) crd_warnings: Vec<String>,
    pub(crate) cases: Vec<ObjectCase>,
}

/// The definitions of the ratcheting suite.
#[derive(Debug, Deserialize)]
pub(crate) struct RatchetingFile {
    pub(crate) groups: Vec<CrdFile>,
}

/// The outcome of one object.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectCase {
    pub(crate) name: String,
    /// The body as it is written, which need not be what can be read.
    #[serde(default)]
    pub(crate) obj: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) raw: Option<String>,
    #[serde(default)]
    pub(crate) old: Option<Value>,
    #[serde(default)]
    pub(crate) decode_error: Option<String>,
    #[serde(default)]
    pub(crate) strict_errors: Vec<String>,
    #[serde(default)]
    pub(crate) unknown_fields: Vec<String>,
    #[serde(default)]
    pub(crate) pruned: Option<Value>,
    #[serde(default)]
    pub(crate) defaulted: Option<Value>,
    #[serde(default)]
    pub(crate) old_defaulted: Option<Value>,
    pub(crate) valid: bool,
    #[serde(default)]
    pub(crate) errors: Vec<FieldError>,
    #[serde(default)]
    pub(crate) errors_as_create: Vec<FieldError>,
    #[serde(default)]
    pub(crate) cel_warnings: Vec<String>,
}

/// An error about a field.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldError {
    pub(crate) string: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) field: String,
    #[serde(default)]
    pub(crate) detail: String,
}

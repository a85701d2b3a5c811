//! Kinds with little in them: without rules, without a spec, without a status.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

/// A kind with metadata alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Marker {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
}

/// A kind with a spec and no rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Plain {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: PlainSpec,
}

/// The desired state, without rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlainSpec {
    /// Anything.
    pub text: String,
}

/// A kind with nothing but a status, which may be missing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Gauge {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The observed state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<GaugeStatus>,
}

/// The reading of a gauge.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GaugeStatus {
    /// The value.
    pub value: i64,
}

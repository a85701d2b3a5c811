//! Kinds with little in them: without rules, without a spec, without a status.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

/// A kind with metadata alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Marker {
    /// What every object says about itself.
    pub metadata: ObjectMeta,
}

/// A kind with a spec and no rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Plain {
    /// What every object says about itself.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: PlainSpec,
}

/// What is wanted, without rules.
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
    /// What every object says about itself.
    pub metadata: ObjectMeta,
    /// What is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<GaugeStatus>,
}

/// What a gauge shows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GaugeStatus {
    /// The value.
    pub value: i64,
}

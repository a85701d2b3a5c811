//! Types of version `v1`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_registry::ObjectMeta;
use sprag_value::ByteString;

/// Settings that pods and controllers read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMap {
    /// What every object says about itself.
    pub metadata: ObjectMeta,
    /// Whether the contents are final. Once true, neither they nor this can change; only a new object helps.
    ///
    /// +optional
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
    /// Text by key. Keys consist of letters, digits, `-`, `_` and `.`, and none is in `binaryData` as well.
    ///
    /// +optional
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Bytes by key, as base64. Keys are as those of `data`, and none is in both.
    ///
    /// +optional
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub binary_data: BTreeMap<String, ByteString>,
}

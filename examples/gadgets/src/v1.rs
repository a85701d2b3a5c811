//! Version `v1` of gadgets.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

/// A gadget that is built in a workshop.
///
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Gadget {
    /// Object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: GadgetSpec,
    /// The observed state.
    pub status: GadgetStatus,
}

/// The desired state of a gadget.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GadgetSpec {
    /// The model, which cannot change.
    ///
    /// +k8s:required
    /// +k8s:immutable
    /// +k8s:format=k8s-short-name
    /// +k8s:printerColumn
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The number of gadgets to build.
    ///
    /// +k8s:optional
    /// +default=1
    /// +k8s:minimum=0
    /// +k8s:maximum=100
    /// +k8s:printerColumn
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
}

/// The observed state of a gadget.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GadgetStatus {
    /// The number of gadgets that are built.
    ///
    /// +k8s:optional
    /// +k8s:minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built: Option<i32>,
}

//! Version `v1`: the one that hooks are written for and objects are stored in.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

/// A thing that spins.
///
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/scale"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Widget {
    /// Standard object metadata.
    ///
    /// +k8s:subfield(name)=+k8s:format=dns-label
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: WidgetSpec,
    /// The observed state.
    pub status: WidgetStatus,
}

/// The desired state of a widget.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WidgetSpec {
    /// The number of replicas.
    ///
    /// +k8s:optional
    /// +default=1
    /// +k8s:minimum=0
    /// +k8s:maximum=1000
    /// +k8s:warn(message: "more than 100 replicas are slow")=+k8s:maximum=100
    /// +k8s:printerColumn
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// The class of the widget.
    ///
    /// +k8s:required
    /// +k8s:immutable
    /// +k8s:format=k8s-short-name
    /// +k8s:selectableField
    /// +k8s:printerColumn(name: "Class", priority: 1)
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// The user who asked for it; the server fills it in.
    ///
    /// +k8s:optional
    #[serde(skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// The priority: higher goes first.
    ///
    /// +k8s:featureGate=WidgetPriority
    /// +k8s:optional
    /// +k8s:minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// The parts.
    ///
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// A part of a widget.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Part {
    /// Its name.
    ///
    /// +k8s:required
    pub name: String,
    /// True if it turns.
    ///
    /// +k8s:featureGate=WidgetPriority
    /// +k8s:optional
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<bool>,
}

/// The observed state of a widget.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WidgetStatus {
    /// The number of running replicas.
    ///
    /// +k8s:optional
    /// +k8s:minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// The phase of its life cycle.
    ///
    /// +k8s:optional
    /// +k8s:printerColumn
    #[serde(skip_serializing_if = "String::is_empty")]
    pub phase: String,
}

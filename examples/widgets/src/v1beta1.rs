//! Version `v1beta1`: replicas were called size.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

use crate::v1;

/// A thing that spins.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Widget {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: WidgetSpec,
    /// The observed state.
    pub status: v1::WidgetStatus,
}

/// The desired state of a widget.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WidgetSpec {
    /// The number of replicas.
    ///
    /// +k8s:optional
    /// +k8s:minimum=0
    /// +k8s:maximum=1000
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<i32>,
    /// The class of the widget.
    ///
    /// +k8s:required
    /// +k8s:immutable
    /// +k8s:format=k8s-short-name
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<v1::Part>,
}

impl From<Widget> for v1::Widget {
    fn from(Widget { metadata, spec, status }: Widget) -> Self {
        let WidgetSpec { size, class, owner, priority, parts } = spec;
        let spec = v1::WidgetSpec { replicas: size, class, owner, priority, parts };
        v1::Widget { metadata, spec, status }
    }
}

impl From<v1::Widget> for Widget {
    fn from(v1::Widget { metadata, spec, status }: v1::Widget) -> Self {
        let v1::WidgetSpec { replicas, class, owner, priority, parts } = spec;
        Widget { metadata, spec: WidgetSpec { size: replicas, class, owner, priority, parts }, status }
    }
}

//! Rules are enforced but for alpha ones; `DeclarativeValidationBeta=false` switches beta ones back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

use crate::parts::{Route, Ship};

/// A light on the coast.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Beacon {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: BeaconSpec,
}

/// The desired state of a beacon.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BeaconSpec {
    /// The brightness.
    ///
    /// +k8s:beta(since: "1.39")=+k8s:minimum=1
    pub power: i32,
    /// The range of visibility, in miles.
    ///
    /// +k8s:alpha(since: "1.39")=+k8s:maximum=10
    pub range: i32,
}

/// Ships that travel together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Convoy {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ConvoySpec,
}

/// The desired state of a convoy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConvoySpec {
    /// The ship that leads.
    ///
    /// +k8s:required
    /// +k8s:maxLength=12
    /// +k8s:immutable
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lead: String,
    /// The speed, in knots.
    ///
    /// +k8s:optional
    /// +k8s:beta(since: "1.39")=+k8s:minimum=1
    /// +k8s:beta(since: "1.39")=+k8s:maximum=30
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<i32>,
    /// The way it takes.
    ///
    /// +k8s:optional
    #[serde(skip_serializing_if = "Route::is_unset")]
    pub route: Route,
    /// The ships.
    ///
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    /// +k8s:maxItems=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ships: Vec<Ship>,
    /// The cargo, in tons.
    ///
    /// +k8s:optional
    /// +k8s:maxProperties=3
    /// +k8s:alpha(since: "1.39")=+k8s:eachKey=+k8s:maxLength=8
    /// +k8s:eachVal=+k8s:minimum=0
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cargo: BTreeMap<String, i32>,
    /// The escort.
    ///
    /// +k8s:optional
    /// +k8s:zeroOrOneOfMember
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escort: Option<String>,
    /// The channel that it calls for help on.
    ///
    /// +k8s:optional
    /// +k8s:zeroOrOneOfMember
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radio: Option<i32>,
    /// The captain. A new field: no hook ever knew it.
    ///
    /// +k8s:declarativeValidationNative
    /// +k8s:optional
    /// +k8s:maxLength=16
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captain: Option<String>,
}

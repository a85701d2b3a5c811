//! Convoys in version `v1beta1`, where the speed has another name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

use crate::parts::{Route, Ship};
use crate::shadow;

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
    /// +k8s:minimum=1
    /// +k8s:maximum=30
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knots: Option<i32>,
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
    /// +k8s:eachKey=+k8s:maxLength=8
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

impl From<Convoy> for shadow::Convoy {
    fn from(Convoy { metadata, spec }: Convoy) -> Self {
        let ConvoySpec { lead, knots, route, ships, cargo, escort, radio, captain } = spec;
        let spec = shadow::ConvoySpec { lead, speed: knots, route, ships, cargo, escort, radio, captain };
        shadow::Convoy { metadata, spec }
    }
}

impl From<shadow::Convoy> for Convoy {
    fn from(shadow::Convoy { metadata, spec }: shadow::Convoy) -> Self {
        let shadow::ConvoySpec { lead, speed, route, ships, cargo, escort, radio, captain } = spec;
        Convoy { metadata, spec: ConvoySpec { lead, knots: speed, route, ships, cargo, escort, radio, captain } }
    }
}

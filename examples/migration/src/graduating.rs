//! The first field's rule cannot be switched off any more, the second's is beta.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

/// A light on the coast.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Beacon {
    /// What every object says about itself.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: BeaconSpec,
}

/// What is wanted of a beacon.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BeaconSpec {
    /// How bright it is.
    ///
    /// +k8s:minimum=1
    pub power: i32,
    /// How far it is seen, in miles.
    ///
    /// +k8s:beta(since: "1.40")=+k8s:maximum=10
    pub range: i32,
}

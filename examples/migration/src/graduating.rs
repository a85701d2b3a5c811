//! The first field's rule cannot be switched off any more, the second's is beta.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

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
    /// +k8s:minimum=1
    pub power: i32,
    /// The range of visibility, in miles.
    ///
    /// +k8s:beta(since: "1.40")=+k8s:maximum=10
    pub range: i32,
}

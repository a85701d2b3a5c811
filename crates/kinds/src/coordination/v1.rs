//! Types of version `v1`.

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::MicroTime;

/// Who does something for now, so that nobody else does: leader election and heartbeats of nodes are made of these.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lease {
    /// What every object says about itself.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Who holds the lease, and for how long.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: LeaseSpec,
}

/// Who holds a lease, and for how long.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// Who holds it.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder_identity: Option<String>,
    /// For how many seconds after `renewTime` others have to wait before they take it over.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_duration_seconds: Option<i32>,
    /// When the holder got it.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acquire_time: Option<MicroTime>,
    /// When the holder last said that it still has it.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renew_time: Option<MicroTime>,
    /// How often it changed hands.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_transitions: Option<i32>,
    /// How the next holder is picked among candidates.
    ///
    /// +k8s:featureGate=CoordinatedLeaderElection
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<CoordinatedLeaseStrategy>,
    /// To whom the holder is asked to hand it over; needs a strategy.
    ///
    /// +k8s:featureGate=CoordinatedLeaderElection
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_holder: Option<String>,
}

/// How the holder of a lease is picked among candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CoordinatedLeaseStrategy(pub String);

//! Types of version `v1`.
//!
//! +groupName=coordination.k8s.io

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::MicroTime;

/// Strategy by which the leader is chosen in coordinated leader election.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CoordinatedLeaseStrategy(pub String);

/// Claim of a holder to be the active one, renewed periodically, as used in leader election and node heartbeats.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lease {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Holder of the lease and its timing.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: LeaseSpec,
}

/// Holder and timing of a lease.
///
/// +sprag:validatedBy=ValidateLeaseSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// Identity of the current holder.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder_identity: Option<String>,
    /// Seconds that candidates must wait after `renewTime` before they may take the lease over.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_duration_seconds: Option<i32>,
    /// Time at which the current holder acquired the lease.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acquire_time: Option<MicroTime>,
    /// Time at which the current holder last renewed the lease.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renew_time: Option<MicroTime>,
    /// Number of times the lease has moved between holders.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_transitions: Option<i32>,
    /// Strategy for choosing the leader in coordinated leader election; unset disables coordination.
    ///
    /// +k8s:featureGate=CoordinatedLeaderElection
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<CoordinatedLeaseStrategy>,
    /// Candidate to which the current holder is asked to yield; requires `strategy`.
    ///
    /// +k8s:featureGate=CoordinatedLeaderElection
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_holder: Option<String>,
}

//! Resource claims and their templates.

use serde::{Deserialize, Serialize};

use super::allocation::ResourceClaimStatus;
use super::device_request::DeviceClaim;
use crate::meta::v1::ObjectMeta;

/// Request for devices, and the devices that were allocated for it.
///
/// +sprag:since("1.34")
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaim {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Devices that are asked for; it cannot be changed.
    ///
    /// +sprag:until("1.36")=+required
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +optional
    /// +kinds:immutable
    /// +protobuf=2
    pub spec: ResourceClaimSpec,
    /// Devices that were allocated.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ResourceClaimStatus,
}

/// Devices that are asked for.
///
/// +sprag:validatedBy=validateResourceClaimSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaimSpec {
    /// Devices that are asked for.
    ///
    /// +optional
    /// +protobuf=1
    pub devices: DeviceClaim,
}

/// Template of the claims that are made for pods.
///
/// +sprag:since("1.34")
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateResourceClaimTemplate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaimTemplate {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Metadata and specification of the claims; it cannot be changed.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +kinds:immutable
    /// +protobuf=2
    pub spec: ResourceClaimTemplateSpec,
}

/// Metadata and specification of claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaimTemplateSpec {
    /// Labels and annotations that the claims get; other metadata is refused.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Specification of the claims.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +protobuf=2
    pub spec: ResourceClaimSpec,
}

//! Device classes.

use serde::{Deserialize, Serialize};

use super::device_request::{DeviceConfiguration, DeviceSelector};
use crate::meta::v1::ObjectMeta;

/// Class of devices that requests can name, with their selectors and configuration.
///
/// +sprag:since("1.34")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:validatedBy=ValidateDeviceClass
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceClass {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:format=k8s-long-name
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Selectors and configuration; a change increments the generation.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +protobuf=2
    pub spec: DeviceClassSpec,
}

/// Selectors and configuration of a class.
///
/// +sprag:validatedBy=validateDeviceClassSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceClassSpec {
    /// Selectors that all must match a device, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selectors: Vec<DeviceSelector>,
    /// Configuration that drivers get, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<DeviceClassConfiguration>,
    /// Extended resource that pods can request to get devices of this class.
    ///
    /// +optional
    /// +featureGate=DRAExtendedResource
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-extended-resource-name
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extended_resource_name: Option<String>,
}

/// Configuration that drivers get for devices of a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceClassConfiguration {
    /// Configuration.
    ///
    /// +protobuf=1
    #[serde(flatten)]
    pub device_configuration: DeviceConfiguration,
}

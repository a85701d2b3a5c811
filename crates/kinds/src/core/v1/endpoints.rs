//! Endpoints of services.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use super::{ObjectReference, Protocol};
use crate::meta::v1::ObjectMeta;

/// Addresses and ports that implement a service.
///
/// Deprecated: use EndpointSlice.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Endpoints {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Sets of addresses with the same ports.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subsets: Vec<EndpointSubset>,
}

/// Addresses that all expose the same ports.
///
/// +sprag:validatedBy=validateEndpointSubsets
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointSubset {
    /// Addresses that are ready.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<EndpointAddress>,
    /// Addresses that are not ready.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready_addresses: Vec<EndpointAddress>,
    /// Ports of the addresses.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<EndpointPort>,
}

/// Address of an endpoint.
///
/// +structType=atomic
/// +sprag:validatedBy=validateEndpointAddress
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointAddress {
    /// IP address; it must be neither loopback nor link-local.
    ///
    /// +required
    /// +protobuf=1
    pub ip: String,
    /// Hostname of the endpoint.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-label
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    /// Node that hosts the endpoint.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    /// Object that provides the endpoint.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<ObjectReference>,
}

/// Port of endpoints.
///
/// +structType=atomic
/// +sprag:validatedBy=validateEndpointPort
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointPort {
    /// Name of the port, equal to that of the service port; optional if there is one port only.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Port number.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=2
    pub port: i32,
    /// Protocol of the port: TCP, UDP or SCTP; TCP by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="TCP"
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub protocol: Protocol,
    /// Application protocol of the port, as an IANA service name, a `kubernetes.io/` name or a prefixed name.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=qualified-name
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_protocol: Option<String>,
}

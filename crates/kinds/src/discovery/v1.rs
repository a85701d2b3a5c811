//! Types of version `v1`.
//!
//! +groupName=discovery.k8s.io

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::null_if_empty;

use crate::core::v1::{ObjectReference, Protocol};
use crate::meta::v1::ObjectMeta;

/// Part of the endpoints that implement a service.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateEndpointSlice
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointSlice {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Type of all addresses in this slice; it cannot be changed.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=4
    pub address_type: AddressType,
    /// Endpoints in this slice, at most 1000.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub endpoints: Vec<Endpoint>,
    /// Ports that every endpoint in this slice exposes, at most 100; no ports means there are no defined ones.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(serialize_with = "null_if_empty")]
    pub ports: Vec<EndpointPort>,
}

/// Type of the addresses of endpoints.
///
/// +enum
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddressType(pub String);

impl AddressType {
    /// IPv4 addresses.
    pub const ADDRESS_TYPE_I_PV4: &'static str = "IPv4";
    /// IPv6 addresses.
    pub const ADDRESS_TYPE_I_PV6: &'static str = "IPv6";
    /// Fully qualified domain names.
    pub const ADDRESS_TYPE_FQDN: &'static str = "FQDN";
}

/// One backend of a service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Endpoint {
    /// Addresses of this endpoint, which consumers treat as interchangeable.
    ///
    /// +listType=set
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=100
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub addresses: Vec<String>,
    /// Current state of the endpoint.
    ///
    /// +protobuf=2
    pub conditions: EndpointConditions,
    /// Hostname of this endpoint, unique within the service.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// Object that represents this endpoint, usually a pod.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<ObjectReference>,
    /// Topology labels of the endpoint in v1beta1 form.
    ///
    /// Deprecated: exists so that v1beta1 objects survive a round trip; it cannot be written.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=labels
    /// +protobuf=5
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub deprecated_topology: BTreeMap<String, String>,
    /// Name of the node that hosts this endpoint.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    /// Zone this endpoint is in.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Hints on which consumers should use this endpoint.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<EndpointHints>,
}

/// Current state of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointConditions {
    /// True if the endpoint can take traffic; unset means true.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
    /// True if the endpoint can take traffic, even while it terminates; unset means the value of `ready`.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving: Option<bool>,
    /// True if the endpoint is terminating; unset means false.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminating: Option<bool>,
}

/// Hints on which consumers should use an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointHints {
    /// Zones whose consumers should use this endpoint, at most 8.
    ///
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub for_zones: Vec<ForZone>,
    /// Nodes whose consumers should use this endpoint, at most 8.
    ///
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub for_nodes: Vec<ForNode>,
}

/// Zone whose consumers should use an endpoint.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ForZone {
    /// Name of the zone.
    ///
    /// +required
    /// +kinds:format=label-value
    /// +protobuf=1
    pub name: String,
}

/// Node whose consumers should use an endpoint.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ForNode {
    /// Name of the node.
    ///
    /// +required
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    pub name: String,
}

/// Port that endpoints expose.
///
/// +structType=atomic
/// +sprag:validatedBy=validateEndpointPort
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointPort {
    /// Name of the port, unique within the slice; matches the name of the service port.
    ///
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +sprag:default=""
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// IP protocol of the port: TCP, UDP or SCTP; TCP by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="TCP"
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// Port number; unset leaves the choice to the consumer.
    ///
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    /// Application protocol of the port, as an IANA service name, a `kubernetes.io/` name or a prefixed name.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=qualified-name
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_protocol: Option<String>,
}

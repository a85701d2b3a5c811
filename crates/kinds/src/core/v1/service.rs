//! Services.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::IntOrString;
use sprag_value::wire::is_zero;

use super::Protocol;
use crate::meta::v1::{Condition, ObjectMeta};

/// Session affinity of a service.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServiceAffinity(pub String);

impl ServiceAffinity {
    /// Connections of a client go to the same pod.
    pub const SERVICE_AFFINITY_CLIENT_IP: &'static str = "ClientIP";
    /// No session affinity.
    pub const SERVICE_AFFINITY_NONE: &'static str = "None";
}

/// Configuration of session affinity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionAffinityConfig {
    /// Configuration of affinity by client address.
    ///
    /// +sprag:called
    /// +kinds:present="when session affinity type is ClientIP"
    /// +k8s:opaqueType
    /// +protobuf=1
    #[serde(rename = "clientIP", skip_serializing_if = "Option::is_none")]
    pub client_ip: Option<ClientIPConfig>,
}

/// Configuration of session affinity by client address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientIPConfig {
    /// Seconds for which a session sticks, from 1 to 86400; 10800 by default.
    ///
    /// +sprag:called
    /// +kinds:present="when session affinity type is ClientIP"
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i32>,
}

/// Way in which a service is exposed.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServiceType(pub String);

impl ServiceType {
    /// The service is reachable inside of the cluster only.
    pub const SERVICE_TYPE_CLUSTER_IP: &'static str = "ClusterIP";
    /// The service is also reachable on a port of every node.
    pub const SERVICE_TYPE_NODE_PORT: &'static str = "NodePort";
    /// The service is also reachable through an external load balancer.
    pub const SERVICE_TYPE_LOAD_BALANCER: &'static str = "LoadBalancer";
    /// The service is an alias of an external name.
    pub const SERVICE_TYPE_EXTERNAL_NAME: &'static str = "ExternalName";
}

/// Routing of traffic to the cluster IP.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServiceInternalTrafficPolicy(pub String);

impl ServiceInternalTrafficPolicy {
    /// Traffic goes to all endpoints.
    pub const SERVICE_INTERNAL_TRAFFIC_POLICY_CLUSTER: &'static str = "Cluster";
    /// Traffic goes to endpoints on the node of the client only.
    pub const SERVICE_INTERNAL_TRAFFIC_POLICY_LOCAL: &'static str = "Local";
}

/// Routing of traffic to externally facing addresses.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServiceExternalTrafficPolicy(pub String);

impl ServiceExternalTrafficPolicy {
    /// Traffic goes to all endpoints.
    pub const SERVICE_EXTERNAL_TRAFFIC_POLICY_CLUSTER: &'static str = "Cluster";
    /// Traffic goes to endpoints on the receiving node only, and the client address is preserved.
    pub const SERVICE_EXTERNAL_TRAFFIC_POLICY_LOCAL: &'static str = "Local";
}

/// Current state of a service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceStatus {
    /// State of the load balancer, if there is one.
    ///
    /// +optional
    /// +protobuf=1
    pub load_balancer: LoadBalancerStatus,
    /// Conditions of the service.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:opaqueType
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// State of a load balancer.
///
/// +sprag:validatedBy=ValidateLoadBalancerStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadBalancerStatus {
    /// Addresses of the load balancer, to which traffic should be sent.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ingress: Vec<LoadBalancerIngress>,
}

/// Address of a load balancer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadBalancerIngress {
    /// IP address of the load balancer.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ip: String,
    /// DNS name of the load balancer.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    /// Handling of the address: VIP keeps the destination of packets, Proxy sends them to the node or pod; VIP by
    /// default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_mode: Option<LoadBalancerIPMode>,
    /// State of the service ports.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<PortStatus>,
}

/// IP family of a service.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IPFamily(pub String);

impl IPFamily {
    /// IPv4.
    pub const I_PV4_PROTOCOL: &'static str = "IPv4";
    /// IPv6.
    pub const I_PV6_PROTOCOL: &'static str = "IPv6";
    /// Unset; only possible for headless services without selector of old clusters.
    pub const IP_FAMILY_UNKNOWN: &'static str = "";
}

/// Single- or dual-stack policy of a service.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IPFamilyPolicy(pub String);

impl IPFamilyPolicy {
    /// One IP family, that of the cluster by default.
    pub const IP_FAMILY_POLICY_SINGLE_STACK: &'static str = "SingleStack";
    /// Two IP families where the cluster supports them, otherwise one.
    pub const IP_FAMILY_POLICY_PREFER_DUAL_STACK: &'static str = "PreferDualStack";
    /// Two IP families; fails where the cluster has one.
    pub const IP_FAMILY_POLICY_REQUIRE_DUAL_STACK: &'static str = "RequireDualStack";
}

/// Desired state of a service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceSpec {
    /// Ports the service exposes.
    ///
    /// +patchMergeKey=port
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=port
    /// +listMapKey=protocol
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<ServicePort>,
    /// Labels of the pods that get the traffic; empty leaves the endpoints to others, and ExternalName ignores it.
    ///
    /// +optional
    /// +mapType=atomic
    /// +sprag:called
    /// +kinds:map=labels
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub selector: BTreeMap<String, String>,
    /// Address of the service, usually assigned by the server; None makes the service headless.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(rename = "clusterIP", skip_serializing_if = "String::is_empty")]
    pub cluster_ip: String,
    /// Addresses of the service, at most one per IP family; the first one equals `clusterIP`.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=18
    #[serde(rename = "clusterIPs", skip_serializing_if = "Vec::is_empty")]
    pub cluster_ips: Vec<String>,
    /// Way in which the service is exposed: ClusterIP, NodePort, LoadBalancer or ExternalName; ClusterIP by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="ClusterIP"
    /// +protobuf=4
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: ServiceType,
    /// Addresses for which nodes accept traffic to the service; the cluster does not manage them.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(rename = "externalIPs", skip_serializing_if = "Vec::is_empty")]
    pub external_ips: Vec<String>,
    /// ClientIP or None; None by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="None"
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub session_affinity: ServiceAffinity,
    /// Requested address of the load balancer, where the provider supports it.
    ///
    /// Deprecated: use annotations of the load balancer implementation.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(rename = "loadBalancerIP", skip_serializing_if = "String::is_empty")]
    pub load_balancer_ip: String,
    /// Client ranges to which the load balancer restricts traffic, where the provider supports it.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=9
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub load_balancer_source_ranges: Vec<String>,
    /// DNS name that an ExternalName service is an alias of.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "String::is_empty")]
    pub external_name: String,
    /// Routing of traffic to externally facing addresses; Cluster by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=11
    #[serde(skip_serializing_if = "is_zero")]
    pub external_traffic_policy: ServiceExternalTrafficPolicy,
    /// Node port of the health check; only for LoadBalancer services with external traffic policy Local.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=12
    #[serde(skip_serializing_if = "is_zero")]
    pub health_check_node_port: i32,
    /// True to publish endpoints regardless of their readiness; false by default.
    ///
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "is_zero")]
    pub publish_not_ready_addresses: bool,
    /// Configuration of the session affinity.
    ///
    /// +sprag:called
    /// +kinds:present="when session affinity type is ClientIP"
    /// +k8s:opaqueType
    /// +protobuf=14
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_affinity_config: Option<SessionAffinityConfig>,
    /// IP families of the service, at most two; assigned by the server if unset.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=19
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ip_families: Vec<IPFamily>,
    /// Single- or dual-stack policy; SingleStack by default.
    ///
    /// +optional
    /// +protobuf=17
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_family_policy: Option<IPFamilyPolicy>,
    /// False to not allocate node ports for a LoadBalancer service; true by default.
    ///
    /// +optional
    /// +protobuf=20
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocate_load_balancer_node_ports: Option<bool>,
    /// Class of the load balancer implementation; the cluster's default if unset, and it cannot be changed.
    ///
    /// +optional
    /// +protobuf=21
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_balancer_class: Option<String>,
    /// Routing of traffic to the cluster IP; Cluster by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=22
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal_traffic_policy: Option<ServiceInternalTrafficPolicy>,
    /// Preference for endpoints: PreferSameZone, PreferSameNode or PreferClose.
    ///
    /// +optional
    /// +protobuf=23
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_distribution: Option<String>,
}

/// Port of a service.
///
/// +sprag:validatedBy=validateServicePort
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServicePort {
    /// Name of the port, a DNS label; required if there are several.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Protocol of the port: TCP, UDP or SCTP; TCP by default.
    ///
    /// +default="TCP"
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub protocol: Protocol,
    /// Application protocol of the port, as an IANA service name, a `kubernetes.io/` name or a prefixed name.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=qualified-name
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_protocol: Option<String>,
    /// Port the service exposes.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=3
    pub port: i32,
    /// Number or name of the port on the pods; `port` by default, and ignored for headless services.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=port
    /// +protobuf=4
    pub target_port: IntOrString,
    /// Port on every node; usually allocated by the server.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub node_port: i32,
}

/// Stable address for a set of pods.
///
/// +genclient
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/proxy"
/// +sprag:validatedBy=validateService
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Service {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the service.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: ServiceSpec,
    /// Current state of the service.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ServiceStatus,
}

/// State of a service port at a load balancer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PortStatus {
    /// Number of the port.
    ///
    /// +required
    /// +protobuf=1
    pub port: i32,
    /// Protocol of the port: TCP, UDP or SCTP.
    ///
    /// +required
    /// +protobuf=2
    pub protocol: Protocol,
    /// Machine-readable problem with the port in CamelCase, possibly with a DNS prefix.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Handling of a load balancer address: VIP or Proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LoadBalancerIPMode(pub String);

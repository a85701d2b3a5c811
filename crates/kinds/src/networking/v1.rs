//! Types of version `v1`.
//!
//! +groupName=networking.k8s.io

use serde::{Deserialize, Serialize};
use sprag_value::IntOrString;
use sprag_value::wire::{is_zero, null_if_empty};

use crate::core::v1::{Protocol, TypedLocalObjectReference};
use crate::meta::v1::{Condition, LabelSelector, ObjectMeta};

/// Rules for the network traffic that a set of pods may receive and send.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkPolicy {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behaviour of the policy.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: NetworkPolicySpec,
}

/// Direction of traffic that a network policy is about.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PolicyType(pub String);

impl PolicyType {
    /// Traffic to the selected pods.
    pub const POLICY_TYPE_INGRESS: &'static str = "Ingress";
    /// Traffic from the selected pods.
    pub const POLICY_TYPE_EGRESS: &'static str = "Egress";
}

/// Pods that a policy applies to, and traffic that it allows.
///
/// +sprag:validatedBy=ValidateNetworkPolicySpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkPolicySpec {
    /// Pods that the policy applies to; an empty selector selects all of the namespace.
    ///
    /// +sprag:until("1.33")=+required
    /// +optional
    /// +protobuf=1
    pub pod_selector: LabelSelector,
    /// Rules for traffic to the selected pods; none isolates them, unless another policy allows the traffic.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ingress: Vec<NetworkPolicyIngressRule>,
    /// Rules for traffic from the selected pods; none isolates them, unless another policy allows the traffic.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub egress: Vec<NetworkPolicyEgressRule>,
    /// Directions that the policy is about; by default `Ingress`, and `Egress` where there are egress rules.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policy_types: Vec<PolicyType>,
}

/// Traffic to the selected pods that is allowed if it matches both ports and sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkPolicyIngressRule {
    /// Ports that may receive the traffic; none means all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<NetworkPolicyPort>,
    /// Sources of the traffic; none means all.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<NetworkPolicyPeer>,
}

/// Traffic from the selected pods that is allowed if it matches both ports and destinations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkPolicyEgressRule {
    /// Ports that the traffic may go to; none means all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<NetworkPolicyPort>,
    /// Destinations of the traffic; none means all.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<NetworkPolicyPeer>,
}

/// Port of traffic that a policy allows.
///
/// +sprag:validatedBy=ValidateNetworkPolicyPort
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkPolicyPort {
    /// Protocol of the traffic: TCP, UDP or SCTP; TCP by default.
    ///
    /// +optional
    /// +sprag:default="TCP"
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// Number or name of a port of the pods; unset means all.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=port
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<IntOrString>,
    /// Last port of a range that starts with `port`, which has to be a number.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_port: Option<i32>,
}

/// Range of addresses, with exceptions.
///
/// +sprag:validatedBy=ValidateIPBlock
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IPBlock {
    /// Range of addresses, such as `192.168.1.0/24` or `2001:db8::/64`.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=1
    pub cidr: String,
    /// Ranges within `cidr` that are left out.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
}

/// Sources or destinations of traffic.
///
/// +sprag:validatedBy=ValidateNetworkPolicyPeer
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkPolicyPeer {
    /// Pods, of the policy's namespace or of those that `namespaceSelector` selects.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_selector: Option<LabelSelector>,
    /// Namespaces whose pods are meant, all of them or those that `podSelector` selects.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Addresses; excludes the other fields.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_block: Option<IPBlock>,
}

/// Rules that let requests from outside of the cluster reach services.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +sprag:validatedBy=ValidateIngressCreate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ingress {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the ingress.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: IngressSpec,
    /// Current state of the ingress.
    ///
    /// +optional
    /// +protobuf=3
    pub status: IngressStatus,
}

/// Desired state of an ingress.
///
/// +sprag:validatedBy=ValidateIngressSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressSpec {
    /// Name of the IngressClass whose controller implements the ingress.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ingress_class_name: Option<String>,
    /// Backend of requests that no rule matches; required if there are no rules.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_backend: Option<IngressBackend>,
    /// Certificates for hosts, on port 443.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tls: Vec<IngressTLS>,
    /// Rules by host; without any, all traffic goes to the default backend.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<IngressRule>,
}

/// Certificate of hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressTLS {
    /// Hosts that are in the certificate; by default the wildcard host of the load balancer.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Name of the secret that has certificate and key for port 443.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub secret_name: String,
}

/// Current state of an ingress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressStatus {
    /// Current state of the load balancer.
    ///
    /// +optional
    /// +protobuf=1
    pub load_balancer: IngressLoadBalancerStatus,
}

/// Current state of a load balancer.
///
/// +sprag:validatedBy=ValidateIngressLoadBalancerStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressLoadBalancerStatus {
    /// Ingress points of the load balancer.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ingress: Vec<IngressLoadBalancerIngress>,
}

/// Ingress point of a load balancer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressLoadBalancerIngress {
    /// Address of the ingress point, if the load balancer is based on addresses.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ip: String,
    /// Hostname of the ingress point, if the load balancer is based on DNS.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    /// Ports that the ingress point exposes.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<IngressPortStatus>,
}

/// State of a port of a load balancer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressPortStatus {
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
    /// Problem with the port, in CamelCase; names of cloud providers have a prefix, as in `foo.example.com/name`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Rules for requests to a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressRule {
    /// Domain name of the requests, or one with a leading `*.`; empty means all.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Rules for the requests; without any, all go to the default backend.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(flatten)]
    pub ingress_rule_value: IngressRuleValue,
}

/// Rules for requests, by protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressRuleValue {
    /// Rules for HTTP.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<HTTPIngressRuleValue>,
}

/// Backends of HTTP requests by path.
///
/// +sprag:validatedBy=validateHTTPIngressRuleValue
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HTTPIngressRuleValue {
    /// Paths with their backends.
    ///
    /// +required
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub paths: Vec<HTTPIngressPath>,
}

/// Way in which a path is matched.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathType(pub String);

impl PathType {
    /// The path of the URL is the path, exactly.
    pub const PATH_TYPE_EXACT: &'static str = "Exact";
    /// The ingress class decides.
    pub const PATH_TYPE_IMPLEMENTATION_SPECIFIC: &'static str = "ImplementationSpecific";
    /// The elements of the URL's path begin with those of the path.
    pub const PATH_TYPE_PREFIX: &'static str = "Prefix";
}

/// Path of HTTP requests with its backend.
///
/// +sprag:validatedBy=validateHTTPIngressPath
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HTTPIngressPath {
    /// Path that requests are matched against; begins with `/` where `pathType` is Exact or Prefix.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Way in which the path is matched: Exact, Prefix or ImplementationSpecific.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:present="pathType must be specified"
    /// +kinds:oneOf
    /// +protobuf=3
    pub path_type: Option<PathType>,
    /// Backend of the requests.
    ///
    /// +required
    /// +protobuf=2
    pub backend: IngressBackend,
}

/// Backend of requests: a service or another resource.
///
/// +sprag:validatedBy=validateIngressBackend
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressBackend {
    /// Service as backend; excludes `resource`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<IngressServiceBackend>,
    /// Object of the namespace as backend; excludes `service`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<TypedLocalObjectReference>,
}

/// Service as backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressServiceBackend {
    /// Name of the service, in the namespace of the ingress.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +sprag:since("1.36")=+kinds:format=dns-label
    /// +sprag:until("1.35")=+kinds:format=dns-1035-label
    /// +protobuf=1
    pub name: String,
    /// Port of the service, by name or number.
    ///
    /// +protobuf=2
    pub port: ServiceBackendPort,
}

/// Port of a service.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceBackendPort {
    /// Name of the port; excludes `number`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=port-name
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Number of the port; excludes `name`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub number: i32,
}

/// Class of ingresses, with the controller that implements it.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressClass {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the class.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: IngressClassSpec,
}

/// Controller of a class of ingresses, with its parameters.
///
/// +sprag:validatedBy=validateIngressClassSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressClassSpec {
    /// Name of the controller, a path with a domain such as `acme.io/ingress-controller`, at most 250 characters; it cannot be changed.
    ///
    /// +kinds:immutable
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub controller: String,
    /// Object with further configuration of the controller.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<IngressClassParametersReference>,
}

/// Reference to the parameters of an ingress class.
///
/// +sprag:validatedBy=validateIngressClassParametersReference
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IngressClassParametersReference {
    /// Group of the object; unset means the core group.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_group: Option<String>,
    /// Kind of the object.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=2
    pub kind: String,
    /// Name of the object.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=3
    pub name: String,
    /// Scope of the object: Cluster, the default, or Namespace.
    ///
    /// +optional
    /// +sprag:default="Cluster"
    /// +protobuf=4
    pub scope: Option<String>,
    /// Namespace of the object; required where `scope` is Namespace.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// One address of a service, which is the name of the object in canonical form.
///
/// +genclient
/// +genclient:nonNamespaced
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IPAddress {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the address.
    ///
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +protobuf=2
    pub spec: IPAddressSpec,
}

/// Owner of an address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IPAddressSpec {
    /// Object that the address belongs to; it cannot be changed.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_ref: Option<ParentReference>,
}

/// Reference to the object that an address belongs to.
///
/// +sprag:validatedBy=validateIPAddressParentReference
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ParentReference {
    /// Group of the object.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Resource of the object.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource: String,
    /// Namespace of the object.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=path-segment
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the object.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Ranges from which services get their addresses.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceCIDR {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the ranges.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: ServiceCIDRSpec,
    /// Current state of the ranges.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ServiceCIDRStatus,
}

/// Ranges of addresses of services.
///
/// +sprag:validatedBy=validateServiceCIDRSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceCIDRSpec {
    /// One range, or one of each family; they cannot be changed.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cidrs: Vec<String>,
}

/// Current state of ranges of addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceCIDRStatus {
    /// Conditions of the ranges; `Ready` says if addresses can be allocated from them.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

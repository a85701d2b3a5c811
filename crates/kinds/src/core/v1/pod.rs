//! Pods, pod templates and bindings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};

use super::{
    Affinity, Container, EphemeralContainer, LocalObjectReference, ObjectReference, PodConditionType,
    PodSchedulingGate, PodSecurityContext, PodStatus, PreemptionPolicy, ResourceList, ResourceRequirements, Toleration,
    TopologySpreadConstraint, Volume,
};
use crate::meta::v1::ObjectMeta;

/// Policy for restarting the containers of a pod.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RestartPolicy(pub String);

impl RestartPolicy {
    /// Containers are always restarted.
    pub const RESTART_POLICY_ALWAYS: &'static str = "Always";
    /// Containers are restarted after a failure.
    pub const RESTART_POLICY_ON_FAILURE: &'static str = "OnFailure";
    /// Containers are not restarted.
    pub const RESTART_POLICY_NEVER: &'static str = "Never";
}

/// Policy for the DNS configuration of a pod.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DNSPolicy(pub String);

impl DNSPolicy {
    /// Cluster DNS is used first, also with host networking.
    pub const DNS_CLUSTER_FIRST_WITH_HOST_NET: &'static str = "ClusterFirstWithHostNet";
    /// Cluster DNS is used first, unless host networking is on.
    pub const DNS_CLUSTER_FIRST: &'static str = "ClusterFirst";
    /// The DNS settings of the kubelet are used.
    pub const DNS_DEFAULT: &'static str = "Default";
    /// Only the settings in `dnsConfig` are used.
    pub const DNS_NONE: &'static str = "None";
}

/// Condition that must be true for a pod to be ready.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodReadinessGate {
    /// Type of the condition.
    ///
    /// +required
    /// +kinds:format=qualified-name
    /// +protobuf=1
    pub condition_type: PodConditionType,
}

/// Description of a pod.
///
/// +sprag:validatedBy=ValidatePodSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// Volumes that containers can mount.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge,retainKeys
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Volume>,
    /// Containers that run to completion one after another before the others start, or that run as sidecars.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=20
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<Container>,
    /// Containers of the pod, at least one; none can be added or removed later.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub containers: Vec<Container>,
    /// Containers added to the running pod through the `ephemeralcontainers` subresource.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=34
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ephemeral_containers: Vec<EphemeralContainer>,
    /// Restart policy of all containers: Always, OnFailure or Never; Always by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="Always"
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub restart_policy: RestartPolicy,
    /// Seconds between the termination signal and the forced kill of processes; 30 by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default=30
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_grace_period_seconds: Option<i64>,
    /// Seconds after its start time at which the pod is failed and its containers are killed.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:1,max:2147483647)
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_deadline_seconds: Option<i64>,
    /// DNS policy: ClusterFirst, ClusterFirstWithHostNet, Default or None; ClusterFirst by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="ClusterFirst"
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub dns_policy: DNSPolicy,
    /// Labels the node must have.
    ///
    /// +optional
    /// +mapType=atomic
    /// +sprag:called
    /// +kinds:map=labels
    /// +protobuf=7
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Name of the service account the pod runs as.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-subdomain
    /// +protobuf=8
    #[serde(skip_serializing_if = "String::is_empty")]
    pub service_account_name: String,
    /// Alias of `serviceAccountName`.
    ///
    /// Deprecated: use `serviceAccountName`.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(rename = "serviceAccount", skip_serializing_if = "String::is_empty")]
    pub deprecated_service_account: String,
    /// True if a service account token is mounted; that of the service account by default.
    ///
    /// +optional
    /// +protobuf=21
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automount_service_account_token: Option<bool>,
    /// Node the pod is scheduled to; if empty, the scheduler chooses one.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-subdomain
    /// +protobuf=10
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node_name: String,
    /// True to use the node's network namespace; false by default.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "is_zero")]
    pub host_network: bool,
    /// True to use the node's process namespace; false by default.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(rename = "hostPID", skip_serializing_if = "is_zero")]
    pub host_pid: bool,
    /// True to use the node's IPC namespace; false by default.
    ///
    /// +optional
    /// +protobuf=13
    #[serde(rename = "hostIPC", skip_serializing_if = "is_zero")]
    pub host_ipc: bool,
    /// True to share one process namespace among all containers; excludes `hostPID`.
    ///
    /// +optional
    /// +protobuf=27
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_process_namespace: Option<bool>,
    /// Security options of the pod.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=14
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_context: Option<PodSecurityContext>,
    /// Secrets in the same namespace with which images are pulled.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=15
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Hostname of the pod; its name by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-label
    /// +protobuf=16
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    /// Subdomain of the pod, which gives it the name `<hostname>.<subdomain>.<namespace>.svc.<cluster domain>`.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-label
    /// +protobuf=17
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subdomain: String,
    /// Scheduling constraints.
    ///
    /// +optional
    /// +protobuf=18
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    /// Scheduler that places the pod; the default scheduler if unset.
    ///
    /// +optional
    /// +sprag:default="default-scheduler"
    /// +protobuf=19
    #[serde(skip_serializing_if = "String::is_empty")]
    pub scheduler_name: String,
    /// Taints the pod tolerates.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=22
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// Entries for the pod's hosts file.
    ///
    /// +optional
    /// +patchMergeKey=ip
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=ip
    /// +protobuf=23
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_aliases: Vec<HostAlias>,
    /// Name of the pod's priority class.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-subdomain
    /// +protobuf=24
    #[serde(skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// Priority of the pod, filled in from the priority class at admission.
    ///
    /// +optional
    /// +protobuf=25
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// DNS parameters, merged with those of `dnsPolicy`.
    ///
    /// +sprag:called
    /// +kinds:present="must provide `dnsConfig` when `dnsPolicy` is None"
    /// +k8s:opaqueType
    /// +protobuf=26
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dns_config: Option<PodDNSConfig>,
    /// Conditions that must be true, beside ready containers, for the pod to be ready.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +protobuf=28
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readiness_gates: Vec<PodReadinessGate>,
    /// Runtime class that runs the pod; the default handler if unset.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=29
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_class_name: Option<String>,
    /// True to put information about services into environment variables; true by default.
    ///
    /// +optional
    /// +protobuf=30
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_service_links: Option<bool>,
    /// Policy for preempting pods of lower priority; PreemptLowerPriority by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=31
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_policy: Option<PreemptionPolicy>,
    /// Resource overhead of the runtime class, filled in at admission.
    ///
    /// +optional
    /// +protobuf=32
    #[serde(skip_serializing_if = "is_zero")]
    pub overhead: ResourceList,
    /// Ways in which pods are spread among topology domains; all must be satisfied.
    ///
    /// +optional
    /// +patchMergeKey=topologyKey
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=topologyKey
    /// +listMapKey=whenUnsatisfiable
    /// +protobuf=33
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// True to make the fully qualified domain name the hostname; false by default.
    ///
    /// +optional
    /// +protobuf=35
    #[serde(rename = "setHostnameAsFQDN", skip_serializing_if = "Option::is_none")]
    pub set_hostname_as_fqdn: Option<bool>,
    /// Operating system of the containers, which restricts the fields that may be set.
    ///
    /// +optional
    /// +protobuf=36
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<PodOS>,
    /// False to run the pod in a user namespace of its own; true by default.
    ///
    /// +optional
    /// +protobuf=37
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_users: Option<bool>,
    /// Gates that keep the pod from being scheduled; they can only be removed after creation.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +optional
    /// +protobuf=38
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scheduling_gates: Vec<PodSchedulingGate>,
    /// Resource claims that must be allocated and reserved before the pod starts.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge,retainKeys
    /// +listType=map
    /// +listMapKey=name
    /// +featureGate=DynamicResourceAllocation
    /// +optional
    /// +protobuf=39
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_claims: Vec<PodResourceClaim>,
    /// Total cpu, memory and huge pages of all containers together.
    ///
    /// +featureGate=PodLevelResources
    /// +optional
    /// +protobuf=40
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// Hostname the pod sees, which does not affect its DNS records; takes precedence over `hostname` and `subdomain`.
    ///
    /// +sprag:since("1.34")
    /// +featureGate=HostnameOverride
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=41
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname_override: Option<String>,
    /// Workload that the pod belongs to.
    ///
    /// +sprag:since("1.35")
    /// +sprag:until("1.35")
    /// +featureGate=GenericWorkload
    /// +optional
    /// +protobuf=42
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_ref: Option<WorkloadReference>,
    /// Group of pods that this pod is scheduled with.
    ///
    /// +sprag:since("1.36")
    /// +featureGate=GenericWorkload
    /// +optional
    /// +protobuf=43
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling_group: Option<PodSchedulingGroup>,
    /// Responders that take part in a graceful eviction of the pod, in the order of their priority.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=EvictionRequestAPI
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    /// +k8s:maxItems=10
    /// +k8s:alpha(since: "1.37")=+k8s:dependentForbidden("schedulingGroup")
    /// +protobuf=44
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub eviction_responders: Vec<EvictionResponder>,
}

/// Resource claim of a pod; exactly one of the references must be set.
///
/// +sprag:validatedBy=validatePodResourceClaim
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodResourceClaim {
    /// Name by which containers refer to the claim, unique within the pod.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub name: String,
    /// Name of a claim in the pod's namespace.
    ///
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_claim_name: Option<String>,
    /// Name of a template in the pod's namespace from which a claim is made for the pod.
    ///
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_claim_template_name: Option<String>,
}

/// Name of an operating system: linux or windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OSName(pub String);

/// Operating system of a pod.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodOS {
    /// Name of the operating system: linux or windows.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub name: OSName,
}

/// Workload and group of pods that a pod belongs to, as 1.35 has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadReference {
    /// Name of the workload.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    pub name: String,
    /// Name of the group in the workload.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=2
    pub pod_group: String,
    /// Replica of the group.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pod_group_replica_key: String,
}

/// Group of pods that are scheduled together; exactly one member must be set.
///
/// +union
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSchedulingGroup {
    /// Name of the PodGroup object the pod belongs to.
    ///
    /// +optional
    /// +oneOf=GroupSelection
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_group_name: Option<String>,
}

/// Entry of a pod's hosts file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HostAlias {
    /// Address of the entry.
    ///
    /// +required
    /// +protobuf=1
    pub ip: String,
    /// Hostnames for the address.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:eachVal=+kinds:format=dns-subdomain
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hostnames: Vec<String>,
}

/// DNS parameters of a pod.
///
/// +sprag:validatedBy=validatePodDNSConfig
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDNSConfig {
    /// Addresses of name servers, added to those of the DNS policy.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nameservers: Vec<String>,
    /// Search domains, added to those of the DNS policy.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<String>,
    /// Resolver options, merged with those of the DNS policy.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<PodDNSConfigOption>,
}

/// DNS resolver option.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDNSConfigOption {
    /// Name of the option.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Value of the option.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Responder that takes part in a graceful eviction of a pod.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvictionResponder {
    /// Name of the responder, a key with a domain prefix.
    ///
    /// +required
    /// +k8s:required
    /// +k8s:format=k8s-prefixed-label-key
    /// +k8s:customValidation
    /// +protobuf=1
    pub name: String,
    /// Priority of the responder; those with higher priority come first.
    ///
    /// +required
    /// +k8s:required
    /// +k8s:minimum=0
    /// +k8s:maximum=100000
    /// +k8s:customValidation
    /// +protobuf=2
    pub priority: Option<i32>,
}

/// Group of containers that run together on a node.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/ephemeralcontainers"
/// +k8s:supportsSubresource="/resize"
/// +sprag:validatedBy=ValidatePodUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Pod {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the pod.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: PodSpec,
    /// Current state of the pod.
    ///
    /// +optional
    /// +protobuf=3
    pub status: PodStatus,
}

/// Template from which pods are created.
///
/// +sprag:validatedBy=ValidatePodTemplateSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplateSpec {
    /// Metadata of the pods.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the pods.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: PodSpec,
}

/// Named template of pods.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidatePodTemplate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplate {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Template of the pods.
    ///
    /// +optional
    /// +protobuf=2
    pub template: PodTemplateSpec,
}

/// Assignment of a pod to a node.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Binding {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Object the pod is bound to.
    ///
    /// +required
    /// +protobuf=2
    pub target: ObjectReference,
}

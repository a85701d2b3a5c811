//! Containers.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use super::{EnvFromSource, EnvVar, Lifecycle, Probe, ResourceName, ResourceRequirements, SecurityContext};

/// Network protocol of a port.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Protocol(pub String);

impl Protocol {
    /// Transmission Control Protocol.
    pub const PROTOCOL_TCP: &'static str = "TCP";
    /// User Datagram Protocol.
    pub const PROTOCOL_UDP: &'static str = "UDP";
    /// Stream Control Transmission Protocol.
    pub const PROTOCOL_SCTP: &'static str = "SCTP";
}

/// Network port of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerPort {
    /// Name of the port, an IANA service name unique within the pod, to which services can refer.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=port-name
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Port on the node that is forwarded to the container; with host networking it must equal `containerPort`.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub host_port: i32,
    /// Port on the pod's IP address, from 1 to 65535.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=3
    pub container_port: i32,
    /// Protocol of the port: TCP, UDP or SCTP; TCP by default.
    ///
    /// +default="TCP"
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub protocol: Protocol,
    /// Address of the node to which `hostPort` is bound.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(rename = "hostIP", skip_serializing_if = "String::is_empty")]
    pub host_ip: String,
}

/// Mount of a volume in a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeMount {
    /// Name of a volume of the pod.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
    /// True to mount the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Handling of submounts of a read-only mount: Disabled, IfPossible or Enabled; Disabled by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive_read_only: Option<RecursiveReadOnlyMode>,
    /// Path in the container at which the volume is mounted; it must not contain `:`.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    pub mount_path: String,
    /// Path within the volume to mount; the volume's root by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=descending-path
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sub_path: String,
    /// Propagation of mounts between host and container; None by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mount_propagation: Option<MountPropagationMode>,
    /// Path within the volume in which `$(NAME)` is replaced by the container's environment variables; excludes
    /// `subPath`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=descending-path
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sub_path_expr: String,
    /// Additional bind mount options: noexec, nodev or nosuid.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=VolumeBindMountOptions
    /// +optional
    /// +listType=set
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bind_mount_options: Vec<String>,
}

/// Propagation of mounts between the host and a container.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MountPropagationMode(pub String);

impl MountPropagationMode {
    /// Mounts are not propagated in either direction.
    pub const MOUNT_PROPAGATION_NONE: &'static str = "None";
    /// Mounts on the host are propagated to the container.
    pub const MOUNT_PROPAGATION_HOST_TO_CONTAINER: &'static str = "HostToContainer";
    /// Mounts are propagated in both directions; only for privileged containers.
    pub const MOUNT_PROPAGATION_BIDIRECTIONAL: &'static str = "Bidirectional";
}

/// Handling of submounts of a read-only mount: Disabled, IfPossible or Enabled.
///
/// +kinds:oneOf="Disabled,Enabled,IfPossible"
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecursiveReadOnlyMode(pub String);

/// Raw block device in a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeDevice {
    /// Name of a persistent volume claim among the volumes of the pod.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
    /// Path of the device in the container.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub device_path: String,
}

/// Policy for pulling an image.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PullPolicy(pub String);

impl PullPolicy {
    /// The kubelet always tries to pull the latest image, and the container fails if that is impossible.
    pub const PULL_ALWAYS: &'static str = "Always";
    /// The kubelet uses a local image only.
    pub const PULL_NEVER: &'static str = "Never";
    /// The kubelet pulls the image only if it is not present.
    pub const PULL_IF_NOT_PRESENT: &'static str = "IfNotPresent";
}

/// Need for a restart when a resource is resized: NotRequired or RestartContainer.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceResizeRestartPolicy(pub String);

/// Effect of resizing a resource on a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerResizePolicy {
    /// Name of the resource: cpu or memory.
    ///
    /// +required
    /// +protobuf=1
    pub resource_name: ResourceName,
    /// NotRequired, the default, or RestartContainer.
    ///
    /// +required
    /// +protobuf=2
    pub restart_policy: ResourceResizeRestartPolicy,
}

/// Source of the termination message of a container.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TerminationMessagePolicy(pub String);

impl TerminationMessagePolicy {
    /// The file at `terminationMessagePath` is used.
    pub const TERMINATION_MESSAGE_READ_FILE: &'static str = "File";
    /// The end of the log is used if the file is empty and the container failed.
    pub const TERMINATION_MESSAGE_FALLBACK_TO_LOGS_ON_ERROR: &'static str = "FallbackToLogsOnError";
}

/// Container that runs in a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// Name of the container, a DNS label unique within the pod; it cannot be changed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub name: String,
    /// Container image; controllers may leave it out of templates to be filled in later.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// Entrypoint in which `$(NAME)` is replaced by environment variables; that of the image by default.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Arguments of the entrypoint in which `$(NAME)` is replaced by environment variables; those of the image by
    /// default.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory; that of the image or the runtime by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub working_dir: String,
    /// Ports the container exposes, for information; a port that is not listed can be reached all the same.
    ///
    /// +optional
    /// +patchMergeKey=containerPort
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=containerPort
    /// +listMapKey=protocol
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<ContainerPort>,
    /// Sources of environment variables; the last source wins for a repeated name, and `env` wins over all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=19
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env_from: Vec<EnvFromSource>,
    /// Environment variables.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    /// Compute resources the container requires.
    ///
    /// +optional
    /// +protobuf=8
    pub resources: ResourceRequirements,
    /// Effects of resizing resources on the container.
    ///
    /// +featureGate=InPlacePodVerticalScaling
    /// +optional
    /// +listType=atomic
    /// +protobuf=23
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resize_policy: Vec<ContainerResizePolicy>,
    /// Restart policy of this container, which overrides that of the pod; Always makes an init container a sidecar.
    ///
    /// +sprag:called
    /// +kinds:present="must specify restartPolicy when restart rules are used"
    /// +protobuf=24
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<ContainerRestartPolicy>,
    /// Rules, evaluated in order, that decide on a restart when the container exits; at most 20.
    ///
    /// +sprag:since("1.34")
    /// +featureGate=ContainerRestartRules
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +sprag:since("1.36")=+k8s:maxItems=20
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=25
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restart_policy_rules: Vec<ContainerRestartRule>,
    /// Volumes that are mounted into the container's file system.
    ///
    /// +optional
    /// +patchMergeKey=mountPath
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=mountPath
    /// +protobuf=9
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_mounts: Vec<VolumeMount>,
    /// Block devices the container uses.
    ///
    /// +patchMergeKey=devicePath
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=devicePath
    /// +optional
    /// +protobuf=21
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_devices: Vec<VolumeDevice>,
    /// Periodic check after whose failure the container is restarted.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub liveness_probe: Option<Probe>,
    /// Periodic check after whose failure the pod is removed from service endpoints.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness_probe: Option<Probe>,
    /// Check that must succeed before the other probes start; after its failure the container is restarted.
    ///
    /// +optional
    /// +protobuf=22
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_probe: Option<Probe>,
    /// Actions in response to events in the container's lifecycle.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
    /// File from which the termination message is read; `/dev/termination-log` by default.
    ///
    /// +optional
    /// +sprag:default="/dev/termination-log"
    /// +protobuf=13
    #[serde(skip_serializing_if = "String::is_empty")]
    pub termination_message_path: String,
    /// Source of the termination message; File by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="File"
    /// +protobuf=20
    #[serde(skip_serializing_if = "is_zero")]
    pub termination_message_policy: TerminationMessagePolicy,
    /// Policy for pulling the image; Always for the tag `latest`, otherwise IfNotPresent.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=14
    #[serde(skip_serializing_if = "is_zero")]
    pub image_pull_policy: PullPolicy,
    /// Security options of the container, which override those of the pod.
    ///
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_context: Option<SecurityContext>,
    /// True to allocate a buffer for standard input; otherwise reads yield end of file.
    ///
    /// +optional
    /// +protobuf=16
    #[serde(skip_serializing_if = "is_zero")]
    pub stdin: bool,
    /// True to close standard input after the first attach session.
    ///
    /// +optional
    /// +protobuf=17
    #[serde(skip_serializing_if = "is_zero")]
    pub stdin_once: bool,
    /// True to allocate a terminal; requires `stdin`.
    ///
    /// +optional
    /// +protobuf=18
    #[serde(skip_serializing_if = "is_zero")]
    pub tty: bool,
}

/// Restart policy of a single container: Always, OnFailure or Never.
///
/// +kinds:oneOf="Always,Never,OnFailure"
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContainerRestartPolicy(pub String);

/// Rule that decides what happens when a container exits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerRestartRule {
    /// Action to take if the rule matches: Restart or RestartAllContainers.
    ///
    /// +required
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub action: ContainerRestartRuleAction,
    /// Exit codes for which the rule matches.
    ///
    /// +oneOf=when
    /// +sprag:called
    /// +kinds:present="must be specified"
    /// +k8s:opaqueType
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_codes: Option<ContainerRestartRuleOnExitCodes>,
}

/// Action to take when a container exits: Restart or RestartAllContainers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContainerRestartRuleAction(pub String);

/// Exit codes for which a restart rule matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerRestartRuleOnExitCodes {
    /// Relation of the exit code to the values: In or NotIn.
    ///
    /// +required
    /// +sprag:called
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub operator: ContainerRestartRuleOnExitCodesOperator,
    /// Exit codes, at most 255.
    ///
    /// +optional
    /// +listType=set
    /// +sprag:called
    /// +sprag:since("1.36")=+k8s:maxItems=255
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<i32>,
}

/// Relation of an exit code to a set of values: In or NotIn.
///
/// +kinds:oneOf="In,NotIn"
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContainerRestartRuleOnExitCodesOperator(pub String);

/// Fields that an ephemeral container shares with other containers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EphemeralContainerCommon {
    /// Name of the container, a DNS label unique among all containers of the pod.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Container image.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// Entrypoint in which `$(NAME)` is replaced by environment variables; that of the image by default.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Arguments of the entrypoint in which `$(NAME)` is replaced by environment variables; those of the image by
    /// default.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory; that of the image or the runtime by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub working_dir: String,
    /// Not allowed for ephemeral containers.
    ///
    /// +optional
    /// +patchMergeKey=containerPort
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=containerPort
    /// +listMapKey=protocol
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<ContainerPort>,
    /// Sources of environment variables; the last source wins for a repeated name, and `env` wins over all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=19
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env_from: Vec<EnvFromSource>,
    /// Environment variables.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    /// Not allowed for ephemeral containers, which use spare resources of the pod.
    ///
    /// +optional
    /// +protobuf=8
    pub resources: ResourceRequirements,
    /// Not allowed for ephemeral containers.
    ///
    /// +featureGate=InPlacePodVerticalScaling
    /// +optional
    /// +listType=atomic
    /// +protobuf=23
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resize_policy: Vec<ContainerResizePolicy>,
    /// Not allowed for ephemeral containers, which are never restarted.
    ///
    /// +optional
    /// +protobuf=24
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<ContainerRestartPolicy>,
    /// Not allowed for ephemeral containers.
    ///
    /// +sprag:since("1.34")
    /// +featureGate=ContainerRestartRules
    /// +optional
    /// +listType=atomic
    /// +protobuf=25
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restart_policy_rules: Vec<ContainerRestartRule>,
    /// Volumes that are mounted into the container's file system; subpath mounts are not allowed.
    ///
    /// +optional
    /// +patchMergeKey=mountPath
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=mountPath
    /// +protobuf=9
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_mounts: Vec<VolumeMount>,
    /// Block devices the container uses.
    ///
    /// +patchMergeKey=devicePath
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=devicePath
    /// +optional
    /// +protobuf=21
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_devices: Vec<VolumeDevice>,
    /// Not allowed for ephemeral containers.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub liveness_probe: Option<Probe>,
    /// Not allowed for ephemeral containers.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness_probe: Option<Probe>,
    /// Not allowed for ephemeral containers.
    ///
    /// +optional
    /// +protobuf=22
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_probe: Option<Probe>,
    /// Not allowed for ephemeral containers.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
    /// File from which the termination message is read; `/dev/termination-log` by default.
    ///
    /// +optional
    /// +sprag:default="/dev/termination-log"
    /// +protobuf=13
    #[serde(skip_serializing_if = "String::is_empty")]
    pub termination_message_path: String,
    /// Source of the termination message; File by default.
    ///
    /// +optional
    /// +sprag:default="File"
    /// +protobuf=20
    #[serde(skip_serializing_if = "is_zero")]
    pub termination_message_policy: TerminationMessagePolicy,
    /// Policy for pulling the image; Always for the tag `latest`, otherwise IfNotPresent.
    ///
    /// +optional
    /// +protobuf=14
    #[serde(skip_serializing_if = "is_zero")]
    pub image_pull_policy: PullPolicy,
    /// Security options of the container, which override those of the pod.
    ///
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_context: Option<SecurityContext>,
    /// True to allocate a buffer for standard input; otherwise reads yield end of file.
    ///
    /// +optional
    /// +protobuf=16
    #[serde(skip_serializing_if = "is_zero")]
    pub stdin: bool,
    /// True to close standard input after the first attach session.
    ///
    /// +optional
    /// +protobuf=17
    #[serde(skip_serializing_if = "is_zero")]
    pub stdin_once: bool,
    /// True to allocate a terminal; requires `stdin`.
    ///
    /// +optional
    /// +protobuf=18
    #[serde(skip_serializing_if = "is_zero")]
    pub tty: bool,
}

/// Container that is added to a running pod, for example to debug it; it is never restarted and cannot be removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EphemeralContainer {
    /// Fields shared with other containers.
    ///
    /// +protobuf=1
    #[serde(flatten)]
    pub ephemeral_container_common: EphemeralContainerCommon,
    /// Container of the pod whose namespaces are shared; the runtime must support it.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target_container_name: String,
}

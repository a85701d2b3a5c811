//! Current state of containers.

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use super::{ImageVolumeStatus, RecursiveReadOnlyMode, ResourceList, ResourceName, ResourceRequirements, Signal};

/// State of a container that waits to start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStateWaiting {
    /// Machine-readable reason for waiting.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable reason for waiting.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// State of a running container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStateRunning {
    /// Time at which the container was last started or restarted.
    ///
    /// +optional
    /// +protobuf=1
    pub started_at: Time,
}

/// State of a terminated container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStateTerminated {
    /// Exit status of the last termination.
    ///
    /// +required
    /// +protobuf=1
    pub exit_code: i32,
    /// Signal of the last termination.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub signal: i32,
    /// Machine-readable reason for the last termination.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Termination message of the container.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Time at which the execution started.
    ///
    /// +optional
    /// +protobuf=5
    pub started_at: Time,
    /// Time at which the container terminated.
    ///
    /// +optional
    /// +protobuf=6
    pub finished_at: Time,
    /// ID of the container as `<type>://<id>`.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(rename = "containerID", skip_serializing_if = "String::is_empty")]
    pub container_id: String,
}

/// State of a container; waiting if no member is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerState {
    /// Details of a waiting container.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<ContainerStateWaiting>,
    /// Details of a running container.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<ContainerStateRunning>,
    /// Details of a terminated container.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminated: Option<ContainerStateTerminated>,
}

/// Current state of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// Name of the container in the pod.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Current state of the container.
    ///
    /// +optional
    /// +protobuf=2
    pub state: ContainerState,
    /// Last termination of the container, unless it still runs for the first time.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(rename = "lastState")]
    pub last_termination_state: ContainerState,
    /// True if the container passes its readiness check and has started.
    ///
    /// +required
    /// +protobuf=4
    pub ready: bool,
    /// Number of restarts.
    ///
    /// +required
    /// +protobuf=5
    pub restart_count: i32,
    /// Image the container runs, which may differ from that of the spec after resolution by the runtime.
    ///
    /// +required
    /// +protobuf=6
    pub image: String,
    /// ID of the image the container runs.
    ///
    /// +required
    /// +protobuf=7
    #[serde(rename = "imageID")]
    pub image_id: String,
    /// ID of the container as `<type>://<id>`.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(rename = "containerID", skip_serializing_if = "String::is_empty")]
    pub container_id: String,
    /// True if the `postStart` hook has finished and the startup probe has succeeded; reset on restart.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<bool>,
    /// Resources the node has allocated to the container.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "is_zero")]
    pub allocated_resources: ResourceList,
    /// Requests and limits in effect for the running container.
    ///
    /// +featureGate=InPlacePodVerticalScaling
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// State of the volume mounts.
    ///
    /// +optional
    /// +patchMergeKey=mountPath
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=mountPath
    /// +protobuf=12
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_mounts: Vec<VolumeMountStatus>,
    /// Identity of the first process of the container.
    ///
    /// +featureGate=SupplementalGroupsPolicy
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<ContainerUser>,
    /// State of the resources allocated to the container.
    ///
    /// +featureGate=ResourceHealthStatus
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=14
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allocated_resources_status: Vec<ResourceStatus>,
    /// Signal that stops the container.
    ///
    /// +featureGate=ContainerStopSignals
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_signal: Option<Signal>,
}

/// State of one resource of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceStatus {
    /// Name of the resource; for a claim `claim:<name>/<request>`.
    ///
    /// +required
    /// +protobuf=1
    pub name: ResourceName,
    /// Health of each unit of the resource.
    ///
    /// +listType=map
    /// +listMapKey=resourceID
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceHealth>,
}

/// Health of a resource: Healthy, Unhealthy or Unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceHealthStatus(pub String);

/// Identifier of a unit of a resource, unique on the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceID(pub String);

/// Health of one unit of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceHealth {
    /// Identifier of the unit.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "resourceID")]
    pub resource_id: ResourceID,
    /// Health of the unit: Healthy, Unhealthy or Unknown.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub health: ResourceHealthStatus,
    /// Human-readable details about the health, if the driver reports any.
    ///
    /// +sprag:since("1.36")
    /// +featureGate=ResourceHealthStatusMessage
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Identity of a container's first process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerUser {
    /// Identity on Linux.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linux: Option<LinuxContainerUser>,
}

/// Identity of a container's first process on Linux.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LinuxContainerUser {
    /// UID the process initially has.
    ///
    /// +required
    /// +sprag:since("1.37")=+kinds:range(min:0,max:4294967295)
    /// +sprag:until("1.36")=+kinds:range(min:0,max:2147483647)
    /// +protobuf=1
    pub uid: i64,
    /// GID the process initially has.
    ///
    /// +required
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=2
    pub gid: i64,
    /// Supplementary groups the process initially has.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:eachVal=+kinds:range(min:0,max:2147483647)
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supplemental_groups: Vec<i64>,
}

/// State of a volume mount.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeMountStatus {
    /// Name of the mount.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Path of the mount.
    ///
    /// +required
    /// +protobuf=2
    pub mount_path: String,
    /// True if the mount is read-only.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Handling of submounts in effect: Disabled or Enabled; unset for a mount that is not read-only.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive_read_only: Option<RecursiveReadOnlyMode>,
    /// Details of the mounted volume.
    ///
    /// +sprag:since("1.36")
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_status: Option<VolumeStatus>,
}

/// Details of a mounted volume; at most one member is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeStatus {
    /// Image that is mounted.
    ///
    /// +featureGate=ImageVolumeWithDigest
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageVolumeStatus>,
}

//! Security options of pods and containers.

use serde::{Deserialize, Serialize};

/// POSIX capability, such as NET_ADMIN.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Capability(pub String);

/// Capabilities to add to and drop from the runtime's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Capabilities {
    /// Capabilities to add.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Capability>,
    /// Capabilities to drop.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Capability>,
}

/// Policy for changing the ownership of volumes to the pod's `fsGroup`.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodFSGroupChangePolicy(pub String);

impl PodFSGroupChangePolicy {
    /// Ownership changes only if that of the root directory does not match.
    pub const FS_GROUP_CHANGE_ON_ROOT_MISMATCH: &'static str = "OnRootMismatch";
    /// Ownership always changes when the volume is mounted.
    pub const FS_GROUP_CHANGE_ALWAYS: &'static str = "Always";
}

/// Policy for the supplementary groups of container processes.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SupplementalGroupsPolicy(pub String);

impl SupplementalGroupsPolicy {
    /// Groups of the image's user are added to those of the pod.
    pub const SUPPLEMENTAL_GROUPS_POLICY_MERGE: &'static str = "Merge";
    /// Only the pod's groups are used.
    pub const SUPPLEMENTAL_GROUPS_POLICY_STRICT: &'static str = "Strict";
}

/// Way in which volumes get the pod's SELinux label: Recursive or MountOption.
///
/// +kinds:oneOf="MountOption,Recursive"
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodSELinuxChangePolicy(pub String);

/// Security options of a pod; those of a container take precedence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSecurityContext {
    /// SELinux context of all containers; by default the runtime allocates one for each container.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub se_linux_options: Option<SELinuxOptions>,
    /// Windows-specific options of all containers.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows_options: Option<WindowsSecurityContextOptions>,
    /// UID of the entrypoint; that of the image by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_user: Option<i64>,
    /// GID of the entrypoint; that of the runtime by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_group: Option<i64>,
    /// True to refuse containers that would run as root.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_non_root: Option<bool>,
    /// Further groups of the first process of each container.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:eachVal=+kinds:range(min:0,max:2147483647)
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supplemental_groups: Vec<i64>,
    /// Policy for supplementary groups; Merge by default.
    ///
    /// +featureGate=SupplementalGroupsPolicy
    /// +optional
    /// +sprag:called
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplemental_groups_policy: Option<SupplementalGroupsPolicy>,
    /// Supplementary group that owns the pod's volumes, where they support it.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_group: Option<i64>,
    /// Namespaced sysctls of the pod.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sysctls: Vec<Sysctl>,
    /// Policy for changing the ownership of volumes; Always by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_group_change_policy: Option<PodFSGroupChangePolicy>,
    /// Seccomp profile of all containers.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seccomp_profile: Option<SeccompProfile>,
    /// AppArmor profile of all containers.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_armor_profile: Option<AppArmorProfile>,
    /// Way in which volumes get the SELinux label: MountOption, the default, or Recursive.
    ///
    /// +featureGate=SELinuxChangePolicy
    /// +optional
    /// +sprag:called
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub se_linux_change_policy: Option<PodSELinuxChangePolicy>,
}

/// Seccomp profile of a pod or container.
///
/// +union
/// +sprag:validatedBy=ValidateSeccompProfile
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SeccompProfile {
    /// Kind of the profile.
    ///
    /// +unionDiscriminator
    /// +required
    /// +sprag:called
    /// +kinds:required="type is required when seccompProfile is set"
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: SeccompProfileType,
    /// Profile file on the node, relative to the kubelet's seccomp directory; only for Localhost.
    ///
    /// +sprag:called
    /// +kinds:present="must be set when seccomp type is Localhost"
    /// +kinds:format=descending-path
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub localhost_profile: Option<String>,
}

/// Kind of a seccomp profile.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeccompProfileType(pub String);

impl SeccompProfileType {
    /// No profile.
    pub const SECCOMP_PROFILE_TYPE_UNCONFINED: &'static str = "Unconfined";
    /// Default profile of the container runtime.
    pub const SECCOMP_PROFILE_TYPE_RUNTIME_DEFAULT: &'static str = "RuntimeDefault";
    /// Profile in a file on the node.
    pub const SECCOMP_PROFILE_TYPE_LOCALHOST: &'static str = "Localhost";
}

/// AppArmor profile of a pod or container.
///
/// +union
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AppArmorProfile {
    /// Kind of the profile.
    ///
    /// +unionDiscriminator
    /// +required
    /// +sprag:called
    /// +kinds:required="type is required when appArmorProfile is set"
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: AppArmorProfileType,
    /// Name of a profile loaded on the node; only for Localhost.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub localhost_profile: Option<String>,
}

/// Kind of an AppArmor profile.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AppArmorProfileType(pub String);

impl AppArmorProfileType {
    /// No profile.
    pub const APP_ARMOR_PROFILE_TYPE_UNCONFINED: &'static str = "Unconfined";
    /// Default profile of the container runtime.
    pub const APP_ARMOR_PROFILE_TYPE_RUNTIME_DEFAULT: &'static str = "RuntimeDefault";
    /// Profile loaded on the node.
    pub const APP_ARMOR_PROFILE_TYPE_LOCALHOST: &'static str = "Localhost";
}

/// Security options of a container; they take precedence over those of the pod.
///
/// +sprag:validatedBy=ValidateSecurityContext
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityContext {
    /// Capabilities to add and drop; those of the runtime by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// True to run the container with the rights of root on the node; false by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privileged: Option<bool>,
    /// SELinux context of the container; allocated by the runtime by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub se_linux_options: Option<SELinuxOptions>,
    /// Windows-specific options; those of the pod by default.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows_options: Option<WindowsSecurityContextOptions>,
    /// UID of the entrypoint; that of the image by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_user: Option<i64>,
    /// GID of the entrypoint; that of the runtime by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_group: Option<i64>,
    /// True to refuse to run the container as root.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_non_root: Option<bool>,
    /// True to make the root file system read-only; false by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_root_filesystem: Option<bool>,
    /// False to keep processes from gaining more privileges than their parent; always true for privileged containers.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_privilege_escalation: Option<bool>,
    /// Type of the proc mount; Default by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proc_mount: Option<ProcMountType>,
    /// Seccomp profile of the container.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seccomp_profile: Option<SeccompProfile>,
    /// AppArmor profile of the container.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_armor_profile: Option<AppArmorProfile>,
}

/// Type of the proc mount of a container.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcMountType(pub String);

impl ProcMountType {
    /// The runtime's defaults, with masked and read-only paths.
    pub const DEFAULT_PROC_MOUNT: &'static str = "Default";
    /// No masked or read-only paths.
    pub const UNMASKED_PROC_MOUNT: &'static str = "Unmasked";
}

/// SELinux label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SELinuxOptions {
    /// User of the label.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// Role of the label.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Type of the label.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Level of the label.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub level: String,
}

/// Windows-specific security options.
///
/// +sprag:validatedBy=validateWindowsSecurityContextOptions
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WindowsSecurityContextOptions {
    /// Name of the GMSA credential spec.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gmsa_credential_spec_name: Option<String>,
    /// Contents of the credential spec, filled in by the GMSA admission webhook.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gmsa_credential_spec: Option<String>,
    /// User of the entrypoint; that of the image by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_as_user_name: Option<String>,
    /// True to run as a host process container; all containers of a pod must agree, with host networking.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_process: Option<bool>,
}

/// Kernel parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Sysctl {
    /// Name of the parameter.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
    /// Value of the parameter.
    ///
    /// +required
    /// +protobuf=2
    pub value: String,
}

//! Types of version `v1`.
//!
//! +groupName=storagemigration.k8s.io

use serde::{Deserialize, Serialize};

use crate::meta::v1::{Condition, GroupResource, ObjectMeta};

/// Migration of stored objects of a resource to its latest storage version.
///
/// +sprag:since("1.37")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +sprag:validatedBy=ValidateStorageVersionMigration
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageVersionMigration {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Resource that is migrated; it cannot be changed.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: StorageVersionMigrationSpec,
    /// Current state of the migration.
    ///
    /// +optional
    /// +protobuf=3
    pub status: StorageVersionMigrationStatus,
}

/// Resource that is migrated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageVersionMigrationSpec {
    /// Group and resource of the objects.
    ///
    /// +required
    /// +protobuf=1
    pub resource: GroupResource,
}

/// Current state of a migration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageVersionMigrationStatus {
    /// Conditions of the migration: Running, Succeeded or Failed.
    ///
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:listType=map
    /// +k8s:alpha(since: "1.37")=+k8s:listMapKey=type
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Resource version up to which objects are migrated; it cannot be changed once set.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
}

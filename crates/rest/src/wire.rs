//! Metadata as a type of its own, for the types of API authors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use crate::resource::GenerationAccessor;

/// Object metadata of typed resources. Managed fields are left out: the server maintains them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// Its name, unique among objects of its kind in its namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The beginning of a name that the server makes up.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub generate_name: String,
    /// Its namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The unique ID of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The version of its state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// The generation of the desired state.
    #[serde(skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// The creation time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Time>,
    /// The time of its deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Time>,
    /// The deletion grace period in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Labels, for selectors.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// The objects it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owner_references: Vec<OwnerReference>,
    /// Finalizers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
}

/// An object that another one depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    /// Its group and version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// True if it controls the dependent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
    /// True if it waits for the dependent when it is deleted in the foreground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_owner_deletion: Option<bool>,
}

impl GenerationAccessor for ObjectMeta {
    fn generation(&self) -> i64 {
        self.generation
    }

    fn set_generation(&mut self, generation: i64) {
        self.generation = generation;
    }
}

//! Types of upstream's package `k8s.io/apimachinery/pkg/types`.

use serde::{Deserialize, Serialize};

/// Unique identifier of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UID(pub String);

/// Name of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeName(pub String);

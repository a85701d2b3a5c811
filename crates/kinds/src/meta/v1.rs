//! Types of version `v1`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Picks objects by their labels: all that is given has to hold, and nothing given picks everything.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// Labels that objects have to have.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// What else has to hold of their labels.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// What has to hold of one label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelectorRequirement {
    /// The label.
    ///
    /// +required
    /// +protobuf=1
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    ///
    /// +required
    /// +protobuf=2
    pub operator: LabelSelectorOperator,
    /// The values for `In` and `NotIn`; none for the others.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// How the value of a label relates to given ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LabelSelectorOperator(pub String);

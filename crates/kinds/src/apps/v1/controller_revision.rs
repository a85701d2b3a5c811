//! Controller revisions.

use serde::{Deserialize, Serialize};
use sprag_value::RawExtension;

use crate::meta::v1::ObjectMeta;

/// Immutable snapshot of state, by which stateful sets and daemon sets keep their history.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=validateControllerRevision
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ControllerRevision {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// State as an object of any kind; it cannot be changed.
    ///
    /// +optional
    /// +sprag:since("1.37")=+required
    /// +kinds:immutable
    /// +protobuf=2
    pub data: RawExtension,
    /// Number of the revision.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=3
    pub revision: i64,
}

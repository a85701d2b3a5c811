//! Trust bundles.

use serde::{Deserialize, Serialize};

use crate::meta::v1::ObjectMeta;

/// Root certificates for the whole cluster, of one signer or of none.
///
/// +sprag:since("1.37")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:validatedBy=ValidateClusterTrustBundle
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterTrustBundle {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Signer and certificates.
    ///
    /// +required
    /// +protobuf=2
    pub spec: ClusterTrustBundleSpec,
}

/// Signer and certificates of a trust bundle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterTrustBundleSpec {
    /// Signer of the bundle, whose name begins the bundle's name, `/` replaced by `:`; it cannot be changed.
    ///
    /// +optional
    /// +k8s:alpha(since:"1.37")=+k8s:optional
    /// +k8s:alpha(since:"1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signer_name: String,
    /// Certificates of authorities in PEM form, without headers and duplicates.
    ///
    /// +required
    /// +protobuf=2
    pub trust_bundle: String,
}

//! Version `v1`.

use serde::{Deserialize, Serialize};
use sprag::ObjectMeta;

/// A thing that turns in the wind.
///
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/resize"
/// +k8s:supportsSubresource="/tune"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Turbine {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: TurbineSpec,
    /// The observed state.
    pub status: TurbineStatus,
}

/// The desired state of a turbine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TurbineSpec {
    /// The size; changes only through `/resize`.
    ///
    /// +k8s:ifNotSubresource("/resize")=+k8s:immutable
    /// +k8s:minimum=1
    pub size: i32,
    /// The pitch; `/tune` may set it, but not to zero.
    ///
    /// +k8s:optional
    /// +k8s:ifSubresource("/tune")=+k8s:minimum=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<i32>,
    /// The number of blades.
    ///
    /// +k8s:featureGate=TurbineBlades
    /// +k8s:optional
    /// +default=3
    /// +k8s:minimum=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blades: Option<i32>,
    /// The material of the blades.
    ///
    /// +k8s:featureGate=TurbineBlades
    /// +k8s:required
    /// +k8s:maxLength=8
    #[serde(skip_serializing_if = "String::is_empty")]
    pub alloy: String,
    /// The thickness of the blades; always written.
    ///
    /// +k8s:featureGate=TurbineBlades
    /// +k8s:minimum=1
    pub thickness: i32,
    /// The drive.
    ///
    /// +k8s:optional
    #[serde(skip_serializing_if = "Drive::is_unset")]
    pub drive: Drive,
    /// The alternative drives.
    ///
    /// +k8s:optional
    /// +k8s:listType=set
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<Drive>,
    /// The gear between drive and blades.
    ///
    /// +k8s:optional
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gear: Option<Gear>,
    /// The sites.
    ///
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<Site>,
}

/// The gear between drive and blades.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Gear {
    /// The drive it is made for.
    ///
    /// +k8s:required
    #[serde(skip_serializing_if = "Drive::is_unset")]
    pub drive: Drive,
}

/// The drive of a turbine.
///
/// +k8s:enum
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Drive {
    /// Wind of any kind.
    Wind,
    /// Water.
    Water,
    /// Blades of its own.
    ///
    /// +k8s:ifDisabled(TurbineBlades)=+k8s:enumExclude
    Blades,
    /// A value that this version of the API does not know.
    #[serde(untagged)]
    Unknown(String),
}

impl Drive {
    fn is_unset(&self) -> bool {
        *self == Drive::default()
    }
}

impl Default for Drive {
    fn default() -> Self {
        Drive::Unknown(String::new())
    }
}

/// A place with wind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Site {
    /// Its name.
    ///
    /// +k8s:required
    pub name: String,
    /// The number of blades it has room for.
    ///
    /// +k8s:featureGate=TurbineBlades
    /// +k8s:optional
    /// +default=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<i32>,
}

/// The observed state of a turbine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TurbineStatus {
    /// Its speed.
    ///
    /// +k8s:optional
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<i32>,
    /// The number of times it was resized.
    ///
    /// +k8s:optional
    pub resizes: i32,
    /// The number of turning blades.
    ///
    /// +k8s:featureGate=TurbineBlades
    /// +k8s:optional
    /// +k8s:minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blades: Option<i32>,
}

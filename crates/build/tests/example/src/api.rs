//! The types of the example.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lamp {
    /// +k8s:optional
    /// +acme:colour(model: rgba)
    pub shade: String,
    /// +k8s:optional
    /// +k8s:maxItems=3
    /// +k8s:eachVal=+acme:colour(model: "rgb", grey: true)
    pub bulbs: Vec<String>,
    /// +k8s:minimum=1
    /// +acme:multiple=5
    pub watts: i32,
}

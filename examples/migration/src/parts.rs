//! Parts of convoys that are the same in all forms and versions.

use serde::{Deserialize, Serialize};

/// The way that a convoy takes.
///
/// +k8s:enum
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Route {
    /// In sight of land.
    Coastal,
    /// Across the sea.
    Open,
    /// A value that this version of the API does not know; the empty text is an unset field.
    #[serde(untagged)]
    Unknown(String),
}

impl Route {
    /// Tells if the field is unset.
    pub fn is_unset(&self) -> bool {
        *self == Route::default()
    }
}

impl Default for Route {
    fn default() -> Self {
        Route::Unknown(String::new())
    }
}

/// A ship of a convoy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ship {
    /// Its name.
    ///
    /// +k8s:required
    /// +k8s:format=k8s-short-name
    pub name: String,
    /// The load.
    ///
    /// +k8s:minimum=1
    /// +k8s:maximum=9000
    pub tons: i32,
}

//! Objects of any type inside of others, as Go's `runtime.RawExtension` holds them.

use serde::{Deserialize, Serialize};

use crate::Value;

/// An object of a type that is not known here, kept as it is.
///
/// ```
/// use sprag_value::{RawExtension, json};
///
/// let data: RawExtension = sprag_value::from_value(&json::parse(br#"{"a": 1}"#)?)?;
/// assert_eq!(data.0.lookup(&["a"]), Some(&1.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawExtension(pub Value);

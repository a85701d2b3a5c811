//! The dynamic object that every stage of the pipeline passes on: [`Value`].
//!
//! A compact tree with cheap clones, integers and floats apart, JSON in and out in Go's forms, a serde bridge, and the
//! few Kubernetes scalar types that have rules of their own. Does not know: HTTP, storage, what type an object has.
//!
//! ```
//! use sprag_value::{Quantity, Value, from_value, json};
//!
//! let pod = json::parse(br#"{"spec": {"replicas": 3, "ratio": 3.0}}"#)?;
//! assert_eq!(pod.lookup(&["spec", "replicas"]), Some(&Value::Int(3)));
//! assert_eq!(json::to_string(&pod), r#"{"spec":{"ratio":3,"replicas":3}}"#);
//!
//! let spec: std::collections::BTreeMap<String, f64> = from_value(pod.get("spec").unwrap())?;
//! assert_eq!(spec["replicas"], 3.0);
//!
//! let (a, b): (Quantity, Quantity) = ("1Gi".parse()?, "1024Mi".parse()?);
//! assert_eq!(a, b);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod array;
pub mod base64;
mod bridge;
mod byte_string;
mod index;
mod int_or_string;
pub mod json;
mod key_cache;
mod object;
mod quantity;
mod raw_extension;
mod semantic;
mod share;
mod text;
mod time;
mod tree;
pub mod view;
pub mod wire;

/// serde itself, for generated types: a crate that uses them need not depend on it.
pub use serde;

pub use crate::array::Array;
pub use crate::bridge::{BridgeError, from_value, go_json, to_value};
pub use crate::byte_string::ByteString;
pub use crate::index::{FirstIndex, KeyHasher, STACK_ELEMENTS, duplicates};
pub use crate::int_or_string::IntOrString;
pub use crate::key_cache::KeyCache;
pub use crate::object::{Entry, IntoIter, Iter, Object, key_order};
pub use crate::quantity::{Format, ParseQuantityError, Quantity};
pub use crate::raw_extension::RawExtension;
pub use crate::share::ShareCache;
pub use crate::text::{Key, Text, same_text};
pub use crate::time::{Duration, MicroTime, ParseDurationError, ParseTimeError, Time};
pub use crate::tree::{MAX_DEPTH, Value};

//! The dynamic object that every stage of the pipeline passes on: [`Value`].
//!
//! A compact tree with cheap clones, integers and floats apart, JSON in and out in Go's forms, a serde bridge, and the
//! few Kubernetes scalar types that have rules of their own. Does not know: HTTP, storage, what type an object has.

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
mod semantic;
mod text;
mod time;
mod tree;
pub mod wire;

pub use crate::array::Array;
pub use crate::bridge::{BridgeError, from_value, go_json, to_value};
pub use crate::byte_string::ByteString;
pub use crate::index::{FirstIndex, KeyHasher, STACK_ELEMENTS, duplicates};
pub use crate::int_or_string::IntOrString;
pub use crate::key_cache::KeyCache;
pub use crate::object::{Entry, IntoIter, Iter, Object};
pub use crate::quantity::{Format, ParseQuantityError, Quantity};
pub use crate::text::{Key, Text, same_text};
pub use crate::time::{Duration, MicroTime, ParseDurationError, ParseTimeError, Time};
pub use crate::tree::{MAX_DEPTH, Value};

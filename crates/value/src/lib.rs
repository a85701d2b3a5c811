//! The dynamic object that every stage of the pipeline passes on: [`Value`].
//!
//! A compact tree with cheap clones, integers and floats apart, JSON in and out in Go's forms, a serde bridge, and the
//! few Kubernetes scalar types that have rules of their own. Does not know: HTTP, storage, what type an object has.

mod array;
mod bridge;
pub mod json;
mod object;
mod text;
mod tree;

pub use crate::array::Array;
pub use crate::bridge::{BridgeError, from_value, to_value};
pub use crate::object::{Entry, IntoIter, Iter, Object};
pub use crate::text::{Key, Text};
pub use crate::tree::{MAX_DEPTH, Value};

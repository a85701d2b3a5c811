//! `application/vnd.kubernetes.protobuf`: messages of types with numbered fields, and the envelope around them.
//!
//! One codec over shapes reads and writes what upstream's generated `Marshal` and `Unmarshal` do for each type: fields ascend by
//! number, those that are not pointers are written even when they are zero, structs that JSON has inline are messages of
//! their own. What is read is in the form in which the JSON reader yields the same object.
//!
//! ```
//! use sprag_decode::protobuf;
//! use sprag_shape::messages;
//! use sprag_value::json;
//!
//! let (shapes, status) = (messages::shapes(), messages::of_kind("Status").unwrap());
//! let value = json::parse(br#"{"metadata":{},"status":"Failure","code":404}"#)?;
//! let bytes = protobuf::seal("v1", "Status", &protobuf::encode(shapes, status, &value)?);
//!
//! let envelope = protobuf::open(&bytes)?;
//! assert_eq!((&*envelope.api_version, &*envelope.kind), ("v1", "Status"));
//! assert_eq!(protobuf::decode(shapes, status, envelope.message)?, value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod envelope;
mod error;
mod input;
mod output;
mod read;
mod scalar;
mod write;

pub use self::envelope::{Envelope, around, open, seal, watch_event};
pub use self::error::ProtobufError;
pub use self::read::decode;
pub use self::write::{encode, encode_list};

/// The largest message that is read, in bytes.
pub const MAX_INPUT_BYTES: usize = 64 << 20;

/// Maximum number of objects within one. An empty one is two bytes of a message, and hundreds of bytes of memory.
pub const MAX_OBJECTS: usize = 128 << 10;

/// The name of a type without its package.
fn message_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

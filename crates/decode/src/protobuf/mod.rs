//! `application/vnd.kubernetes.protobuf`: messages of types with numbered fields, and the envelope around them.
//!
//! One codec over shapes reads and writes what upstream's generated `Marshal` and `Unmarshal` do for each type: fields ascend by
//! number, those that are no pointers are written even when they are zero, structs that JSON has inline are messages of
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

pub use self::envelope::{Envelope, open, seal, watch_event};
pub use self::error::ProtobufError;
pub use self::read::decode;
pub use self::write::{encode, encode_list};

use sprag_shape::{Field, Shapes};

/// The largest message that is read, in bytes.
pub const MAX_INPUT_BYTES: usize = 64 << 20;

/// The name of a field in Go, as upstream's errors say it.
fn go_name(shapes: &Shapes, field: &Field) -> String {
    if field.name.starts_with(|first: char| first.is_ascii_uppercase()) {
        return field.name.to_string();
    }
    if field.json == "metadata" {
        return message_name(&shapes.get(field.ty.id).name).to_owned();
    }
    let mut letters = field.json.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// The name of a type without its package.
fn message_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

//! Errors of protobuf messages.

use sprag_value::MAX_DEPTH;

use super::{MAX_INPUT_BYTES, MAX_OBJECTS};

/// Errors of decoding bytes as a message of a type, or of encoding a value as one. Texts are upstream's where it has
/// one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtobufError {
    /// There are no bytes.
    #[error("empty data")]
    Empty,
    /// The bytes do not begin as an envelope does.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Prefix,
    /// Nothing follows the prefix.
    #[error("empty body")]
    EmptyBody,
    /// The message ends in the middle of a field.
    #[error("unexpected EOF")]
    UnexpectedEnd,
    /// A number has more bytes than any number can have.
    #[error("proto: integer overflow")]
    Overflow,
    /// A length is larger than any message.
    #[error("proto: negative length found during unmarshaling")]
    NegativeLength,
    /// A group ends that did not begin.
    #[error("proto: unexpected end of group")]
    UnexpectedEndOfGroup,
    /// A field begins with the end of a group.
    #[error("proto: {message}: wiretype end group for non-group")]
    EndOfGroup {
        /// The type of the message.
        message: String,
    },
    /// A field has a number that no field can have.
    #[error("proto: {message}: illegal tag {number} (wire type {tag})")]
    IllegalTag {
        /// The type of the message.
        message: String,
        /// The number.
        number: i32,
        /// Number and wire type as they were sent.
        tag: u64,
    },
    /// A field is not of the wire type that its type has.
    #[error("proto: wrong wireType = {wire_type} for field {field}")]
    WrongWireType {
        /// The wire type.
        wire_type: u8,
        /// The name of the field in Go.
        field: String,
    },
    /// An unknown field has an invalid wire type.
    #[error("proto: illegal wireType {0}")]
    IllegalWireType(u8),
    /// The message is too large.
    #[error("message of more than {MAX_INPUT_BYTES} bytes")]
    TooLarge,
    /// The message consists of too many.
    #[error("limit is {MAX_OBJECTS} objects within one")]
    TooManyObjects,
    /// Messages are nested too deeply.
    #[error("messages nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// A quantity, time or JSON text in the message cannot be read.
    #[error("{0}")]
    Content(String),
    /// A value is not of the type that its field has.
    #[error("cannot encode {found} as {target}")]
    Misfit {
        /// The JSON kind of the value.
        found: &'static str,
        /// The Go type that it should have.
        target: String,
    },
}

//! The envelope around messages: a prefix and a `runtime.Unknown`, which says what the message is.

use std::borrow::Cow;

use super::input::{BYTES, Input, Tag};
use super::output::Output;
use super::{MAX_INPUT_BYTES, ProtobufError};
use crate::utf8::replace_invalid;

/// The prefix of every envelope.
const PREFIX: [u8; 4] = *b"k8s\0";

/// An object in its envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// Its `apiVersion`.
    pub api_version: Cow<'a, str>,
    /// Its `kind`.
    pub kind: Cow<'a, str>,
    /// The message.
    pub message: &'a [u8],
}

/// Takes an object out of its envelope.
// As upstream's serializer/protobuf.Serializer.Decode; nobody looks at the encoding and type of the content there either.
pub fn open(bytes: &[u8]) -> Result<Envelope<'_>, ProtobufError> {
    if bytes.is_empty() {
        return Err(ProtobufError::Empty);
    }
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(ProtobufError::TooLarge);
    }
    let unknown = bytes.strip_prefix(&PREFIX).ok_or(ProtobufError::Prefix)?;
    if unknown.is_empty() {
        return Err(ProtobufError::EmptyBody);
    }
    let mut envelope = Envelope::default();
    let mut input = Input::new(unknown);
    while let Some(tag) = input.tag("Unknown")? {
        match tag.number {
            1 => read_type(bytes_of(&mut input, tag, "TypeMeta")?, &mut envelope)?,
            2 => envelope.message = bytes_of(&mut input, tag, "Raw")?,
            3 => drop(bytes_of(&mut input, tag, "ContentEncoding")?),
            4 => drop(bytes_of(&mut input, tag, "ContentType")?),
            _ => input.skip(tag)?,
        }
    }
    Ok(envelope)
}

/// Reads a `runtime.TypeMeta`.
fn read_type<'a>(message: &'a [u8], envelope: &mut Envelope<'a>) -> Result<(), ProtobufError> {
    let mut input = Input::new(message);
    while let Some(tag) = input.tag("TypeMeta")? {
        match tag.number {
            1 => envelope.api_version = replace_invalid(bytes_of(&mut input, tag, "APIVersion")?),
            2 => envelope.kind = replace_invalid(bytes_of(&mut input, tag, "Kind")?),
            _ => input.skip(tag)?,
        }
    }
    Ok(())
}

fn bytes_of<'a>(input: &mut Input<'a>, tag: Tag, field: &str) -> Result<&'a [u8], ProtobufError> {
    if tag.wire_type != BYTES {
        return Err(ProtobufError::WrongWireType { wire_type: tag.wire_type, field: field.to_owned() });
    }
    input.bytes()
}

/// Puts a message into an envelope.
pub fn seal(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let (head, tail) = around(api_version, kind, message.len());
    [&head, message, &tail].concat()
}

/// Returns the bytes of an envelope before and after a message of this length, for messages that are sent in pieces.
pub fn around(api_version: &str, kind: &str, bytes: usize) -> (Vec<u8>, Vec<u8>) {
    let mut tail = Output::default();
    tail.bytes(4, b"");
    tail.bytes(3, b"");
    let mut head = Output::default();
    head.head(2, bytes);
    let before = head.len();
    head.bytes(2, kind.as_bytes());
    head.bytes(1, api_version.as_bytes());
    head.close(1, before);
    head.raw(&PREFIX);
    (head.into_bytes(), tail.into_bytes())
}

/// An event of a watch with an object in its envelope, as the stream has it: after its length in four bytes.
// As upstream's framer.lengthDelimitedFrameWriter around a meta/v1.WatchEvent.
pub fn watch_event(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut output = Output::default();
    output.bytes(1, object);
    output.close(2, 0);
    output.bytes(1, kind.as_bytes());
    let event = output.into_bytes();
    let length = u32::try_from(event.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &event].concat()
}

//! Documents as protobuf: the messages `openapi.v2.Document` and `openapi.v3.Document` of gnostic, in which clients that
//! validate objects themselves ask for them.
//!
//! [`messages`] and [`messages_v3`] tell which member of a document becomes which field; members that no message has are left
//! out.

mod messages;
mod messages_v3;
mod writer;

use sprag_value::{MAX_DEPTH, Value, json};

use self::writer::Writer;

/// Messages are nested so deep at most; those below are empty.
const MAX_NESTING: usize = MAX_DEPTH;

/// The fields of messages for members of maps, and of those for any value.
const NAME: u32 = 1;
const VALUE: u32 = 2;
const YAML: u32 = 2;

/// The members of an object that become fields of a message, in the order of their numbers.
struct Message {
    fields: &'static [(&'static str, u32, Form)],
    /// The field for members whose names begin with `x-`.
    extensions: Option<u32>,
}

/// The encoding of a value as a field.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Flag,
    Int,
    Double,
    /// Any value, as the text of a message.
    Any,
    Message(&'static Message),
    /// One more time for each element of a list; a value that is not a list is its own element.
    Each(&'static Form),
    /// A message that has but this field.
    Within(u32, &'static Form),
    /// A message with this field for each member of an object, which holds the name and the value.
    Named(u32, &'static Form),
    /// A message that has one of several fields, depending on the value.
    Choice(fn(&Value) -> (u32, Form)),
}

/// The bytes of a document of version 2.
pub(super) fn encode(document: &Value) -> Vec<u8> {
    encode_as(&messages::DOCUMENT, document)
}

/// The bytes of a document of version 3.
pub(super) fn encode_v3(document: &Value) -> Vec<u8> {
    encode_as(&messages_v3::DOCUMENT, document)
}

fn encode_as(message: &Message, document: &Value) -> Vec<u8> {
    let mut out = Writer::default();
    write_members(&mut out, message, document, MAX_NESTING);
    out.into_bytes()
}

fn write_members(out: &mut Writer, message: &Message, value: &Value, depth: usize) {
    let (Some(depth), Some(members)) = (depth.checked_sub(1), value.as_object()) else { return };
    for (name, number, form) in message.fields {
        if let Some(member) = members.get(name).filter(|member| !form.is_default(member)) {
            write(out, *number, *form, member, depth);
        }
    }
    let Some(extensions) = message.extensions else { return };
    for (name, member) in members.iter().filter(|(name, _)| name.starts_with("x-")) {
        write_named(out, extensions, name, Form::Any, member, depth);
    }
}

/// Writes a field; nothing when the value is not of its type.
fn write(out: &mut Writer, number: u32, form: Form, value: &Value, depth: usize) {
    match (form, value) {
        (Form::Text, Value::String(text)) => out.text(number, text),
        (Form::Flag, Value::Bool(flag)) => out.int(number, i64::from(*flag)),
        (Form::Int, Value::Int(int)) => out.int(number, *int),
        (Form::Double, Value::Int(_) | Value::Float(_)) => out.double(number, value.as_f64().unwrap_or_default()),
        (Form::Text | Form::Flag | Form::Int | Form::Double, _) => {}
        (Form::Any, _) => out.message(number, |out| out.text(YAML, &json::to_string(value))),
        (Form::Message(message), _) => out.message(number, |out| write_members(out, message, value, depth)),
        (Form::Each(form), Value::Array(elements)) => {
            elements.iter().for_each(|element| write(out, number, *form, element, depth));
        }
        (Form::Each(form), _) => write(out, number, *form, value, depth),
        (Form::Within(inner, form), _) => out.message(number, |out| write(out, inner, *form, value, depth)),
        (Form::Named(inner, form), _) => out.message(number, |out| {
            for (name, member) in value.as_object().into_iter().flatten() {
                write_named(out, inner, name, *form, member, depth);
            }
        }),
        (Form::Choice(choose), _) => out.message(number, |out| {
            let (inner, form) = choose(value);
            write(out, inner, form, value, depth);
        }),
    }
}

fn write_named(out: &mut Writer, number: u32, name: &str, form: Form, value: &Value, depth: usize) {
    out.message(number, |out| {
        out.text(NAME, name);
        write(out, VALUE, form, value, depth);
    });
}

impl Form {
    /// True if a field that is missing says the same.
    fn is_default(self, value: &Value) -> bool {
        match self {
            Form::Text => *value == "",
            Form::Flag => value.as_bool() == Some(false),
            Form::Int | Form::Double => value.as_f64() == Some(0.0),
            _ => value.is_null(),
        }
    }
}

#[cfg(test)]
mod tests;

//! Answers in protobuf as the recordings describe them: types, numbers of items and of fields.

use sprag_decode::protobuf;
use sprag_value::{Object, Value};

use super::answer::Verdict;
use super::wire::Answer;
use super::world::Reply;

/// Compares a list, or the events of a watch.
pub(super) fn verdict(want: &Answer<'_>, reply: &Reply) -> Verdict {
    let mut verdict = Verdict::default();
    if reply.code != want.code {
        verdict.add("code", want.code, reply.code);
        return verdict;
    }
    if let Some(content_type) = &want.content_type {
        verdict.texts("contentType", content_type, &reply.content_type);
    }
    let outcome = match &want.events {
        Some(events) => events_of(&reply.body).map(|ours| {
            verdict.values("events", &Value::Array(events.clone().into()), &Value::Array(ours.into()));
        }),
        None => compare_list(want, &reply.body, &mut verdict),
    };
    if let Err(error) = outcome {
        verdict.add("body", "a message", error);
    }
    verdict
}

fn compare_list(want: &Answer<'_>, body: &[u8], verdict: &mut Verdict) -> Result<(), String> {
    let envelope = protobuf::open(body).map_err(|error| error.to_string())?;
    let (Some(api_version), Some(kind)) = (&want.api_version, &want.kind) else { return Ok(()) };
    verdict.texts("apiVersion", api_version, &envelope.api_version);
    verdict.texts("kind", kind, &envelope.kind);
    let fields = fields(envelope.message)?;
    let items: Vec<&[u8]> = fields.iter().filter(|(number, _)| *number == 2).map(|(_, item)| *item).collect();
    if let Some(count) = want.items.filter(|count| *count != items.len()) {
        verdict.add("items", count, items.len());
    }
    let shown = |numbers: &[u64]| format!("{numbers:?}");
    verdict.texts("listFields", &shown(&want.list_fields), &shown(&numbers(&fields)));
    for (want, item) in want.item_fields.iter().zip(items) {
        verdict.texts("itemFields", &shown(want), &shown(&numbers(&self::fields(item)?)));
    }
    Ok(())
}

/// The frames of a watch.
fn events_of(mut body: &[u8]) -> Result<Vec<Value>, String> {
    let mut events = Vec::new();
    while let Some((length, rest)) = body.split_first_chunk::<4>() {
        let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|error| error.to_string())?;
        let (frame, rest) = rest.split_at_checked(length).ok_or("a frame that ends too soon")?;
        events.push(event(frame)?);
        body = rest;
    }
    if body.is_empty() { Ok(events) } else { Err("bytes that are no frame".to_owned()) }
}

/// A `WatchEvent`: the type, and the object in an envelope.
fn event(frame: &[u8]) -> Result<Value, String> {
    let fields = fields(frame)?;
    let member = |number: u64| fields.iter().find(|(known, _)| *known == number).map(|(_, bytes)| *bytes);
    let kind = String::from_utf8_lossy(member(1).unwrap_or_default()).into_owned();
    let raw = self::fields(member(2).ok_or("an event without an object")?)?;
    let object = raw.first().map(|(_, bytes)| *bytes).unwrap_or_default();
    let envelope = protobuf::open(object);
    let mut event = Object::from([
        ("framed", Value::from(true)),
        ("envelope", Value::from(protobuf::open(frame).is_ok())),
        ("type", Value::from(kind)),
        ("objectMagic", Value::from(envelope.is_ok())),
    ]);
    if let Ok(envelope) = envelope {
        event.insert("apiVersion", &*envelope.api_version);
        event.insert("kind", &*envelope.kind);
    }
    Ok(Value::Object(event))
}

/// The fields of a message, each with its bytes where it has a length.
fn fields(mut message: &[u8]) -> Result<Vec<(u64, &[u8])>, String> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message)?;
        let length = match tag & 7 {
            0 => {
                varint(&mut message)?;
                0
            }
            1 => 8,
            2 => usize::try_from(varint(&mut message)?).map_err(|error| error.to_string())?,
            5 => 4,
            other => return Err(format!("wire type {other}")),
        };
        let (bytes, rest) = message.split_at_checked(length).ok_or("a field that ends too soon")?;
        fields.push((tag >> 3, bytes));
        message = rest;
    }
    Ok(fields)
}

fn varint(message: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = message.split_first().ok_or("a number that ends too soon")?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("a number that is too long".to_owned())
}

/// The numbers of fields, each once.
fn numbers(fields: &[(u64, &[u8])]) -> Vec<u64> {
    let mut numbers: Vec<u64> = fields.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_described_by_their_fields() {
        let message = [0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x12, 0x00];
        let fields = fields(&message).expect("a message");
        assert_eq!(fields, [(1, &[][..]), (2, b"hi"), (2, b"")]);
        assert_eq!(numbers(&fields), [1, 2]);
        for bad in [&[0x12, 0x05, 0][..], &[0x0b], &[0x80]] {
            assert!(super::fields(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn frames_of_a_watch_have_their_length_before_them() {
        let object = protobuf::seal("v1", "ConfigMap", b"");
        let frame = protobuf::watch_event("ADDED", &object);
        let length = u32::try_from(frame.len()).expect("a short frame").to_be_bytes();
        let body = [&length[..], &frame].concat();
        let events = events_of(&body).expect("frames");
        assert_eq!(events[0].get("kind").and_then(Value::as_str), Some("ConfigMap"));
        assert_eq!(events[0].get("type").and_then(Value::as_str), Some("ADDED"));
        assert!(events_of(&body[..body.len() - 1]).is_err());
    }
}

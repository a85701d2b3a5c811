//! Types whose messages are not their fields: times, durations, quantities, numbers or text, JSON.

use sprag_value::{Duration, MicroTime, Quantity, Time, Value, from_value, json, to_value};

use super::ProtobufError;
use super::input::{BYTES, Input, VARINT};
use super::output::Output;
use crate::utf8::replace_invalid;

/// The first second after year 9999, which is the last that JSON can say.
const END_OF_TIME: i64 = 253_402_300_800;
/// The first second of year 0.
const START_OF_TIME: i64 = -62_167_219_200;
const NANOS: i64 = 1_000_000_000;

/// The fields 1, 2 and 3 of a small message, as far as they are there.
#[derive(Default)]
struct Small<'a> {
    numbers: [Option<u64>; 2],
    /// The last field of bytes.
    bytes: Option<&'a [u8]>,
}

/// Reads a message with numbers in its first fields and bytes in the one that `bytes` says.
fn small<'a>(message: &'a [u8], name: &str, bytes: u32) -> Result<Small<'a>, ProtobufError> {
    let mut read = Small::default();
    let mut input = Input::new(message);
    while let Some(tag) = input.tag(name)? {
        let is_bytes = tag.number == bytes;
        if !is_bytes && tag.number > 2 {
            input.skip(tag)?;
            continue;
        }
        if tag.wire_type != if is_bytes { BYTES } else { VARINT } {
            return Err(ProtobufError::WrongWireType {
                wire_type: tag.wire_type,
                field: format!("{name}.{}", tag.number),
            });
        }
        if is_bytes {
            read.bytes = Some(input.bytes()?);
        } else {
            read.numbers[tag.number as usize - 1] = Some(input.varint()?);
        }
    }
    Ok(read)
}

pub(super) fn content(error: &impl ToString) -> ProtobufError {
    ProtobufError::Content(error.to_string())
}

/// A point in time, which is nothing when the message is empty.
// As upstream's meta/v1.Time.Unmarshal: seconds only.
pub(super) fn read_time(message: &[u8]) -> Result<Value, ProtobufError> {
    let Some((seconds, _)) = read_timestamp(message)? else { return Ok(Value::Null) };
    to_value(&Time::from_unix(seconds, 0)).map_err(|error| content(&error))
}

/// A point in time with microseconds.
// As upstream's meta/v1.MicroTime.Unmarshal.
pub(super) fn read_micro_time(message: &[u8]) -> Result<Value, ProtobufError> {
    let Some((seconds, nanos)) = read_timestamp(message)? else { return Ok(Value::Null) };
    let nanos = i64::from(nanos / 1000 * 1000);
    let seconds = seconds + nanos.div_euclid(NANOS);
    let nanos = u32::try_from(nanos.rem_euclid(NANOS)).unwrap_or_default();
    to_value(&MicroTime::from_unix(seconds, nanos)).map_err(|error| content(&error))
}

fn read_timestamp(message: &[u8]) -> Result<Option<(i64, i32)>, ProtobufError> {
    if message.is_empty() {
        return Ok(None);
    }
    let Small { numbers: [seconds, nanos], .. } = small(message, "Timestamp", 0)?;
    let seconds = seconds.unwrap_or_default().cast_signed();
    if !(START_OF_TIME..END_OF_TIME).contains(&seconds) {
        return Err(ProtobufError::Content("Time.MarshalJSON: year outside of range [0,9999]".to_owned()));
    }
    Ok(Some((seconds, low_32_bits(nanos.unwrap_or_default()))))
}

/// Truncates a number as Go does for a field of 32 bits.
pub(super) fn low_32_bits(number: u64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "what upstream does")]
    let low = number as i32;
    low
}

/// A span of time.
pub(super) fn read_duration(message: &[u8]) -> Result<Value, ProtobufError> {
    let nanos = small(message, "Duration", 0)?.numbers[0].unwrap_or_default().cast_signed();
    to_value(&Duration::from_nanos(nanos)).map_err(|error| content(&error))
}

/// A quantity, which is text.
pub(super) fn read_quantity(message: &[u8]) -> Result<Value, ProtobufError> {
    let text = small(message, "Quantity", 1)?.bytes;
    let quantity = text.map(|text| replace_invalid(text).parse::<Quantity>()).transpose();
    to_value(&quantity.map_err(|error| content(&error))?.unwrap_or_default()).map_err(|error| content(&error))
}

/// A number or a text, and which of them it is.
pub(super) fn read_int_or_string(message: &[u8]) -> Result<Value, ProtobufError> {
    let Small { numbers: [kind, number], bytes } = small(message, "IntOrString", 3)?;
    match kind.unwrap_or_default() {
        0 => Ok(Value::from(low_32_bits(number.unwrap_or_default()))),
        1 => Ok(Value::from(replace_invalid(bytes.unwrap_or_default()))),
        _ => Err(ProtobufError::Content("impossible IntOrString.Type".to_owned())),
    }
}

/// Any value, as JSON text.
pub(super) fn read_json(message: &[u8]) -> Result<Value, ProtobufError> {
    match small(message, "RawExtension", 1)?.bytes {
        Some(text) => json::parse(text).map_err(|error| content(&error)),
        None => Ok(Value::Null),
    }
}

pub(super) fn write_time(value: &Value, output: &mut Output) -> Result<(), ProtobufError> {
    let time: Time = from_value(value).map_err(|error| content(&error))?;
    if !time.is_zero() {
        output.varint(2, 0);
        output.varint(1, time.unix_seconds().cast_unsigned());
    }
    Ok(())
}

pub(super) fn write_micro_time(value: &Value, output: &mut Output) -> Result<(), ProtobufError> {
    let time: MicroTime = from_value(value).map_err(|error| content(&error))?;
    if !time.is_zero() {
        output.varint(2, u64::from(time.subsec_nanos() / 1000 * 1000));
        output.varint(1, time.unix_seconds().cast_unsigned());
    }
    Ok(())
}

pub(super) fn write_duration(value: &Value, output: &mut Output) -> Result<(), ProtobufError> {
    let duration = match value {
        Value::Null => Duration::default(),
        value => from_value(value).map_err(|error| content(&error))?,
    };
    output.varint(1, duration.as_nanos().cast_unsigned());
    Ok(())
}

pub(super) fn write_quantity(value: &Value, output: &mut Output) -> Result<(), ProtobufError> {
    let quantity = match value {
        Value::Null => Quantity::default(),
        value => from_value(value).map_err(|error| content(&error))?,
    };
    output.bytes(1, quantity.to_string().as_bytes());
    Ok(())
}

pub(super) fn write_int_or_string(value: &Value, output: &mut Output) -> bool {
    let (kind, number, text) = match value {
        Value::Null => (0, 0, ""),
        Value::Int(number) => (0, *number, ""),
        Value::String(text) => (1, 0, text.as_str()),
        _ => return false,
    };
    output.bytes(3, text.as_bytes());
    output.varint(2, number.cast_unsigned());
    output.varint(1, kind);
    true
}

pub(super) fn write_json(value: &Value, output: &mut Output) {
    if !value.is_null() {
        output.bytes(1, json::to_string(value).as_bytes());
    }
}

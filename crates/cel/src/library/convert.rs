//! Conversions between types, and `type` and `dyn`.

use sprag_release::Release;
use sprag_value::Duration as GoDuration;

use crate::cost::{Bounds, CallEstimate, CallSite, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome, Scratch, Trap};
use crate::overload::{Binding, Charge, Func, Overload};
use crate::types::Sig;
use crate::value::{Const, MAX_SECONDS, MIN_SECONDS, Timestamp, Val, format_float, format_g, parse_float};

use Sig::{Bool, Bytes, Double, Duration, Int, String, Timestamp as Time, Uint};

const fn convert(function: &'static str, id: &'static str, from: &'static [Sig], to: Sig, call: Func) -> Overload {
    Overload::global(function, id, from, to, call)
}

pub(crate) static TABLE: &[Overload] = &[
    Overload::global("type", "type", &[Sig::A], Sig::TypeOf(&Sig::A), type_of).binding(Binding::Singleton).unguarded(),
    Overload::global("dyn", "to_dyn", &[Sig::A], Sig::Dyn, same).binding(Binding::Singleton).unguarded(),
    convert("bool", "bool_to_bool", &[Bool], Bool, same),
    convert("bool", "string_to_bool", &[String], Bool, to_bool),
    convert("bytes", "bytes_to_bytes", &[Bytes], Bytes, same),
    convert("bytes", "string_to_bytes", &[String], Bytes, to_bytes)
        .estimate(estimate_to_bytes)
        .charge(Charge::ByOverload(charge_walk)),
    convert("double", "double_to_double", &[Double], Double, same),
    convert("double", "int64_to_double", &[Int], Double, to_double),
    convert("double", "string_to_double", &[String], Double, to_double),
    convert("double", "uint64_to_double", &[Uint], Double, to_double),
    convert("duration", "duration_to_duration", &[Duration], Duration, same),
    // It never succeeds. As stdlib.Functions of cel-go 0.26.
    convert("duration", "int64_to_duration", &[Int], Duration, to_duration).until_release(Release::V1_36),
    convert("duration", "string_to_duration", &[String], Duration, to_duration),
    convert("int", "int64_to_int64", &[Int], Int, same),
    convert("int", "double_to_int64", &[Double], Int, to_int),
    convert("int", "duration_to_int64", &[Duration], Int, to_int),
    convert("int", "string_to_int64", &[String], Int, to_int),
    convert("int", "timestamp_to_int64", &[Time], Int, to_int),
    convert("int", "uint64_to_int64", &[Uint], Int, to_int),
    convert("string", "string_to_string", &[String], String, same),
    convert("string", "bool_to_string", &[Bool], String, to_string),
    convert("string", "bytes_to_string", &[Bytes], String, to_string)
        .estimate(estimate_to_string)
        .charge(Charge::ByOverload(charge_walk)),
    convert("string", "double_to_string", &[Double], String, to_string),
    convert("string", "duration_to_string", &[Duration], String, to_string),
    convert("string", "int64_to_string", &[Int], String, to_string),
    convert("string", "timestamp_to_string", &[Time], String, to_string),
    convert("string", "uint64_to_string", &[Uint], String, to_string),
    convert("timestamp", "timestamp_to_timestamp", &[Time], Time, same),
    convert("timestamp", "int64_to_timestamp", &[Int], Time, to_timestamp),
    convert("timestamp", "string_to_timestamp", &[String], Time, to_timestamp),
    convert("uint", "uint64_to_uint64", &[Uint], Uint, same),
    convert("uint", "double_to_uint64", &[Double], Uint, to_uint),
    convert("uint", "int64_to_uint64", &[Int], Uint, to_uint),
    convert("uint", "string_to_uint64", &[String], Uint, to_uint),
];

/// Functions that the reference computes in advance when their one argument is a constant.
pub(crate) const FOLDED: &[&str] =
    &["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// True if a conversion of a constant succeeds.
pub(crate) fn converts(function: &str, constant: &Const) -> bool {
    let scratch = Scratch::default();
    let cx = scratch.cx();
    cx.copy_const(constant).is_ok_and(|value| match function {
        "duration" => to_duration(&cx, &[value]).is_ok(),
        _ => to_timestamp(&cx, &[value]).is_ok(),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "all functions of a table have one type")]
fn same<'a>(_: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(args[0])
}

#[expect(clippy::unnecessary_wraps, reason = "all functions of a table have one type")]
fn type_of<'a>(_: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Type(args[0].type_name()))
}

fn cannot<'a>(cx: &Cx<'a>, value: Val<'a>, to: &str) -> Trap<'a> {
    cx.error(format_args!("type conversion error from '{}' to '{to}'", value.type_name()))
}

fn to_bool<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match args[0] {
        Val::String("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(Val::Bool(true)),
        Val::String("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(Val::Bool(false)),
        value => Err(cannot(cx, value, "bool")),
    }
}

fn to_bytes<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    if let Val::String(text) = args[0] { Ok(Val::Bytes(text.as_bytes())) } else { Err(cannot(cx, args[0], "bytes")) }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest double is asked for")]
fn to_double<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match args[0] {
        Val::Int(value) => Ok(Val::Double(value as f64)),
        Val::Uint(value) => Ok(Val::Double(value as f64)),
        Val::String(text) => parse_float(text).map(Val::Double).ok_or_else(|| cannot(cx, args[0], "double")),
        value => Err(cannot(cx, value, "double")),
    }
}

fn to_duration<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let parsed = if let Val::String(text) = args[0] { text.parse::<GoDuration>().ok() } else { None };
    parsed
        .map(|duration| Val::Duration(duration.as_nanos()))
        .ok_or_else(|| cannot(cx, args[0], "google.protobuf.Duration"))
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
fn to_int<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let overflow = || cx.fail("integer overflow");
    match args[0] {
        Val::Double(value) if value > -9_223_372_036_854_775_808.0 && value < 9_223_372_036_854_775_808.0 => {
            Ok(Val::Int(value as i64))
        }
        Val::Double(_) => Err(overflow()),
        Val::Uint(value) => i64::try_from(value).map(Val::Int).map_err(|_| overflow()),
        Val::Duration(nanos) => Ok(Val::Int(nanos)),
        Val::Timestamp(time) => Ok(Val::Int(time.seconds)),
        Val::String(text) => text.parse().map(Val::Int).map_err(|_| cannot(cx, args[0], "int")),
        value => Err(cannot(cx, value, "int")),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn to_uint<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let overflow = || cx.fail("unsigned integer overflow");
    match args[0] {
        Val::Double(value) if (0.0..18_446_744_073_709_551_616.0).contains(&value) => Ok(Val::Uint(value as u64)),
        Val::Double(_) => Err(overflow()),
        Val::Int(value) => u64::try_from(value).map(Val::Uint).map_err(|_| overflow()),
        Val::String(text) if text.starts_with('+') => Err(cannot(cx, args[0], "uint")),
        Val::String(text) => text.parse().map(Val::Uint).map_err(|_| cannot(cx, args[0], "uint")),
        value => Err(cannot(cx, value, "uint")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the reference prints seconds from a double")]
pub(super) fn to_string<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match args[0] {
        Val::Bool(value) => Ok(Val::String(if value { "true" } else { "false" })),
        Val::Int(value) => cx.string(&value.to_string()),
        Val::Uint(value) => cx.string(&value.to_string()),
        Val::Double(value) => cx.string(&format_g(value)),
        Val::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Val::String(text)),
            Err(_) => Err(cx.fail("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Val::Duration(nanos) => {
            let seconds = (nanos / 1_000_000_000) as f64 + (nanos % 1_000_000_000) as f64 / 1e9;
            cx.string(&(format_float(seconds) + "s"))
        }
        Val::Timestamp(time) => cx.string(&time.to_rfc3339()),
        value => Err(cannot(cx, value, "string")),
    }
}

fn to_timestamp<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let time = match args[0] {
        Val::Int(seconds) => Timestamp::utc(seconds, 0),
        Val::String(text) => match Timestamp::parse(text) {
            Some(time) => time,
            None => return Err(cannot(cx, args[0], "google.protobuf.Timestamp")),
        },
        value => return Err(cannot(cx, value, "google.protobuf.Timestamp")),
    };
    if (MIN_SECONDS..=MAX_SECONDS).contains(&time.seconds) {
        Ok(Val::Timestamp(time))
    } else {
        Err(cx.fail("timestamp overflow"))
    }
}

fn charge_walk<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(charge::size(&args[0]))
}

fn estimate_to_bytes(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.args.first()?.size;
    let result = Bounds { min: size.min, max: size.max.wrapping_mul(4) };
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), result))
}

fn estimate_to_string(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.args.first()?.size;
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), Bounds { min: size.min / 4, max: size.max }))
}

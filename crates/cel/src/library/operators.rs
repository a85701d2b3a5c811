//! Operators: logic, equality, order, arithmetic, membership.

use std::cmp::Ordering;

use crate::cost::{Bounds, CallEstimate, CallSite, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Binding, Charge, Func, Overload};
use crate::types::Sig;
use crate::value::{MAX_SECONDS, MIN_SECONDS, Timestamp, Val, compare, contains, equal};

use Sig::{Bool, Bytes, Double, Duration, Int, String, Timestamp as Time, Uint};

const NANOS: i64 = 1_000_000_000;

const fn op(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::global(function, id, args, result, call).binding(Binding::Singleton).unguarded()
}

/// The four order operators have the same overloads, in the same order.
macro_rules! order {
    ($name:literal, $prefix:literal, $call:ident) => {
        [
            op($name, concat!($prefix, "_bool"), &[Bool, Bool], Bool, $call),
            op($name, concat!($prefix, "_int64"), &[Int, Int], Bool, $call),
            op($name, concat!($prefix, "_int64_double"), &[Int, Double], Bool, $call),
            op($name, concat!($prefix, "_int64_uint64"), &[Int, Uint], Bool, $call),
            op($name, concat!($prefix, "_uint64"), &[Uint, Uint], Bool, $call),
            op($name, concat!($prefix, "_uint64_double"), &[Uint, Double], Bool, $call),
            op($name, concat!($prefix, "_uint64_int64"), &[Uint, Int], Bool, $call),
            op($name, concat!($prefix, "_double"), &[Double, Double], Bool, $call),
            op($name, concat!($prefix, "_double_int64"), &[Double, Int], Bool, $call),
            op($name, concat!($prefix, "_double_uint64"), &[Double, Uint], Bool, $call),
            comparison($name, concat!($prefix, "_string"), &[String, String], $call),
            comparison($name, concat!($prefix, "_bytes"), &[Bytes, Bytes], $call),
            op($name, concat!($prefix, "_timestamp"), &[Time, Time], Bool, $call),
            op($name, concat!($prefix, "_duration"), &[Duration, Duration], Bool, $call),
        ]
    };
}

/// An operator that walks both sides as far as the shorter one goes.
const fn comparison(function: &'static str, id: &'static str, args: &'static [Sig], call: Func) -> Overload {
    op(function, id, args, Bool, call).estimate(estimate_comparison).charge(Charge::ByOverload(charge_comparison))
}

pub(crate) static LOGIC: &[Overload] = &[
    op("_?_:_", "conditional", &[Bool, Sig::A, Sig::A], Sig::A, not_called),
    op("_&&_", "logical_and", &[Bool, Bool], Bool, not_called),
    op("_||_", "logical_or", &[Bool, Bool], Bool, not_called),
    op("!_", "logical_not", &[Bool], Bool, not),
    op("@not_strictly_false", "not_strictly_false", &[Bool], Bool, not_called),
    comparison("_==_", "equals", &[Sig::A, Sig::A], equals)
        .estimate(estimate_equality)
        .charge(Charge::ByName(charge_equality)),
    comparison("_!=_", "not_equals", &[Sig::A, Sig::A], not_equals),
    op("_[_]", "index_list", &[Sig::LIST_A, Int], Sig::A, not_called),
    op("_[_]", "index_map", &[Sig::MAP_AB, Sig::A], Sig::B, not_called),
    op("@in", "in_list", &[Sig::A, Sig::LIST_A], Bool, is_in)
        .estimate(estimate_membership)
        .charge(Charge::ByOverload(|_, args, _| charge::size(&args[1]))),
    op("@in", "in_map", &[Sig::A, Sig::MAP_AB], Bool, is_in),
];

pub(crate) static ARITHMETIC: &[Overload] = &[
    op("_+_", "add_bytes", &[Bytes, Bytes], Bytes, add).charge(Charge::ByOverload(charge_sum)),
    op("_+_", "add_double", &[Double, Double], Double, add),
    op("_+_", "add_duration_duration", &[Duration, Duration], Duration, add),
    op("_+_", "add_duration_timestamp", &[Duration, Time], Time, add),
    op("_+_", "add_timestamp_duration", &[Time, Duration], Time, add),
    op("_+_", "add_int64", &[Int, Int], Int, add),
    op("_+_", "add_list", &[Sig::LIST_A, Sig::LIST_A], Sig::LIST_A, add),
    op("_+_", "add_string", &[String, String], String, add).charge(Charge::ByOverload(charge_sum)),
    op("_+_", "add_uint64", &[Uint, Uint], Uint, add),
    op("_/_", "divide_double", &[Double, Double], Double, divide),
    op("_/_", "divide_int64", &[Int, Int], Int, divide),
    op("_/_", "divide_uint64", &[Uint, Uint], Uint, divide),
    op("_%_", "modulo_int64", &[Int, Int], Int, modulo),
    op("_%_", "modulo_uint64", &[Uint, Uint], Uint, modulo),
    op("_*_", "multiply_double", &[Double, Double], Double, multiply),
    op("_*_", "multiply_int64", &[Int, Int], Int, multiply),
    op("_*_", "multiply_uint64", &[Uint, Uint], Uint, multiply),
    op("-_", "negate_double", &[Double], Double, negate),
    op("-_", "negate_int64", &[Int], Int, negate),
    op("_-_", "subtract_double", &[Double, Double], Double, subtract),
    op("_-_", "subtract_duration_duration", &[Duration, Duration], Duration, subtract),
    op("_-_", "subtract_int64", &[Int, Int], Int, subtract),
    op("_-_", "subtract_timestamp_duration", &[Time, Duration], Time, subtract),
    op("_-_", "subtract_timestamp_timestamp", &[Time, Time], Duration, subtract),
    op("_-_", "subtract_uint64", &[Uint, Uint], Uint, subtract),
];

pub(crate) static LESS: &[Overload] = &order!("_<_", "less", less);
pub(crate) static LESS_EQUALS: &[Overload] = &order!("_<=_", "less_equals", less_equals);
pub(crate) static GREATER: &[Overload] = &order!("_>_", "greater", greater);
pub(crate) static GREATER_EQUALS: &[Overload] = &order!("_>=_", "greater_equals", greater_equals);

/// Operators that the evaluator carries out itself.
fn not_called<'a>(cx: &Cx<'a>, _: &[Val<'a>]) -> Outcome<'a> {
    Err(cx.no_such_overload())
}

/// The error of an operator whose left side does not support it. Types with methods of their own do not name it.
pub(crate) fn unsupported<'a>(cx: &Cx<'a>, left: Val<'a>, operator: &str) -> Trap<'a> {
    match left {
        Val::String(_) | Val::Duration(_) | Val::Timestamp(_) => cx.no_such_overload(),
        _ => cx.error(format_args!("no such overload: {operator}")),
    }
}

fn not<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    if let [Val::Bool(value)] = args { Ok(Val::Bool(!value)) } else { Err(cx.no_such_overload()) }
}

fn equals<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    equal(cx, args[0], args[1]).map(Val::Bool)
}

fn not_equals<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match equal(cx, args[0], args[1]) {
        Ok(equal) => Ok(Val::Bool(!equal)),
        // Values that cannot be compared are not equal.
        Err(Trap::Error(_)) => Ok(Val::Bool(true)),
        Err(trap) => Err(trap),
    }
}

/// Compares two values of ordered types.
pub(crate) fn order<'a>(cx: &Cx<'a>, left: Val<'a>, right: Val<'a>, operator: &str) -> Result<Ordering, Trap<'a>> {
    if let Some(order) = compare(left, right) {
        return Ok(order);
    }
    match (left, right) {
        (Val::Double(_), Val::Double(_) | Val::Int(_) | Val::Uint(_))
        | (Val::Int(_) | Val::Uint(_), Val::Double(_)) => Err(cx.fail("NaN values cannot be ordered")),
        (Val::Double(value), _) if value.is_nan() => Err(cx.fail("NaN values cannot be ordered")),
        (Val::Bool(_) | Val::Bytes(_) | Val::Int(_) | Val::Uint(_) | Val::Double(_), _) => Err(cx.no_such_overload()),
        _ => Err(unsupported(cx, left, operator)),
    }
}

fn less<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    order(cx, args[0], args[1], "_<_").map(|order| Val::Bool(order.is_lt()))
}

fn less_equals<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    order(cx, args[0], args[1], "_<=_").map(|order| Val::Bool(order.is_le()))
}

fn greater<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    order(cx, args[0], args[1], "_>_").map(|order| Val::Bool(order.is_gt()))
}

fn greater_equals<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    order(cx, args[0], args[1], "_>=_").map(|order| Val::Bool(order.is_ge()))
}

fn is_in<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    contains(cx, args[1], args[0]).unwrap_or_else(|| Err(cx.no_such_overload())).map(Val::Bool)
}

/// A whole number, or the error that it does not fit.
fn int<'a>(cx: &Cx<'a>, value: Option<i64>) -> Outcome<'a> {
    value.map(Val::Int).ok_or_else(|| cx.fail("integer overflow"))
}

fn uint<'a>(cx: &Cx<'a>, value: Option<u64>) -> Outcome<'a> {
    value.map(Val::Uint).ok_or_else(|| cx.fail("unsigned integer overflow"))
}

fn duration<'a>(cx: &Cx<'a>, value: Option<i64>) -> Outcome<'a> {
    value.map(Val::Duration).ok_or_else(|| cx.fail("integer overflow"))
}

pub(super) fn add<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match (args[0], args[1]) {
        (Val::Int(a), Val::Int(b)) => int(cx, a.checked_add(b)),
        (Val::Uint(a), Val::Uint(b)) => uint(cx, a.checked_add(b)),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a + b)),
        (Val::String(a), Val::String(b)) => cx.concat(a, b).map(Val::String),
        (Val::Bytes(a), Val::Bytes(b)) => cx.concat_bytes(a, b).map(Val::Bytes),
        (Val::Duration(a), Val::Duration(b)) => duration(cx, a.checked_add(b)),
        (Val::Timestamp(time), Val::Duration(nanos)) | (Val::Duration(nanos), Val::Timestamp(time)) => {
            shift(cx, time, nanos)
        }
        (left, right) => match (left.as_list(), right.as_list()) {
            (Some(left), Some(right)) => left.add(cx, right),
            (Some(_), None) => Err(cx.no_such_overload()),
            _ => match left {
                Val::Int(_) | Val::Uint(_) | Val::Double(_) | Val::Bytes(_) => Err(cx.no_such_overload()),
                _ => Err(unsupported(cx, left, "_+_")),
            },
        },
    }
}

/// A time moved by a duration.
fn shift<'a>(cx: &Cx<'a>, time: Timestamp, nanos: i64) -> Outcome<'a> {
    let total = i64::from(time.nanos) + nanos % NANOS;
    let seconds = time.seconds + nanos / NANOS + total.div_euclid(NANOS);
    if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
        return Err(cx.fail("timestamp overflow"));
    }
    let nanos = u32::try_from(total.rem_euclid(NANOS)).unwrap_or(0);
    Ok(Val::Timestamp(Timestamp { seconds, nanos, offset: time.offset }))
}

fn subtract<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match (args[0], args[1]) {
        (Val::Int(a), Val::Int(b)) => int(cx, a.checked_sub(b)),
        (Val::Uint(a), Val::Uint(b)) => uint(cx, a.checked_sub(b)),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a - b)),
        (Val::Duration(a), Val::Duration(b)) => duration(cx, a.checked_sub(b)),
        (Val::Timestamp(time), Val::Duration(nanos)) => match nanos.checked_neg() {
            Some(nanos) => shift(cx, time, nanos),
            None => Err(cx.fail("integer overflow")),
        },
        (Val::Timestamp(a), Val::Timestamp(b)) => {
            let seconds = a.seconds.checked_sub(b.seconds).and_then(|seconds| seconds.checked_mul(NANOS));
            duration(cx, seconds.and_then(|nanos| nanos.checked_add(i64::from(a.nanos) - i64::from(b.nanos))))
        }
        (Val::Int(_) | Val::Uint(_) | Val::Double(_), _) => Err(cx.no_such_overload()),
        (left, _) => Err(unsupported(cx, left, "_-_")),
    }
}

fn multiply<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match (args[0], args[1]) {
        (Val::Int(a), Val::Int(b)) => int(cx, a.checked_mul(b)),
        (Val::Uint(a), Val::Uint(b)) => uint(cx, a.checked_mul(b)),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a * b)),
        (Val::Int(_) | Val::Uint(_) | Val::Double(_), _) => Err(cx.no_such_overload()),
        (left, _) => Err(unsupported(cx, left, "_*_")),
    }
}

fn divide<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match (args[0], args[1]) {
        (Val::Int(_), Val::Int(0)) | (Val::Uint(_), Val::Uint(0)) => Err(cx.fail("division by zero")),
        (Val::Int(a), Val::Int(b)) => int(cx, a.checked_div(b)),
        (Val::Uint(a), Val::Uint(b)) => uint(cx, a.checked_div(b)),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a / b)),
        (Val::Int(_) | Val::Uint(_) | Val::Double(_), _) => Err(cx.no_such_overload()),
        (left, _) => Err(unsupported(cx, left, "_/_")),
    }
}

fn modulo<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match (args[0], args[1]) {
        (Val::Int(_), Val::Int(0)) | (Val::Uint(_), Val::Uint(0)) => Err(cx.fail("modulus by zero")),
        (Val::Int(a), Val::Int(b)) => int(cx, a.checked_rem(b)),
        (Val::Uint(a), Val::Uint(b)) => uint(cx, a.checked_rem(b)),
        (Val::Int(_) | Val::Uint(_), _) => Err(cx.no_such_overload()),
        (left, _) => Err(unsupported(cx, left, "_%_")),
    }
}

fn negate<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match args[0] {
        Val::Int(value) => int(cx, value.checked_neg()),
        Val::Double(value) => Ok(Val::Double(-value)),
        Val::Duration(value) => duration(cx, value.checked_neg()),
        Val::Bool(_) => Err(cx.no_such_overload()),
        value => Err(unsupported(cx, value, "-_")),
    }
}

fn charge_comparison<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(charge::size(&args[0]).min(charge::size(&args[1])))
}

fn charge_equality<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], result: &Outcome<'a>) -> u64 {
    if matches!(args[0], Ok(Val::Opaque(_))) { 1 } else { charge_comparison(cx, args, result) }
}

fn charge_sum<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(charge::size(&args[0]) + charge::size(&args[1]))
}

fn estimate_comparison(call: &CallSite<'_>) -> Option<CallEstimate> {
    let [left, right] = call.args.as_slice() else { return None };
    let max = left.size.max.min(right.size.max);
    Some(CallEstimate::cost(Bounds { min: u64::from(max > 0), max }.scale(STRING_TRAVERSAL)))
}

fn estimate_equality(call: &CallSite<'_>) -> Option<CallEstimate> {
    let [left, right] = call.args.as_slice() else { return None };
    if left.ty == right.ty
        && let Some(cost) = super::estimate_opaque_equality(left, right)
    {
        return Some(CallEstimate::cost(cost));
    }
    estimate_comparison(call)
}

fn estimate_membership(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(CallEstimate::cost(call.args.get(1)?.size))
}

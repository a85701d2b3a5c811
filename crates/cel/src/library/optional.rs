//! Optional values.

use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Binding, Overload};
use crate::types::Sig;
use crate::value::{MIN_SECONDS, Val, show};

const OPTIONAL: Sig = Sig::Optional(&Sig::A);
const OPTIONAL_B: Sig = Sig::Optional(&Sig::B);
const OPTIONAL_LIST: Sig = Sig::Optional(&Sig::LIST_A);
const OPTIONAL_MAP: Sig = Sig::Optional(&Sig::MAP_AB);
const LIST_OPTIONAL: Sig = Sig::List(&OPTIONAL);

const fn index(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig) -> Overload {
    Overload::global(function, id, args, result, not_called).since(28)
}

pub(crate) static TABLE: &[Overload] = &[
    Overload::global("optional.of", "optional_of", &[Sig::A], OPTIONAL, of).since(28),
    Overload::global("optional.ofNonZeroValue", "optional_ofNonZeroValue", &[Sig::A], OPTIONAL, of_non_zero).since(28),
    Overload::global("optional.none", "optional_none", &[], OPTIONAL, none).binding(Binding::Early).since(28),
    Overload::member("value", "optional_value", &[OPTIONAL], Sig::A, value).since(28),
    Overload::member("hasValue", "optional_hasValue", &[OPTIONAL], Sig::Bool, has_value).since(28),
    Overload::member("or", "optional_or_optional", &[OPTIONAL, OPTIONAL], OPTIONAL, not_called).since(28),
    Overload::member("orValue", "optional_orValue_value", &[OPTIONAL, Sig::A], Sig::A, not_called).since(28),
    index("_[?_]", "list_optindex_optional_int", &[Sig::LIST_A, Sig::Int], OPTIONAL),
    index("_[?_]", "optional_list_optindex_optional_int", &[OPTIONAL_LIST, Sig::Int], OPTIONAL),
    index("_[?_]", "map_optindex_optional_value", &[Sig::MAP_AB, Sig::A], OPTIONAL_B),
    index("_[?_]", "optional_map_optindex_optional_value", &[OPTIONAL_MAP, Sig::A], OPTIONAL_B),
    index("_[_]", "optional_list_index_int", &[OPTIONAL_LIST, Sig::Int], OPTIONAL),
    index("_[_]", "optional_map_index_value", &[OPTIONAL_MAP, Sig::A], OPTIONAL_B),
    Overload::member("last", "list_last", &[Sig::LIST_A], OPTIONAL, last).since(28),
    Overload::member("first", "list_first", &[Sig::LIST_A], OPTIONAL, first).since(28),
    Overload::global("optional.unwrap", "optional_unwrap", &[LIST_OPTIONAL], Sig::LIST_A, unwrap).since(28),
    Overload::member("unwrapOpt", "optional_unwrapOpt", &[LIST_OPTIONAL], Sig::LIST_A, unwrap).since(28),
];

/// Operators that the evaluator carries out itself.
fn not_called<'a>(cx: &Cx<'a>, _: &[Val<'a>]) -> Outcome<'a> {
    Err(cx.no_such_overload())
}

fn of<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    cx.some(args[0])
}

fn of_non_zero<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    if is_zero(args[0]) { Ok(Val::Optional(None)) } else { cx.some(args[0]) }
}

/// True if a value is the zero of its type. Lists and maps of declared types have none.
fn is_zero(value: Val<'_>) -> bool {
    match value {
        Val::Null => true,
        Val::Bool(value) => !value,
        Val::Int(value) | Val::Duration(value) => value == 0,
        Val::Uint(value) => value == 0,
        Val::Double(value) => value == 0.0,
        Val::String(text) => text.is_empty(),
        Val::Bytes(bytes) => bytes.is_empty(),
        Val::Timestamp(time) => time.seconds == MIN_SECONDS && time.nanos == 0,
        Val::JsonList(array, decl) => decl.is_dyn() && array.is_empty(),
        Val::JsonMap(object, decl) => decl.is_dyn() && object.is_empty(),
        Val::List(_) | Val::ConstList(_) | Val::Map(_) | Val::ConstMap(_) => value.size() == Some(0),
        _ => false,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "all functions of a table have one type")]
fn none<'a>(_: &Cx<'a>, _: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Optional(None))
}

fn value<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match args[0] {
        Val::Optional(Some(value)) => Ok(*value),
        Val::Optional(None) => Err(cx.fail("optional.none() dereference")),
        _ => Err(cx.no_such_overload()),
    }
}

fn has_value<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    if let Val::Optional(value) = args[0] { Ok(Val::Bool(value.is_some())) } else { Err(cx.no_such_overload()) }
}

fn first<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    at(cx, args[0], |_| 0)
}

fn last<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    at(cx, args[0], |len| len.saturating_sub(1))
}

fn at<'a>(cx: &Cx<'a>, list: Val<'a>, place: fn(usize) -> usize) -> Outcome<'a> {
    let list = list.as_list().ok_or_else(|| cx.no_such_overload())?;
    match list.get(cx, place(list.len())) {
        Some(element) => cx.some(element?),
        None => Ok(Val::Optional(None)),
    }
}

fn unwrap<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let list = args[0].as_list().ok_or_else(|| cx.no_such_overload())?;
    let present = list.iter(cx).filter_map(|element| match element {
        Ok(Val::Optional(inner)) => inner.map(|inner| Ok(*inner)),
        Ok(other) => Some(Err(not_optional(cx, other))),
        Err(trap) => Some(Err(trap)),
    });
    cx.collect(0, present).map(|values| Val::List(values))
}

fn not_optional<'a>(cx: &Cx<'a>, value: Val<'a>) -> Trap<'a> {
    cx.error(format_args!("value {} is not optional", show(cx, value)))
}

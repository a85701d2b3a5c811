//! Lists as Kubernetes extends them: order, sum, smallest and largest element, positions, membership.

use std::cmp::Ordering;

use crate::cost::{Argument, Bounds, CallEstimate, CallSite, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::{Sig, Type};
use crate::value::{List, Val, compare, equal};

use super::operators::add;

const fn row(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::member(function, id, args, result, call).costs(estimate, charge_traversal)
}

/// Rows for each type whose values have an order.
macro_rules! ordered_types {
    ($function:literal, $call:ident, $result:ident, $($tail:literal)?) => {
        &[
            ordered_types!(@ $function, $call, $result, $($tail)?, "int", Int),
            ordered_types!(@ $function, $call, $result, $($tail)?, "uint", Uint),
            ordered_types!(@ $function, $call, $result, $($tail)?, "double", Double),
            ordered_types!(@ $function, $call, $result, $($tail)?, "bool", Bool),
            ordered_types!(@ $function, $call, $result, $($tail)?, "duration", Duration),
            ordered_types!(@ $function, $call, $result, $($tail)?, "timestamp", Timestamp),
            ordered_types!(@ $function, $call, $result, $($tail)?, "string", String),
            ordered_types!(@ $function, $call, $result, $($tail)?, "bytes", Bytes),
        ]
    };
    (@ $function:literal, $call:ident, Element, , $name:literal, $sig:ident) => {
        row(
            $function,
            concat!("list_", $name, "_", $function, "_", $name),
            &[Sig::List(&Sig::$sig)],
            Sig::$sig,
            $call,
        )
    };
    (@ $function:literal, $call:ident, Bool, $tail:literal, $name:literal, $sig:ident) => {
        row($function, concat!("list_", $name, $tail), &[Sig::List(&Sig::$sig)], Sig::Bool, $call)
    };
}

pub(crate) static IS_SORTED: &[Overload] = ordered_types!("isSorted", is_sorted, Bool, "_is_sorted_bool");
pub(crate) static MAX: &[Overload] = ordered_types!("max", max, Element,);
pub(crate) static MIN: &[Overload] = ordered_types!("min", min, Element,);

pub(crate) static SUM: &[Overload] = &[
    row("sum", "list_int_sum_int", &[Sig::List(&Sig::Int)], Sig::Int, |cx, args| sum(cx, args, Val::Int(0))),
    row("sum", "list_uint_sum_uint", &[Sig::List(&Sig::Uint)], Sig::Uint, |cx, args| sum(cx, args, Val::Uint(0))),
    row("sum", "list_double_sum_double", &[Sig::List(&Sig::Double)], Sig::Double, |cx, args| {
        sum(cx, args, Val::Double(0.0))
    }),
    row("sum", "list_duration_sum_duration", &[Sig::List(&Sig::Duration)], Sig::Duration, |cx, args| {
        sum(cx, args, Val::Duration(0))
    }),
];

pub(crate) static PLACES: &[Overload] = &[
    row("indexOf", "list_a_index_of_int", &[Sig::LIST_A, Sig::A], Sig::Int, index_of),
    row("lastIndexOf", "list_a_last_index_of_int", &[Sig::LIST_A, Sig::A], Sig::Int, last_index_of),
    row("includes", "list_includes_dyn_dyn", &[Sig::Dyn, Sig::Dyn], Sig::Bool, includes)
        .estimate(estimate_includes)
        .since(37),
];

fn list<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<List<'a>, Trap<'a>> {
    args.first().and_then(|list| list.as_list()).ok_or_else(|| cx.no_such_overload())
}

/// True if values of its type have an order.
pub(super) fn has_order(value: Val<'_>) -> bool {
    matches!(
        value,
        Val::Bool(_)
            | Val::Int(_)
            | Val::Uint(_)
            | Val::Double(_)
            | Val::String(_)
            | Val::Bytes(_)
            | Val::Timestamp(_)
            | Val::Duration(_)
    )
}

/// An element of a type that has an order.
fn ordered<'a>(cx: &Cx<'a>, element: Outcome<'a>) -> Outcome<'a> {
    element.and_then(|element| if has_order(element) { Ok(element) } else { Err(cx.no_such_overload()) })
}

fn is_sorted<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let mut previous: Option<Val<'a>> = None;
    for element in list(cx, args)?.iter(cx) {
        let element = ordered(cx, element)?;
        // Values that cannot be compared are taken to be in order.
        if previous.is_some_and(|previous| compare(previous, element) == Some(Ordering::Greater)) {
            return Ok(Val::Bool(false));
        }
        previous = Some(element);
    }
    Ok(Val::Bool(true))
}

fn max<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    extreme(cx, args, Ordering::Less)?.ok_or_else(|| cx.fail("max called on empty list"))
}

fn min<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    extreme(cx, args, Ordering::Greater)?.ok_or_else(|| cx.fail("min called on empty list"))
}

/// The element that no later one beats; `beaten` is how a beaten element compares.
fn extreme<'a>(cx: &Cx<'a>, args: &[Val<'a>], beaten: Ordering) -> Result<Option<Val<'a>>, Trap<'a>> {
    let mut best: Option<Val<'a>> = None;
    for element in list(cx, args)?.iter(cx) {
        let element = ordered(cx, element)?;
        if best.is_none_or(|best| compare(best, element) == Some(beaten)) {
            best = Some(element);
        }
    }
    Ok(best)
}

fn sum<'a>(cx: &Cx<'a>, args: &[Val<'a>], zero: Val<'a>) -> Outcome<'a> {
    list(cx, args)?.iter(cx).try_fold(zero, |sum, element| add(cx, &[sum, element?]))
}

/// Reports whether an element equals a value; what cannot be compared is not equal.
fn is<'a>(cx: &Cx<'a>, element: Outcome<'a>, value: Val<'a>) -> Result<bool, Trap<'a>> {
    match element.and_then(|element| equal(cx, element, value)) {
        Err(Trap::Error(_)) => Ok(false),
        same => same,
    }
}

fn index_of<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    for (index, element) in list(cx, args)?.iter(cx).enumerate() {
        if is(cx, element, args[1])? {
            return Ok(Val::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        }
    }
    Ok(Val::Int(-1))
}

fn last_index_of<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let mut last = -1;
    for (index, element) in (0..).zip(list(cx, args)?.iter(cx)) {
        if is(cx, element, args[1])? {
            last = index;
        }
    }
    Ok(Val::Int(last))
}

fn includes<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let Some(list) = args[0].as_list() else { return is(cx, Ok(args[0]), args[1]).map(Val::Bool) };
    for element in list.iter(cx) {
        if is(cx, element, args[1])? {
            return Ok(Val::Bool(true));
        }
    }
    Ok(Val::Bool(false))
}

/// Walking the first argument with all its parts once.
pub(super) fn charge_traversal<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    args.first().map_or(0, |list| charge::traversal(cx, list))
}

/// The rule goes by function name, so `indexOf` of strings has it too.
pub(super) fn estimate(call: &CallSite<'_>) -> Option<CallEstimate> {
    let target = call.target.as_ref()?;
    Some(estimate_elements(target).unwrap_or(CallEstimate::cost(target.size.scale(STRING_TRAVERSAL))))
}

fn estimate_includes(call: &CallSite<'_>) -> Option<CallEstimate> {
    let target = call.target.as_ref()?;
    Some(estimate_elements(target).unwrap_or(CallEstimate::cost(target.size)))
}

/// One comparison per element, with the cost of walking elements that are strings or bytes; nothing if the argument
/// has no elements.
fn estimate_elements(list: &Argument<'_>) -> Option<CallEstimate> {
    let (element, size) = list.element.as_ref()?;
    let mut cost = Bounds::fixed(1);
    if matches!(element, Type::String | Type::Bytes) {
        cost = cost.add(size.scale(STRING_TRAVERSAL));
    }
    Some(CallEstimate::cost(list.size.multiply(cost)))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn order_and_extremes() {
        check("[1, 2, 2].isSorted()", "true");
        check("['a', 'B'].isSorted()", "false");
        check("dyn([dyn(1.0), dyn(2), dyn(3u)]).isSorted()", "true");
        check("dyn([dyn(1), dyn([])]).isSorted()", "no such overload");
        check("[3, 1, 2].max()", "3");
        check("[duration('1m'), duration('1s')].min()", "1s");
        check("[].max()", "max called on empty list");
        check("dyn({}).max()", "no such overload: max(map)");
    }

    #[test]
    fn sums_keep_their_type_and_do_not_wrap() {
        check("[1u, 2u].sum()", "3");
        check("[0.5, 0.25].sum()", "0.75");
        check("[9223372036854775807, 1].sum()", "integer overflow");
        check("dyn([dyn(1), dyn('a')]).sum()", "no such overload");
        check("dyn([]).sum()", "0");
    }

    #[test]
    fn positions_ignore_what_cannot_be_compared() {
        check("['a', 'b', 'a'].indexOf('a')", "0");
        check("['a', 'b', 'a'].lastIndexOf('a')", "2");
        check("['a'].lastIndexOf('b')", "-1");
        check("dyn([dyn(1), dyn(2.0)]).indexOf(2)", "1");
        check("[quantity('1'), quantity('2')].indexOf(quantity('2.0'))", "1");
    }

    #[test]
    fn includes_takes_a_single_value_for_a_list_of_one() {
        check("['x', 'y'].includes('y')", "true");
        check("'y'.includes('y')", "true");
        check("{'a': 1}.includes('a')", "false");
        check("[null].includes(null)", "true");
    }
}

//! Lists as the language extends them: slices, flattening, sorting, ranges.

use std::cmp::Ordering;

use sprag_release::Release;

use crate::cost::{Argument, Bounds, CallEstimate, CallSite, LIST_CREATE, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, MEMORY_LIMIT, Outcome, Trap};
use crate::overload::{Binding, Charge, ChargeFunc, EstimateFunc, Func, Overload};
use crate::syntax::Literal;
use crate::types::Sig;
use crate::value::{List, MAX_VALUE_DEPTH, Val, compare, equal};

use super::lists::has_order;
use super::operators::unsupported;

/// The longest list `lists.range` makes.
const MAX_RANGE: i64 = 1_000_000;

/// The most elements a list may get by flattening.
const MAX_ELEMENTS: usize = MEMORY_LIMIT / size_of::<Val<'static>>() / 2;

/// Lists up to this length are sorted by insertion, as Go does, which is stable and defined for any comparison.
const INSERTION_SORT: usize = 12;

/// Longer lists cannot be compared element by element within any cost limit of Kubernetes.
const MAX_QUADRATIC: usize = 4096;

/// The function behind `sortBy`.
const SORT_BY: &str = "@sortByAssociatedKeys";

const fn row(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::member(function, id, args, result, call).since(34)
}

const fn with_cost(row: Overload, estimate: EstimateFunc, charge: ChargeFunc) -> Overload {
    row.estimate(estimate).charge(Charge::ByOverload(charge))
}

const fn range_row(call: Func) -> Overload {
    let row = Overload::global("lists.range", "lists_range", &[Sig::Int], Sig::List(&Sig::Int), call).since(34);
    with_cost(row, estimate_range, charge_result)
}

const LIST_DYN: Sig = Sig::List(&Sig::Dyn);

pub(crate) static TABLE: &[Overload] = &[
    with_cost(
        row("slice", "list_slice", &[Sig::LIST_A, Sig::Int, Sig::Int], Sig::LIST_A, slice),
        estimate_slice,
        charge_result,
    ),
    with_cost(
        row("flatten", "list_flatten", &[Sig::List(&Sig::LIST_A)], Sig::LIST_A, flatten).unguarded(),
        estimate_flatten,
        charge_flatten,
    ),
    with_cost(
        row("flatten", "list_flatten_int", &[LIST_DYN, Sig::Int], LIST_DYN, flatten).unguarded(),
        estimate_flatten,
        charge_flatten,
    ),
    range_row(range).since_release(Release::V1_37),
    range_row(any_range).until_release(Release::V1_36),
    with_cost(row("reverse", "list_reverse", &[Sig::LIST_A], Sig::LIST_A, reverse), estimate_reverse, charge_result),
    with_cost(
        row("distinct", "list_distinct", &[Sig::LIST_A], Sig::LIST_A, distinct),
        estimate_distinct,
        |cx, args, _| charge_pairs(cx, &args[0]),
    ),
];

const fn sort_row(id: &'static str, args: &'static [Sig]) -> Overload {
    row("sort", id, args, args[0], sort).binding(Binding::Singleton).unguarded().charge(Charge::ByOverload(charge_sort))
}

const fn sort_by_row(id: &'static str, args: &'static [Sig]) -> Overload {
    row(SORT_BY, id, args, Sig::LIST_A, sort_by)
        .binding(Binding::Singleton)
        .unguarded()
        .charge(Charge::ByOverload(charge_sort_by))
}

/// Rows of `sort` and `sortBy` for each type whose values have an order.
macro_rules! sorts {
    ($($name:literal $sig:ident $estimate:ident $estimate_by:ident),* $(,)?) => {
        pub(crate) static SORT: &[Overload] = &[
            $(sort_row(concat!("list_", $name, "_sort"), &[Sig::List(&Sig::$sig)]).estimate($estimate)),*
        ];
        pub(crate) static SORT_BY_KEYS: &[Overload] = &[$(
            sort_by_row(concat!("list_", $name, "_sortByAssociatedKeys"), &[Sig::LIST_A, Sig::List(&Sig::$sig)])
                .estimate($estimate_by)
        ),*];
    };
}

sorts! {
    "int" Int estimate_sort estimate_sort_by,
    "uint" Uint estimate_sort estimate_sort_by,
    "double" Double estimate_sort estimate_sort_by,
    "bool" Bool estimate_sort estimate_sort_by,
    "google.protobuf.Duration" Duration estimate_sort estimate_sort_by,
    "google.protobuf.Timestamp" Timestamp estimate_sort estimate_sort_by,
    "string" String estimate_text_sort estimate_text_sort_by,
    "bytes" Bytes estimate_text_sort estimate_text_sort_by,
}

fn slice<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[list, Val::Int(start), Val::Int(end)] = args else { return Err(cx.no_such_overload()) };
    let list = list.as_list().ok_or_else(|| cx.no_such_overload())?;
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return Err(cx.error(format_args!("cannot slice({start}, {end}), negative indexes not supported")));
    };
    if from > to {
        return Err(
            cx.error(format_args!("cannot slice({start}, {end}), start index must be less than or equal to end index"))
        );
    }
    if to > list.len() {
        return Err(cx.error(format_args!("cannot slice({start}, {end}), list is length {}", list.len())));
    }
    cx.collect(to - from, list.iter(cx).take(to).skip(from)).map(|elements| Val::List(elements))
}

fn flatten<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (list, levels) = match *args {
        [list] => (list.as_list(), 1),
        [list, Val::Int(levels)] => (list.as_list(), levels),
        _ => (None, 0),
    };
    let Some(list) = list else { return Err(cannot_flatten(cx, args)) };
    if levels < 0 {
        return Err(cx.fail("level must be non-negative"));
    }
    let mut elements = Vec::new();
    let levels = u32::try_from(levels).map_or(MAX_VALUE_DEPTH, |levels| levels.min(MAX_VALUE_DEPTH));
    collect_flat(cx, list, levels, &mut elements)?;
    cx.list(&elements)
}

fn collect_flat<'a>(cx: &Cx<'a>, list: List<'a>, levels: u32, elements: &mut Vec<Val<'a>>) -> Result<(), Trap<'a>> {
    for element in list.iter(cx) {
        let element = element?;
        match element.as_list() {
            Some(inner) if levels > 0 => collect_flat(cx, inner, levels - 1, elements)?,
            _ if elements.len() >= MAX_ELEMENTS => return Err(Trap::MemoryLimit),
            _ => elements.push(element),
        }
    }
    Ok(())
}

fn cannot_flatten<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Trap<'a> {
    let rest: Vec<&str> = args[1..].iter().map(shown_type).collect();
    cx.error(format_args!("no such overload: {}.flatten({})", shown_type(&args[0]), rest.join(", ")))
}

/// A type with its parameters, which are not known of values.
fn shown_type(value: &Val<'_>) -> &'static str {
    match value.type_name() {
        "list" => "list(dyn)",
        "map" => "map(dyn, dyn)",
        name => name,
    }
}

fn range<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match *args {
        [Val::Int(size)] if size < 0 => {
            Err(cx.error(format_args!("lists.range: size must be non-negative, got {size}")))
        }
        [Val::Int(size)] if size > MAX_RANGE => {
            Err(cx.error(format_args!("lists.range: size {size} exceeds maximum allowed ({MAX_RANGE})")))
        }
        _ => any_range(cx, args),
    }
}

// As ext.genRange of cel-go 0.26, which has no limits.
fn any_range<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let [Val::Int(size)] = *args else { return Err(cx.no_such_overload()) };
    let len = usize::try_from(size).unwrap_or_default();
    cx.collect(len, (0..size).map(|at| Ok(Val::Int(at)))).map(|elements| Val::List(elements))
}

fn reverse<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let list = args[0].as_list().ok_or_else(|| cx.no_such_overload())?;
    let elements = cx.collect(list.len(), list.iter(cx))?;
    elements.reverse();
    Ok(Val::List(elements))
}

fn distinct<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let list = args[0].as_list().ok_or_else(|| cx.no_such_overload())?;
    if list.len() > MAX_QUADRATIC {
        return Err(Trap::CostLimit);
    }
    let mut kept: Vec<Val<'a>> = Vec::new();
    for element in list.iter(cx) {
        let element = element?;
        if !is_among(cx, &kept, element)? {
            kept.push(element);
        }
    }
    cx.list(&kept)
}

/// Reports whether a value equals one of the elements; what cannot be compared is not equal.
fn is_among<'a>(cx: &Cx<'a>, elements: &[Val<'a>], value: Val<'a>) -> Result<bool, Trap<'a>> {
    for element in elements {
        match equal(cx, value, *element) {
            Ok(true) => return Ok(true),
            Ok(false) | Err(Trap::Error(_)) => {}
            Err(trap) => return Err(trap),
        }
    }
    Ok(false)
}

fn sort<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let list = args[0].as_list().ok_or_else(|| unsupported(cx, args[0], "sort"))?;
    sort_by_keys(cx, args[0], list, list)
}

fn sort_by<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let list = args[0].as_list().ok_or_else(|| unsupported(cx, args[0], SORT_BY))?;
    let keys = args[1].as_list().ok_or_else(|| cx.no_such_overload())?;
    sort_by_keys(cx, args[0], list, keys)
}

/// The elements of a list in the order of the keys at the same places.
fn sort_by_keys<'a>(cx: &Cx<'a>, whole: Val<'a>, list: List<'a>, keys: List<'a>) -> Outcome<'a> {
    if list.len() != keys.len() {
        return Err(cx.error(format_args!(
            "{SORT_BY}() expected a list of the same size as the associated keys list, but got {} and {} elements \
             respectively",
            list.len(),
            keys.len()
        )));
    }
    if list.len() > MAX_QUADRATIC {
        return Err(Trap::CostLimit);
    }
    let pair = |(element, key): (Outcome<'a>, Outcome<'a>)| Ok((key?, element?));
    let mut pairs: Vec<(Val<'a>, Val<'a>)> =
        list.iter(cx).zip(keys.iter(cx)).map(pair).collect::<Result<_, Trap<'a>>>()?;
    let Some(&(first, _)) = pairs.first() else { return Ok(whole) };
    if !has_order(first) {
        return Err(cx.fail("list elements must be comparable"));
    }
    if pairs.iter().any(|(key, _)| key.type_name() != first.type_name()) {
        return Err(cx.fail("list elements must have the same type"));
    }
    sort_pairs(&mut pairs);
    cx.list(&pairs.iter().map(|(_, element)| *element).collect::<Vec<_>>())
}

fn sort_pairs(pairs: &mut [(Val<'_>, Val<'_>)]) {
    if pairs.len() > INSERTION_SORT {
        return pairs.sort_by(|(a, _), (b, _)| total_order(*a, *b));
    }
    for sorted in 1..pairs.len() {
        let mut at = sorted;
        while at > 0 && compare(pairs[at].0, pairs[at - 1].0) == Some(Ordering::Less) {
            pairs.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// The order of two keys of one type, where doubles that are not numbers have a place too.
fn total_order(a: Val<'_>, b: Val<'_>) -> Ordering {
    match (a, b) {
        (Val::Double(a), Val::Double(b)) if a.is_nan() || b.is_nan() => a.total_cmp(&b),
        _ => compare(a, b).unwrap_or(Ordering::Equal),
    }
}

/// Returns the cost of a call that makes a list in this many steps.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the reference computes in doubles and cuts"
)]
fn charge_list(factor: f64, size: u64) -> u64 {
    let units = size as f64 * if factor < 0.0 { 1.0 } else { factor };
    // A value out of range becomes 2^63 in the reference.
    let units = if units < 18_446_744_073_709_551_616.0 { units as u64 } else { 1 << 63 };
    units.saturating_add(1 + LIST_CREATE)
}

fn charge_result<'a>(_: &Cx<'a>, _: &[Outcome<'a>], result: &Outcome<'a>) -> u64 {
    charge_list(1.0, charge::size(result))
}

#[expect(clippy::cast_precision_loss, reason = "the reference computes in doubles")]
fn charge_flatten<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    let levels = if let Some(Ok(Val::Int(levels))) = args.get(1) { *levels as f64 } else { 1.0 };
    charge_list(levels, charge::size(&args[0]))
}

fn charge_sort<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge_pairs(cx, &args[0])
}

fn charge_sort_by<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge_pairs(cx, &args[1])
}

/// Comparing every element with every other.
fn charge_pairs<'a>(cx: &Cx<'a>, list: &Outcome<'a>) -> u64 {
    let size = charge::size(list);
    let first = list.ok().and_then(Val::as_list).and_then(|list| list.get(cx, 0));
    let is_text = matches!(first, Some(Ok(Val::String(_) | Val::Bytes(_))));
    charge_list(if is_text { TEXT_PAIR } else { PAIR }, size.saturating_mul(size))
}

/// The cost of comparing two elements both ways.
const PAIR: f64 = 2.0;
/// The same for strings and bytes.
const TEXT_PAIR: f64 = PAIR + STRING_TRAVERSAL;

/// The estimate of a call that makes a list of this size.
fn estimate_list(factor: f64, size: Bounds) -> CallEstimate {
    CallEstimate::sized(size.scale(factor).add(Bounds::fixed(1 + LIST_CREATE)), size)
}

/// The value of a literal int, negative ones as 0.
fn literal_int(argument: &Argument<'_>, otherwise: u64) -> u64 {
    match argument.literal {
        Some(Literal::Int(value)) => u64::try_from(*value).unwrap_or(0),
        _ => otherwise,
    }
}

fn estimate_slice(call: &CallSite<'_>) -> Option<CallEstimate> {
    let (list, [start, end]) = (call.target.as_ref()?, call.args.as_slice()) else { return None };
    let start = literal_int(start, 0);
    let end = literal_int(end, list.size.max);
    Some(estimate_list(1.0, Bounds::fixed(end.wrapping_sub(start))))
}

fn estimate_range(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(estimate_list(1.0, Bounds::fixed(literal_int(call.args.first()?, u64::MAX))))
}

fn estimate_reverse(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(estimate_list(1.0, call.target.as_ref()?.size))
}

#[expect(clippy::cast_precision_loss, reason = "the reference computes in doubles")]
fn estimate_flatten(call: &CallSite<'_>) -> Option<CallEstimate> {
    let levels = call.args.first().map_or(1, |levels| literal_int(levels, u64::MAX));
    Some(estimate_list(levels as f64, call.target.as_ref()?.size))
}

/// The estimate of comparing every element with every other.
fn estimate_pairs(list: Option<&Argument<'_>>, factor: f64) -> Option<CallEstimate> {
    let size = list?.size;
    Some(estimate_list(factor, size.multiply(size)))
}

fn estimate_distinct(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate_pairs(call.target.as_ref(), PAIR)
}

fn estimate_sort(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate_pairs(call.target.as_ref(), PAIR)
}

fn estimate_text_sort(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate_pairs(call.target.as_ref(), TEXT_PAIR)
}

fn estimate_sort_by(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate_pairs(call.args.first(), PAIR)
}

fn estimate_text_sort_by(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate_pairs(call.args.first(), TEXT_PAIR)
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn slices_stay_inside_the_list() {
        check("[1, 2, 3].slice(1, 3)", "[2, 3]");
        check("[1, 2, 3].slice(3, 3)", "[]");
        check("[1, 2, 3].slice(1, 4)", "cannot slice(1, 4), list is length 3");
        check("[1].slice(-1, 0)", "cannot slice(-1, 0), negative indexes not supported");
    }

    #[test]
    fn flattening_stops_at_its_level() {
        check("[[1], [2, 3]].flatten()", "[1, 2, 3]");
        check("[[[1]], [[2]]].flatten(1)", "[[1], [2]]");
        check("[[[1]], [[2]]].flatten(2)", "[1, 2]");
        check("dyn([dyn(1), dyn([2])]).flatten()", "[1, 2]");
        check("[[1]].flatten(0)", "[[1]]");
        check("dyn(1).flatten()", "no such overload: int.flatten()");
        check("dyn({}).flatten(1)", "no such overload: map(dyn, dyn).flatten(int)");
    }

    #[test]
    fn flattening_has_a_limit() {
        let mut expr = "lists.range(1000)".to_owned();
        for _ in 0..3 {
            expr = format!("[{expr}].map(x, [x, x, x, x, x, x, x, x, x, x])[0]");
        }
        check(&format!("size({expr}.flatten(9))"), "1000000");
        check(
            &format!("size([{expr}].map(x, [x, x])[0].flatten(9))"),
            "operation cancelled: actual cost limit exceeded",
        );
    }

    #[test]
    fn sorting_is_stable() {
        check("['b', 'c', 'a'].sort()", "[a, b, c]");
        check("lists.range(20).reverse().sort()[19]", "19");
        check("['bb', 'a', 'cc', 'd'].sortBy(s, s.size())", "[a, d, bb, cc]");
        check("[3, 1].map(i, [i]).sortBy(l, l[0])", "[[1], [3]]");
        check("[].sortBy(x, x)", "[]");
        check("[1].sortBy(x, dyn([x]))", "list elements must be comparable");
        check("dyn([dyn(2.0), dyn(1)]).sort()", "list elements must have the same type");
        check("dyn([[1], [2]]).sort()", "list elements must be comparable");
        check("dyn([]).sort()", "[]");
        check("dyn('b').sort()", "no such overload");
        check("dyn(1).sort()", "no such overload: sort");
        check("[double('NaN'), 2.0, 1.0].sort()", "[NaN, 1, 2]");
        check("lists.range(20).map(i, i == 7 ? double('NaN') : double(19 - i)).sort()[0]", "0");
    }

    #[test]
    fn ranges_are_limited() {
        check("lists.range(3)", "[0, 1, 2]");
        check("size(lists.range(999000))", "999000");
        check("lists.range(1000001)", "lists.range: size 1000001 exceeds maximum allowed (1000000)");
    }

    #[test]
    fn distinct_keeps_the_first_of_equal_elements() {
        check("['b', 'a', 'b'].distinct()", "[b, a]");
        check("dyn([dyn(1), dyn(1.0), dyn(1u)]).distinct()", "[1]");
        check("[[1], [1]].distinct()", "[[1]]");
        check("lists.range(5000).distinct()", "operation cancelled: actual cost limit exceeded");
    }
}
